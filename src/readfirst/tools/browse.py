"""Tools that look at what is there."""

from __future__ import annotations

import stat
from datetime import UTC, datetime
from typing import Annotated, Final, Literal

from pydantic import Field

from readfirst.filesystem.entries import Entry
from readfirst.tools.spec import Args, Json, Reply, ToolSpec
from readfirst.tools.words import ENDINGS, counted, named, quoted
from readfirst.workspace.browse import Content, FileInfo, SessionView, get_file_info, list_directory
from readfirst.workspace.context import Session

_MARKS: Final = {"directory": "[DIR]", "file": "[FILE]", "link": "[LINK]", "other": "[FILE]"}
_CHARS_AROUND: Final = 200
_STEP: Final = 1024


class ListDirectoryArgs(Args):
    path: Annotated[str, Field(description="Directory to list.")]


class ListWithSizesArgs(Args):
    path: Annotated[str, Field(description="Directory to list.")]
    sort_by: Annotated[Literal["name", "size"], Field(alias="sortBy", description="Largest first with size.")] = "name"


class FileInfoArgs(Args):
    path: Annotated[str, Field(description="File or directory to look at.")]


def _list_directory(session: Session, args: ListDirectoryArgs) -> Reply:
    entries = list_directory(session, args.path)
    rows = [
        f"{_MARKS[entry.kind]} {named(entry.name)}" + (f" -> {named(entry.target)}" if entry.target else "")
        for entry in entries
    ]
    return _listed(session, args.path, rows, ())


def _list_with_sizes(session: Session, args: ListWithSizesArgs) -> Reply:
    entries = list_directory(session, args.path, sized=True)
    if args.sort_by == "size":
        entries.sort(key=lambda entry: -1 if entry.size is None else entry.size, reverse=True)
    rows = [f"{_MARKS[entry.kind]} {named(entry.name):<30} {_size(entry):>10}".rstrip() for entry in entries]
    directories = sum(entry.kind == "directory" for entry in entries)
    sizes = [entry.size for entry in entries if entry.size is not None]
    unknown = len(entries) - directories - len(sizes)
    combined = f"Combined size: {_amount(sum(sizes))}" + (f" ({unknown:,} unknown)" if unknown else "")
    totals = (f"Total: {len(entries) - directories} files, {directories} directories", combined)
    return _listed(session, args.path, rows, totals)


def _listed(session: Session, path: str, rows: list[str], totals: tuple[str, ...]) -> Reply:
    room = session.workspace.settings.reply_chars - _CHARS_AROUND
    shown: list[str] = []
    for row in rows:
        room -= len(row) + 1
        if room < 0:
            break
        shown.append(row)
    facts: dict[str, Json] = {"path": path, "entries": len(rows)}
    if not rows:
        return Reply((f"[{quoted(path)} is empty]",), facts)
    text = "\n".join([*shown, *(["", *totals] if totals else [])])
    if len(shown) == len(rows):
        return Reply((text,), facts)
    return Reply((text, f"[{len(rows) - len(shown)} more of {len(rows)} entries are left out]"), facts)


def _size(entry: Entry) -> str:
    if entry.kind == "directory":
        return ""
    return "unknown" if entry.size is None else _amount(entry.size)


def _amount(size: int) -> str:
    """Write bytes as people do, by 1024."""
    amount = float(size)
    for unit in ("B", "KB", "MB", "GB"):
        if amount < _STEP:
            return f"{size} B" if unit == "B" else f"{amount:.2f} {unit}"
        amount /= _STEP
    return f"{amount:.2f} TB"


def _get_file_info(session: Session, args: FileInfoArgs) -> Reply:
    info = get_file_info(session, args.path)
    rows = [("path", named(info.path))] if info.respelled else []
    rows += [
        ("size", f"{info.size} bytes"),
        ("created", _time(info.created_s) if info.created_s is not None else "unknown"),
        ("modified", _time(info.modified_s)),
        ("accessed", _time(info.accessed_s)),
        ("type", info.kind),
        ("permissions", f"{stat.S_IMODE(info.mode):03o} {stat.filemode(info.mode)}"),
        ("hardLinks", str(info.hard_links)),
    ]
    rows += [("linkTarget", named(info.link_target))] if info.link_target is not None else []
    rows += _content(info)
    facts: dict[str, Json] = {"path": info.path, "size": info.size, "type": info.kind}
    if info.view is not None:
        facts |= {"session": info.view.state, "linesSeen": info.view.seen}
    return Reply(("\n".join(f"{name}: {value}" for name, value in rows),), facts)


def _content(info: FileInfo) -> list[tuple[str, str]]:
    if info.view is None:
        return []
    if info.content is None:
        reason = "it cannot be read" if info.view.state == "unreadable" else "it is too large to be edited"
        return [("content", f"not looked at: {reason}")]
    if not info.content.encoding:
        return [("content", "binary"), ("session", _seen(info.view, None))]
    content = info.content
    endings = "mixed LF and CRLF" if content.mixed else ENDINGS.get(content.newline, "none")
    return [
        ("encoding", content.encoding),
        ("lineEndings", endings),
        ("lines", str(content.lines)),
        ("session", _seen(info.view, content)),
    ]


def _seen(view: SessionView, content: Content | None) -> str:
    match view.state:
        case "fresh" if content is not None:
            return f"fresh, {view.seen:,} of {counted(content.lines, 'line')} seen"
        case "unknown":
            return "unknown: the session store cannot be reached"
        case "stale":
            return "stale: it changed after this session read it"
        case _:
            # This look is all there is to see of a binary file.
            return "fresh" if content is None else "unread"


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


LIST_DIRECTORY = ToolSpec(
    name="list_directory",
    title="List a directory",
    description="List what a directory holds, sorted: [DIR], [FILE], or [LINK] with its target when that is inside.",
    args=ListDirectoryArgs,
    run=_list_directory,
    read_only=True,
    idempotent=True,
    destructive=False,
)

LIST_DIRECTORY_WITH_SIZES = ToolSpec(
    name="list_directory_with_sizes",
    title="List a directory with sizes",
    description="List what a directory holds with sizes of files, counts, and their combined size.",
    args=ListWithSizesArgs,
    run=_list_with_sizes,
    read_only=True,
    idempotent=True,
    destructive=False,
)

GET_FILE_INFO = ToolSpec(
    name="get_file_info",
    title="Look at a file's facts",
    description=(
        "Tell size, times, type, permissions, encoding, line endings and line count, and what this session has seen "
        "of the file. Does not count as reading it."
    ),
    args=FileInfoArgs,
    run=_get_file_info,
    read_only=True,
    idempotent=True,
    destructive=False,
)
