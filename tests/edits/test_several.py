"""Several edits in one call, some of them found with white space aside (SPEC 4.6)."""

from __future__ import annotations

import pytest

from readfirst.content.codec import Document, decode, detect
from readfirst.content.lines import Lines
from readfirst.edits.plan import Edit, EditPlan, NoPlan, plan
from readfirst.spans import LineRange


def _document(data: bytes) -> Document:
    encoding = detect(data)
    assert encoding is not None
    return decode(data, encoding)


def _done(data: bytes, edits: tuple[Edit, ...]) -> EditPlan:
    planned = plan(_document(data), edits)
    assert isinstance(planned, EditPlan)
    return planned


def _failures(data: bytes, edits: tuple[Edit, ...]) -> list[tuple[int, str, str]]:
    planned = plan(_document(data), edits)
    assert isinstance(planned, NoPlan)
    return [(one.index, one.code, one.detail if one.code == "no_match" else "") for one in planned.failures]


@pytest.mark.guarantee("G7")
@pytest.mark.parametrize(
    ("before", "edits", "after", "rungs"),
    [
        pytest.param(
            b"a \nb\nc\n",
            (Edit("a\nb", "a\nB"), Edit("c", "C")),
            b"a \nB\nC\n",
            ["trailing", "exact"],
            id="beside an exact one",
        ),
        pytest.param(
            b"  a\n  b\nc \nd\n",
            (Edit("c\nd", "c\nD"), Edit("a\nb", "A\nb")),
            b"  A\n  b\nc \nD\n",
            ["trailing", "indentation"],
            id="on different rungs",
        ),
        pytest.param(
            b"a \nb\n", (Edit("a\nb", "A\nb"), Edit("b", "B")), b"A\nB\n", ["trailing", "exact"], id="shared context"
        ),
        pytest.param(
            b"a \nb \nc\n",
            (Edit("a\nb", "A\nb"), Edit("b\nc", "b\nC")),
            b"A\nb \nC\n",
            ["trailing", "trailing"],
            id="context shared by two of them",
        ),
    ],
)
def test_a_tolerant_edit_is_done_with_others(
    before: bytes, edits: tuple[Edit, ...], after: bytes, rungs: list[str]
) -> None:
    """SPEC 4.6: located in the file as it is; overlap is judged on the changed core."""
    planned = _done(before, edits)
    assert (planned.body, [one.rung for one in planned.placed]) == (after, rungs)
    assert planned.splices is not None


@pytest.mark.parametrize(
    ("before", "edits", "after"),
    [
        pytest.param(b"a\nc \nx\n", (Edit("a", "c\nx"), Edit("c\nx", "d")), b"d\nc \nx\n", id="by an exact edit"),
        pytest.param(b"a\nc \nx\n", (Edit("c\nx", "d"), Edit("a", "c\nx")), b"d\nc \nx\n", id="by a later edit"),
        pytest.param(b"p \nq\n", (Edit("p\nq", "c\nx"), Edit("x", "d")), b"c\nd\n", id="only there"),
    ],
)
def test_what_another_edit_writes_comes_before_white_space_aside(
    before: bytes, edits: tuple[Edit, ...], after: bytes
) -> None:
    """SPEC 4.6: exact in the file, else exact in the text the other edits produce, else by steps 2 and 3."""
    assert _done(before, edits).body == after


@pytest.mark.guarantee("G7")
@pytest.mark.parametrize(
    ("before", "edits", "failures"),
    [
        pytest.param(
            b"a\nc \nx\n",
            (Edit("a", "b"), Edit("b", "c\nx"), Edit("c\nx", "d")),
            [(2, "ambiguous", "")],
            id="in the file with white space aside, and written by a chain",
        ),
        pytest.param(
            b"p \nq\nc \nx\n",
            (Edit("p\nq", "c\nx"), Edit("c\nx", "d")),
            [(1, "ambiguous", "")],
            id="in the file with white space aside, and written by a tolerant edit",
        ),
        pytest.param(
            b"a\n", (Edit("a", "c \nx"), Edit("c\nx", "d")), [(1, "no_match", "")], id="written with other blanks"
        ),
        pytest.param(
            b"a \nb\n", (Edit("a\nb", "x\ny"), Edit("b", "z")), [(0, "overlap", ""), (1, "overlap", "")], id="cores"
        ),
        pytest.param(
            b"  a\n  b\nc\n",
            (Edit("    a\n    b", "    a\nb"), Edit("c", "c"), Edit("n", "m")),
            [(0, "no_match", "indentation"), (1, "no_change", ""), (2, "no_match", "")],
            id="each with its reason",
        ),
        pytest.param(
            b"a \nb\na \nb\nc\n", (Edit("c", "d"), Edit("a\nb", "x")), [(1, "ambiguous", "")], id="two places"
        ),
        pytest.param(
            b"a\nz z\n",
            (Edit("a", "b"), Edit("b", "c"), Edit("z", "y")),
            [(2, "ambiguous", "")],
            id="one whose text another edit writes does not fail",
        ),
    ],
)
def test_every_edit_that_fails_is_named_and_no_other(
    before: bytes, edits: tuple[Edit, ...], failures: list[tuple[int, str, str]]
) -> None:
    """SPEC 4.6."""
    assert _failures(before, edits) == failures


@pytest.mark.guarantee("G3")
def test_each_edit_tells_the_lines_it_must_have_seen() -> None:
    """SPEC 1, G3: an exact one none, one with white space aside its own."""
    planned = _done(b"a\nb \nc\n  d\n  e\n", (Edit("d\ne", "d\nE"), Edit("a", "A"), Edit("b\nc", "B\nc")))
    assert [one.must_see for one in planned.placed] == [(LineRange(4, 5),), (), (LineRange(2, 3),)]


@pytest.mark.guarantee("G3")
def test_lines_that_other_edits_write_need_not_be_seen() -> None:
    """SPEC 1, G4: `must_see` are lines of the file as it is; no read could show the others."""
    before = b"a\n"
    planned = _done(before, (Edit("a", "b\nb\nb"), Edit("b", "c", replace_all=True)))
    assert planned.body == b"c\nc\nc\n"
    lines = [seen.last for one in planned.placed for seen in one.must_see]
    assert max(lines, default=0) <= Lines(before, b"\n").count
