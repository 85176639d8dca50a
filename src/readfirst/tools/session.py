"""Tools about the workspace and the session themselves."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from readfirst.tools.spec import Args, Json, Reply, ToolSpec
from readfirst.tools.words import DIFF_CUT, DIFF_TO_READ, NOT_DURABLE, counted, named, printable, quoted
from readfirst.workspace.context import Session
from readfirst.workspace.history import FileChanges, session_changes
from readfirst.workspace.undo import UndoResult, undo_edit

_CHARS_AROUND = 5_000
_DONE = {
    "edit": "took back the last edit of",
    "write": "took back the last write of",
    "append": "took back the last append to",
    "create": "removed again",
    "copy": "removed again the copy",
    "delete": "brought back",
    "move": "moved back to",
}
_GAPS = {
    "": "",
    "forgotten": "what it was before the first change is no longer known",
    "no_text": "it is no text, so there is no diff",
    "unreadable": "it is too large, or cannot be read, to be compared",
}


class NoArgs(Args):
    pass


class UndoArgs(Args):
    path: Annotated[str, Field(description="File whose last change is taken back.")]


class SessionChangesArgs(Args):
    path: Annotated[str, Field(description="Only this file, or what is below this directory.")] = ""


def _undo_edit(session: Session, args: UndoArgs) -> Reply:
    result = undo_edit(session, args.path)
    parts = [f"{_DONE[result.kind]} {quoted(result.path)}", _left(result)]
    parts += ["it was one name of a file with several, and is a file of its own now"] if result.parted else []
    parts += [] if result.durable else [NOT_DURABLE]
    blocks: list[str] = []
    if result.diff is not None and result.diff.text:
        blocks.append(result.diff.text)
        blocks += [] if result.diff.complete else [DIFF_CUT]
    facts: dict[str, Json] = {"path": result.path, "undone": result.kind, "left": result.left}
    return Reply((*blocks, f"[{'; '.join(filter(None, parts))}]"), facts)


def _left(result: UndoResult) -> str:
    if result.left:
        return f"{counted(result.left, 'earlier change')} of it can be taken back too"
    if result.forgotten:
        return f"{counted(result.forgotten, 'older change')} of it can no longer be taken back"
    return "" if result.kind == "move" or result.parted else "it is as it was before this session changed it"


def _session_changes(session: Session, args: SessionChangesArgs) -> Reply:
    room = session.workspace.settings.reply_chars - _CHARS_AROUND
    files, more = session_changes(session, args.path, max_chars=room)
    if not files:
        where = f" at {quoted(args.path)}" if args.path else ""
        return Reply((f"[this session has changed nothing{where}]",), {"files": []})
    blocks = [block for one in files for block in _file(one)]
    blocks += [f"[{more:,} more files: give a path to see them]"] if more else []
    facts: list[Json] = [
        {"path": one.path, "became": one.became, "changes": one.changes, "added": one.added, "removed": one.removed}
        for one in files
    ]
    return Reply((*blocks, f"[{counted(len(files) + more, 'file')} changed by this session]"), {"files": facts})


def _file(one: FileChanges) -> list[str]:
    became = f"moved from {quoted(one.source)}" if one.became == "moved" else one.became
    parts = [f"{quoted(one.path)}: {became}", counted(one.changes, "change")]
    if one.source and one.became != "moved":
        parts.append(f"moved from {quoted(one.source)}")
    if one.added or one.removed:
        parts.append(f"+{one.added:,} -{one.removed:,} lines")
    if one.others:
        parts.append("others changed it too; that is counted and shown as well")
    parts += filter(None, [_GAPS[one.gap]])
    blocks = [f"[{'; '.join(parts)}]"]
    if one.diff is not None:
        blocks += [one.diff.text] if one.diff.shown_before or one.diff.shown_after else []
        blocks += [DIFF_CUT] if not one.diff.complete else [] if one.diff.applies else [DIFF_TO_READ]
    return blocks


def _list_allowed_directories(session: Session, _: NoArgs) -> Reply:
    directories = [printable(name) for name in session.workspace.roots.spellings]
    if not directories:
        return Reply(("There are no allowed directories, so no path can be used.",), {"directories": []})
    return Reply(
        ("\n".join(["Allowed directories:", *map(named, directories)]),), {"directories": list[Json](directories)}
    )


LIST_ALLOWED_DIRECTORIES = ToolSpec(
    name="list_allowed_directories",
    title="List allowed directories",
    description="List the directories that paths may lie in.",
    args=NoArgs,
    run=_list_allowed_directories,
    read_only=True,
    idempotent=True,
    destructive=False,
)

UNDO_EDIT = ToolSpec(
    name="undo_edit",
    title="Undo the last change of a file",
    description=(
        "Take back this session's last change of a file (edit, write, append, copy, delete or move), if the file still "
        "is what that change left. Can be repeated."
    ),
    args=UndoArgs,
    run=_undo_edit,
    read_only=False,
    idempotent=False,
    destructive=True,
)

SESSION_CHANGES = ToolSpec(
    name="session_changes",
    title="Show this session's changes",
    description="Show the files that this session changed, each with one diff from before its first change to now.",
    args=SessionChangesArgs,
    run=_session_changes,
    read_only=True,
    idempotent=True,
    destructive=False,
)
