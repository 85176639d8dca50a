"""A batch of edits against one document."""

from __future__ import annotations

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from readfirst.content.codec import Document, decode, detect
from readfirst.content.lines import Lines
from readfirst.edits.plan import Edit, EditPlan, NoPlan, plan
from readfirst.errors import EditFailure
from readfirst.spans import LineRange, spliced

BODIES = st.lists(st.sampled_from([b"a", b"b", b"cd", b"\n", b"\r\n", b"\r", b"\xff"]), max_size=12).map(b"".join)
TEXTS = st.lists(st.sampled_from(["a", "b", "cd", "\n", "\r\n", "\r", "\u00e9", "\ud800"]), max_size=5).map("".join)
EDITS = st.lists(st.builds(Edit, TEXTS, TEXTS, st.booleans()), max_size=4)
MIXED = st.lists(st.sampled_from([b"a\n", b"b\r\n", b"c\n", b"\n", b"\r\n", b"ab\r\n"]), max_size=8).map(b"".join)
ROWS = st.lists(st.sampled_from(["a", "b", "ab", "", "c"]), max_size=4).map("\n".join)


def _doc(data: bytes) -> Document:
    encoding = detect(data)
    assert encoding is not None
    return decode(data, encoding)


def _done(data: bytes, *edits: Edit) -> EditPlan:
    planned = plan(_doc(data), edits)
    assert isinstance(planned, EditPlan)
    return planned


def _refused(data: bytes, *edits: Edit) -> tuple[EditFailure, ...]:
    planned = plan(_doc(data), edits)
    assert isinstance(planned, NoPlan)
    return planned.failures


@settings(max_examples=1_000)
@given(body=BODIES, edits=EDITS)
@example(body=b"", edits=[Edit("\n\n", ""), Edit("", "\n")])
@example(body=b"x", edits=[Edit("x\n", "x", replace_all=True)])
@example(body=b"a\rb", edits=[Edit("a\nb", "c"), Edit("c", "d\ne")])
def test_no_edits_raise_and_done_or_failed_none_is_lost(body: bytes, edits: list[Edit]) -> None:
    """G7: every failing edit is reported, or all are done."""
    planned = plan(_doc(body), edits)
    if isinstance(planned, NoPlan):
        assert planned.failures
        assert [one.index for one in planned.failures] == sorted({one.index for one in planned.failures})
    else:
        assert [one.index for one in planned.placed] == list(range(len(edits)))
        assert planned.splices is None or spliced(body, planned.splices) == planned.body


@st.composite
def _quotes(draw: st.DrawFn, bodies: st.SearchStrategy[bytes]) -> tuple[bytes, str]:
    """Draw a body and a text that stands in it, quoted with LF."""
    body = draw(bodies)
    view = body.replace(b"\r\n", b"\n").decode()
    start = draw(st.integers(0, max(len(view) - 1, 0)))
    return body, view[start : draw(st.integers(start, len(view)))]


@settings(max_examples=500)
@given(quote=_quotes(MIXED), new=ROWS)
def test_bytes_outside_the_lines_of_an_edit_never_change(quote: tuple[bytes, str], new: str) -> None:
    """G5: mixed line endings, final newline and all."""
    body, old = quote
    planned = plan(_doc(body), [Edit(old, new)])
    if isinstance(planned, EditPlan) and body:
        view = body.replace(b"\r\n", b"\n")
        first = view.count(b"\n", 0, view.index(old.encode()))
        last = first + old.count("\n") + 1
        lines = body.splitlines(keepends=True)
        assert planned.body.replace(b"\r\n", b"\n") == view.replace(old.encode(), new.encode(), 1)
        assert planned.body.startswith(b"".join(lines[:first]))
        assert planned.body.endswith(b"".join(lines[last:]))


@settings(max_examples=300)
@given(
    quote=_quotes(
        st.lists(st.sampled_from("abcdefgh"), unique=True, min_size=1).map(lambda rows: "\n".join(rows).encode())
    ),
    new=ROWS,
    at=st.integers(0, 20),
    crlf=st.booleans(),
)
def test_an_edit_and_its_inverse_restore_the_bytes(quote: tuple[bytes, str], new: str, at: int, *, crlf: bool) -> None:
    """G5: in a file of one newline style, where both texts stand in one place."""
    rows, old = quote
    assume(old.strip())
    # A letter that stands nowhere else makes the new text unique; half of it is the old text.
    new = f"{old[:at]}X{new}{old[at:]}"
    body = b"1\n" + rows + b"\n2\n"
    body = body.replace(b"\n", b"\r\n") if crlf else body
    there = _done(body, Edit(old, new))
    assert there.body != body
    assert _done(there.body, Edit(new, old)).body == body


@pytest.mark.parametrize(
    ("data", "edit", "failure"),
    [
        pytest.param(b"a\n", Edit("x", "y"), EditFailure(0, "no_match"), id="no match"),
        pytest.param(b"a\n", Edit("a", "a"), EditFailure(0, "no_change"), id="no change"),
        pytest.param(b"a\nb", Edit("a\nb", "a\r\nb"), EditFailure(0, "no_change"), id="line endings alone"),
        pytest.param(b"a\rb", Edit("a\rb", "a\nb"), EditFailure(0, "no_change"), id="CR alone: line endings alone"),
        pytest.param(
            b"a",
            Edit("a\n", "a"),
            EditFailure(0, "no_change", (LineRange(1, 1),), detail="white space"),
            id="a final break that is not there",
        ),
        pytest.param(
            b"a", Edit("a\n", "a", replace_all=True), EditFailure(0, "no_change"), id="the same, in every place"
        ),
        pytest.param(b"a\n", Edit("", "x"), EditFailure(0, "empty_old"), id="empty old text"),
        pytest.param(b"caf\xe9", Edit("caf", "\u00e9"), EditFailure(0, "not_encodable", detail="\u00e9"), id="new"),
        pytest.param(b"caf\xe9", Edit("caf\u00e9", "x"), EditFailure(0, "not_encodable", detail="\u00e9"), id="old"),
        pytest.param(b"a", Edit("x", "y", replace_all=True), EditFailure(0, "no_match"), id="no place of all"),
        pytest.param(
            b"foo\nfoo\nfoo\n",
            Edit("foo\nfoo\n", "x"),
            EditFailure(0, "ambiguous", (LineRange(1, 2), LineRange(2, 3)), 2),
            id="overlapping places are two",
        ),
        pytest.param(
            b"a\n" * 7,
            Edit("a", "x"),
            EditFailure(0, "ambiguous", tuple(LineRange(i, i) for i in range(1, 6)), 7),
            id="of many places five are named",
        ),
    ],
)
def test_an_edit_that_cannot_be_done_says_why(data: bytes, edit: Edit, failure: EditFailure) -> None:
    """SPEC 4.2, 4.4, 4.5, 4.10, G6."""
    assert _refused(data, edit) == (failure,)


@pytest.mark.parametrize(
    ("data", "edits", "after"),
    [
        pytest.param(b"a b\n", (Edit("a", "b"), Edit("b", "a")), b"b a\n", id="swap"),
        pytest.param(b"1\n2\n3\n", (Edit("3", "C"), Edit("1", "A")), b"A\n2\nC\n", id="in any order"),
        pytest.param(
            b"a\nb\nc\n", (Edit("a\nb\n", "A\nb\n"), Edit("b\nc\n", "b\nC\n")), b"A\nb\nC\n", id="shared context"
        ),
        pytest.param(b"a\nb\n", (Edit("a\n", "A\n"), Edit("b\n", "B\n")), b"A\nB\n", id="neighbours"),
        pytest.param(b"ab", (Edit("b", "b!"), Edit("a", "")), b"b!", id="neighbours in a line"),
        pytest.param(b"", (Edit("", "new\n"),), b"new\n", id="into an empty file"),
        pytest.param(b"aXbX", (Edit("X", "", replace_all=True),), b"ab", id="every place"),
        pytest.param(b"aaa", (Edit("aa", "b", replace_all=True),), b"ba", id="left to right, none overlapping"),
        pytest.param(b"a", (Edit("a", "$& \\1 %s {} \\n"),), b"$& \\1 %s {} \\n", id="text is never a template"),
        pytest.param(b"a\r\nb\n", (Edit("a\nb\n", "a\nB\nc\n"),), b"a\r\nB\nc\n", id="mixed endings"),
        pytest.param(b"a\rb\nc", (Edit("a\rb", "x\ry"),), b"x\ry\nc", id="a lone return is data"),
        pytest.param(b"a\rb", (Edit("a\rb", "a\rc"),), b"a\rc", id="CR alone"),
        pytest.param(b"x", (Edit("x", "a\r\nb"),), b"a\r\nb", id="line breaks as sent where there are none"),
        pytest.param(b"caf\xe9 x", (Edit("x", "y"),), b"caf\xe9 y", id="undecodable bytes stay"),
    ],
)
def test_edits_are_done_together(data: bytes, edits: tuple[Edit, ...], after: bytes) -> None:
    """SPEC 4.3 to 4.6, G7."""
    planned = _done(data, *edits)
    assert planned.body == after
    assert planned.splices is not None


@pytest.mark.parametrize(
    ("data", "edits", "after"),
    [
        pytest.param(b"a\n", (Edit("a", "b c"), Edit("b c", "d")), b"d\n", id="what an earlier one wrote"),
        pytest.param(b"a\n", (Edit("b c", "d"), Edit("a", "b c")), b"d\n", id="in any order"),
        pytest.param(b"a x\n", (Edit("a", "b"), Edit("b x", "y")), b"y\n", id="half written, half there"),
        pytest.param(b"a", (Edit("a", "b"), Edit("b", "c"), Edit("c", "d")), b"d", id="a chain"),
        pytest.param(b"a", (Edit("a", "b"), Edit("c", "d"), Edit("b", "c")), b"d", id="a chain out of order"),
        pytest.param(b"a", (Edit("a", "bb"), Edit("b", "c", replace_all=True)), b"cc", id="every place written"),
        pytest.param(b"", (Edit("", "b"), Edit("b", "c")), b"c", id="an empty file"),
        pytest.param(b"x", (Edit("x", "a\rb"), Edit("a\rb", "c")), b"c", id="a return that an earlier one wrote"),
        pytest.param(b"a\rb", (Edit("a\rb", "c"), Edit("c", "d\ne")), b"d\ne", id="the last return went"),
    ],
)
def test_an_edit_may_use_what_another_one_wrote(data: bytes, edits: tuple[Edit, ...], after: bytes) -> None:
    """SPEC 4.6."""
    planned = _done(data, *edits)
    assert (planned.body, planned.splices) == (after, None)
    assert [one.index for one in planned.placed] == list(range(len(edits)))


@pytest.mark.parametrize(
    ("data", "edits", "failures"),
    [
        pytest.param(b"abc", (Edit("ab", "x"), Edit("bc", "y")), [(0, "overlap", 1), (1, "overlap", 0)], id="cores"),
        pytest.param(b"abc", (Edit("abc", "x"), Edit("b", "y")), [(0, "overlap", 1), (1, "overlap", 0)], id="within"),
        pytest.param(
            b"a", (Edit("a", "x"), Edit("a", "x")), [(0, "overlap", 1), (1, "overlap", 0)], id="one edit twice"
        ),
        pytest.param(
            b"a\nb\n",
            (Edit("a\n", "a\nx\n"), Edit("b\n", "y\nb\n")),
            [(0, "overlap", 1), (1, "overlap", 0)],
            id="insertions",
        ),
        pytest.param(
            b"", (Edit("", "x"), Edit("", "y")), [(0, "overlap", 1), (1, "overlap", 0)], id="an empty file twice"
        ),
        pytest.param(
            b"abcdef",
            (Edit("abcdef", "x"), Edit("b", "y"), Edit("e", "z")),
            [(0, "overlap", 1), (1, "overlap", 0), (2, "overlap", 0)],
            id="one over two",
        ),
        pytest.param(
            b"axa",
            (Edit("a", "b", replace_all=True), Edit("xa", "y")),
            [(0, "overlap", 1), (1, "overlap", 0)],
            id="all",
        ),
        pytest.param(
            b"aab",
            (Edit("no", "x"), Edit("b", "c"), Edit("a", "y")),
            [(0, "no_match", None), (2, "ambiguous", None)],
            id="each",
        ),
        pytest.param(b"a", (Edit("x", "y"), Edit("y", "z")), [(0, "no_match", None), (1, "no_match", None)], id="none"),
        pytest.param(b"a", (Edit("a", "bb"), Edit("b", "c")), [(1, "ambiguous", None)], id="two candidates as written"),
        pytest.param(
            b"a",
            (Edit("a", "bb"), Edit("b", "c"), Edit("nowhere", "")),
            [(1, "ambiguous", None), (2, "no_match", None)],
            id="written twice, and nowhere",
        ),
        pytest.param(b"a", (Edit("a", "b"), Edit("c", "d")), [(1, "no_match", None)], id="in neither text"),
    ],
)
def test_every_edit_that_fails_is_reported(
    data: bytes, edits: tuple[Edit, ...], failures: list[tuple[int, str, int | None]]
) -> None:
    """SPEC 4.6, G7: overlap is judged on the changed core, and both edits are named."""
    assert [(one.index, one.code, one.other) for one in _refused(data, *edits)] == failures


def test_a_replacement_in_every_place_must_see_every_line_it_changes() -> None:
    """G3; an exact, unique edit needs no more than a fresh read."""
    (placed,) = _done(b"a x\nb\nx x\n", Edit("x", "y", replace_all=True)).placed
    assert (placed.count, placed.rung) == (3, "exact")
    assert placed.must_see == (LineRange(1, 1), LineRange(3, 3), LineRange(3, 3))
    (unique,) = _done(b"a x\n", Edit("x", "y")).placed
    assert (unique.count, unique.must_see) == (1, ())


@pytest.mark.parametrize(
    ("data", "edit"),
    [
        pytest.param(b"a\n", Edit("a\n", "a\nb\n", replace_all=True), id="a line after the last"),
        pytest.param(b"b\na", Edit("a\n", "x\n", replace_all=True), id="an unfinished last line"),
    ],
)
def test_a_line_that_does_not_exist_need_not_be_seen(data: bytes, edit: Edit) -> None:
    """G12: a refusal names a call that would succeed, and no read shows a line past the end."""
    (placed,) = _done(data, edit).placed
    assert all(lines.last <= Lines(data, b"\n").count for lines in placed.must_see)
