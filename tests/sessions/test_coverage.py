"""The lines a session has been shown."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readfirst.sessions.coverage import Coverage
from readfirst.spans import LineChange, LineRange


@st.composite
def _ranges(draw: st.DrawFn) -> LineRange:
    first = draw(st.integers(1, 20))
    return LineRange(first, first + draw(st.integers(0, 5)))


RANGES = _ranges()
COVERAGES = st.lists(RANGES, max_size=5).map(Coverage.of)


def _set(ranges: Iterable[LineRange]) -> set[int]:
    return {line for lines in ranges for line in range(lines.first, lines.last + 1)}


def _is_tidy(coverage: Coverage) -> bool:
    pairs = zip(coverage.ranges, coverage.ranges[1:], strict=False)
    return all(one.last + 1 < other.first for one, other in pairs)


@given(ranges=st.lists(st.none() | RANGES, max_size=6))
def test_a_coverage_holds_the_lines_of_its_ranges(ranges: list[LineRange | None]) -> None:
    """The law of `coverage`: sorted ranges that neither meet nor touch."""
    coverage = Coverage.of(ranges)
    wanted = _set(one for one in ranges if one is not None)
    assert (_set(coverage.ranges), coverage.count, _is_tidy(coverage)) == (wanted, len(wanted), True)


@given(one=COVERAGES, other=COVERAGES)
def test_the_union_is_that_of_the_sets(one: Coverage, other: Coverage) -> None:
    """The law of `coverage`."""
    union = one.union(other)
    assert _set(union.ranges) == _set(one.ranges) | _set(other.ranges)
    assert _is_tidy(union)


@given(coverage=COVERAGES, wanted=RANGES)
def test_what_is_missing_is_what_is_not_in_the_set(coverage: Coverage, wanted: LineRange) -> None:
    """G3."""
    assert _set(coverage.missing(wanted)) == _set([wanted]) - _set(coverage.ranges)


def test_two_halves_of_a_file_make_the_whole() -> None:
    """SPEC 2: coverage is a set of lines, however many reads it took."""
    coverage = Coverage.of([LineRange(51, 100)]).union(Coverage.of([LineRange(1, 50)]))
    assert coverage == Coverage((LineRange(1, 100),))
    assert coverage.missing(LineRange(1, 100)) == ()


@st.composite
def _changes(draw: st.DrawFn) -> list[LineChange]:
    changes: list[LineChange] = []
    at = 1
    for _ in range(draw(st.integers(0, 4))):
        first = at + draw(st.integers(0, 6))
        change = LineChange(first, draw(st.integers(0, 4)), draw(st.integers(0, 4)))
        changes.append(change)
        at = first + change.removed + 1
    return changes


def _moved(seen: set[int], changes: list[LineChange], last: int) -> set[int]:
    """Lay the file out as a list of lines, each seen or not, and change it from the end."""
    lines = [number in seen for number in range(1, last + 1)]
    for change in reversed(changes):
        lines[change.first - 1 : change.first - 1 + change.removed] = [True] * change.added
    return {number for number, is_seen in enumerate(lines, 1) if is_seen}


@given(coverage=COVERAGES, changes=_changes())
def test_an_edit_moves_what_was_seen_and_adds_what_was_written(coverage: Coverage, changes: list[LineChange]) -> None:
    """SPEC 2, own writes: untouched seen lines stay seen, written lines are seen (G4)."""
    after = coverage.after(changes)
    assert _set(after.ranges) == _moved(_set(coverage.ranges), changes, last=60)
    assert _is_tidy(after)


@pytest.mark.parametrize(
    ("change", "after"),
    [
        pytest.param(LineChange(3, 1, 1), (LineRange(2, 4), LineRange(8, 9)), id="a seen line is changed"),
        pytest.param(LineChange(6, 1, 1), (LineRange(2, 4), LineRange(6, 6), LineRange(8, 9)), id="an unseen one"),
        pytest.param(LineChange(1, 0, 2), (LineRange(1, 2), LineRange(4, 6), LineRange(10, 11)), id="lines come first"),
        pytest.param(LineChange(3, 6, 0), (LineRange(2, 3),), id="lines of both ranges go"),
        pytest.param(LineChange(10, 0, 1), (LineRange(2, 4), LineRange(8, 10)), id="a line comes last"),
        pytest.param(LineChange(5, 3, 0), (LineRange(2, 6),), id="the gap goes"),
    ],
)
def test_seen_lines_after_an_edit(change: LineChange, after: tuple[LineRange, ...]) -> None:
    """SPEC 2, own writes; before it lines 2-4 and 8-9 were seen."""
    assert Coverage((LineRange(2, 4), LineRange(8, 9))).after([change]).ranges == after
