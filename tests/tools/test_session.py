"""What the tools about the session and the workspace say."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from readfirst import Edit, ReadfirstError, ReadRequest, Session, Settings, Workspace, edit_file, read_page, write_file
from readfirst.tools.refusals import worded
from readfirst.tools.session import (
    LIST_ALLOWED_DIRECTORIES,
    SESSION_CHANGES,
    UNDO_EDIT,
    NoArgs,
    SessionChangesArgs,
    UndoArgs,
)
from readfirst.tools.words import NOT_DURABLE, Names
from readfirst.workspace.browse import get_file_info
from readfirst.workspace.manage import append_file, copy_file, delete_file, move_file
from tests.conftest import Act, Unprivileged


@pytest.fixture
def session(root: Path) -> Generator[Session]:
    """Open a session of a file that was read."""
    (root / "f").write_text("one\n")
    with Workspace([str(root)]) as workspace:
        opened = workspace.session()
        read_page(opened, "f", ReadRequest())
        yield opened


def _undo(session: Session, path: str = "f") -> tuple[str, ...]:
    return UNDO_EDIT.run(session, UndoArgs(path=path)).blocks


def _changes(session: Session, path: str = "") -> tuple[str, ...]:
    return SESSION_CHANGES.run(session, SessionChangesArgs(path=path)).blocks


_TAKEN_BACK: dict[str, tuple[Act, str, str]] = {
    "write": (lambda s: write_file(s, "f", "x\n"), "f", "took back the last write of"),
    "append": (lambda s: append_file(s, "f", "x\n"), "f", "took back the last append to"),
    "create": (lambda s: write_file(s, "g", "x\n"), "g", "removed again"),
    "copy": (lambda s: copy_file(s, "f", "g"), "g", "removed again the copy"),
    "delete": (lambda s: delete_file(s, "f"), "f", "brought back"),
}


@pytest.mark.parametrize("row", _TAKEN_BACK)
def test_what_was_taken_back_is_named(session: Session, root: Path, row: str) -> None:
    """SPEC 3 (`undo_edit`)."""
    act, path, told = _TAKEN_BACK[row]
    act(session)
    assert _undo(session, path)[-1] == f'[{told} "{root}/{path}"; it is as it was before this session changed it]'


def test_an_undo_shows_what_it_did_and_how_much_is_left(session: Session, root: Path) -> None:
    """SPEC 3 (`undo_edit`)."""
    edit_file(session, "f", [Edit("one", "two")])
    edit_file(session, "f", [Edit("two", "three")])
    diff, closing = _undo(session)
    assert diff == "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-three\n+two"
    assert closing == f'[took back the last edit of "{root}/f"; 1 earlier change of it can be taken back too]'
    reply = UNDO_EDIT.run(session, UndoArgs(path="f"))
    assert dict(reply.facts) == {"path": f"{root}/f", "undone": "edit", "left": 0}


def test_a_move_back_says_where_the_file_is_now(session: Session, root: Path) -> None:
    """SPEC 3 (`undo_edit`): earlier changes are those of the file, not of the move."""
    move_file(session, "f", "g")
    assert _undo(session, "g") == (f'[moved back to "{root}/f"]',)


def test_older_changes_that_are_forgotten_are_counted(session: Session, root: Path) -> None:
    """G12: what can no longer be undone is said."""
    for number in range(102):
        write_file(session, "f", f"{number}\n")
    closings = [_undo(session)[-1] for _ in range(100)]
    assert (
        closings[-1] == f'[took back the last write of "{root}/f"; 2 older changes of it can no longer be taken back]'
    )
    with pytest.raises(ReadfirstError) as refused:
        _undo(session)
    assert worded(refused.value, Names()).endswith(
        'no change of "f" that could be taken back. 2 older changes can no longer be taken back.'
    )


def test_an_undo_that_is_not_surely_on_disk_says_so(session: Session, root: Path, unprivileged: Unprivileged) -> None:
    """SPEC 6: a directory without read permission cannot be synced."""
    move_file(session, "f", "g")
    root.chmod(0o333)
    with unprivileged():
        (closing,) = _undo(session, "g")
    root.chmod(0o755)
    assert closing == f'[moved back to "{root}/f"; {NOT_DURABLE}]'


def test_a_long_undo_shows_a_part_and_says_so(root: Path) -> None:
    """G12."""
    with Workspace([str(root)], settings=Settings(diff_lines=20)) as workspace:
        session = workspace.session()
        write_file(session, "f", "a\n" * 500)
        write_file(session, "f", "b\n" * 500)
        blocks = _undo(session)
    assert "[the diff is cut; it does not apply]" in blocks


def test_changes_are_told_file_by_file(session: Session, root: Path) -> None:
    """SPEC 3 (`session_changes`)."""
    assert _changes(session) == ("[this session has changed nothing]",)
    edit_file(session, "f", [Edit("one", "two")])
    write_file(session, "n", "new\n")
    (root / "b").write_bytes(b"\0")
    get_file_info(session, "b")
    delete_file(session, "b")
    write_file(session, "m", "x\n")
    move_file(session, "m", "o")
    assert _changes(session) == (
        f'["{root}/b": deleted; 1 change; it is no text, so there is no diff]',
        f'["{root}/f": changed; 1 change; +1 -1 lines]',
        "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-one\n+two",
        f'["{root}/n": created; 1 change; +1 -0 lines]',
        "--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+new",
        f'["{root}/o": created; 2 changes; moved from "{root}/m"; +1 -0 lines]',
        "--- /dev/null\n+++ b/o\n@@ -0,0 +1 @@\n+x",
        "[4 files changed by this session]",
    )
    assert _changes(session, "none") == ('[this session has changed nothing at "none"]',)


def test_a_moved_file_says_where_it_was(session: Session, root: Path) -> None:
    """SPEC 3 (`session_changes`): asked for by either name."""
    move_file(session, "f", "g")
    told = (f'["{root}/g": moved from "{root}/f"; 1 change]', "[1 file changed by this session]")
    assert _changes(session, "f") == _changes(session, "g") == told


def test_what_others_did_and_what_is_lost_is_said(session: Session, root: Path) -> None:
    """G12."""
    edit_file(session, "f", [Edit("one", "two")])
    (root / "f").write_text("theirs\n")
    assert "others changed it too; that is counted and shown as well" in _changes(session)[0]
    for history in dict(session.workspace.store.histories(session.id)).values():
        session.workspace.undo.drop(history.changes[0].kept)
    assert "what it was before the first change is no longer known" in _changes(session)[0]


def test_the_reply_keeps_its_size_whatever_was_changed(root: Path) -> None:
    """SPEC 8: any reply has at most 45,000 characters; the files left out are counted."""
    deep = "/".join(["d" * 200] * 10)
    with Workspace([str(root)]) as workspace:
        session = workspace.session()
        for number in range(60):
            write_file(session, f"{deep}/{number}", "line\n" * 1000)
        blocks = _changes(session)
    shown = sum(block.startswith(f'["{root}') for block in blocks)
    assert sum(map(len, blocks)) <= 45_000
    assert blocks[-2:] == (
        f"[{60 - shown} more files: give a path to see them]",
        "[60 files changed by this session]",
    )


def test_a_diff_for_reading_says_that_it_does_not_apply(session: Session, root: Path) -> None:
    """SPEC 4.8."""
    (root / "b").write_bytes(b"one\n\xff\n")
    read_page(session, "b", ReadRequest())
    edit_file(session, "b", [Edit("one", "two")])
    assert "[the diff is for reading; git apply does not take it]" in _changes(session)


def test_allowed_directories_are_told_in_both_forms(root: Path, tmp_path: Path) -> None:
    """SPEC 3 (`list_allowed_directories`)."""
    (tmp_path / "link").symlink_to(root)
    with Workspace([str(tmp_path / "link")]) as workspace:
        reply = LIST_ALLOWED_DIRECTORIES.run(workspace.session(), NoArgs())
    assert reply.blocks == (f"Allowed directories:\n{tmp_path}/link\n{root}",)
    assert reply.facts == {"directories": [f"{tmp_path}/link", str(root)]}


def test_every_allowed_directory_is_listed_in_both_forms(root: Path, tmp_path: Path) -> None:
    """SPEC 3, `list_allowed_directories`; HOSTILE 17, 26: a name with a line break stays one line."""
    (tmp_path / "link").symlink_to(root)
    (tmp_path / "two\nlines").mkdir()
    with Workspace([str(tmp_path / "link"), str(tmp_path / "two\nlines")]) as workspace:
        reply = LIST_ALLOWED_DIRECTORIES.run(workspace.session(), NoArgs())
    assert reply.blocks == (f'Allowed directories:\n{tmp_path}/link\n{root}\n"{tmp_path}/two\\nlines"',)
    assert reply.facts == {"directories": [f"{tmp_path}/link", str(root), f"{tmp_path}/two\nlines"]}


def test_that_no_directory_is_allowed_is_said() -> None:
    """SPEC 3, `list_allowed_directories`; G12."""
    with Workspace([]) as workspace:
        reply = LIST_ALLOWED_DIRECTORIES.run(workspace.session(), NoArgs())
    assert reply.blocks == ("There are no allowed directories, so no path can be used.",)
    assert reply.facts == {"directories": []}
