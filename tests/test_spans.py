"""Places in a file: lines are 1-based and inclusive, bytes 0-based and half-open."""

from __future__ import annotations

import pytest

from readfirst.spans import LinePart, LineRange, Splice, merged, range_of, spliced


@pytest.mark.parametrize(
    ("first", "last"),
    [
        pytest.param(0, 3, id="there is no line 0"),
        pytest.param(-2, 3, id="a negative line"),
        pytest.param(4, 3, id="the end before the start"),
    ],
)
def test_lines_that_cannot_exist_cannot_be_written_down(first: int, last: int) -> None:
    """SPEC: lines are 1-based and inclusive everywhere."""
    with pytest.raises(ValueError, match=rf"^no such lines: {first}-{last}$"):
        LineRange(first, last)


@pytest.mark.parametrize(
    ("line", "first", "last"),
    [
        pytest.param(0, 1, 3, id="there is no line 0"),
        pytest.param(1, 0, 3, id="there is no column 0"),
        pytest.param(1, 4, 3, id="the end before the start"),
    ],
)
def test_a_part_that_cannot_exist_cannot_be_written_down(line: int, first: int, last: int) -> None:
    """SPEC 3.1: a column is the character of a line, from 1."""
    with pytest.raises(ValueError, match=rf"^no such part of line {line}: {first}-{last}$"):
        LinePart(line, first, last)


@pytest.mark.parametrize(
    ("lines", "count", "text"),
    [
        pytest.param(LineRange(1, 1), 1, "1", id="one line"),
        pytest.param(LineRange(40, 52), 13, "40-52", id="several lines"),
    ],
)
def test_a_range_counts_both_its_ends_and_reads_like_a_range(lines: LineRange, count: int, text: str) -> None:
    """SPEC: lines are 1-based and inclusive everywhere."""
    assert (lines.count, str(lines)) == (count, text)


def test_ranges_sort_by_where_they_start() -> None:
    """The law of `order=True`, which coverage rests on."""
    assert sorted([LineRange(5, 6), LineRange(1, 9), LineRange(1, 2)]) == [
        LineRange(1, 2),
        LineRange(1, 9),
        LineRange(5, 6),
    ]


@pytest.mark.parametrize(
    ("first", "count", "lines"),
    [
        pytest.param(3, 2, LineRange(3, 4), id="two lines"),
        pytest.param(3, 1, LineRange(3, 3), id="one line"),
        pytest.param(3, 0, None, id="no lines"),
    ],
)
def test_a_number_of_lines_becomes_a_range_or_nothing(first: int, count: int, lines: LineRange | None) -> None:
    """The docstring of `range_of`."""
    assert range_of(first, count) == lines


@pytest.mark.parametrize(
    ("splices", "after"),
    [
        pytest.param((), b"abcdef", id="none"),
        pytest.param((Splice(2, 4, b"XYZ"),), b"abXYZef", id="replace"),
        pytest.param((Splice(0, 0, b">"), Splice(6, 6, b"<")), b">abcdef<", id="insert at both ends"),
        pytest.param((Splice(0, 2, b""), Splice(2, 4, b"-")), b"-ef", id="two that touch"),
    ],
)
def test_splices_change_their_bytes_and_no_other(splices: tuple[Splice, ...], after: bytes) -> None:
    """G5."""
    assert spliced(b"abcdef", splices) == after


def test_ranges_that_touch_are_one() -> None:
    """`merged`."""
    ranges = [LineRange(1, 2), LineRange(2, 2), LineRange(3, 5), LineRange(7, 7)]
    assert merged(ranges) == (LineRange(1, 5), LineRange(7, 7))
