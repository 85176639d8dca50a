"""Tell what a session changed: each file, what became of it, and one diff from before its first change to now."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, Literal

from readfirst.content.codec import Document, decode, detect
from readfirst.content.diff import Diff, DiffLimit, renamed, unified_diff
from readfirst.content.digest import Digest, digest_of
from readfirst.content.encodings import UTF_8
from readfirst.content.lines import Lines
from readfirst.content.regions import Region, regions_between
from readfirst.errors import ContentRefused, DiskRefused, PathRefused
from readfirst.filesystem.confined import ConfinedPath
from readfirst.filesystem.files import open_file
from readfirst.sessions.history import Change, FileHistory
from readfirst.workspace.context import Session

Became = Literal["created", "changed", "deleted", "moved", "unchanged"]
Gap = Literal["", "forgotten", "no_text", "unreadable"]
_MOST_FILES: Final = 200
_CHARS_AROUND: Final = 300
"""What is told of one file besides its path and its diff."""


@dataclass(frozen=True, slots=True)
class FileChanges:
    """What became of one file. Lines are counted from before the session's first change to what is there now."""

    path: str
    became: Became
    changes: int
    source: str = ""
    """Where it was before the session moved it."""
    added: int = 0
    removed: int = 0
    diff: Diff | None = None
    others: bool = False
    """Somebody else changed it too, so that the counts and the diff hold more than the session's changes."""
    gap: Gap = ""
    """Why the diff starts later or is left out: what was there is no longer kept, no text, or cannot be read."""


def session_changes(session: Session, path: str = "", *, max_chars: int) -> tuple[list[FileChanges], int]:
    """Give what this session changed, at `path` or below it or from there, and how many files more there are.

    Raises:
        StoreUnavailable: nobody can tell.
        PathRefused: the path leads outside.
    """
    names = session.names_of(path) if path else ()
    found = [
        (key, history)
        for key, history in session.workspace.store.histories(session.id)
        if history.changes and (not names or _concerns(key, history, names))
    ]
    told: list[FileChanges] = []
    for key, history in found[:_MOST_FILES]:
        room = max_chars - len(key) - len(_source(history)) - _CHARS_AROUND
        if room < 0:
            break
        told.append(_told(session, key, history, room))
        diff = told[-1].diff
        max_chars = room - (len(diff.text) if diff is not None else 0)
    return told, len(found) - len(told)


def _concerns(key: str, history: FileHistory, names: tuple[str, ...]) -> bool:
    places = [key, *(change.source for change in history.changes if change.source)]
    return any(place == name or place.startswith(f"{name.rstrip('/')}/") for place in places for name in names)


def _source(history: FileHistory) -> str:
    return next((change.source for change in history.changes if change.kind == "move"), "")


def _told(session: Session, key: str, history: FileHistory, max_chars: int) -> FileChanges:
    changes = history.changes
    found = FileChanges(key, "changed", len(changes), _source(history), gap="unreadable")
    try:
        with session.workspace.roots.confine(key, follow=False) as target:
            found = replace(found, became=_became(changes, target))
            return _compared(session, target, history, replace(found, gap=""), max_chars)
    except (PathRefused, DiskRefused, ContentRefused):
        # Of a file that was only moved, nothing has to be compared.
        return replace(found, gap="") if found.became == "moved" else found


def _compared(
    session: Session, target: ConfinedPath, history: FileHistory, found: FileChanges, max_chars: int
) -> FileChanges:
    changes = history.changes
    now = _bytes_now(session, target)
    found = replace(found, others=_others(history, digest_of(now) if now is not None else None))
    if changes[0].before is None and changes[0].kind in {"create", "copy"}:
        before, known = b"", not history.forgotten
    else:
        kept = next((change.kept for change in changes if change.kind not in {"move", "create", "copy"}), None)
        old = session.workspace.undo.read(kept) if kept is not None else None
        before, known = (old.data if old is not None else b""), old is not None and not history.forgotten
        if kept is None:
            return found
        if old is None or old.kind != "file":
            return replace(found, gap="forgotten" if old is None else "")
        if known and found.became == "changed" and before == now:
            return replace(found, became="unchanged")
    return _with_diff(session, target, replace(found, gap="" if known else "forgotten"), before, now or b"", max_chars)


def _with_diff(
    session: Session, target: ConfinedPath, found: FileChanges, before: bytes, now: bytes, max_chars: int
) -> FileChanges:
    documents = [_document(session, data) for data in (before, now)]
    if documents[0] is None or documents[1] is None:
        return replace(found, gap=found.gap or "no_text")
    old, new = documents[0], documents[1]
    regions = regions_between(Lines(old.body, old.newline), Lines(new.body, new.newline))
    added, removed = _counts(regions)
    settings = session.workspace.settings
    limit = DiffLimit(settings.diff_lines, min(settings.diff_chars, max(max_chars, 0)))
    diff = unified_diff(old, new, regions, target.relative, limit) if regions and found.became != "deleted" else None
    if diff is not None and found.became == "created":
        diff = renamed(diff, old=None)
    record = session.record(target)
    if diff is not None and record is not None and record.digest == digest_of(now):
        session.show(target, record.digest, diff.shown_after, now)
    return replace(found, added=added, removed=removed, diff=diff)


def _document(session: Session, data: bytes) -> Document | None:
    encoding = detect(data, session.workspace.settings.fallback_encoding) if data else UTF_8
    return decode(data, encoding) if encoding is not None else None


def _counts(regions: tuple[Region, ...]) -> tuple[int, int]:
    return sum(region.added for region in regions), sum(region.removed for region in regions)


def _bytes_now(session: Session, target: ConfinedPath) -> bytes | None:
    if not target.is_file:
        return None
    with open_file(target) as file:
        return file.read_all(session.workspace.settings.edit_bytes)


def _became(changes: tuple[Change, ...], target: ConfinedPath) -> Became:
    if target.fd is None:
        return "deleted"
    if changes[0].kind in {"create", "copy"}:
        return "created"
    return "moved" if all(change.kind == "move" for change in changes) else "changed"


def _others(history: FileHistory, now: Digest | None) -> bool:
    """Tell whether a version came from nowhere: between two changes, or after the last."""
    last = history.changes[-1]
    if (last.kind != "move" or last.after is not None) and last.after != now:
        return True
    return any(change.after != following.before for change, following in history.joints())
