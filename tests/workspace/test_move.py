"""Moving: what the session knows of a file goes along, and nothing else gives way."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from readfirst import Edit, ReadfirstError, ReadRequest, Session, Workspace, edit_file, read_page, write_file
from readfirst.errors import UndoRefused
from readfirst.workspace.manage import delete_file, move_file
from readfirst.workspace.undo import undo_edit

_PAGE = ReadRequest()


def _refused(act: Callable[[], object]) -> ReadfirstError:
    with pytest.raises(ReadfirstError) as refused:
        act()
    return refused.value


def test_a_moved_file_stays_read_and_its_changes_can_still_be_taken_back(session: Session, root: Path) -> None:
    """SPEC 2: a move carries the record and the history."""
    (root / "a").write_text("one\n")
    read_page(session, "a", _PAGE)
    edit_file(session, "a", [Edit("one", "two")])
    assert move_file(session, "a", "new/b").undoable
    edit_file(session, "new/b", [Edit("two", "three")])
    for text, path in (("two\n", "new/b"), ("two\n", "a"), ("one\n", "a")):
        undo_edit(session, "new/b" if (root / "new/b").exists() else "a")
        assert (root / path).read_text() == text
    edit_file(session, "a", [Edit("one", "four")])


def test_an_unread_file_is_no_better_known_under_its_new_name(session: Session, root: Path) -> None:
    """SPEC 2: a move never makes a record, and what was read at the new name before is no longer there."""
    (root / "a").write_text("one\n" * 50)
    (root / "b").write_text("two\n" * 50)
    read_page(session, "b", _PAGE)
    (root / "b").unlink()
    move_file(session, "a", "b")
    assert _refused(lambda: write_file(session, "b", "new")).code == "not_read"


def test_a_moved_directory_takes_all_below_it_along(session: Session, root: Path) -> None:
    """SPEC 2: records and histories of every file in it; and back."""
    (root / "d" / "e").mkdir(parents=True)
    for name in ("d/f", "d/e/g", "dd"):
        (root / name).write_text("one\n")
        read_page(session, name, _PAGE)
        edit_file(session, name, [Edit("one", "two")])
    move_file(session, "d", "x/y")
    for name in ("x/y/f", "x/y/e/g", "dd"):
        edit_file(session, name, [Edit("two", "three")])
    undo_edit(session, "d")
    assert not (root / "x" / "y").exists()
    for _ in range(2):
        for name in ("d/f", "d/e/g", "dd"):
            undo_edit(session, name)
    assert [(root / name).read_text() for name in ("d/f", "d/e/g", "dd")] == ["one\n"] * 3


def test_two_files_that_changed_names_keep_their_own_histories(session: Session, root: Path) -> None:
    """SPEC 2: three moves, and all of it taken back in reverse."""
    for name in ("a", "b"):
        (root / name).write_text(f"{name}\n")
        read_page(session, name, _PAGE)
        edit_file(session, name, [Edit(name, name.upper())])
    for source, destination in (("a", "c"), ("b", "a"), ("c", "b")):
        move_file(session, source, destination)
    assert ((root / "a").read_text(), (root / "b").read_text()) == ("B\n", "A\n")
    for name in ("b", "a", "c", "a", "b"):
        undo_edit(session, name)
    assert {name: (root / name).read_text() for name in os.listdir(root)} == {"a": "a\n", "b": "b\n"}


def test_a_name_that_was_freed_keeps_what_was_done_under_it(session: Session, root: Path) -> None:
    """SPEC 2: a file moved onto the name of a deleted one; both come back."""
    for name in ("a", "b"):
        (root / name).write_text(f"{name}\n")
        read_page(session, name, _PAGE)
    delete_file(session, "b")
    move_file(session, "a", "b")
    assert undo_edit(session, "b").path == f"{root}/a"
    assert undo_edit(session, "b").kind == "delete"
    assert ((root / "a").read_text(), (root / "b").read_text()) == ("a\n", "b\n")


@pytest.mark.parametrize("name", ["old", "new"])
@pytest.mark.parametrize("target", ["/etc", "nowhere", "old", "f"])
def test_a_link_is_moved_itself_and_back(session: Session, root: Path, target: str, name: str) -> None:
    """SPEC 3 (`move_file`): wherever it leads; both names take it back."""
    (root / "f").write_text("x\n")
    (root / "old").symlink_to(target)
    move_file(session, "old", "new")
    assert (os.readlink(root / "new"), (root / "f").read_text()) == (target, "x\n")
    undo_edit(session, name)
    assert (os.readlink(root / "old"), sorted(os.listdir(root))) == (target, ["f", "old"])


@pytest.mark.parametrize(
    ("source", "destination", "code", "detail"),
    [
        pytest.param("none", "new", "not_found", None, id="nothing there"),
        pytest.param("f", "g", "exists", "taken", id="onto a file"),
        pytest.param("f", "d", "exists", "directory", id="onto a directory"),
        pytest.param("f", "l", "exists", "taken", id="onto a dangling link"),
        pytest.param("f", "./d/../f", "exists", "same", id="onto itself"),
        pytest.param("f", "h", "exists", "taken", id="onto its own hard link"),
        pytest.param("f", "new/", "not_a_file", "named as a directory", id="a file as a directory"),
        pytest.param("d", "d/e/new", "invalid_path", "inside itself", id="a directory into itself"),
        pytest.param("ld/e", "ld/e/x", "invalid_path", "inside itself", id="into itself through a link"),
        pytest.param("d", "d", "exists", "same", id="a directory onto itself"),
        pytest.param(".", "new", "invalid_path", "root", id="an allowed directory"),
        pytest.param("up/..", "new", "invalid_path", "root", id="an allowed directory, named by a way up"),
        pytest.param("f", "../new", "outside", None, id="out"),
        pytest.param("../x", "new", "outside", None, id="in"),
        pytest.param("f", "out/new", "outside", None, id="out through a link"),
        pytest.param("f", "f/new", "not_a_directory", None, id="below a file"),
        pytest.param("f", "x" * 256, "name_too_long", None, id="a name too long"),
        pytest.param("f", "a\0b", "invalid_path", "characters", id="a NUL"),
    ],
)
def test_what_cannot_be_moved_is_refused_and_everything_stays(
    session: Session, root: Path, source: str, destination: str, code: str, detail: str | None
) -> None:
    """SPEC 3 (`move_file`), HOSTILE 67 and 69."""
    for name in ("f", "g"):
        (root / name).write_text(name)
    (root / "d" / "e").mkdir(parents=True)
    (root / "up").mkdir()
    os.link(root / "f", root / "h")
    for name, says in (("l", "nowhere"), ("ld", "d"), ("out", "..")):
        (root / name).symlink_to(says)
    before = sorted(os.walk(root))
    refusal = _refused(lambda: move_file(session, source, destination))
    assert refusal.code == code
    assert detail is None or getattr(refusal, "detail", None) == detail
    assert sorted(os.walk(root)) == before


@pytest.mark.parametrize(("source", "code"), [("d", "invalid_path"), ("d/inner", "invalid_path"), ("d/other", "")])
def test_a_directory_that_holds_an_allowed_one_stays(root: Path, source: str, code: str) -> None:
    """HOSTILE 69: an allowed directory below another."""
    (root / "d" / "inner").mkdir(parents=True)
    (root / "d" / "other").mkdir()
    with Workspace([str(root), str(root / "d" / "inner")]) as workspace:
        session = workspace.session()
        if code:
            assert _refused(lambda: move_file(session, f"{root}/{source}", f"{root}/new")).code == code
        else:
            move_file(session, f"{root}/{source}", f"{root}/d/inner/new")
    assert (root / "d" / "inner").is_dir()


def test_a_name_in_the_other_normal_form_is_the_file_itself(session: Session, root: Path) -> None:
    """SPEC 7: exactly one entry is the same name under NFC."""
    (root / "cafe\u0301").write_text("x")
    assert _refused(lambda: move_file(session, "cafe\u0301", "caf\u00e9")).code == "exists"
    move_file(session, "caf\u00e9", "new")
    assert os.listdir(root) == ["new"]


@pytest.mark.parametrize("name", ["-rf", "x" * 255, "a\nb", "\u202egnp.exe", " blank ", "bad\\udcff"])
def test_any_name_can_be_moved_to_and_from(session: Session, root: Path, name: str) -> None:
    """HOSTILE 22 to 28."""
    (root / "f").write_text("x\n")
    move_file(session, "f", name)
    assert os.fsencode(os.listdir(root)[0]) == (b"bad\xff" if name.startswith("bad") else name.encode())
    undo_edit(session, name)
    assert os.listdir(root) == ["f"]


@pytest.mark.parametrize("theirs", ["bytes", "another file", "a link", "gone"])
def test_a_move_is_taken_back_only_while_the_file_is_what_was_moved(session: Session, root: Path, theirs: str) -> None:
    """SPEC 3 (`undo_edit`): only if the file still is what the session left."""
    (root / "a").write_text("x\n")
    move_file(session, "a", "b")
    if theirs == "bytes":
        (root / "b").write_text("y\n")
    else:
        (root / "b").unlink()
    if theirs == "another file":
        (root / "b").write_text("z\n")
    elif theirs == "a link":
        (root / "b").symlink_to("a")
    refusal = _refused(lambda: undo_edit(session, "b"))
    assert refusal.code == ("not_found" if theirs == "gone" else "changed_since")
    assert os.listdir(root) == ([] if theirs == "gone" else ["b"])


def test_a_moved_link_that_became_a_file_is_not_moved_back(session: Session, root: Path) -> None:
    """SPEC 3 (`undo_edit`): a link has no bytes to compare, a file in its place has."""
    (root / "a").symlink_to("x")
    move_file(session, "a", "b")
    (root / "b").unlink()
    (root / "b").write_text("theirs")
    assert _refused(lambda: undo_edit(session, "b")).code == "changed_since"
    assert os.listdir(root) == ["b"]


def test_a_file_moves_back_only_to_a_free_name(session: Session, root: Path) -> None:
    """SPEC 3 (`undo_edit`): renames back without ever replacing anything."""
    (root / "a").write_text("x\n")
    move_file(session, "a", "b")
    (root / "a").symlink_to("nowhere")
    assert _refused(lambda: undo_edit(session, "b")).code == "exists"
    assert (os.readlink(root / "a"), (root / "b").read_text()) == ("nowhere", "x\n")


def test_the_old_name_tells_where_to_begin_when_more_was_done(session: Session, root: Path) -> None:
    """SPEC 5: a refusal names the next call."""
    (root / "a").write_text("x\n")
    read_page(session, "a", _PAGE)
    move_file(session, "a", "b")
    edit_file(session, "b", [Edit("x", "y")])
    refusal = _refused(lambda: undo_edit(session, "a"))
    assert isinstance(refusal, UndoRefused)
    assert (refusal.code, refusal.later, refusal.next_calls[0].path) == ("changed_since", f"{root}/b", f"{root}/b")


def test_moves_across_each_other_end(session: Session, root: Path) -> None:
    """`Workspace.locked_pair`: many threads, both ways at once; nobody waits for ever and no file is lost."""
    (root / "a").write_text("one file\n")
    start = time.monotonic()

    def move(source: str, destination: str) -> None:
        for _ in range(30):
            try:
                move_file(session, source, destination)
            except ReadfirstError as error:
                assert error.code in {"not_found", "exists"}, error  # noqa: PT017 - the other outcome is success

    movers = [threading.Thread(target=move, args=pair, daemon=True) for pair in [("a", "b"), ("b", "a")] * 8]
    for mover in movers:
        mover.start()
    for mover in movers:
        mover.join(timeout=30)
    assert not any(mover.is_alive() for mover in movers)
    assert time.monotonic() - start < 30
    assert [(root / name).read_text() for name in os.listdir(root)] == ["one file\n"]
