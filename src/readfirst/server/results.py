"""Replies and failures as tool results: the only place that makes them.

An escaping exception would leak its text to a client of 2025 and hide it from one of 2026, so nothing escapes.
"""

from __future__ import annotations

import base64
import logging
from collections.abc import Mapping
from typing import Final

import mcp_types as types
from pydantic import ValidationError

from readfirst.content.media import Media
from readfirst.errors import ArgumentRefused, ReadfirstError
from readfirst.server.uris import uri_of
from readfirst.settings import Settings
from readfirst.tools.refusals import worded
from readfirst.tools.spec import Json, Reply
from readfirst.tools.words import Names, printable
from readfirst.workspace.media import WholeFile

_LEFT_OUT: Final = "\n[… the rest is left out]"

_log = logging.getLogger(__name__)


def result_of(reply: Reply, ignored: tuple[str, ...]) -> types.CallToolResult:
    """Turn a reply into a result; `ignored` are arguments that the tool does not know."""
    blocks = list(reply.blocks)
    if ignored:
        blocks.append(f"[ignored unknown arguments: {', '.join(ignored)}]")
    return _result(blocks, reply.facts, file=reply.file)


def failure_of(error: Exception, names: Names, settings: Settings) -> types.CallToolResult:
    """Turn whatever went wrong into a result with a code and words."""
    if isinstance(error, ValidationError):
        error = ArgumentRefused(path="", detail=_first_problem(error))
    if isinstance(error, ReadfirstError):
        text, code = worded(error, names), str(error.code)
    else:
        _log.error("unexpected %s", type(error).__name__, exc_info=error)
        text, code = "An internal error; the server's log has its trace. Nothing more was done.", "internal"
    if len(text) > settings.error_chars:
        text = text[: settings.error_chars - len(_LEFT_OUT)] + _LEFT_OUT
    return _result([text], {"code": code}, is_error=True)


def contents_of(file: WholeFile, uri: str) -> types.TextResourceContents | types.BlobResourceContents:
    """Turn a whole file into the contents of a resource: text as text, else its bytes."""
    media_type = file.media.media_type
    if file.text is not None:
        return types.TextResourceContents(uri=uri, mime_type=media_type, text=file.text)
    return types.BlobResourceContents(uri=uri, mime_type=media_type, blob=_base64(file.data))


def unknown_tool(name: str, known: list[str]) -> types.CallToolResult:
    text = f"There is no tool {name[:100]!r}. The tools are: {', '.join(known)}."
    return _result([text], {"code": "unknown_tool"}, is_error=True)


def _first_problem(error: ValidationError) -> str:
    problem = error.errors(include_url=False, include_input=False, include_context=False)[0]
    name = ""
    for part in problem["loc"]:
        name += f"[{part}]" if isinstance(part, int) else f".{part}" if name else part
    if problem["type"] == "missing" and name == "edits":
        return '`edits` is missing: a list like [{"oldText": "…", "newText": "…"}]'
    if problem["type"] == "missing":
        return f"`{name}` is missing"
    if problem["type"] == "string_type":
        return f"`{name}` must be text"
    message = problem["msg"].removeprefix("Input ")
    return f"`{name}` {message[:1].lower()}{message[1:]}"


def _result(
    blocks: list[str], facts: Mapping[str, Json], *, file: WholeFile | None = None, is_error: bool = False
) -> types.CallToolResult:
    """Make a result. A lone half character would end a stdio server, so none gets past here."""
    content: list[types.ContentBlock] = [_block(file)] if file is not None else []
    return types.CallToolResult(
        content=[*content, *(types.TextContent(type="text", text=printable(block)) for block in blocks)],
        is_error=is_error,
        _meta={"readfirst": _printable(dict(facts))},
    )


def _block(file: WholeFile) -> types.ContentBlock:
    match file.media:
        case Media("image", media_type):
            return types.ImageContent(type="image", data=_base64(file.data), mime_type=media_type)
        case Media("audio", media_type):
            return types.AudioContent(type="audio", data=_base64(file.data), mime_type=media_type)
        case _:
            return types.EmbeddedResource(type="resource", resource=contents_of(file, uri_of(file.path)))


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _printable(value: Json) -> Json:
    match value:
        case str():
            return printable(value)
        case dict():
            return {name: _printable(part) for name, part in value.items()}
        case list():
            return [_printable(part) for part in value]
        case _:
            return value
