"""Taking back: the last change of a file, only while it is what that change left, and with what was seen before."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from readfirst import Edit, LineRange, ReadfirstError, ReadRequest, Session, Workspace, edit_file, read_page, write_file
from readfirst.errors import NotRead, UndoRefused, Unseen
from readfirst.filesystem import commit, entries
from readfirst.sessions.history import CHANGES_PER_FILE
from readfirst.sessions.sqlite import SQLiteStore
from readfirst.settings import Settings
from readfirst.workspace.manage import append_file, copy_file, move_file
from readfirst.workspace.undo import undo_edit
from tests.conftest import Act
from tests.workspace.conftest import LostAtRename, Outage, numbered

_PAGE = ReadRequest()


@pytest.fixture
def read(session: Session, root: Path) -> Path:
    """Make a file of three lines that the session has read."""
    (root / "f").write_text("one\ntwo\nthree\n")
    read_page(session, "f", _PAGE)
    return root / "f"


def _refused(act: Callable[[], object]) -> ReadfirstError:
    with pytest.raises(ReadfirstError) as refused:
        act()
    return refused.value


_TEXT_CHANGES: dict[str, tuple[Act, str]] = {
    "edit": (lambda session: edit_file(session, "f", [Edit("two", "TWO\nTWO")]), "edit"),
    "write": (lambda session: write_file(session, "f", "new\n"), "write"),
    "write of nothing": (lambda session: write_file(session, "f", ""), "write"),
    "write of what is no text": (lambda session: write_file(session, "f", "a\0b"), "write"),
    "append": (lambda session: append_file(session, "f", "four"), "append"),
}


@pytest.mark.parametrize("row", _TEXT_CHANGES)
def test_a_change_of_text_is_taken_back_byte_for_byte(session: Session, read: Path, row: str) -> None:
    """SPEC 3 (`undo_edit`): the mode stays, and what was seen before is seen again."""
    act, kind = _TEXT_CHANGES[row]
    read.chmod(0o751)
    before = read.read_bytes()
    act(session)
    result = undo_edit(session, "f")
    assert (result.kind, result.left, result.path) == (kind, 0, str(read))
    assert (read.read_bytes(), stat.S_IMODE(read.stat().st_mode), os.listdir(read.parent)) == (before, 0o751, ["f"])
    write_file(session, "f", "all of it was seen\n")


def test_changes_are_taken_back_one_by_one(session: Session, read: Path) -> None:
    """SPEC 3 (`undo_edit`): the last one first, and how many are left is told."""
    texts = [read.read_text()]
    for old, new in (("one", "1"), ("two", "2"), ("three", "3")):
        edit_file(session, "f", [Edit(old, new)])
        texts.append(read.read_text())
    for left in (2, 1, 0):
        assert undo_edit(session, "f").left == left
        assert read.read_text() == texts[left]
    assert _refused(lambda: undo_edit(session, "f")).code == "nothing_to_undo"


@pytest.mark.guarantee("G3")
def test_taking_back_never_widens_what_was_seen(session: Session, root: Path) -> None:
    """SPEC 2: undo restores a record; lines that were not shown before are not seen after it."""
    (root / "f").write_text(numbered(1, 300))
    read_page(session, "f", ReadRequest(limit=10))
    edit_file(session, "f", [Edit("line 5\n", "five\n")])
    undo_edit(session, "f")
    refusal = _refused(lambda: write_file(session, "f", "new\n"))
    assert isinstance(refusal, Unseen)
    assert refusal.ranges == (LineRange(11, 300),)


@pytest.mark.guarantee("G1")
def test_taking_back_an_append_to_an_unread_file_leaves_it_unread(session: Session, root: Path) -> None:
    """SPEC 2: undo never makes a record."""
    (root / "f").write_text(numbered(1, 300))
    append_file(session, "f", "more\n")
    undo_edit(session, "f")
    assert (root / "f").read_text() == numbered(1, 300)
    assert isinstance(_refused(lambda: write_file(session, "f", "new\n")), NotRead)


def test_what_was_read_after_the_change_is_seen_too(session: Session, root: Path) -> None:
    """SPEC 2: coverage moves back along with the lines."""
    (root / "f").write_text(numbered(1, 100))
    read_page(session, "f", ReadRequest(limit=1))
    edit_file(session, "f", [Edit("line 1\n", "")])
    read_page(session, "f", _PAGE)
    undo_edit(session, "f")
    write_file(session, "f", "all of it was seen\n")


@pytest.mark.parametrize("theirs", ["bytes", "gone", "a directory", "a link", "a pipe"])
def test_what_somebody_changed_since_is_not_taken_back(session: Session, read: Path, theirs: str) -> None:
    """SPEC 3 (`undo_edit`): only if the file still is what the session left."""
    edit_file(session, "f", [Edit("two", "2")])
    if theirs == "bytes":
        read.write_text("theirs\n")
    else:
        read.rename(read.with_name("moved"))
    makers: dict[str, Callable[[], object]] = {
        "a directory": read.mkdir,
        "a link": lambda: read.symlink_to("moved"),
        "a pipe": lambda: os.mkfifo(read),
    }
    makers.get(theirs, lambda: None)()
    before = sorted(os.listdir(read.parent))
    refusal = _refused(lambda: undo_edit(session, str(read)))
    assert refusal.code == ("not_found" if theirs == "gone" else "changed_since")
    assert sorted(os.listdir(read.parent)) == before


def test_bytes_that_came_back_are_what_the_session_left(session: Session, read: Path) -> None:
    """G2: bytes decide, never times or inodes."""
    edit_file(session, "f", [Edit("two", "2")])
    data = read.read_bytes()
    read.unlink()
    read.write_bytes(data)
    undo_edit(session, "f")
    assert read.read_text() == "one\ntwo\nthree\n"


def test_a_created_file_goes_again(session: Session, root: Path) -> None:
    """SPEC 3 (`undo_edit`): and its name can be used for something else."""
    write_file(session, "new/f", "one\n")
    edit_file(session, "new/f", [Edit("one", "two")])
    undo_edit(session, "new/f")
    assert undo_edit(session, "new/f").kind == "create"
    assert os.listdir(root / "new") == []
    (root / "new" / "f").write_text("theirs\n" * 50)
    assert isinstance(_refused(lambda: write_file(session, "new/f", "x")), NotRead)


@pytest.mark.parametrize("mode", [0o644, 0o444], ids=oct)
def test_a_copy_goes_again_also_when_it_may_not_be_written(session: Session, read: Path, mode: int) -> None:
    """SPEC 3 (`undo_edit`): the session made it, so it is nobody else's to keep."""
    read.chmod(mode)
    copy_file(session, "f", "g")
    assert undo_edit(session, "g").kind == "copy"
    assert os.listdir(read.parent) == ["f"]


def test_a_copy_is_known_as_well_as_the_file(session: Session, read: Path) -> None:
    """SPEC 2: a copy carries the record, and never makes one."""
    copy_file(session, "f", "g")
    write_file(session, "g", "new\n")
    assert read.read_text() == "one\ntwo\nthree\n"
    read.with_name("h").write_text("unread\n" * 50)
    copy_file(session, "h", "i")
    assert isinstance(_refused(lambda: write_file(session, "i", "new\n")), NotRead)


def test_the_copy_of_a_file_that_changed_is_not_known(session: Session, read: Path) -> None:
    """SPEC 2: a stale record is not carried."""
    read.write_text("theirs\n" * 50)
    copy_file(session, "f", "g")
    assert isinstance(_refused(lambda: write_file(session, "g", "new\n")), NotRead)


def test_a_change_is_taken_back_by_any_name_of_the_file(session: Session, read: Path) -> None:
    """SPEC 2 (identity)."""
    read.with_name("l").symlink_to("f")
    (read.parent / "d").symlink_to(".")
    for name in ("l", "d/f", "d/d/l", str(read), "./x/../f"):
        (read.parent / "x").mkdir(exist_ok=True)
        edit_file(session, "f", [Edit("two", "2")])
        undo_edit(session, name)
        assert read.read_text() == "one\ntwo\nthree\n"


def test_each_session_takes_back_its_own_changes(session: Session, read: Path) -> None:
    """SPEC 3 (`undo_edit`): this session's; another one's change in between is somebody else's."""
    other = session.workspace.session("other")
    edit_file(session, "f", [Edit("two", "2")])
    assert _refused(lambda: undo_edit(other, "f")).code == "nothing_to_undo"
    read_page(other, "f", _PAGE)
    edit_file(other, "f", [Edit("2", "zwei")])
    assert _refused(lambda: undo_edit(session, "f")).code == "changed_since"
    undo_edit(other, "f")
    undo_edit(session, "f")
    assert read.read_text() == "one\ntwo\nthree\n"


@pytest.mark.parametrize("path", ["none", "f", ".", "../x", "out/x", ""])
def test_where_nothing_was_changed_there_is_nothing_to_take_back(session: Session, read: Path, path: str) -> None:
    """SPEC 5: or the path is refused."""
    (read.parent / "out").symlink_to("/usr")
    codes = {"../x": "outside", "out/x": "outside", "": "invalid_path"}
    assert _refused(lambda: undo_edit(session, path)).code == codes.get(path, "nothing_to_undo")


def test_of_too_many_changes_the_oldest_are_forgotten_and_counted(session: Session, root: Path) -> None:
    """G12: 100 changes a file; what can no longer be undone is said."""
    write_file(session, "f", "0\n")
    for number in range(CHANGES_PER_FILE + 2):
        write_file(session, "f", f"{number + 1}\n")
    results = [undo_edit(session, "f") for _ in range(CHANGES_PER_FILE)]
    assert [result.left for result in results] == list(range(CHANGES_PER_FILE - 1, -1, -1))
    assert {result.forgotten for result in results} == {3}
    assert (root / "f").read_text() == "2\n"
    refusal = _refused(lambda: undo_edit(session, "f"))
    assert isinstance(refusal, UndoRefused)
    assert (refusal.code, refusal.forgotten) == ("nothing_to_undo", 3)


def test_a_change_that_was_not_kept_stands_before_the_earlier_ones(session: Session, read: Path) -> None:
    """SPEC 6 (undo bytes): nothing earlier is put back over a change that cannot be taken back."""
    edit_file(session, "f", [Edit("one", "1")])
    edit_file(session, "f", [Edit("two", "2")])
    (last,) = session.workspace.store.history(session.id, str(read)).changes[-1:]
    session.workspace.undo.drop(last.kept)
    for _ in range(2):
        assert _refused(lambda: undo_edit(session, "f")).code == "not_kept"
    assert read.read_text() == "1\n2\nthree\n"


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "0" * 32, ""])
def test_a_store_that_names_other_bytes_puts_none_of_them_back(session: Session, read: Path, name: str) -> None:
    """G10: the session store may be shared; a name in it leads nowhere else."""
    edit_file(session, "f", [Edit("two", "2")])
    store, key = session.workspace.store, str(read)
    history = store.history(session.id, key)
    forged = type(history.changes[0])("edit", history.changes[0].before, history.changes[0].after, name)
    store.put_history(session.id, key, type(history)((forged,)))
    assert _refused(lambda: undo_edit(session, "f")).code == "not_kept"


def test_changes_are_taken_back_after_a_restart(root: Path, tmp_path: Path) -> None:
    """SPEC 2 (stores): SQLite survives one under the same session."""

    def opened() -> Workspace:
        store = SQLiteStore(str(tmp_path / "db"), Settings())
        return Workspace([str(root)], store=store, state_directory=str(tmp_path / "state"))

    (root / "f").write_text("one\n")
    with opened() as workspace:
        session = workspace.session("mine")
        read_page(session, "f", _PAGE)
        edit_file(session, "f", [Edit("one", "two")])
        move_file(session, "f", "g")
    with opened() as workspace:
        session = workspace.session("mine")
        for _ in range(2):
            undo_edit(session, "f" if (root / "f").exists() else "g")
    assert (os.listdir(root), (root / "f").read_text()) == (["f"], "one\n")


def test_a_store_lost_while_a_change_is_taken_back_loses_no_file(
    outage: tuple[Session, Outage], lost_at_rename: LostAtRename, root: Path
) -> None:
    """SPEC 2 (stores): what is on disk is told; the change, still in the store, is not taken back twice."""
    session, _ = outage
    write_file(session, "f", "one\n")
    with lost_at_rename(commit):
        assert undo_edit(session, "f").kind == "create"
        assert os.listdir(root) == []
        assert _refused(lambda: undo_edit(session, "f")).code == "store_unavailable"
    assert _refused(lambda: undo_edit(session, "f")).code == "not_found"


def test_a_store_lost_while_a_file_moves_back_loses_no_file(
    outage: tuple[Session, Outage], lost_at_rename: LostAtRename, root: Path
) -> None:
    """SPEC 2 (stores): as above."""
    session, _ = outage
    (root / "f").write_text("one\n")
    move_file(session, "f", "g")
    with lost_at_rename(entries):
        assert undo_edit(session, "g").path == f"{root}/f"
    assert (os.listdir(root), (root / "f").read_text()) == (["f"], "one\n")
    assert _refused(lambda: undo_edit(session, "g")).code == "not_found"
