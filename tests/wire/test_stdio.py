"""The transport against what no well-behaved client sends: an answer where the protocol allows one, and it lives on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.wire.raw import RawClient, raw_client, text_of


@pytest.mark.parametrize(
    ("line", "code", "request_id"),
    [
        pytest.param(b"{not json}", -32700, None, id="broken JSON"),
        pytest.param(b'"\xff\xfe"', -32700, None, id="bad UTF-8"),
        pytest.param(b"[]", -32600, None, id="empty batch"),
        pytest.param(b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600, None, id="batch"),
        pytest.param(b"17", -32600, None, id="a number"),
        pytest.param(b'{"jsonrpc":"2.0","id":7}', -32600, 7, id="no method"),
        pytest.param(b'{"jsonrpc":"2.0","id":true,"method":3}', -32600, None, id="id is true"),
        pytest.param(b"[" * 200_000 + b"]" * 200_000, -32700, None, id="nested too deeply"),
        pytest.param(
            b'{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"read_file",'
            b'"arguments":{"path":"\\ud800"}}}',
            -32600,
            "a",
            id="half a character",
        ),
    ],
)
def test_a_line_that_is_no_message_is_answered_and_the_server_lives_on(
    root: Path, line: bytes, code: int, request_id: object
) -> None:
    """HOSTILE 29, 87-89."""
    with raw_client(root) as client:
        client.write(line + b"\n")
        answer = client.answer()
        assert (answer["error"]["code"], answer["id"]) == (code, request_id)
        assert client.alive()
        assert client.end() == []


def test_an_empty_line_is_no_message(root: Path) -> None:
    """HOSTILE 88: a blank line gets no answer, since it asks nothing."""
    with raw_client(root) as client:
        client.write(b"\n  \r\n\n")
        assert client.alive()
        assert client.end() == []


@pytest.mark.parametrize("id_first", [True, False])
def test_a_line_over_the_limit_is_refused_with_its_id_and_the_next_one_is_served(root: Path, *, id_first: bool) -> None:
    """SPEC 8: one message has at most 6 times the write limit and 64 KiB; the id stands at either end."""
    filler = b'"params":{"x":"' + b"y" * (6 * 16 * 1024 * 1024 + 65 * 1024) + b'"}'
    head = b'{"jsonrpc":"2.0","id":99,"method":"ping",' + filler + b"}\n"
    tail = b'{"method":"ping",' + filler + b',"jsonrpc":"2.0","id":99}\n'
    with raw_client(root) as client:
        client.write(head if id_first else tail)
        answer = client.answer()
        assert answer["id"] == 99
        assert "longer than 100,728,832 bytes" in answer["error"]["message"]
        assert client.alive()


def test_a_file_with_a_line_of_20_mb_is_paged(root: Path) -> None:
    """Issue 2: a 20 MB line never ends the server or hangs it."""
    (root / "wide.txt").write_bytes(b"a" * 20_000_000 + b"\nend\n")
    with raw_client(root) as client:
        page = client.call("read_file", path=str(root / "wide.txt"))
        assert "offset=1, column=44999" in text_of(page)
        deep = client.call("read_file", path=str(root / "wide.txt"), column=19_999_990)
        assert "1\taaaaaaaaaaa\n2\tend" in text_of(deep)
        past = client.call("read_file", path=str(root / "wide.txt"), column=20_000_001)
        assert past["isError"]
        assert client.alive()


def test_a_write_of_a_line_of_15_mb_arrives_whole(root: Path) -> None:
    """SPEC 8: the write limit fits into one message."""
    text = "b" * 15_000_000
    with raw_client(root) as client:
        result = client.call("write_file", path=str(root / "new.txt"), content=text)
        assert result["_meta"]["readfirst"]["version"].startswith("w")
    assert (root / "new.txt").read_text() == text


@pytest.mark.parametrize(
    ("path", "code"),
    [
        pytest.param("a\0b", "invalid_path", id="NUL"),
        pytest.param("", "invalid_path", id="empty"),
        pytest.param("x" * 300, "name_too_long", id="long name"),
        pytest.param("/etc/passwd", "outside", id="outside"),
        pytest.param("C:\\x", "invalid_path", id="Windows"),
    ],
)
def test_a_hostile_path_is_refused_with_its_code(root: Path, path: str, code: str) -> None:
    """HOSTILE 1-5, 25."""
    with raw_client(root) as client:
        for tool, more in (("read_file", {}), ("write_file", {"content": "x"})):
            result = client.call(tool, path=path, **more)
            assert result["isError"]
            assert result["_meta"]["readfirst"]["code"] == code
        assert client.alive()
    assert list(root.iterdir()) == []


def test_an_unknown_tool_is_an_error_that_names_the_tools(root: Path) -> None:
    """SPEC 3."""
    with raw_client(root) as client:
        result = client.call("no_such_tool", path="x")
        assert result["_meta"]["readfirst"]["code"] == "unknown_tool"
        assert "edit_file" in text_of(result)
        assert client.alive()


def test_a_file_name_that_is_not_utf_8_cannot_end_the_server(root: Path) -> None:
    """HOSTILE 28: no answer ever carries a lone surrogate, not even one that offers similar names."""
    (root / "readme\udcff.txt").write_text("x\n")
    with raw_client(root) as client:
        result = client.call("read_file", path=str(root / "readme.txt"))
        assert '"readme\\\\udcff.txt"' in text_of(result)
        assert text_of(client.call("read_file", path=str(root / "readme\\udcff.txt"))).startswith("1\tx\n")
        assert client.alive()


def test_answers_in_flight_are_drained_when_input_ends(root: Path) -> None:
    """ARCHITECTURE, transport: `printf ... | readfirst DIR` gets every answer."""
    path = root / "many.txt"
    path.write_text("x\n" * 100_000)
    with raw_client(root) as client:
        for _ in range(20):
            client.post("tools/call", {"name": "read_file", "arguments": {"path": str(path)}})
        rest = client.end()
    assert len(rest) == 20
    assert all("result" in answer for answer in rest)


def test_the_last_line_needs_no_line_break(root: Path) -> None:
    """A client that ends without one still gets its answer."""
    with raw_client(root) as client:
        client.write(RawClient.line(50, "ping", {}).rstrip(b"\n"))
        assert client.end() == [{"jsonrpc": "2.0", "id": 50, "result": {}}]


def test_a_client_that_does_not_read_cannot_stop_the_server_from_reading(root: Path) -> None:
    """Two full pipes must not wait for each other: 300 calls of 45,000 characters are sent before one is read."""
    path = root / "big.txt"
    path.write_text("0123456789 0123456789 0123456789\n" * 3_000)
    with raw_client(root) as client:
        first = client.post("tools/call", {"name": "read_file", "arguments": {"path": str(path)}})
        for _ in range(299):
            client.post("tools/call", {"name": "read_file", "arguments": {"path": str(path)}})
        answers = client.answers(300)
    assert sorted(answers) == list(range(first, first + 300))


def test_two_requests_of_one_id_are_both_answered(root: Path) -> None:
    """A client's slip must not make an answer vanish."""
    with raw_client(root) as client:
        client.write(RawClient.line(5, "ping", {}) + RawClient.line(5, "ping", {}))
        assert [client.answer()["id"], client.answer()["id"]] == [5, 5]
        assert client.end() == []


def test_the_server_speaks_the_2026_protocol_on_stdio(root: Path) -> None:
    """SPEC 9: without a handshake, each request names its protocol version."""
    (root / "a.txt").write_text("one\n")
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    with raw_client(root, started=False) as client:
        arguments = {"path": str(root / "a.txt")}
        client.post("tools/call", {"name": "read_file", "arguments": arguments, "_meta": meta})
        answer = client.answer()
    assert "1\tone" in json.dumps(answer["result"]["content"], ensure_ascii=False).replace("\\t", "\t")
