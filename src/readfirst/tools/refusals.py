"""What a refusal says: what is wrong, where, and the one call that works next.

The only place that words errors, with `mismatches` for edits. Short, exact, no shouting, no advice that cannot help.
(A room beside the families of tools: they refuse for the same reasons.)
"""

from __future__ import annotations

from readfirst.errors import (
    ArgumentRefused,
    ContentRefused,
    DiskRefused,
    EditsRefused,
    NotRead,
    PathRefused,
    ReadfirstError,
    Stale,
    StoreUnavailable,
    UndoRefused,
    Unseen,
)
from readfirst.tools.mismatches import edits_refused
from readfirst.tools.words import Names, call, counted, lines_named, next_call, quoted


def worded(error: ReadfirstError, names: Names) -> str:
    """Word any failure of the core."""
    match error:
        case NotRead():
            return _not_read(error, names)
        case Stale():
            return _stale(error, names)
        case Unseen():
            return _unseen(error, names)
        case EditsRefused():
            return edits_refused(error, names)
        case UndoRefused():
            return _undo(error, names)
        case PathRefused():
            return _path(error, names)
        case ContentRefused():
            return _content(error, names)
        case DiskRefused():
            return _disk(error)
        case StoreUnavailable():
            return "The session store cannot be reached, so nothing was written. Reading works; try again later."
        case _:
            assert isinstance(error, ArgumentRefused)  # noqa: S101 - the last leaf of the tree
            return f"{error.detail[:1].upper()}{error.detail[1:]}. Nothing was done."


def _next(error: ReadfirstError, names: Names) -> str:
    return next_call(names, error.next_calls[0])


def _not_read(error: NotRead, names: Names) -> str:
    path = quoted(error.path)
    if error.shown is None:
        look = "Look at it" if error.next_calls[0].action == "info" else "Read it"
        return f"{path} has not been read in this session, so nothing was written. {look} first: {_next(error, names)}"
    return (
        f"{path} had not been read in this session, so nothing was written. "
        f"This is the whole file; it counts as read now, so send the call again if it still fits:\n{error.shown}"
    )


def _stale(error: Stale, names: Names) -> str:
    path = quoted(error.path)
    if error.during:
        again = call(names, "read", error.path)
        return f"{path} was changed by another program at this moment. Nothing was written. Read it again: {again}"
    since = "is not the version you gave" if error.by_version else "changed after you read it"
    if error.undone is not None:
        since = f"changed: your edit to {lines_named([error.undone])} is no longer in the file"
    if error.diff is not None:
        again = f"send the call again{' without `version`' if error.by_version else ''} if it still fits"
        if error.next_calls[0].action == "read":
            again = f"to replace the whole text, read the rest first, {_next(error, names)}"
            again += ", and leave `version` out" if error.by_version else ""
        return (
            f"{path} {since}. Nothing was written. This is all that changed, from what you read to what is there now. "
            f"It counts as read: {again}.\n{error.diff}"
        )
    look = "Look at it" if error.next_calls[0].action == "info" else "Read it"
    if error.by_version:
        last = "leave `version` out" if look == "Look at it" else "send the version that it gives"
        return f"{path} {since}. Nothing was written. {look} again: {_next(error, names)}; then {last}."
    if error.changed:
        return f"{path} {since}, in {lines_named(error.changed)}. Nothing was written. Read: {_next(error, names)}"
    return f"{path} {since}. Nothing was written. {look} again: {_next(error, names)}"


def _unseen(error: Unseen, names: Names) -> str:
    path, lines = quoted(error.path), lines_named(error.ranges)
    one = lines.startswith("line ")
    were, them, here = ("was", "it", "it is") if one else ("were", "them", "they are")
    never = f"{were} never shown whole" if error.column > 1 else f"{were} never shown"
    start = f"{lines[:1].upper()}{lines[1:]} of {error.total:,} in {path} would change and {never} in this session"
    if error.shown is None and error.next_calls[0].cut and not names.column:
        return (
            f"{start}. Nothing was written. No call shows such a long line whole, so no call can replace it; "
            f"{names.edit} can change a part of it that is quoted exactly."
        )
    if error.shown is None:
        return f"{start}. Nothing was written. Read {them} first: {_next(error, names)}"
    return f"{start}. Nothing was written. Here {here}; send the call again if it still fits:\n{error.shown}"


def _undo(error: UndoRefused, names: Names) -> str:
    path = quoted(error.path)
    match error.code:
        case "nothing_to_undo":
            older = (
                f" {counted(error.forgotten, 'older change')} can no longer be taken back." if error.forgotten else ""
            )
            return f"This session has made no change of {path} that could be taken back.{older}"
        case "not_kept":
            return f"What {path} was before this session's last change is no longer kept. Nothing was changed."
        case _ if error.later:
            return (
                f"{path} was moved to {quoted(error.later)} and changed there since. Nothing was changed. Take that "
                f"back first: {_next(error, names)}"
            )
        case _:
            return (
                f"{path} is no longer what this session's last change left: somebody changed it since. Nothing was "
                f"changed. Read it and take back by hand what is wrong: {_next(error, names)}"
            )


def _path(error: PathRefused, names: Names) -> str:
    path = quoted(error.path)
    match error.code:
        case "outside" if not error.roots:
            subject = f"{path} cannot be used" if error.path else "Nothing can be done"
            return f"{subject}: there are no allowed directories."
        case "outside":
            return f"{path} is outside the allowed directories: {', '.join(quoted(root) for root in error.roots)}."
        case "denied":
            return f"{path} belongs to readfirst itself and cannot be used."
        case "not_found":
            return f"{path} does not exist{_instead(error, names)}"
        case "not_a_file":
            return f"{path} is {error.detail or 'a directory'}, not a file."
        case "not_a_directory":
            if error.detail == "itself":
                return f"{path} is not a directory."
            return f"{path} leads through something that is not a directory."
        case "too_many_links":
            return f"{path} leads through too many symbolic links."
        case "name_too_long":
            return f"{path[:200]}… has a name that is too long."
        case _:
            reasons = {
                "empty": "the path is empty",
                "root": f"{path} is an allowed directory, or holds one",
                "inside itself": f"{path} lies inside what is moved",
                "windows": f"{path} is a Windows path; use / and a path below an allowed directory",
            }
            return f"Invalid path: {reasons.get(error.detail, f'{path} has characters that no file name has')}."


def _instead(error: PathRefused, names: Names) -> str:
    if error.detail == "version":
        return ", so it has no version. To create it, send the call again without `version`."
    if error.similar:
        return f". In that directory: {', '.join(quoted(name) for name in error.similar)}."
    if not names.list_roots:
        return ". No call here lists what does: check the path."
    return f". {names.list_roots}() shows where files can be."


def _content(error: ContentRefused, names: Names) -> str:
    path = quoted(error.path)
    match error.code:
        case "not_text":
            look = f" To look at it: {_next(error, names)}" if error.next_calls and names.media else ""
            return f"{path} is a binary file; it cannot be read, edited or overwritten as text.{look}"
        case "too_large":
            what = "The text" if error.detail == "content" else path
            return f"{what} has {error.size:,} bytes, more than the limit of {error.limit:,}."
        case "past_end":
            if error.detail == "column":
                return f"Line {error.size} of {path} ends before that column. Read it: {_next(error, names)}"
            end = f" Its last lines: {_next(error, names)}" if error.next_calls else ""
            return f"{path} has only {counted(error.size, 'line')}.{end}"
        case _:
            return f"{path} is in an encoding that has no {quoted(error.detail)}. Nothing was written."


def _disk(error: DiskRefused) -> str:
    path = quoted(error.path)
    texts = {
        "permission": "the permissions do not allow that",
        "exists": "something else took that name meanwhile; read it before you write",
        "busy": error.detail or "it keeps changing; try again",
        "no_space": "there is no space left for it",
        "linked": f"it has {error.detail} hard links, and replacing it would part them",
        "not_empty": "the directory is not empty",
        "cross_device": "only a regular file can be moved to another filesystem",
        "not_kept": "its content could not be kept for undo",
    }
    if error.code == "exists" and error.detail:
        return _taken(error)
    if error.code == "permission" and error.detail == "owner":
        return f"{path}: its owner could not be kept. Nothing was written."
    return f"{path}: {texts.get(error.code, error.detail or 'the disk refused it')}. Nothing was written."


def _taken(error: DiskRefused) -> str:
    path = quoted(error.path)
    match error.detail:
        case "same":
            return f"{path} is the source itself. Nothing was changed."
        case "directory":
            inside = quoted(f"{error.path.rstrip('/')}/NAME")
            return f"{path} is a directory that exists. Nothing was changed. To place it inside, name it: {inside}."
        case "in the way":
            return (
                f"{path} exists again, and nothing is undone over it. Nothing was changed. Move that to a path that is "
                "free, then send the call again."
            )
        case "taken":
            return f"{path} exists already. Nothing was changed. Choose a path that is free."
        case _:
            return (
                f"{path} was changed by another program, and its name was taken while it was put back: it is kept as "
                f"{quoted(error.detail)} in the same directory."
            )
