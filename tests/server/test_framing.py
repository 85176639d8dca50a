"""Lines from a descriptor, bounded, and what is said of a line that is no message."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from typing import Any

import pytest

from readfirst.server.framing import Line, TooLong, lines_from, refusal_of


def _reader(fd: int) -> Callable[[int | None], tuple[bytes, int]]:
    """Read blocks of a descriptor, all at tick 1."""
    return lambda _: (os.read(fd, 256 * 1024), 1)


def _lines(data: bytes, limit: int = 100) -> list[Line | TooLong]:
    """Feed bytes through a pipe."""
    source, sink = os.pipe()

    def feed() -> None:
        with os.fdopen(sink, "wb") as pipe:
            pipe.write(data)

    writer = threading.Thread(target=feed)
    writer.start()
    try:
        return list(lines_from(_reader(source), limit))
    finally:
        writer.join()
        os.close(source)


def _refusal(line: Line | TooLong) -> dict[str, Any]:
    answer = refusal_of(line)
    assert answer.endswith(b"\n")
    assert b"\n" not in answer[:-1]
    message: dict[str, Any] = json.loads(answer)
    assert message["jsonrpc"] == "2.0"
    return message


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        pytest.param(b"", [], id="nothing"),
        pytest.param(b"{}\n", [b"{}"], id="one"),
        pytest.param(b"{}", [b"{}"], id="a last line without a line break"),
        pytest.param(b"1\n2\n3\n", [b"1", b"2", b"3"], id="several"),
        pytest.param(b"\n \n\t\r\n1\n\n", [b"1"], id="blank lines"),
        pytest.param(b"1\r\n2\r\n", [b"1", b"2"], id="CRLF"),
        pytest.param(b"x" * 100 + b"\n2", [b"x" * 100, b"2"], id="as long as the limit"),
        pytest.param("\u2028\u0085".encode() + b"\n", ["\u2028\u0085".encode()], id="other line ends are data"),
    ],
)
def test_the_lines_that_are_not_blank_come_out(data: bytes, lines: list[bytes]) -> None:
    """HOSTILE 88."""
    assert _lines(data) == [Line(line, 1) for line in lines]


@pytest.mark.parametrize("size", [101, 5_000, 300_000, 1_000_000])
def test_a_line_over_the_limit_is_cut_and_the_next_one_is_whole(size: int) -> None:
    """SPEC 8, HOSTILE 87: memory stays bounded, and reading goes on at the next line."""
    line = b"<" + b"x" * (size - 2) + b">"
    first, second = _lines(line + b"\n{}\n")
    assert isinstance(first, TooLong)
    assert (first.head[:1], first.tail[-1:], first.limit) == (b"<", b">", 100)
    assert len(first.head) <= 1_024
    assert len(first.tail) <= 1_024
    assert second == Line(b"{}", 1)


def test_a_line_longer_than_one_read_is_joined() -> None:
    """ARCHITECTURE: a full write is one line of many reads."""
    line = b"x" * 1_000_000
    assert _lines(line + b"\n2\n", limit=2_000_000) == [Line(line, 1), Line(b"2", 1)]


def test_a_line_began_when_its_first_bytes_came_in() -> None:
    """SPEC 2: a call of which the client had written the beginning was written blind."""
    blocks = iter([(b"1\n2", 5), (b"2\n", 6), (b"\n", 7), (b"3\n4", 8), (b"", 9)])
    told: list[int | None] = []

    def read(open_line: int | None) -> tuple[bytes, int]:
        told.append(open_line)
        return next(blocks)

    assert list(lines_from(read, 100)) == [Line(b"1", 5), Line(b"22", 5), Line(b"3", 8), Line(b"4", 8)]
    assert told == [None, 5, None, None, 8]


def test_a_descriptor_that_cannot_be_read_is_an_error() -> None:
    """SPEC 9: the transport ends then."""
    fd = os.open("/", os.O_RDONLY)
    with pytest.raises(OSError, match="directory"):
        list(lines_from(_reader(fd), 100))
    os.close(fd)


@pytest.mark.parametrize(
    ("data", "code", "words", "request_id"),
    [
        pytest.param(b"{", -32700, "The message is not valid JSON.", None, id="broken"),
        pytest.param(b"hello", -32700, "The message is not valid JSON.", None, id="text"),
        pytest.param(b'{"id": 1, "method": "\xff"}', -32700, "The message is not valid UTF-8.", None, id="bad UTF-8"),
        pytest.param(b"[" * 100_000, -32700, "The message is nested too deeply.", None, id="deep"),
        pytest.param(b"9" * 5_000, -32700, "The message is not valid JSON.", None, id="huge number"),
        pytest.param(b"[{}]", -32600, "Batches are not supported: send one message a line.", None, id="batch"),
        pytest.param(b"5", -32600, "The message is no JSON-RPC 2.0 request.", None, id="number"),
        pytest.param(b'{"id": 7}', -32600, "The message is no JSON-RPC 2.0 request.", 7, id="no method"),
        pytest.param(b'{"id": "a\\"b"}', -32600, "The message is no JSON-RPC 2.0 request.", 'a"b', id="text id"),
        pytest.param(b'{"id": null}', -32600, "The message is no JSON-RPC 2.0 request.", None, id="null id"),
        pytest.param(b'{"id": true}', -32600, "The message is no JSON-RPC 2.0 request.", None, id="boolean id"),
        pytest.param(b'{"id": 1.5}', -32600, "The message is no JSON-RPC 2.0 request.", None, id="fraction id"),
        pytest.param(b'{"id": {}}', -32600, "The message is no JSON-RPC 2.0 request.", None, id="object id"),
        pytest.param(
            b'{"id": 7, "method": "\\ud83d"}',
            -32600,
            "A string of the message holds half a character (a lone surrogate).",
            7,
            id="lone surrogate",
        ),
    ],
)
def test_a_line_that_is_no_message_is_answered(data: bytes, code: int, words: str, request_id: object) -> None:
    """SPEC 9, HOSTILE 29, 86-89: with its id where that can be told."""
    message = _refusal(Line(data, 1))
    assert (message["error"], message["id"]) == ({"code": code, "message": words}, request_id)


@pytest.mark.parametrize(
    ("head", "tail", "request_id"),
    [
        pytest.param(b'{"jsonrpc":"2.0","id":7,"method":', b"x", 7, id="at the start"),
        pytest.param(b' { "id" : 7 , "jsonrpc": "2.0"', b"x", 7, id="first, with blanks"),
        pytest.param(b'{"jsonrpc":"2.0","id":"a\\"b","method":', b"x", 'a"b', id="text"),
        pytest.param(b'{"jsonrpc":"2.0","id":-3,', b"x", -3, id="negative"),
        pytest.param(b'{"method":"x","params":{', b'"}},"id":7}', 7, id="at the end"),
        pytest.param(b'{"method":"x","params":{', b'"}}, "id": "z", "jsonrpc": "2.0" } ', "z", id="last but one"),
        pytest.param(b'{"method":"x","params":{"id":5,', b"x", None, id="not that of something else"),
        pytest.param(b'{"method":"x","params":{', b'"a":{"id":5}}}', None, id="not that of something at the end"),
        pytest.param(b"xxx", b"xxx", None, id="none"),
        pytest.param(b'{"id":"\\q",', b"x", None, id="bad escape"),
        pytest.param(b'{"id":007,', b"x", None, id="leading zeros"),
        pytest.param(b'{"id":"\xff",', b"x", None, id="bad UTF-8"),
        pytest.param(b'{"id":"a\x01b",', b"x", None, id="control character"),
        pytest.param(b'{"id":"' + b"x" * 300 + b'",', b"x", None, id="endless text"),
        pytest.param(b'{"id":' + b"1" * 30 + b",", b"x", None, id="endless number"),
    ],
)
def test_a_line_that_is_too_long_is_answered_with_its_id(head: bytes, tail: bytes, request_id: object) -> None:
    """SPEC 8, HOSTILE 87: found in the first or the last bytes, else null; never a failure of the reader."""
    message = _refusal(TooLong(head, tail, 2_000))
    assert message["error"] == {"code": -32600, "message": "The message is longer than 2,000 bytes."}
    assert message["id"] == request_id
