"""Tools that show text."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field

from readfirst.errors import ArgumentRefused, ReadfirstError
from readfirst.settings import Settings
from readfirst.tools.refusals import worded
from readfirst.tools.spec import Args, Json, Reply, ToolSpec
from readfirst.tools.words import call, counted, lines_named, names_in_force, printable, quoted
from readfirst.workspace.context import Session
from readfirst.workspace.media import MediaResult, read_media
from readfirst.workspace.read import ReadRequest, ReadResult, read_page, read_pages

_CHARS_AROUND: Final = 160
"""Room for what stands around the text of one of several files, its path apart."""
_DEFAULTS = Settings()
_MOST = 2**53 - 1

Count = Annotated[int, Field(ge=0, le=_MOST)]
Number = Annotated[int, Field(ge=1, le=_MOST)]


class ReadFileArgs(Args):
    path: Annotated[str, Field(description="File to read.")]
    offset: Annotated[Number, Field(description="First line to show, from 1.")] = 1
    limit: Annotated[Number, Field(description="Most lines to show.")] = _DEFAULTS.page_lines
    head: Annotated[Count | None, Field(description="Show the first N lines instead.")] = None
    tail: Annotated[Count | None, Field(description="Show the last N lines instead.")] = None
    column: Annotated[Number, Field(description="Character of the first line to start at.")] = 1
    max_chars: Annotated[Number, Field(alias="maxChars", description="Most characters to show, up to 100000.")] = (
        _DEFAULTS.page_chars
    )
    line_numbers: Annotated[bool, Field(alias="lineNumbers", description="Number the lines.")] = True


class ReadMultipleFilesArgs(Args):
    paths: Annotated[list[str], Field(description="Files to read.")]


class ReadMediaFileArgs(Args):
    path: Annotated[str, Field(description="File to read.")]


class ReadTextFileArgs(Args):
    path: Annotated[str, Field(description="File to read.")]
    head: Annotated[Count | None, Field(description="Only the first N lines.")] = None
    tail: Annotated[Count | None, Field(description="Only the last N lines.")] = None


def _read_file(session: Session, args: ReadFileArgs) -> Reply:
    _refuse_both(args)
    request = ReadRequest(
        args.offset, args.limit, args.head, args.tail, args.column, args.max_chars, numbered=args.line_numbers
    )
    size = {"limit": args.limit, "maxChars": args.max_chars}
    asked = {name: value for name, value in size.items() if name in given(args)}
    return page_reply(session, read_page(session, args.path, request), asked)


def given(args: Args) -> set[str]:
    """Give the names, as on the wire, of the arguments that the caller gave."""
    return {type(args).model_fields[name].alias or name for name in args.model_fields_set}


def _read_text_file(session: Session, args: ReadTextFileArgs) -> Reply:
    _refuse_both(args)
    request = ReadRequest(head=args.head, tail=args.tail, numbered=False)
    return page_reply(session, read_page(session, args.path, request), {})


def _read_multiple_files(session: Session, args: ReadMultipleFilesArgs) -> Reply:
    settings, paths = session.workspace.settings, args.paths
    if not 1 <= len(paths) <= settings.paths_per_call:
        raise ArgumentRefused(path="", detail=f"`paths` takes 1 to {settings.paths_per_call} paths, not {len(paths)}")
    around = sum(2 * len(path) + _CHARS_AROUND for path in paths)
    if around > settings.reply_chars // 2:
        raise ArgumentRefused(path="", detail="`paths` names more files than one reply can show: ask for half of them")
    blocks: list[str] = []
    facts: list[Json] = []
    for path, result in zip(paths, read_pages(session, paths, settings.reply_chars - around), strict=True):
        if isinstance(result, ReadfirstError):
            blocks.append(f"{printable(path)}: {worded(result, names_in_force(settings))}")
            facts.append({"path": path, "code": result.code})
        else:
            page = page_reply(session, result, {})
            *texts, closing = page.blocks
            blocks += [f"{printable(path)}:\n{text}" for text in texts]
            blocks.append(closing if texts else f"{printable(path)}: {closing}")
            facts.append(dict(page.facts))
    return Reply(tuple(blocks), {"files": facts})


def _read_media_file(session: Session, args: ReadMediaFileArgs) -> Reply:
    result = read_media(session, args.path)
    file = result.file
    facts: dict[str, Json] = {
        "path": result.path,
        "mediaType": file.media.media_type,
        "size": len(file.data),
        "version": result.version,
        **({"totalLines": file.lines.last if file.lines else 0} if file.text is not None else {}),
    }
    size = counted(len(file.data), "byte")
    if file.text is not None:
        size += f", all {counted(file.lines.last, 'line')}" if file.lines else ": the file is empty"
    shown = f"{file.media.media_type}, {size}"
    parts = [shown, *_respelled(result), *_changed(result), f"version {result.version}"]
    return Reply((f"[{'; '.join(parts)}]",), facts, file)


def _refuse_both(args: ReadFileArgs | ReadTextFileArgs) -> None:
    """Refuse two answers to the question which lines are meant."""
    given = [name for name in ("head", "tail") if getattr(args, name) is not None]
    given += [name for name in ("offset", "limit", "column") if name in args.model_fields_set and given]
    if len(given) > 1:
        raise ArgumentRefused(path=args.path, detail=f"`{given[0]}` and `{given[1]}` cannot be given together")


def page_reply(session: Session, result: ReadResult, asked: dict[str, int]) -> Reply:
    """Word a page; `asked` is the size that the caller gave, to be given again for the next one."""
    page = result.page
    facts: dict[str, Json] = {
        "path": result.path,
        "totalLines": result.total,
        "encoding": result.encoding,
        **({"lines": [page.lines.first, page.lines.last]} if page.lines else {}),
        **({"version": result.version} if result.version else {}),
        **({"nextOffset": page.next_line, "nextColumn": page.next_column} if page.next_line else {}),
    }
    parts = [*_closing(result), *_next(session.workspace.settings, result, asked)]
    closing = f"[{'; '.join(parts)}]"
    return Reply((page.text, closing) if page.text else (closing,), facts)


def _closing(result: ReadResult) -> list[str]:
    """Say what was shown, and of which version."""
    parts = [_shown(result), *_respelled(result)]
    if not result.sure:
        parts.append(f"encoding unknown, shown as {result.encoding} by a guess; only ASCII text can be written")
    elif result.encoding != "utf-8":
        parts.append(result.encoding)
    parts += _changed(result)
    if result.version:
        parts.append(f"version {result.version}")
    return parts


def _next(settings: Settings, result: ReadResult, asked: dict[str, int]) -> list[str]:
    """Give the exact call that goes on, when there is more: a page of the size that was asked for."""
    page, names = result.page, names_in_force(settings)
    if page.next_line is None:
        return []
    if page.next_column > 1 and not names.column:
        return _after_cut(settings, result, asked)
    column = {names.column: page.next_column} if page.next_column > 1 else {}
    return [f"next: {call(names, 'read', result.path, offset=page.next_line, **column, **asked)}"]


def _after_cut(settings: Settings, result: ReadResult, asked: dict[str, int]) -> list[str]:
    """Say how to go on after the start of a line, where no call goes on inside one."""
    names, number = names_in_force(settings), result.page.next_line
    assert number is not None  # noqa: S101 - a line was cut, so it is the next one
    most = settings.max_page_chars
    # The number and its tab were shown as well.
    if len(result.page.text) < most:
        return [
            f"to see more of line {number}: {call(names, 'read', result.path, offset=number, limit=1, maxChars=most)}"
        ]
    parts = [f"no call shows more of line {number}"]
    if number < result.total:
        parts.append(f"next: {call(names, 'read', result.path, offset=number + 1, **asked)}")
    return parts


def _respelled(result: ReadResult | MediaResult) -> list[str]:
    return [f"the name on disk is {quoted(result.path)}"] if result.respelled else []


def _changed(result: ReadResult | MediaResult) -> list[str]:
    if result.undone is not None:
        return [f"your edit to {lines_named([result.undone])} is no longer in the file"]
    return ["the file changed since your last read"] if result.changed else []


def _shown(result: ReadResult) -> str:
    page, total = result.page, counted(result.total, "line")
    if result.total == 0:
        return "0 lines: the file is empty"
    if page.lines is None:
        return f"no lines of {result.total:,} shown"
    if result.whole:
        return f"all {total}" if result.total > 1 else "the only line"
    last = ", the last" if page.next_line is None else ""
    lines = f"{lines_named([page.lines])} of {result.total:,}{last}"
    if page.next_column > 1:
        return f"{lines}, cut: characters {page.first_column:,} to {page.next_column - 1:,}"
    return f"{lines}, the first from character {page.first_column:,}" if page.first_column > 1 else lines


READ_FILE = ToolSpec(
    name="read_file",
    title="Read a file",
    description=(
        "Read a text file with line numbers, page by page. Ends with the version and the exact call for the next page. "
        "Reading is what allows editing."
    ),
    args=ReadFileArgs,
    run=_read_file,
    read_only=True,
    idempotent=True,
    destructive=False,
)

READ_TEXT_FILE = ToolSpec(
    name="read_text_file",
    title="Read a file as plain text",
    description="Read a text file as it is, without line numbers. Long files are cut, with the call that goes on.",
    args=ReadTextFileArgs,
    run=_read_text_file,
    read_only=True,
    idempotent=True,
    destructive=False,
)

READ_MULTIPLE_FILES = ToolSpec(
    name="read_multiple_files",
    title="Read several files",
    description=(
        "Read the first page of several text files at once, without line numbers. A file that cannot be read is named "
        "in its place. Long files are cut, with the call that goes on."
    ),
    args=ReadMultipleFilesArgs,
    run=_read_multiple_files,
    read_only=True,
    idempotent=True,
    destructive=False,
)

READ_MEDIA_FILE = ToolSpec(
    name="read_media_file",
    title="Read an image, a sound or any whole file",
    description=(
        "Read a whole file as it is: an image or a sound to look at or hear, anything else as an embedded resource. "
        "For text use read_file."
    ),
    args=ReadMediaFileArgs,
    run=_read_media_file,
    read_only=True,
    idempotent=True,
    destructive=False,
)
