"""Which lines differ between two bodies."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from readfirst.content.codec import newline_of
from readfirst.content.lines import Lines, split_lines
from readfirst.content.regions import Region, common_prefix, regions_between, regions_of_splices
from readfirst.spans import LineChange, LineRange, Splice, spliced

BODIES = st.lists(st.sampled_from([b"a", b"b", b"c", b"\n", b"\r\n", b"\r", b"\xff"]), max_size=24).map(b"".join)


def _lines(body: bytes) -> Lines:
    return Lines(body, newline_of(body))


def _rebuilt(before: Lines, after: Lines, regions: tuple[Region, ...]) -> bytes:
    """Put the new bytes of every region in place of its old ones."""
    return spliced(before.body, tuple(Splice(*region.old, after.body[slice(*region.new)]) for region in regions))


def _check(before: Lines, after: Lines, regions: tuple[Region, ...]) -> None:
    """Hold regions to their law: sorted, whole lines, byte spans and line numbers agree, and they make `after`."""
    assert _rebuilt(before, after, regions) == after.body
    old_lines, new_lines = split_lines(before.body, before.newline), split_lines(after.body, after.newline)
    shift = 0
    end = 0
    for region in regions:
        assert region.removed or region.added
        assert region.old_line > end
        assert region.new_line == region.old_line + shift
        old = old_lines[region.old_line - 1 : region.old_line - 1 + region.removed]
        new = new_lines[region.new_line - 1 : region.new_line - 1 + region.added]
        assert (len(old), b"".join(old)) == (region.removed, before.body[slice(*region.old)])
        assert (len(new), b"".join(new)) == (region.added, after.body[slice(*region.new)])
        end = region.old_line + region.removed - 1
        shift += region.added - region.removed
    assert len(new_lines) == len(old_lines) + shift


@settings(max_examples=400)
@given(before=BODIES, after=BODIES)
@example(before=b"a\n", after=b"a")
@example(before=b"a\rb", after=b"a\r\nb")
@example(before=b"x\ny\nx\n", after=b"x\n")
def test_regions_between_two_texts_turn_one_into_the_other(before: bytes, after: bytes) -> None:
    """The law of `regions`."""
    _check(_lines(before), _lines(after), regions_between(_lines(before), _lines(after)))


@st.composite
def _spliced_bodies(draw: st.DrawFn) -> tuple[bytes, tuple[Splice, ...]]:
    body = draw(BODIES)
    ends = sorted(draw(st.lists(st.integers(0, len(body)), max_size=6).filter(lambda some: len(some) % 2 == 0)))
    new = st.sampled_from([b"", b"x", b"\n", b"y\n", b"z\r\n", b"\r"])
    spans = zip(ends[::2], ends[1::2], strict=True)
    return body, tuple(Splice(start, end, draw(new)) for start, end in spans)


@settings(max_examples=400)
@given(change=_spliced_bodies())
@example(change=(b"a\n", (Splice(0, 2, b"a"), Splice(2, 2, b"c"))))
@example(change=(b"a\nb\n", (Splice(1, 2, b""), Splice(2, 3, b"c"))))
@example(change=(b"a\nb", (Splice(0, 0, b""),)))
def test_regions_of_splices_turn_one_text_into_the_other(change: tuple[bytes, tuple[Splice, ...]]) -> None:
    """The law of `regions`."""
    body, splices = change
    before, after = _lines(body), _lines(spliced(body, splices))
    _check(before, after, regions_of_splices(before, after, splices))


@pytest.mark.parametrize(
    ("before", "after", "changes"),
    [
        pytest.param(b"a\nb\n", b"a\nb\n", [], id="nothing"),
        pytest.param(b"a\nb\nc\n", b"a\nX\nc\n", [LineChange(2, 1, 1)], id="one line"),
        pytest.param(b"a\nc\n", b"a\nb\nc\n", [LineChange(2, 0, 1)], id="a line came"),
        pytest.param(b"a\nb\nc\n", b"a\nc\n", [LineChange(2, 1, 0)], id="a line went"),
        pytest.param(b"", b"a\n", [LineChange(1, 0, 1)], id="from nothing"),
        pytest.param(b"a\n", b"", [LineChange(1, 1, 0)], id="to nothing"),
        pytest.param(b"a\nb\nc\nd\n", b"A\nb\nc\nD\n", [LineChange(1, 1, 1), LineChange(4, 1, 1)], id="both ends"),
        pytest.param(b"a\n", b"a\r\n", [LineChange(1, 1, 1)], id="a line ending"),
        pytest.param(b"a\nb", b"a\nb\n", [LineChange(2, 1, 1)], id="a final line break"),
        pytest.param(b"ab\nab\n", b"ab\nab\nab\n", [LineChange(3, 0, 1)], id="one more of the same"),
    ],
)
def test_the_lines_that_differ_and_no_others(before: bytes, after: bytes, changes: list[LineChange]) -> None:
    """SPEC 2: untouched seen lines stay seen, written lines are seen."""
    regions = regions_between(_lines(before), _lines(after))
    assert [region.change for region in regions] == changes


@pytest.mark.parametrize(
    ("before", "splices", "changes"),
    [
        pytest.param(b"a\nb\n", (), [], id="no splice"),
        pytest.param(b"a\nb\n", (Splice(0, 1, b"a"),), [], id="a splice that changes nothing"),
        pytest.param(b"a\rb\r", (Splice(1, 2, b"\n"),), [LineChange(1, 1, 1)], id="returns become data"),
        pytest.param(b"a\nb\nc\n", (Splice(1, 2, b""),), [LineChange(1, 2, 1)], id="two lines are joined"),
        pytest.param(
            b"a\nb\nc\n",
            (Splice(0, 0, b"x\n"), Splice(4, 6, b"")),
            [LineChange(1, 0, 1), LineChange(3, 1, 0)],
            id="in two places",
        ),
        pytest.param(b"a\nb\n", (Splice(0, 2, b"x"), Splice(2, 3, b"y")), [LineChange(1, 2, 1)], id="two that touch"),
    ],
)
def test_the_lines_that_splices_changed(before: bytes, splices: tuple[Splice, ...], changes: list[LineChange]) -> None:
    """SPEC 2: untouched seen lines stay seen, written lines are seen."""
    old, new = _lines(before), _lines(spliced(before, splices))
    assert [region.change for region in regions_of_splices(old, new, splices)] == changes


def test_a_splice_gives_the_lines_that_differ_and_no_others() -> None:
    """A splice of a whole block whose first and last line stay the same speaks of the middle only."""
    body = b"one\ntwo\nthree\nfour\n"
    splices = (Splice(0, 14, b"one\nTWO\nthree\n"),)
    before, after = _lines(body), _lines(spliced(body, splices))
    (region,) = regions_of_splices(before, after, splices)
    assert (region.old_lines, region.new_lines) == (LineRange(2, 2), LineRange(2, 2))
    assert (region.old, region.new) == ((4, 8), (4, 8))


def test_a_region_without_lines_on_one_side_has_no_range_there() -> None:
    """`Region.old_lines`, `Region.new_lines`."""
    (came,) = regions_between(_lines(b"a\n"), _lines(b"a\nb\n"))
    (went,) = regions_between(_lines(b"a\nb\n"), _lines(b"a\n"))
    assert (came.old_lines, came.new_lines) == (None, LineRange(2, 2))
    assert (went.old_lines, went.new_lines) == (LineRange(2, 2), None)


@given(head=st.binary(max_size=40), a=st.binary(max_size=10), b=st.binary(max_size=10))
@example(head=b"", a=b"a", b=b"b")
def test_a_common_prefix_is_as_long_as_it_can_be(head: bytes, a: bytes, b: bytes) -> None:
    """`common_prefix`."""
    one, other = head + a, head + b
    same = common_prefix(one, other)
    assert one[:same] == other[:same]
    assert same == min(len(one), len(other)) or one[same] != other[same]
