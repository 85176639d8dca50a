"""What the tools that look say."""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path

import pytest

from readfirst import ReadRequest, Session, Settings, Workspace, read_page
from readfirst.sessions.sqlite import SQLiteStore
from readfirst.tools.browse import GET_FILE_INFO, LIST_DIRECTORY, FileInfoArgs, ListDirectoryArgs
from tests.conftest import Unprivileged


@pytest.fixture
def session(root: Path) -> Generator[Session]:
    """Open a workspace on `root`."""
    with Workspace([str(root)]) as workspace:
        yield workspace.session()


def _list(session: Session, path: str = ".") -> tuple[str, ...]:
    return LIST_DIRECTORY.run(session, ListDirectoryArgs(path=path)).blocks


def _info(session: Session, path: str) -> dict[str, str]:
    (text,) = GET_FILE_INFO.run(session, FileInfoArgs(path=path)).blocks
    return dict(line.split(": ", 1) for line in text.split("\n"))


def test_a_directory_is_listed_one_entry_a_line(session: Session, root: Path) -> None:
    """SPEC 3 (`list_directory`), HOSTILE 26: no name can look like another line."""
    (root / "d").mkdir()
    (root / "f").touch()
    (root / "l").symlink_to("f")
    (root / "out").symlink_to("/usr")
    os.mkfifo(root / "p")
    (root / "x\n[DIR] y").touch()
    (root / "z\udcff").touch()
    rows = ["[DIR] d", "[FILE] f", "[LINK] l -> f", "[LINK] out", "[FILE] p", '[FILE] "x\\n[DIR] y"', "[FILE] z\\udcff"]
    assert _list(session) == ("\n".join(rows),)
    assert _list(session, "d") == ('["d" is empty]',)


def test_a_list_that_is_too_long_says_how_much_is_missing(root: Path) -> None:
    """G12, SPEC 8."""
    for number in range(100):
        (root / f"{number:02}").touch()
    with Workspace([str(root)], settings=Settings(reply_chars=300)) as workspace:
        text, note = _list(workspace.session())
    shown = text.split("\n")
    assert shown == [f"[FILE] {number:02}" for number in range(len(shown))]
    assert note == f"[{100 - len(shown)} more of 100 entries are left out]"
    assert len(text) <= 300


def test_the_facts_of_a_text_file_are_told(session: Session, root: Path) -> None:
    """SPEC 3 (`get_file_info`)."""
    (root / "f").write_text("one\ntwo\n")
    (root / "f").chmod(0o640)
    os.utime(root / "f", (0, 1.5))
    info = _info(session, "f")
    assert info.pop("created") != ""
    assert info == {
        "size": "8 bytes",
        "modified": "1970-01-01T00:00:01.500Z",
        "accessed": "1970-01-01T00:00:00.000Z",
        "type": "file",
        "permissions": "640 -rw-r-----",
        "hardLinks": "1",
        "encoding": "utf-8",
        "lineEndings": "LF",
        "lines": "2",
        "session": "unread",
    }


@pytest.mark.parametrize(
    ("data", "told"),
    [
        pytest.param(b"", "none", id="empty"),
        pytest.param(b"a\r\n", "CRLF", id="CRLF"),
        pytest.param(b"a\r", "CR", id="CR"),
        pytest.param(b"a\nb\r\n", "mixed LF and CRLF", id="mixed"),
    ],
)
def test_line_endings_are_named(session: Session, root: Path, data: bytes, told: str) -> None:
    """SPEC 3 (`get_file_info`)."""
    (root / "f").write_bytes(data)
    assert _info(session, "f")["lineEndings"] == told


def test_the_view_of_the_session_is_worded(session: Session, root: Path) -> None:
    """SPEC 3 (`get_file_info`)."""
    (root / "f").write_text("one\ntwo\n")
    read_page(session, "f", ReadRequest(limit=1))
    assert _info(session, "f")["session"] == "fresh, 1 of 2 lines seen"
    (root / "f").write_text("x")
    assert _info(session, "f")["session"] == "stale: it changed after this session read it"


def test_a_binary_file_is_known_by_a_look(session: Session, root: Path) -> None:
    """SPEC 3 (`delete_file`)."""
    (root / "f").write_bytes(b"\0")
    for _ in range(2):
        info = _info(session, "f")
        assert (info["content"], info["session"], "encoding" in info) == ("binary", "fresh", False)


def test_what_is_no_file_has_no_content(session: Session, root: Path) -> None:
    """SPEC 3 (`get_file_info`): a link says where it leads."""
    (root / "l").symlink_to("nowhere")
    info = _info(session, "l")
    assert (info["type"], info["linkTarget"], "content" in info, "session" in info) == ("link", "nowhere", False, False)


def test_a_file_that_was_not_looked_into_says_why(session: Session, root: Path, unprivileged: Unprivileged) -> None:
    """G12."""
    (root / "huge").touch()
    os.truncate(root / "huge", 1 << 40)
    assert _info(session, "huge")["content"] == "not looked at: it is too large to be edited"
    (root / "f").touch(0o200)
    with unprivileged():
        assert _info(session, "f")["content"] == "not looked at: it cannot be read"


def test_without_the_store_the_view_is_unknown(root: Path, tmp_path: Path) -> None:
    """SPEC 2 (stores): reads still work."""
    (root / "f").write_text("one\n")
    with Workspace([str(root)], store=SQLiteStore(str(tmp_path / "none" / "db"), Settings())) as workspace:
        assert _info(workspace.session(), "f")["session"] == "unknown: the session store cannot be reached"


def test_a_file_without_a_birth_says_so() -> None:
    """SPEC 3 (`get_file_info`): procfs keeps no such time."""
    with Workspace(["/proc/self/fdinfo"]) as workspace:
        assert _info(workspace.session(), "0")["created"] == "unknown"
