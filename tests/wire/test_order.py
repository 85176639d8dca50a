"""Calls that overlap, over real stdio: every OK is on disk, and nothing is licensed that the caller could not know."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.wire.raw import RawClient, raw_client

_TEXT = "".join(f"key{number} = old\n" for number in range(1, 101))


def _edit(path: Path, number: int) -> dict[str, object]:
    edit = {"oldText": f"key{number} = old\n", "newText": f"key{number} = new\n"}
    return {"name": "edit_file", "arguments": {"path": str(path), "edits": [edit]}}


@pytest.mark.guarantee("G4")
def test_edits_sent_at_once_are_all_in_the_file(root: Path) -> None:
    """SPEC 2: own writes count at once, so that none of them is refused."""
    path = root / "keys.txt"
    path.write_text(_TEXT)
    with raw_client(root) as client:
        client.call("read_file", path=str(path))
        lines = [RawClient.line(1000 + n, "tools/call", _edit(path, n)) for n in range(1, 21)]
        client.write(b"".join(lines))
        answers = client.answers(20)
    assert not any(answer["result"]["isError"] for answer in answers.values())
    assert path.read_text() == _TEXT.replace(" = old", " = new", 20)
    assert list(root.iterdir()) == [path]


@pytest.mark.guarantee("G1")
def test_a_read_does_not_license_an_edit_that_was_already_on_its_way(root: Path) -> None:
    """SPEC 2: what a reply shows counts for calls received after it was sent."""
    path = root / "keys.txt"
    path.write_text(_TEXT)
    read = {"name": "read_file", "arguments": {"path": str(path)}}
    with raw_client(root) as client:
        client.write(RawClient.line(1, "tools/call", read) + RawClient.line(2, "tools/call", _edit(path, 1)))
        answers = client.answers(2)
        assert not answers[1]["result"]["isError"]
        assert answers[2]["result"]["_meta"]["readfirst"]["code"] == "not_read"
        assert path.read_text() == _TEXT
        client.post("tools/call", _edit(path, 1))
        assert not client.answer()["result"]["isError"]
    assert path.read_text() == _TEXT.replace(" = old", " = new", 1)


@pytest.mark.guarantee("G1")
def test_a_call_that_was_being_sent_when_the_file_was_shown_is_not_licensed(root: Path) -> None:
    """SPEC 2: its first bytes came before the answer, so it was written blind."""
    path = root / "keys.txt"
    path.write_text(_TEXT)
    read = {"name": "read_file", "arguments": {"path": str(path)}}
    with raw_client(root) as client:
        line = RawClient.line(7, "tools/call", _edit(path, 1))
        client.write(RawClient.line(1, "tools/call", read) + line[:9])
        assert not client.answer()["result"]["isError"]
        client.write(line[9:])
        assert client.answer()["result"]["_meta"]["readfirst"]["code"] == "not_read"
        client.post("tools/call", _edit(path, 1))
        assert not client.answer()["result"]["isError"]


@pytest.mark.guarantee("G4")
def test_a_reply_that_leaves_after_a_later_own_write_does_not_make_it_stale(root: Path) -> None:
    """Replies of pipelined edits show older versions; the record stays that of the last write."""
    path = root / "keys.txt"
    path.write_text(_TEXT)
    with raw_client(root) as client:
        client.call("read_file", path=str(path))
        for start in range(1, 91, 10):
            client.write(b"".join(RawClient.line(n, "tools/call", _edit(path, n)) for n in range(start, start + 10)))
            answers = client.answers(10)
            assert not any(answer["result"]["isError"] for answer in answers.values())
    assert path.read_text() == _TEXT.replace(" = old", " = new", 90)


def test_calls_on_one_path_run_in_the_order_they_were_sent(root: Path) -> None:
    """ARCHITECTURE: first in, first out per path argument."""
    path = root / "log.txt"
    with raw_client(root) as client:
        for number in range(50):
            client.post(
                "tools/call", {"name": "write_file", "arguments": {"path": str(path), "content": f"{number}\n"}}
            )
        answers = client.answers(50)
    assert not any(answer["result"]["isError"] for answer in answers.values())
    assert path.read_text() == "49\n"
