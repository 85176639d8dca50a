"""Looking: what is there is told, what lies outside is not, and nothing counts as read."""

from __future__ import annotations

import os
import socket
import stat
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from readfirst import Edit, ReadfirstError, ReadRequest, Session, Settings, Workspace, edit_file, read_page, write_file
from readfirst.filesystem.entries import Entry
from readfirst.workspace.browse import Content, SessionView, get_file_info, list_directory
from readfirst.workspace.manage import copy_file, move_file
from tests.conftest import Unprivileged
from tests.workspace.conftest import Outage

_PAGE = ReadRequest()


def _code(act: Callable[[], object]) -> str:
    with pytest.raises(ReadfirstError) as refused:
        act()
    return refused.value.code


def test_a_link_tells_its_target_only_when_that_is_inside(session: Session, root: Path, tmp_path: Path) -> None:
    """SPEC 3 (`list_directory`), G10: nothing is told of what lies outside, not even its name."""
    (tmp_path / "secret").touch()
    links = {
        "in": "f",
        "in absolute": f"{root}/f",
        "missing": "nowhere",
        "loop": "loop",
        "out": "../secret",
        "out missing": "../none",
        "out absolute": "/etc/passwd",
        "through": "out/x",
    }
    (root / "f").touch()
    for name, target in links.items():
        (root / name).symlink_to(target)
    told = {entry.name: entry.target for entry in list_directory(session, ".") if entry.kind == "link"}
    inside = ("in", "in absolute", "missing")
    assert told == {name: links[name] if name in inside else "" for name in links}


def test_the_state_directory_is_not_listed(root: Path) -> None:
    """SPEC 7: such files are neither listed nor read."""
    (root / "s" / "rf").mkdir(parents=True)
    (root / "s" / "other").mkdir()
    (root / "link").symlink_to("s/rf")
    with Workspace([str(root)], state_directory=str(root / "s" / "rf")) as workspace:
        session = workspace.session()
        assert [entry.name for entry in list_directory(session, "s")] == ["other"]
        assert list_directory(session, ".") == [Entry("link", "link"), Entry("s", "directory")]
        assert _code(lambda: list_directory(session, "s/rf")) == "denied"
        assert _code(lambda: get_file_info(session, "link")) == "denied"


def test_names_that_are_no_text_are_listed_as_they_can_be_asked_for(session: Session, root: Path) -> None:
    """SPEC 7, HOSTILE 28."""
    (root / "bad\udcff").write_text("one\n")
    (root / "l").symlink_to("bad\udcff")
    assert list_directory(session, ".") == [Entry("bad\\udcff", "file"), Entry("l", "link", "bad\\udcff")]
    read_page(session, "bad\\udcff", _PAGE)
    assert edit_file(session, "l", [Edit("one", "two")]).undoable
    assert get_file_info(session, "l").link_target == "bad\\udcff"


def test_a_directory_of_many_entries_is_listed_at_once(session: Session, root: Path) -> None:
    """HOSTILE 73; sizes are not asked for, so a sparse file costs nothing."""
    for number in range(3000):
        (root / f"{number:04}").touch()
    os.truncate(root / "0000", 1 << 40)
    start = time.monotonic()
    assert len(list_directory(session, ".")) == 3000
    assert time.monotonic() - start < 5


@pytest.mark.parametrize(("path", "code"), [("none", "not_found"), ("f", "not_a_directory"), ("..", "outside")])
def test_what_is_no_directory_is_not_listed(session: Session, root: Path, path: str, code: str) -> None:
    """HOSTILE 39."""
    (root / "f").touch()
    assert _code(lambda: list_directory(session, path)) == code


def test_the_facts_of_a_file_are_told(session: Session, root: Path) -> None:
    """SPEC 3 (`get_file_info`)."""
    (root / "f").write_bytes(b"one\r\ntwo\r\n")
    (root / "f").chmod(0o640)
    os.link(root / "f", root / "g")
    os.utime(root / "f", (1_000_000_000.5, 2_000_000_000.25))
    info = get_file_info(session, "f")
    assert (info.path, info.kind, info.size, info.hard_links) == ("f", "file", 10, 2)
    assert (info.accessed_s, info.modified_s) == (1_000_000_000.5, 2_000_000_000.25)
    assert (stat.S_IMODE(info.mode), info.link_target) == (0o640, None)
    assert info.content == Content("utf-8", "\r\n", 2, mixed=False)
    assert info.view == SessionView("unread")


@pytest.mark.parametrize(
    ("data", "newline", "lines", "mixed"),
    [
        pytest.param(b"", "", 0, False, id="empty"),
        pytest.param(b"a", "", 1, False, id="no line ending"),
        pytest.param(b"a\nb\n", "\n", 2, False, id="LF"),
        pytest.param(b"a\r\nb\r\n", "\r\n", 2, False, id="CRLF"),
        pytest.param(b"a\rb\r", "\r", 2, False, id="CR"),
        pytest.param(b"a\r\nb\n", "\n", 2, True, id="mixed"),
        pytest.param("a\r\nb\r\n".encode("utf-16"), "\r\n", 2, False, id="CRLF in UTF-16"),
        pytest.param("\ufeffa\nb".encode(), "\n", 2, False, id="byte order mark"),
        pytest.param(b"x" * ((1 << 16) - 1) + b"\r\n" + b"y" * (1 << 22) + b"\r\n", "\r\n", 2, False, id="parted CRLF"),
        pytest.param(b"x" * ((1 << 20) - 1) + b"\r\n", "\r\n", 1, False, id="CRLF between two chunks"),
    ],
)
def test_line_endings_are_counted(
    session: Session, root: Path, data: bytes, newline: str, lines: int, *, mixed: bool
) -> None:
    """SPEC 3 (`get_file_info`): line endings and line count, in the file's encoding."""
    (root / "f").write_bytes(data)
    content = get_file_info(session, "f").content
    assert content is not None
    assert (content.newline, content.lines, content.mixed) == (newline, lines, mixed)


def test_the_view_of_the_session_is_told(session: Session, root: Path) -> None:
    """SPEC 3 (`get_file_info`): unread, fresh with the lines seen, stale; a look is no read."""
    (root / "f").write_text("one\n" * 50)
    for expected in (SessionView("unread"), SessionView("unread")):
        assert get_file_info(session, "f").view == expected
    assert _code(lambda: edit_file(session, "f", [Edit("x", "y")])) == "not_read"
    read_page(session, "f", ReadRequest(limit=7))
    assert get_file_info(session, "f").view == SessionView("fresh", 7)
    (root / "f").write_text("two\n")
    assert get_file_info(session, "f").view == SessionView("stale")


def test_a_look_at_a_binary_file_is_all_there_is_to_see_of_it(session: Session, root: Path) -> None:
    """SPEC 3 (`delete_file`)."""
    (root / "f").write_bytes(b"\0\1")
    assert get_file_info(session, "f").content == Content("", "", 0, mixed=False)
    assert get_file_info(session, "f").view == SessionView("fresh")


@pytest.mark.parametrize("kind", ["directory", "pipe", "socket", "dangling link", "link"])
def test_anything_has_facts_and_nothing_hangs(session: Session, root: Path, kind: str) -> None:
    """SPEC 3 (`get_file_info`), HOSTILE 35: a link tells what it leads to, a dangling one itself."""
    listener = socket.socket(socket.AF_UNIX)
    makers: dict[str, Callable[[], object]] = {
        "directory": (root / "x").mkdir,
        "pipe": lambda: os.mkfifo(root / "x"),
        "socket": lambda: listener.bind(str(root / "x")),
        "dangling link": lambda: (root / "x").symlink_to("nowhere"),
        "link": lambda: (root / "x").symlink_to("."),
    }
    makers[kind]()
    listener.close()
    info = get_file_info(session, "x")
    told = {"directory": "directory", "dangling link": "link", "link": "directory"}.get(kind, "other")
    says = {"dangling link": "nowhere", "link": "."}.get(kind)
    assert (info.kind, info.content, info.view, info.link_target) == (told, None, None, says)


@pytest.mark.parametrize("target", ["/etc/passwd", "/none", "..", "../none"])
def test_a_link_that_leads_outside_tells_nothing(session: Session, root: Path, target: str) -> None:
    """G10: the same, whether or not anything is there."""
    (root / "l").symlink_to(target)
    assert _code(lambda: get_file_info(session, "l")) == "outside"


def test_a_loop_of_links_is_refused(session: Session, root: Path) -> None:
    """HOSTILE 12."""
    (root / "l").symlink_to("l")
    assert _code(lambda: get_file_info(session, "l")) == "too_many_links"


def test_a_huge_file_is_not_scanned(session: Session, root: Path) -> None:
    """HOSTILE 38: nor when it is copied, moved or told."""
    (root / "f").touch()
    os.truncate(root / "f", 1 << 40)
    start = time.monotonic()
    info = get_file_info(session, "f")
    assert (info.size, info.content, info.view) == (1 << 40, None, SessionView("unknown"))
    assert not copy_file(session, "f", "g").undoable
    assert move_file(session, "f", "h").undoable
    assert time.monotonic() - start < 10


def test_a_file_that_may_not_be_read_has_facts_all_the_same(
    session: Session, root: Path, unprivileged: Unprivileged
) -> None:
    """SPEC 3 (`get_file_info`): what could not be looked at is told, nothing else is withheld."""
    (root / "f").write_text("x")
    (root / "f").chmod(0o200)
    with unprivileged():
        info = get_file_info(session, "f")
    assert (info.size, stat.S_IMODE(info.mode), info.content, info.view) == (1, 0o200, None, SessionView("unreadable"))


def test_without_the_store_the_facts_are_told_and_the_view_is_unknown(
    outage: tuple[Session, Outage], root: Path
) -> None:
    """SPEC 2 (stores): reads still work."""
    session, down = outage
    (root / "f").write_text("one\n")
    read_page(session, "f", _PAGE)
    with down():
        info = get_file_info(session, "f")
        assert [entry.name for entry in list_directory(session, ".")] == ["f"]
    assert (info.size, info.view) == (4, SessionView("unknown"))
    assert get_file_info(session, "f").view == SessionView("fresh", 1)


def test_a_page_that_was_looked_at_is_told_in_a_small_workspace(root: Path) -> None:
    """SPEC 8: a file over the limit of what can be edited is not looked into."""
    (root / "f").write_text("x" * 11)
    with Workspace([str(root)], settings=Settings(edit_bytes=10)) as workspace:
        session = workspace.session()
        assert get_file_info(session, "f").content is None
        write_file(session, "g", "x" * 10)
        assert get_file_info(session, "g").view == SessionView("fresh", 1)
