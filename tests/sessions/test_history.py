"""Histories as values: bounded, joined by a move and parted again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readfirst.content.digest import Digest, digest_of
from readfirst.sessions.history import CHANGES_PER_FILE, Change, FileHistory, bounded
from readfirst.sessions.serial import pack_history, unpack_history

_digests = st.none() | st.binary(max_size=2).map(digest_of)
_changes = st.builds(Change, st.sampled_from(["edit", "write", "append", "create", "delete"]), _digests, _digests)


@st.composite
def _histories(draw: st.DrawFn, most: int = 6) -> FileHistory:
    return FileHistory(tuple(draw(st.lists(_changes, max_size=most))), draw(st.integers(0, 3)))


def _edit(number: int) -> Change:
    return Change("edit", _digest(number), _digest(number + 1))


def _digest(number: int) -> Digest:
    return digest_of(str(number).encode())


def _total(history: FileHistory) -> int:
    return len(history.changes) + history.forgotten


@pytest.mark.parametrize(("count", "kept", "forgotten"), [(0, 0, 0), (100, 100, 0), (101, 100, 1), (250, 100, 150)])
def test_a_history_is_bounded_and_knows_how_much_it_forgot(count: int, kept: int, forgotten: int) -> None:
    """SPEC 2, G12: 100 changes a file; the oldest go."""
    history = FileHistory()
    for number in range(count):
        history = history.added(_edit(number))
    assert (len(history.changes), history.forgotten) == (kept, forgotten)
    assert history.changes == tuple(_edit(number) for number in range(count - kept, count))
    assert bounded(tuple(_edit(number) for number in range(count)), 0) == history


@given(_histories(), _histories())
def test_moving_back_gives_each_name_its_own_history_again(mine: FileHistory, there: FileHistory) -> None:
    """Law: `mine.moved_onto(there, ...).moved_back() == (mine, there)`."""
    assert mine.moved_onto(there, "a", None).moved_back() == (mine, there)


@given(st.integers(0, 120), st.integers(0, 120), st.integers(0, 60))
def test_no_change_is_lost_without_being_counted(mine: int, there: int, later: int) -> None:
    """G12: also when a move joins more than fits, and when more is changed after it."""
    left = bounded(tuple(_edit(number) for number in range(mine)), 0)
    right = bounded(tuple(_edit(1000 + number) for number in range(there)), 0)
    joined = left.moved_onto(right, "a", None)
    assert _total(joined) == mine + there + 1
    for number in range(later):
        joined = joined.added(_edit(2000 + number))
    for _ in range(min(later, CHANGES_PER_FILE)):
        joined = joined.without_last()
    if joined.changes:
        came, stay = joined.moved_back()
        assert (_total(came), _total(stay)) == (mine, there)
        assert came.forgotten >= 0 <= stay.forgotten


@given(_histories(), _histories(), _histories())
def test_moves_nest(first: FileHistory, second: FileHistory, third: FileHistory) -> None:
    """Law: what was moved twice comes back in two steps."""
    once = first.moved_onto(second, "a", None)
    twice = once.moved_onto(third, "b", None)
    assert twice.moved_back() == (once, third)


@given(_histories(), _histories())
def test_a_move_survives_being_stored(mine: FileHistory, there: FileHistory) -> None:
    """SPEC 2 (stores): every fact of a move is needed to take it back."""
    joined = mine.moved_onto(there, "/a", digest_of(b"x"))
    assert unpack_history(pack_history(joined)) == joined


def test_a_history_of_an_earlier_program_is_read() -> None:
    """`sessions.serial`: what a move carried that was forgotten was not told then."""
    packed = pack_history(FileHistory((_edit(1),))).replace(b',"forgotten":0}', b"}")
    assert unpack_history(packed) == FileHistory((_edit(1),))


def test_only_changes_of_one_file_are_joints() -> None:
    """`session_changes`: a file moved onto a name that was deleted was not made from what stood there."""
    there = FileHistory((_edit(1), Change("delete", _digest(2), None)))
    mine = FileHistory((_edit(5), _edit(6)))
    history = mine.moved_onto(there, "a", _digest(7)).added(_edit(7))
    pairs = [(history.changes.index(one), history.changes.index(other)) for one, other in history.joints()]
    assert pairs == [(0, 1), (2, 3), (3, 4), (4, 5)]
    assert list(FileHistory().joints()) == list(FileHistory((_edit(1),)).joints()) == []


def test_what_happened_at_a_name_meanwhile_comes_first() -> None:
    """`undo_edit`: the changes of the file that came back are the ones to be taken back next."""
    came, there = FileHistory((_edit(1),), 1), FileHistory((_edit(5),), 2)
    assert came.behind(there) == FileHistory((_edit(5), _edit(1)), 3)


@given(_histories())
def test_what_was_deleted_is_parted_from_what_was_done_to_the_file_after_it(history: FileHistory) -> None:
    """`move_file`: a file that is moved away takes along what was done to it, not to one that is gone."""
    gone, mine = history.parted()
    assert gone.changes + mine.changes == history.changes
    assert gone.forgotten + mine.forgotten == history.forgotten
    assert not any(change.kind == "delete" for change in mine.changes)
    assert all(change.kind == "delete" for change in gone.changes[-1:])
    assert mine.behind(gone) == history
