"""Trees and searches by name, as the library gives them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from readfirst import ReadfirstError, Settings, Workspace
from readfirst.workspace.context import Session
from readfirst.workspace.manage import create_directory
from readfirst.workspace.search import Node, directory_tree, search_files
from tests.conftest import Unprivileged


def _make(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("")


def _told(nodes: list[Node]) -> list[object]:
    return [node.name if node.children is None else (node.name, _told(node.children)) for node in nodes]


def test_a_tree_shows_what_was_read(root: Path, session: Session) -> None:
    """SPEC 3: an empty directory has no children; one that was not read has none to tell of."""
    _make(root, "a/b/c", "d", "ignored.o")
    (root / "empty").mkdir()
    (root / ".gitignore").write_text("*.o\n")
    tree = directory_tree(session, str(root))
    assert _told(tree.children) == [".gitignore", ("a", [("b", ["c"])]), "d", ("empty", [])]
    assert (tree.left_out.ignored, tree.left_out.visited, tree.left_out.stopped) == (1, 6, "")
    assert _told(directory_tree(session, str(root), depth=1, gitignore=False).children) == [
        ".gitignore",
        "a",
        "d",
        "empty",
        "ignored.o",
    ]
    assert _told(directory_tree(session, str(root), excludes=["a", ".*"]).children) == ["d", ("empty", [])]


def test_a_search_gives_sorted_full_paths(root: Path, session: Session) -> None:
    """SPEC 3: sorted as text, so that two answers can be compared."""
    _make(root, "a/x.py", "a.d/x.py", "x.py", "é/\udcff.py")
    found = search_files(session, str(root), "*.py")
    assert found.paths == [f"{root}/{path}" for path in ("a.d/x.py", "a/x.py", "x.py", "é/\\udcff.py")]
    assert found.count == 4
    assert search_files(session, f"{root}/a", "*").paths == [f"{root}/a/x.py"]


def test_a_search_keeps_no_more_than_a_reply_can_show(root: Path) -> None:
    """Of a hundred thousand hits nobody reads the rest; they are counted."""
    _make(root, *(f"d{number}/f{name}" for number in range(5) for name in range(10)))
    with Workspace([str(root)], settings=Settings(reply_chars=100)) as workspace:
        found = search_files(workspace.session(), str(root), "f*")
    assert found.count == 50
    assert len(found.paths) <= 10


def test_the_limits_are_those_of_the_workspace(root: Path) -> None:
    """SPEC 8."""
    _make(root, "a", "b", "c")
    with Workspace([str(root)], settings=Settings(walk_entries=2)) as workspace:
        assert search_files(workspace.session(), str(root), "*").left_out.stopped == "entries"
        assert directory_tree(workspace.session(), str(root)).left_out.visited == 2
    with Workspace([str(root)], settings=Settings(walk_s=-1)) as workspace:
        assert search_files(workspace.session(), str(root), "*").left_out.stopped == "time"


def test_nothing_is_found_through_a_link(root: Path, tmp_path: Path, session: Session) -> None:
    """A link is an entry; what it leads to is not below the directory."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret").write_text("")
    (root / "way").symlink_to(tmp_path / "outside")
    assert search_files(session, str(root), "**").paths == [f"{root}/way"]
    assert _told(directory_tree(session, str(root)).children) == ["way"]


@pytest.mark.parametrize(("path", "code"), [("nope", "not_found"), ("file", "not_a_directory"), ("..", "outside")])
def test_a_start_that_is_no_directory_is_refused(root: Path, session: Session, path: str, code: str) -> None:
    """One answer for both."""
    _make(root, "file")
    with pytest.raises(ReadfirstError) as refusal:
        directory_tree(session, f"{root}/{path}")
    assert refusal.value.code == code
    with pytest.raises(ReadfirstError) as refusal:
        search_files(session, f"{root}/{path}", "*")
    assert refusal.value.code == code


def test_a_directory_is_made_once(root: Path, session: Session) -> None:
    """SPEC 3: with parents; one that exists is fine."""
    made = create_directory(session, f"{root}/a/b/")
    assert (made.created, made.durable, (root / "a" / "b").is_dir()) == (True, True, True)
    assert create_directory(session, f"{root}/a/b").created is False


@pytest.mark.parametrize(("path", "code"), [("file", "exists"), ("file/below", "not_a_directory"), ("..", "outside")])
def test_what_is_in_the_way_of_a_directory_stays(root: Path, session: Session, path: str, code: str) -> None:
    """SPEC 3."""
    _make(root, "file")
    with pytest.raises(ReadfirstError) as refusal:
        create_directory(session, f"{root}/{path}")
    assert refusal.value.code == code
    assert os.listdir(root) == ["file"]


def test_a_directory_where_nobody_may_write_is_not_made(
    root: Path, session: Session, unprivileged: Unprivileged
) -> None:
    """The permissions of the directory above decide."""
    root.chmod(0o555)
    with unprivileged(), pytest.raises(ReadfirstError) as refusal:
        create_directory(session, f"{root}/a")
    assert refusal.value.code == "permission"
    root.chmod(0o755)


@pytest.mark.parametrize("other", ["directory", "file"])
def test_another_program_may_be_faster(
    root: Path, session: Session, monkeypatch: pytest.MonkeyPatch, other: str
) -> None:
    """What it made is fine if it is a directory."""
    mkdir = os.mkdir

    def slow(name: str, mode: int = 0o777, *, dir_fd: int | None = None) -> None:
        monkeypatch.undo()
        if other == "directory":
            (root / "a").mkdir()
        else:
            (root / "a").write_text("")
        mkdir(name, mode, dir_fd=dir_fd)

    monkeypatch.setattr(os, "mkdir", slow)
    if other == "directory":
        assert create_directory(session, f"{root}/a").created is False
    else:
        with pytest.raises(ReadfirstError) as refusal:
            create_directory(session, f"{root}/a")
        assert refusal.value.code == "exists"
