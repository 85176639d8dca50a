"""The lines a session has been shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readfirst.sessions.coverage import Coverage
from readfirst.spans import LineChange, LinePart, LineRange


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


SIZES = (7, 1, 12, 4)
"""Lines of so many characters, of which the tests below show windows."""


@st.composite
def _windows(draw: st.DrawFn) -> LinePart:
    line = draw(st.integers(1, len(SIZES)))
    size = SIZES[line - 1]
    first = draw(st.integers(1, size))
    last = draw(st.integers(first, size))
    return LinePart(line, first, last, ends=last == size)


SHOWN = st.lists(_windows() | st.integers(1, len(SIZES)).map(lambda line: LineRange(line, line)), max_size=12)
"""Windows and whole lines, one after another."""


def _of(shown: Iterable[LinePart | LineRange]) -> Coverage:
    coverage = Coverage()
    for one in shown:
        coverage = coverage.union(Coverage.of([one]) if isinstance(one, LineRange) else Coverage.of([], [one]))
    return coverage


def _characters(shown: Iterable[LinePart | LineRange]) -> list[set[int]]:
    """Give the columns shown of each line."""
    columns: list[set[int]] = [set() for _ in SIZES]
    for one in shown:
        if isinstance(one, LinePart):
            columns[one.line - 1].update(range(one.first, one.last + 1))
        else:
            columns[one.first - 1].update(range(1, SIZES[one.first - 1] + 1))
    return columns


def _columns(coverage: Coverage, line: int) -> set[int]:
    return {column for part in coverage.parts if part.line == line for column in range(part.first, part.last + 1)}


@given(shown=SHOWN)
def test_the_union_of_parts_is_that_of_the_characters_they_show(shown: Sequence[LinePart | LineRange]) -> None:
    """SPEC 2: a line is seen when it was returned whole, however many windows it took; else its parts are known."""
    coverage = _of(shown)
    for line, (wanted, size) in enumerate(zip(_characters(shown), SIZES, strict=True), 1):
        seen = not coverage.missing(LineRange(line, line))
        assert seen == (len(wanted) == size)
        assert _columns(coverage, line) == (set() if seen else wanted)
        if not seen:
            assert coverage.next_column(line) == min(set(range(1, size + 1)) - wanted)


@given(shown=SHOWN)
def test_parts_are_tidy_whatever_the_order(shown: Sequence[LinePart | LineRange]) -> None:
    """The law of `coverage`: sorted parts that neither meet nor touch; the union is commutative."""
    coverage = _of(shown)
    assert coverage == _of(reversed(shown))
    assert coverage == Coverage.of(coverage.ranges, coverage.parts)
    pairs = zip(coverage.parts, coverage.parts[1:], strict=False)
    assert all(one.line < other.line or one.last + 1 < other.first for one, other in pairs)


@given(shown=SHOWN, changes=_changes())
def test_an_edit_moves_the_parts_of_untouched_lines(
    shown: Sequence[LinePart | LineRange], changes: list[LineChange]
) -> None:
    """SPEC 2, own writes: untouched lines keep their state; of a changed line nothing is known by part."""
    coverage = _of(shown)
    lines = [_columns(coverage, line) for line in range(1, 61)]
    for change in reversed(changes):
        lines[change.first - 1 : change.first - 1 + change.removed] = [set()] * change.added
    after = coverage.after(changes)
    assert [_columns(after, line) for line in range(1, len(lines) + 1)] == lines


@pytest.mark.parametrize(
    ("parts", "after"),
    [
        pytest.param([LinePart(3, 1, 5), LinePart(3, 6, 9)], Coverage((), (LinePart(3, 1, 9),)), id="they touch"),
        pytest.param([LinePart(3, 1, 5), LinePart(4, 6, 9)], None, id="of two lines"),
        pytest.param([LinePart(3, 1, 5), LinePart(3, 7, 9, ends=True)], None, id="a character is missing"),
        pytest.param([LinePart(3, 2, 9, ends=True)], None, id="the first character is missing"),
        pytest.param([LinePart(3, 1, 9, ends=True)], Coverage((LineRange(3, 3),)), id="all at once"),
        pytest.param(
            [LinePart(3, 1, 5), LinePart(3, 4, 9, ends=True)], Coverage((LineRange(3, 3),)), id="they overlap"
        ),
        pytest.param(
            [LinePart(3, 1, 9), LinePart(3, 2, 5, ends=True)],
            Coverage((), (LinePart(3, 1, 9),)),
            id="an end before another's last character is none",
        ),
    ],
)
def test_parts_make_a_line_only_from_its_first_character_to_its_end(
    parts: list[LinePart], after: Coverage | None
) -> None:
    """SPEC 2: `after` is None where the parts stay as they are."""
    assert Coverage.of([], parts) == (after or Coverage((), tuple(parts)))


def test_lines_seen_whole_have_no_parts() -> None:
    """The law of `coverage`; a line made of parts joins the ranges beside it."""
    coverage = Coverage((LineRange(1, 2), LineRange(4, 4)), (LinePart(3, 1, 5), LinePart(6, 1, 2)))
    rest = Coverage.of([LineRange(6, 6)], [LinePart(3, 6, 9, ends=True)])
    assert coverage.union(rest) == Coverage((LineRange(1, 4), LineRange(6, 6)))


@pytest.mark.parametrize("sent", [True, False], ids=["text that was sent", "text of the file in part"])
def test_a_line_shown_in_part_that_an_edit_replaces_is_seen_only_if_it_was_sent(*, sent: bool) -> None:
    """SPEC 2, own writes; G3."""
    after = Coverage((), (LinePart(2, 1, 5),)).after([LineChange(2, 1, 1, sent=sent)])
    assert after == (Coverage((LineRange(2, 2),)) if sent else Coverage())


def test_parts_are_bounded_and_those_of_the_line_being_read_stay() -> None:
    """Whoever reads on where the start of a line ends gets to its end, however many other parts there are."""
    many = Coverage.of([], [LinePart(line, 2, 3) for line in range(1, 400)])
    coverage = Coverage().union(many)
    assert (len(coverage.parts), coverage.parts[-1].line) == (256, 256)
    for first in range(1, 9):
        coverage = coverage.union(Coverage((), (LinePart(999, first, first),)))
        assert (len(coverage.parts), coverage.next_column(999)) == (256, first + 1)
    coverage = coverage.union(Coverage((), (LinePart(999, 9, 9, ends=True),)))
    assert coverage.ranges == (LineRange(999, 999),)
