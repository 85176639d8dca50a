"""Lines from a descriptor, bounded, and the answer to a line that is no message.

A room beside `stdio`: what a line is and what to say of a bad one needs no thread and no loop.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

_KEPT: Final = 1024
_PARSE_ERROR: Final = -32700
_INVALID_REQUEST: Final = -32600
_ID: Final = rb'"id"\s*:\s*(-?\d{1,18}(?![\d.eE])|"(?:[^"\\]|\\.){0,200}")'
_ID_AT_START: Final = re.compile(rb'\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?' + _ID)
_ID_AT_END: Final = re.compile(_ID + rb'\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$')


@dataclass(frozen=True, slots=True)
class Line:
    """A line; `began` is the tick at which its first byte came in."""

    data: bytes
    began: int


@dataclass(frozen=True, slots=True)
class TooLong:
    """A line over the limit: its first and last bytes, for finding its id."""

    head: bytes
    tail: bytes
    limit: int


def lines_from(read: Callable[[int | None], tuple[bytes, int]], limit: int) -> Iterator[Line | TooLong]:
    """Give the lines that are not blank, holding at most `limit` bytes of one; a last line needs no line break.

    `read` gives the next bytes, none at the end, and the tick at which they came in; it is told when the first bytes of
    a line came in that has not ended.

    Raises:
        OSError: nothing can be read.
    """
    line = _Gathered(limit)
    while True:
        block, tick = read(line.began)
        if not block:
            break
        *ended, rest = block.split(b"\n")
        for piece in ended:
            line.add(piece, tick)
            yield from line.taken()
            line = _Gathered(limit)
        line.add(rest, tick)
    yield from line.taken()


class _Gathered:
    """One line as it comes in."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._pieces: list[bytes] = []
        self._size = 0
        self._head: bytes | None = None
        self._tail = b""
        self.began: int | None = None

    def add(self, piece: bytes, tick: int) -> None:
        if self.began is None and piece:
            self.began = tick
        self._size += len(piece)
        if self._head is None:
            self._pieces.append(piece)
            if self._size > self._limit:
                whole = b"".join(self._pieces)
                self._head, self._tail, self._pieces = whole[:_KEPT], whole[-_KEPT:], []
        else:
            self._tail = (self._tail + piece)[-_KEPT:]

    def taken(self) -> Iterator[Line | TooLong]:
        if self._head is not None:
            yield TooLong(self._head, self._tail, self._limit)
            return
        data = b"".join(self._pieces).strip()
        if data and self.began is not None:
            yield Line(data, self.began)


def refusal_of(line: Line | TooLong) -> bytes:
    """Give the JSON-RPC error, as a line, for a line that is no message; with its id where that can be told."""
    if isinstance(line, TooLong):
        return _error(_INVALID_REQUEST, f"The message is longer than {line.limit:,} bytes.", _id_at_ends(line))
    try:
        message: Any = json.loads(line.data)
    except UnicodeDecodeError:
        return _error(_PARSE_ERROR, "The message is not valid UTF-8.", None)
    except ValueError:
        return _error(_PARSE_ERROR, "The message is not valid JSON.", None)
    except RecursionError:
        return _error(_PARSE_ERROR, "The message is nested too deeply.", None)
    if isinstance(message, list):
        return _error(_INVALID_REQUEST, "Batches are not supported: send one message a line.", None)
    return _error(_INVALID_REQUEST, _reason(line.data), _id_of(message))


def _id_at_ends(line: TooLong) -> int | str | None:
    found = _ID_AT_START.match(line.head) or _ID_AT_END.search(line.tail)
    try:
        return _id_of({"id": json.loads(found.group(1))}) if found is not None else None
    except ValueError:
        return None


def _id_of(message: Any) -> int | str | None:  # noqa: ANN401 - JSON
    request_id = message.get("id") if isinstance(message, dict) else None  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType] - JSON
    return request_id if isinstance(request_id, int | str) and not isinstance(request_id, bool) else None


def _reason(data: bytes) -> str:
    if re.search(rb"\\u[dD][89a-fA-F]", data):
        return "A string of the message holds half a character (a lone surrogate)."
    return "The message is no JSON-RPC 2.0 request."


def _error(code: int, message: str, request_id: int | str | None) -> bytes:
    answer = {"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": message}}
    return json.dumps(answer).encode() + b"\n"
