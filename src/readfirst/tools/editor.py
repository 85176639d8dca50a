"""The profile `editor`: three tools with few arguments, which small models handle well.

Thin over the use cases of the full profile; every guarantee is theirs.
"""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field

from readfirst.edits.plan import Edit
from readfirst.settings import PROFILES
from readfirst.tools.edit import edited_reply, written_reply
from readfirst.tools.read import Number, given, page_reply
from readfirst.tools.spec import Args, Reply, ToolSpec
from readfirst.tools.words import names_in_force
from readfirst.workspace.context import Session
from readfirst.workspace.edit import edit_file, write_file
from readfirst.workspace.read import ReadRequest, read_page

_DEFAULTS: Final = PROFILES["editor"]
_MOST_LINES: Final = 2_000
_CHARS_PER_LINE: Final = 100


class ReadArgs(Args):
    path: Annotated[str, Field(description="File to read.")]
    offset: Annotated[Number, Field(description="First line to show, from 1.")] = 1
    limit: Annotated[Number, Field(description="Most lines to show, up to 2000.")] = _DEFAULTS.page_lines
    max_chars: Annotated[Number, Field(alias="maxChars", description="Most characters to show, up to 100000.")] = (
        _DEFAULTS.page_chars
    )


class EditArgs(Args):
    path: Annotated[str, Field(alias="filePath", description="File to edit.")]
    old_string: Annotated[str, Field(alias="oldString", description="Text as it stands in the file, unique.")]
    new_string: Annotated[str, Field(alias="newString", description="Text to put in its place.")]


class WriteArgs(Args):
    path: Annotated[str, Field(alias="filePath", description="File to write; missing directories are made.")]
    content: Annotated[str, Field(description="The whole text.")]


def _read(session: Session, args: ReadArgs) -> Reply:
    limit = min(args.limit, _MOST_LINES)
    size = {"limit": limit, "maxChars": args.max_chars}
    asked = {name: value for name, value in size.items() if name in given(args)}
    request = ReadRequest(args.offset, limit, max_chars=_budget(session, asked))
    return page_reply(session, read_page(session, args.path, request), asked)


def _budget(session: Session, asked: dict[str, int]) -> int:
    """Give the characters of a page; whoever asks for many lines and no more gets 100 for each of them."""
    if "limit" in asked and "maxChars" not in asked:
        wanted = max(asked["limit"] * _CHARS_PER_LINE, _DEFAULTS.page_chars)
    else:
        wanted = asked.get("maxChars", _DEFAULTS.page_chars)
    return min(wanted, session.workspace.settings.max_page_chars)


def _edit(session: Session, args: EditArgs) -> Reply:
    result = edit_file(session, args.path, (Edit(args.old_string, args.new_string),))
    return edited_reply(result, names_in_force(session.workspace.settings))


def _write(session: Session, args: WriteArgs) -> Reply:
    return written_reply(write_file(session, args.path, args.content))


READ: Final = ToolSpec(
    name="read",
    title="Read a file",
    description="Read a text file with line numbers, page by page. Ends with the exact call for the next page.",
    args=ReadArgs,
    run=_read,
    read_only=True,
    idempotent=True,
    destructive=False,
)

EDIT: Final = ToolSpec(
    name="edit",
    title="Edit a file",
    description=(
        "Replace a text in a file that you have read. A text that is not found or not unique is refused with the "
        "closest lines or its places. Returns the diff."
    ),
    args=EditArgs,
    run=_edit,
    read_only=False,
    idempotent=False,
    destructive=True,
)

WRITE: Final = ToolSpec(
    name="write",
    title="Write a file",
    description=(
        "Create a file, or replace the whole text of one of which every line was shown to you. Returns the diff. "
        "For changes in part use edit."
    ),
    args=WriteArgs,
    run=_write,
    read_only=False,
    idempotent=True,
    destructive=True,
)
