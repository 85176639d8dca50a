"""Which items of two sequences differ."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from readfirst.content.align import blocks

SEQUENCES = st.lists(st.sampled_from([b"a", b"b", b"c", b"d", b"e", b"f", b"g"]), max_size=14)


def _applied(old: list[bytes], new: list[bytes]) -> list[bytes]:
    made: list[bytes] = []
    at = at_new = 0
    for i1, i2, j1, j2 in blocks(old, new):
        assert i1 - at == j1 - at_new
        assert i2 > i1 or j2 > j1
        made += [*old[at:i1], *new[j1:j2]]
        at, at_new = i2, j2
    return made + old[at:]


@given(
    old=SEQUENCES,
    new=SEQUENCES,
    cells=st.sampled_from([0, 3, 20]),
    depth=st.sampled_from([0, 1, 8]),
    window=st.sampled_from([2, 4, 9]),
)
@example(old=[b"x", b"a", b"y"], new=[b"z", b"a", b"w"], cells=0, depth=8, window=9)
@example(old=[b"a", b"b", b"c", b"d", b"e"], new=[b"d", b"a", b"e", b"b", b"c"], cells=0, depth=8, window=9)
def test_blocks_turn_one_sequence_into_the_other_however_the_work_is_bounded(
    old: list[bytes], new: list[bytes], cells: int, depth: int, window: int
) -> None:
    """The law of `blocks`; small bounds take the paths that only large files reach."""
    with pytest.MonkeyPatch.context() as bounds:
        bounds.setattr("readfirst.content.align._EXACT_CELLS", cells)
        bounds.setattr("readfirst.content.align._MAX_DEPTH", depth)
        bounds.setattr("readfirst.content.align._WINDOW", window)
        assert _applied(old, new) == new


def test_large_texts_hold_on_to_lines_that_occur_once() -> None:
    """Patience: 5,000 lines of which every second one changed are 2,500 small blocks, not one large one."""
    old = [b"line %d" % i for i in range(5_000)]
    new = [line if i % 2 else line + b"!" for i, line in enumerate(old)]
    found = blocks(old, new)
    assert len(found) == 2_500
    assert _applied(old, new) == new


def test_large_texts_with_nothing_in_common_are_one_block() -> None:
    """What does not meet within a window is one block."""
    assert blocks([b"a"] * 2_100, [b"b"] * 2_100) == [(0, 2_100, 0, 2_100)]


def test_a_gap_that_was_split_often_enough_is_one_block() -> None:
    """`_MAX_DEPTH`."""
    old, new = [b"a", b"x", b"b"], [b"c", b"x", b"d"]
    with pytest.MonkeyPatch.context() as bounds:
        bounds.setattr("readfirst.content.align._EXACT_CELLS", 0)
        assert blocks(old, new) == [(0, 1, 0, 1), (2, 3, 2, 3)]
        bounds.setattr("readfirst.content.align._MAX_DEPTH", 0)
        assert blocks(old, new) == [(0, 3, 0, 3)]


def test_lines_moved_across_a_large_text_keep_the_longest_run_in_order() -> None:
    """Patience diff: the longest run of lines in the same order."""
    old = [b"%d" % i for i in range(3_000)]
    new = [*old[2_900:], *old[:2_900]]
    assert blocks(old, new) == [(0, 0, 0, 100), (2_900, 3_000, 3_000, 3_000)]


def test_large_texts_of_repeated_lines_meet_again_after_each_difference() -> None:
    """Code repeats its lines: 50 changes in 20,000 lines of which none occurs once are 50 blocks."""
    old = [b"line %d" % (i % 500) for i in range(20_000)]
    new = [b"changed" if i % 400 == 7 else line for i, line in enumerate(old)]
    found = blocks(old, new)
    assert len(found) == 50
    assert _applied(old, new) == new


def test_lines_inserted_among_repeated_lines_are_one_block() -> None:
    """The nearest meeting counts, on either side."""
    old = [b"line %d" % (i % 500) for i in range(20_000)]
    assert blocks(old, [*old[:9_000], *[b"new"] * 9, *old[9_000:]]) == [(9_000, 9_000, 9_000, 9_009)]
    assert blocks(old, [*old[:9_000], *old[9_007:]]) == [(9_000, 9_007, 9_000, 9_000)]
