"""What the tools that move, copy and delete say."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from readfirst import Edit, ReadfirstError, ReadRequest, Session, Workspace, edit_file, read_page
from readfirst.filesystem import commit
from readfirst.filesystem.syscalls import rename_no_replace
from readfirst.sessions.sqlite import SQLiteStore
from readfirst.settings import Settings
from readfirst.tools.manage import (
    APPEND_FILE,
    COPY_FILE,
    DELETE_FILE,
    MOVE_FILE,
    AppendFileArgs,
    CopyFileArgs,
    DeleteFileArgs,
    MoveFileArgs,
)
from readfirst.tools.refusals import worded
from readfirst.tools.words import NOT_DURABLE, NOT_UNDOABLE, Names
from tests.conftest import Act, Unprivileged


@pytest.fixture
def session(root: Path) -> Generator[Session]:
    """Open a session of a file that was read, with a link and a directory beside it."""
    (root / "f").write_text("one\n")
    (root / "l").symlink_to("f")
    (root / "d").mkdir()
    with Workspace([str(root)]) as workspace:
        opened = workspace.session()
        read_page(opened, "f", ReadRequest())
        yield opened


def _copy(session: Session, source: str, destination: str) -> tuple[str, ...]:
    return COPY_FILE.run(session, CopyFileArgs(source=source, destination=destination)).blocks


def _move(session: Session, source: str, destination: str) -> tuple[str, ...]:
    return MOVE_FILE.run(session, MoveFileArgs(source=source, destination=destination)).blocks


def _delete(session: Session, path: str) -> tuple[str, ...]:
    return DELETE_FILE.run(session, DeleteFileArgs(path=path)).blocks


def _refusal(act: Callable[[], object]) -> str:
    with pytest.raises(ReadfirstError) as refused:
        act()
    return worded(refused.value, Names())


def test_what_was_done_is_said_in_the_paths_as_given(session: Session) -> None:
    """SPEC 5: replies are text for the model, facts for programs."""
    assert _copy(session, "f", "./g") == ('[copied "f" to "./g"]',)
    assert _move(session, "g", "new/h") == ('[moved "g" to "new/h"]',)
    assert _delete(session, "new/h") == ('[deleted "new/h"]',)
    assert _delete(session, "l") == ('[deleted the link "l"]',)
    assert _delete(session, "d") == ('[deleted the empty directory "d"]',)


def test_the_facts_are_there_for_programs(session: Session) -> None:
    """SPEC 5."""
    moved = MOVE_FILE.run(session, MoveFileArgs(source="f", destination="g")).facts
    deleted = DELETE_FILE.run(session, DeleteFileArgs(path="g")).facts
    assert (moved, deleted) == ({"source": "f", "path": "g"}, {"path": "g", "kind": "file"})


def test_what_cannot_be_taken_back_is_said(root: Path, tmp_path: Path) -> None:
    """G12: without a session store, nobody can tell what was done."""
    (root / "f").write_text("one\n")
    (root / "l").symlink_to("f")
    with Workspace([str(root)], store=SQLiteStore(str(tmp_path / "none" / "db"), Settings())) as workspace:
        session = workspace.session()
        created = APPEND_FILE.run(session, AppendFileArgs(path="new", content="x")).blocks
        assert created == (f'[created "new"; line 1 of 1; {NOT_UNDOABLE}]',)
        assert _move(session, "f", "g") == (f'[moved "f" to "g"; {NOT_UNDOABLE}]',)
        assert _delete(session, "l") == (f'[deleted the link "l"; {NOT_UNDOABLE}]',)


def test_what_is_not_surely_on_disk_is_said(session: Session, root: Path, unprivileged: Unprivileged) -> None:
    """SPEC 6: a directory without read permission cannot be synced."""
    root.chmod(0o333)
    with unprivileged():
        blocks = _move(session, "d", "e")
    root.chmod(0o755)
    assert blocks == (f'[moved "d" to "e"; {NOT_DURABLE}]',)


_REFUSALS: dict[str, tuple[Act, str]] = {
    "into a directory": (
        lambda session: _move(session, "f", "d"),
        '"d" is a directory that exists. Nothing was changed. To place it inside, name it: "d/NAME".',
    ),
    "onto a link": (
        lambda session: _copy(session, "f", "l"),
        '"l" exists already. Nothing was changed. Choose a path that is free.',
    ),
    "onto itself": (lambda session: _move(session, "f", "./f"), '"./f" is the source itself. Nothing was changed.'),
    "a copy of a directory": (lambda session: _copy(session, "d", "e"), '"d" is a directory, not a file.'),
    "into itself": (lambda session: _move(session, "d", "d/e"), 'Invalid path: "d/e" lies inside what is moved.'),
    "an allowed directory": (
        lambda session: _delete(session, "."),
        'Invalid path: "." is an allowed directory, or holds one.',
    ),
    "a slash": (lambda session: _copy(session, "f", "g/"), '"g/" is named as a directory, not a file.'),
}


@pytest.mark.parametrize("row", _REFUSALS)
def test_a_refusal_says_what_is_wrong_and_what_works(session: Session, row: str) -> None:
    """SPEC 5."""
    act, words = _REFUSALS[row]
    assert _refusal(lambda: act(session)) == words


def test_a_name_taken_at_the_last_moment_is_told_as_that(
    session: Session, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """G12: nothing was put back, so no other name is spoken of."""
    real = os.link

    def link(*names: str, **how: int) -> None:
        monkeypatch.undo()
        (root / "g").write_text("theirs")
        real(*names, **how)  # type: ignore[arg-type] # passed on as it came

    monkeypatch.setattr(os, "link", link)
    words = '"g": something else took that name meanwhile; read it before you write. Nothing was written.'
    assert _refusal(lambda: _copy(session, "f", "g")) == words
    assert (root / "g").read_text() == "theirs"


def test_a_version_that_could_not_be_put_back_is_told_by_its_name(
    session: Session, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SPEC 6 (delete): two changes by others, and both are kept."""
    theirs = ["changed\n", "two\n"]

    def rename(from_fd: int, name: str, to_fd: int, new_name: str) -> None:
        (root / "f").write_text(theirs.pop(0))
        rename_no_replace(from_fd, name, to_fd, new_name)

    monkeypatch.setattr(commit, "rename_no_replace", rename)
    words = _refusal(lambda: _delete(session, "f"))
    (kept,) = set(os.listdir(root)) - {"f", "l", "d"}
    assert f'it is kept as "{kept}" in the same directory' in words
    assert ((root / kept).read_text(), (root / "f").read_text()) == ("changed\n", "two\n")


def test_a_file_that_comes_under_a_deleted_name_is_no_known_one(session: Session, root: Path) -> None:
    """G1: what was read of the deleted file says nothing of the new one."""
    _delete(session, "f")
    (root / "f").write_text("other\n" * 50)
    assert "has not been read in this session" in _refusal(lambda: edit_file(session, "f", [Edit("other", "x")]))
