"""The matching ladder, and what is written on its tolerant rungs."""

from __future__ import annotations

import pytest

from readfirst.content.codec import decode, detect
from readfirst.edits.plan import Edit, EditPlan, NoPlan, plan
from readfirst.errors import EditFailure
from readfirst.spans import LineRange


def _done(data: bytes, *edits: Edit) -> EditPlan:
    encoding = detect(data)
    assert encoding is not None
    planned = plan(decode(data, encoding), edits)
    assert isinstance(planned, EditPlan)
    return planned


def _refused(data: bytes, *edits: Edit) -> tuple[EditFailure, ...]:
    encoding = detect(data)
    assert encoding is not None
    planned = plan(decode(data, encoding), edits)
    assert isinstance(planned, NoPlan)
    return planned.failures


def _rungs(planned: EditPlan) -> list[str]:
    return [one.rung for one in planned.placed]


@pytest.mark.guarantee("G5")
@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        pytest.param(b"a  \nb\n", "a\nb", "a\nc", b"a  \nc\n", id="a line that stays keeps its blanks"),
        pytest.param(b"a\nb \n", "a\nb\n", "a\nc\n", b"a\nc\n", id="a line that changes has those that were sent"),
        pytest.param(b"a\nb\n", "a \nb", "a \nc", b"a\nc\n", id="a line that stays gets no blanks"),
        pytest.param(b"a\nb\n", "a \nb", "a \nc ", b"a\nc \n", id="a line that changes gets those that were sent"),
        pytest.param(b"  a\n \t\n  b\n", "  a\n\n  b", "  a\n\n  c", b"  a\n \t\n  c\n", id="blanks in a blank line"),
        pytest.param(b"a\n\nb\n", "a\n  \nb", "a\n  \nc", b"a\n\nc\n", id="blanks sent in a blank line"),
        pytest.param(b"\t\na \nb\n", "\na\nb", "\na\nc", b"\t\na \nc\n", id="a first line that is blank"),
        pytest.param(b"a \x0b\x0c\t\nb\n", "a\nb", "a\nc", b"a \x0b\x0c\t\nc\n", id="all white space of a line"),
        pytest.param(b"a \r\nb\r\n", "a\nb\n", "a\nc\nd\n", b"a \r\nc\r\nd\r\n", id="CRLF"),
        pytest.param(b"a \nb\r\nc\n", "a\nb\nc", "a\nB\nc", b"a \nB\r\nc\n", id="mixed endings"),
        pytest.param(b"a \r\nb\nc", "a\nb\nc", "a\nx\nb\nc", b"a \r\nx\r\nb\nc", id="mixed endings, a line more"),
        pytest.param(b"aaa \r\nb\nc\n", "aaa\nb\nc", "aax\nc", b"aax\r\nc\n", id="mixed endings, the likest line's"),
        pytest.param(b"a \rb\r", "a\nb", "a\nc", b"a \rc\r", id="CR alone"),
        pytest.param(b"a \nb\nc\n", "a\nb\n", "c\n", b"c\nc\n", id="a line less"),
        pytest.param(b"a \nb\nc\n", "a\nb\n", "", b"c\n", id="nothing is left"),
        pytest.param(b"a \nb\nc\n", "a\nb", "a\nx\nb", b"a \nx\nb\nc\n", id="without its last break"),
        pytest.param(b"a \nb", "a\nb\n", "a\nc\n", b"a \nc", id="a break for the end of the file"),
        pytest.param(b"a \nb", "a\nb\n", "a\nc", b"a \nc", id="a break for the end, and none in the new text"),
        pytest.param(b"a \nb", "a\nb\n", "a\nb\nc\n", b"a \nb\nc", id="a line after the last"),
        pytest.param(b"a \nb", "a\nb", "a\nc\n", b"a \nc\n", id="a new break at the end of the file"),
        pytest.param(b"a ", "a\n", "b\n", b"b", id="one unfinished line"),
        pytest.param(b"\xef\xbb\xbfa \nb\n", "a\nb", "a\nc", b"a \nc\n", id="byte order mark"),
        pytest.param(b"caf\xe9\na \nb\n", "a\nb", "a\nc", b"caf\xe9\na \nc\n", id="undecodable bytes"),
    ],
)
def test_trailing_white_space_aside_only_changed_lines_are_written(
    before: bytes, old: str, new: str, after: bytes
) -> None:
    """SPEC 4.2.2 and 4.3: whole lines; lines equal in both texts keep the file's own bytes."""
    planned = _done(before, Edit(old, new))
    assert (planned.body, _rungs(planned)) == (after, ["trailing"])


@pytest.mark.guarantee("G5")
@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        pytest.param(b"  a \n \n  b\n", "a\n\nb", "a\n\nc", b"  a \n \n  c\n", id="lines that stay"),
        pytest.param(b"  a \r\n  b\n", "a\nb\n", "A\nb\n", b"  A\r\n  b\n", id="a changed line keeps its ending"),
        pytest.param(b"  a\r\n  b\n", "a\nb\n", "a\nc\nb\n", b"  a\r\n  c\r\n  b\n", id="a new line, its neighbour's"),
        pytest.param(b"  a\n  b", "a\nb\n", "a\nb\nc\n", b"  a\n  b\n  c", id="no final newline"),
        pytest.param(b"  a\n  b", "a\nb", "a\nb\n", b"  a\n  b\n", id="a final newline that was asked for"),
        pytest.param(b"  a\n  b\nc\n", "a\nb\n", "b\n", b"  b\nc\n", id="a line less"),
        pytest.param(b"  a\n  b\n", "a\nb", "b\na", b"  b\n  a\n", id="lines that change places"),
        pytest.param(b"  a\n  b\n", "a\nb", "a\nb \t", b"  a\n  b \t\n", id="trailing blanks as sent"),
    ],
)
def test_indentation_aside_changed_lines_take_that_of_the_file(before: bytes, old: str, new: str, after: bytes) -> None:
    """SPEC 4.2.3 and 4.3."""
    planned = _done(before, Edit(old, new))
    assert (planned.body, _rungs(planned)) == (after, ["indentation"])


@pytest.mark.parametrize(
    ("before", "edit"),
    [
        pytest.param(b"a \n\n\nb\n", Edit("a\n\nb", "x"), id="a blank line less"),
        pytest.param(b"a \n\nb\n", Edit("a\n\n\nb", "x"), id="a blank line more"),
        pytest.param(b"a \n", Edit("a\n\n", "x"), id="a blank line more at the end"),
        pytest.param(b"a \n", Edit("\na", "x"), id="a blank line more at the start"),
        pytest.param(b"xa \nb\n", Edit("a\nb", "x"), id="the first line in part"),
        pytest.param(b"a \nbx\n", Edit("a\nb", "x"), id="the last line in part"),
        pytest.param(b"  a\n  b; c\n", Edit("a\nb", "x"), id="in part, indentation aside"),
        pytest.param(b"a\xc2\xa0\nb\n", Edit("a\nb", "x"), id="a no-break space is text"),
        pytest.param(b"a  b \nc\n", Edit("a b\nc", "x"), id="white space within a line"),
        pytest.param(b"A \nb\n", Edit("a\nb", "x"), id="case"),
        pytest.param(b"b\n \n\n\na\n", Edit(" \n \n", "x"), id="white space only, blank lines"),
        pytest.param(b"  a\n", Edit("\t", "x"), id="white space only, an indentation"),
        pytest.param(b"a \nb\n", Edit("a\nb", "x", replace_all=True), id="every place, trailing"),
        pytest.param(b"  a\n  b\n", Edit("a\nb", "x", replace_all=True), id="every place, indentation"),
    ],
)
def test_what_differs_otherwise_is_not_found(before: bytes, edit: Edit) -> None:
    """SPEC 4.2, 4.4 (white space only: exact step only) and 4.5 (`replaceAll`: exact step only)."""
    assert _refused(before, edit) == (EditFailure(0, "no_match"),)


@pytest.mark.parametrize(
    ("before", "old", "rung"),
    [
        pytest.param(b"a \nb\na\nb\n", "a\nb", "exact", id="exact before trailing"),
        pytest.param(b"  a\n  b\na\nb\n", "a\nb", "exact", id="exact before indentation"),
        pytest.param(b"  a\n  b\na \nb\n", "a\nb", "trailing", id="trailing before indentation"),
        pytest.param(b"a\n     b\n  a\n  b\n", " a\n b", "indentation", id="one place has a map, the other none"),
    ],
)
def test_the_first_rung_with_a_place_decides(before: bytes, old: str, rung: str) -> None:
    """SPEC 4.2; here the second place in the file is the one."""
    planned = _done(before, Edit(f"{old}\n", ""))
    assert _rungs(planned) == [rung]
    assert planned.body == b"".join(before.splitlines(keepends=True)[:2])


@pytest.mark.guarantee("G6")
@pytest.mark.parametrize(
    ("before", "old", "places"),
    [
        pytest.param(b"a\nb\na\nb\na \nb\n", "a\nb", (LineRange(1, 2), LineRange(3, 4)), id="exact"),
        pytest.param(b"a \nb\na\t\nb\n", "a\nb", (LineRange(1, 2), LineRange(3, 4)), id="trailing"),
        pytest.param(b"a \nb\n  a\n  b\na \nb\n", "a\nb", (LineRange(1, 2), LineRange(5, 6)), id="never falls through"),
        pytest.param(b" a\n b\n  a\n  b\n", "a\nb", (LineRange(1, 2), LineRange(3, 4)), id="indentation"),
        pytest.param(b"a \na \na\n", "a\na\n", (LineRange(1, 2), LineRange(2, 3)), id="overlapping, trailing"),
        pytest.param(b" a\n a\n a\n", "  a\n  a", (LineRange(1, 2), LineRange(2, 3)), id="overlapping, indentation"),
        pytest.param(b"a \na ", "a\n", (LineRange(1, 1), LineRange(2, 2)), id="once at the unfinished end"),
    ],
)
def test_two_places_on_a_rung_end_the_search(before: bytes, old: str, places: tuple[LineRange, ...]) -> None:
    """SPEC 4.2: more than one match is refused (overlapping ones count) and never falls through."""
    (failure,) = _refused(before, Edit(old, "x"))
    assert (failure.code, failure.places, failure.place_count) == ("ambiguous", places, 2)


@pytest.mark.guarantee("G3")
@pytest.mark.parametrize(
    ("before", "old", "lines"),
    [
        pytest.param(b"x\na \nb\ny\n", "a\nb\n", LineRange(2, 3), id="trailing"),
        pytest.param(b"x\na \nb\ny\n", "a\nb", LineRange(2, 3), id="trailing, without its last break"),
        pytest.param(b"x\r\n  a\r\n  b\r\ny", "a\nb\n", LineRange(2, 3), id="indentation"),
        pytest.param(b"x\r  a\r  b\ry", "a\nb\n", LineRange(2, 3), id="indentation, CR alone"),
        pytest.param(b"x\n  a\n  b", "a\nb\n", LineRange(2, 3), id="at the end of an unfinished file"),
    ],
)
def test_white_space_aside_every_matched_line_must_have_been_seen(before: bytes, old: str, lines: LineRange) -> None:
    """SPEC 1, G3: also the lines that stay."""
    (placed,) = _done(before, Edit(old, old.replace("b", "c"))).placed
    assert (placed.count, placed.must_see) == (1, (lines,))


@pytest.mark.parametrize(
    ("before", "edit", "warnings"),
    [
        pytest.param(b"  a\n", Edit("a", "b\nc"), ("less_indented",), id="less indented"),
        pytest.param(b"\ta\n", Edit("a", "b\n    c"), ("less_indented",), id="four blanks are less than a tab"),
        pytest.param(b"  a\n", Edit("a", "b\n  c\n\n  d"), (), id="as deep; a blank line does not count"),
        pytest.param(b"  a\n", Edit("a", "b"), (), id="one line"),
        pytest.param(b"  a\n", Edit("  a", "  b\nc"), (), id="quoted from the start of its line"),
        pytest.param(b"  a\n  b\n", Edit("a\nb", "c\nd"), (), id="written with the file's indentation"),
        pytest.param(b"  a\n  a\n", Edit("a", "b\nc", replace_all=True), ("less_indented",), id="in every place"),
        pytest.param(b"a\nb\n", Edit("a\n", "x"), ("joined",), id="joined"),
        pytest.param(b"a\nb\n", Edit("a\n", "x\n"), (), id="not joined"),
        pytest.param(b"a\nb\n", Edit("a\n", ""), (), id="a line that goes"),
        pytest.param(b"a\nb\n", Edit("b\n", "x"), (), id="nothing follows"),
        pytest.param(b"a\nb", Edit("b\n", "x"), (), id="a break for the end of the file"),
        pytest.param(b"a \nb\nc\n", Edit("a\nb\n", "x"), ("joined",), id="joined, trailing"),
        pytest.param(b"  a\n  b\nc\n", Edit("a\nb\n", "x"), ("joined",), id="joined, indentation"),
        pytest.param(b"a\nb\na\nb\n", Edit("a\n", "x", replace_all=True), ("joined",), id="joined in every place"),
        pytest.param(b"  a\nb\n", Edit("a\n", "x\ny"), ("less_indented", "joined"), id="both"),
    ],
)
def test_what_was_done_to_the_letter_and_may_not_be_meant_is_told(
    before: bytes, edit: Edit, warnings: tuple[str, ...]
) -> None:
    """SPEC 4.9."""
    assert [one.warnings for one in _done(before, edit).placed] == [warnings]


@pytest.mark.parametrize(
    ("before", "edit"),
    [
        pytest.param(b"a\n", Edit("a ", "a"), id="trailing blanks"),
        pytest.param(b"a\n\nb\n", Edit("a\n \nb", "a\n\nb"), id="blanks in a blank line"),
        pytest.param(b"a \nb", Edit("a\nb\n", "a\nb"), id="a final line break"),
        pytest.param(b"  a\n  b\n", Edit("a \nb", "a\nb"), id="trailing blanks, indentation aside"),
    ],
)
def test_white_space_that_the_file_does_not_have_cannot_be_taken_away(before: bytes, edit: Edit) -> None:
    """SPEC 4.4: nothing would change."""
    assert [failure.code for failure in _refused(before, edit)] == ["no_change"]


def test_an_indentation_that_cannot_be_told_refuses_and_names_the_place() -> None:
    """SPEC 4.2.3; none of the edits of the call is done."""
    failure = EditFailure(0, "no_match", (LineRange(2, 3),), detail="indentation")
    assert _refused(b"x\n  a\n  b\n", Edit("    a\n    b", "    a\nb"), Edit("x", "y")) == (failure,)
