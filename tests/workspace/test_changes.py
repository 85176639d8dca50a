"""Noting: what is done is told as done, and what cannot be taken back as that, whatever else fails."""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from readfirst import Edit, ReadfirstError, ReadRequest, Session, Workspace, edit_file, read_page, write_file
from readfirst.filesystem import commit, entries
from readfirst.workspace.history import session_changes
from readfirst.workspace.manage import append_file, copy_file, delete_file, move_file
from readfirst.workspace.undo import undo_edit
from tests.conftest import Act
from tests.workspace.conftest import LostAtRename, Outage

_PAGE = ReadRequest()


def _code(act: Callable[[], object]) -> str:
    with pytest.raises(ReadfirstError) as refused:
        act()
    return refused.value.code


@pytest.fixture
def read(outage: tuple[Session, Outage], root: Path) -> tuple[Session, Outage]:
    """Make a file that was read, a link and a directory."""
    (root / "f").write_text("one\n")
    (root / "l").symlink_to("f")
    (root / "d").mkdir()
    read_page(outage[0], "f", _PAGE)
    return outage


_NEED_THE_STORE: dict[str, Act] = {
    "edit": lambda session: edit_file(session, "f", [Edit("one", "two")]),
    "write": lambda session: write_file(session, "f", "two\n"),
    "append": lambda session: append_file(session, "f", "two\n"),
    "delete": lambda session: delete_file(session, "f"),
    "copy": lambda session: copy_file(session, "f", "new"),
    "undo": lambda session: undo_edit(session, "f"),
    "changes": lambda session: session_changes(session, max_chars=1000),
}


@pytest.mark.parametrize("row", _NEED_THE_STORE)
def test_without_the_store_what_needs_it_is_refused(read: tuple[Session, Outage], root: Path, row: str) -> None:
    """SPEC 2 (stores): an unreachable store refuses guarded calls; nothing is written."""
    act = _NEED_THE_STORE[row]
    session, down = read
    with down():
        assert _code(lambda: act(session)) == "store_unavailable"
    assert ((root / "f").read_text(), sorted(os.listdir(root))) == ("one\n", ["d", "f", "l"])
    assert session_changes(session, max_chars=1000) == ([], 0)


def test_without_the_store_what_needs_no_proof_is_done_and_told_as_not_to_be_taken_back(
    read: tuple[Session, Outage], root: Path
) -> None:
    """SPEC 2 (stores), G12: every reply is true; nothing is noted that is not there."""
    session, down = read
    with down():
        done = [
            write_file(session, "new", "x\n").undoable,
            append_file(session, "more", "x\n").undoable,
            move_file(session, "f", "g").undoable,
            delete_file(session, "l").undoable,
            delete_file(session, "d").undoable,
        ]
    assert (done, sorted(os.listdir(root))) == ([False] * 5, ["g", "more", "new"])
    for name in ("new", "more", "g", "l", "d"):
        assert _code(functools.partial(undo_edit, session, name)) == "nothing_to_undo"


def test_a_store_lost_during_a_deletion_is_told(
    read: tuple[Session, Outage], lost_at_rename: LostAtRename, root: Path
) -> None:
    """G12: the file is gone, and the reply says that it cannot be brought back."""
    session, _ = read
    with lost_at_rename(commit):
        assert not delete_file(session, "f").undoable
    assert sorted(os.listdir(root)) == ["d", "l"]
    assert _code(lambda: undo_edit(session, "f")) == "nothing_to_undo"


def test_a_store_lost_during_a_move_is_told(
    read: tuple[Session, Outage], lost_at_rename: LostAtRename, root: Path
) -> None:
    """G12: the file has its new name, and the session has to read it again."""
    session, _ = read
    with lost_at_rename(entries):
        assert not move_file(session, "f", "g").undoable
    assert (root / "g").read_text() == "one\n"
    assert _code(lambda: undo_edit(session, "f")) == "nothing_to_undo"


def test_a_refused_change_keeps_no_bytes(session: Session, root: Path, tmp_path: Path) -> None:
    """SPEC 6 (undo bytes): they were kept for nothing."""
    (root / "f").write_text("one\n")
    os.link(root / "f", root / "g")
    with Workspace([str(root)], state_directory=str(tmp_path / "state")) as workspace:
        session = workspace.session()
        read_page(session, "f", _PAGE)
        assert _code(lambda: edit_file(session, "f", [Edit("one", "two")])) == "linked"
        assert os.listdir(workspace.undo.directory) == []


def test_bytes_of_what_was_taken_back_are_kept_no_longer(root: Path, tmp_path: Path) -> None:
    """SPEC 6 (undo bytes): bounded."""
    (root / "f").write_text("one\n")
    with Workspace([str(root)], state_directory=str(tmp_path / "state")) as workspace:
        session = workspace.session()
        read_page(session, "f", _PAGE)
        edit_file(session, "f", [Edit("one", "two")])
        assert len(os.listdir(workspace.undo.directory)) == 1
        undo_edit(session, "f")
        assert os.listdir(workspace.undo.directory) == []


def test_many_callers_at_two_names_of_one_file_never_leave_it_broken(session: Session, root: Path) -> None:
    """G8, G9: edits, moves and undos at once; the file is always one of its versions, under one of its names."""
    (root / "real").write_text("0\n")
    (root / "l1").symlink_to("real")
    (root / "l2").symlink_to("real")
    races = {"not_read", "stale", "no_match", "no_change", "busy"}
    allowed = races | {"not_found", "exists", "changed_since", "nothing_to_undo"}
    unexpected: list[str] = []

    def work(name: str, seed: int) -> None:
        mine = session.workspace.session(f"s{seed % 3}")
        for number in range(25):
            try:
                text = read_page(mine, name, ReadRequest(numbered=False)).page.text.strip()
                edit_file(mine, name, [Edit(f"{text}\n", f"{seed * 100 + number}\n")])
                if number % 5 == seed % 5:
                    undo_edit(mine, name)
                if number % 7 == seed % 7:
                    move_file(mine, "real", "away")
                    move_file(mine, "away", "real")
            except ReadfirstError as error:
                unexpected.extend([] if error.code in allowed else [str(error)])

    workers = [threading.Thread(target=work, args=(f"l{seed % 2 + 1}", seed), daemon=True) for seed in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(timeout=60)
    assert not any(worker.is_alive() for worker in workers)
    assert unexpected == []
    (left,) = set(os.listdir(root)) - {"l1", "l2"}
    assert left in {"real", "away"}
    assert (root / left).read_text().strip().isdigit()
