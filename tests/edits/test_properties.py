"""Laws of the edit engine that hold for any file and any quotation of it."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from readfirst.content.codec import Document, decode, detect
from readfirst.content.lines import split_lines
from readfirst.edits.plan import Edit, EditPlan, NoPlan, PlacedEdit, plan
from readfirst.spans import spliced

_BLANKS = " \t\x0b\x0c"
_INDENTS = st.sampled_from(["", "  ", "    ", "        ", "\t", "\t\t", " ", "\t  ", "\x0c"])
_ENDS = st.sampled_from(["", "", " ", "  ", "\t"])
_WORDS = st.sampled_from(["a", "b", "cd", "é = 1", "}", "", "f(x, y)", "\u00a0", "e\rf"])
_STYLES = st.sampled_from(["\n", "\n", "\r\n", "\r", "mixed"])
_LINES = st.builds("".join, st.tuples(_INDENTS, _WORDS, _ENDS))
_TEXTS = st.lists(_LINES, max_size=4).map("\n".join)


def _document(body: bytes) -> Document:
    encoding = detect(body)
    assert encoding is not None
    return decode(body, encoding)


def _requoted(line: str, how: str) -> str:
    """Damage white space at the ends of a line, or nothing."""
    text = line.lstrip(_BLANKS)
    indent = line[: len(line) - len(text)]
    return {
        "as it is": line,
        "bare": line.strip(_BLANKS),
        "no trailing": line.rstrip(_BLANKS),
        "trailing": f"{line} ",
        "tabs": indent.replace("    ", "\t") + text,
        "deeper": f"  {line}" if text else line,
        "shallower": line.removeprefix("  ").removeprefix("\t"),
    }[how]


_HOWS = st.sampled_from(["as it is", "bare", "no trailing", "trailing", "tabs", "deeper", "shallower"])


@st.composite
def _bodies(draw: st.DrawFn) -> tuple[list[str], bytes]:
    """Draw lines, most of which stand in the body once, and the body."""
    style = draw(_STYLES)
    count = draw(st.integers(0, 8))
    words = [draw(st.sampled_from([f"w{at}", f"w{at}", f"w{at} \u00e9"]) | _WORDS) for at in range(count)]
    level = draw(_INDENTS)
    lines = [draw(st.just(level) | _INDENTS) + word + draw(_ENDS) for word in words]
    breaks = [draw(st.sampled_from(["\n", "\r\n"])) if style == "mixed" else style for _ in lines]
    if breaks:
        breaks[-1] = draw(st.sampled_from([breaks[-1], breaks[-1], ""]))
    return lines, "".join(map("".join, zip(lines, breaks, strict=True))).encode()


@st.composite
def _quotes(draw: st.DrawFn) -> tuple[bytes, Edit]:
    """Draw a body and an edit: mostly lines cut from it with damaged white space, one of them changed."""
    lines, body = draw(_bodies())
    first = draw(st.integers(0, max(len(lines) - 1, 0)))
    hows = draw(st.tuples(_HOWS, _HOWS, _HOWS) | _HOWS.map(lambda how: (how, how, how)))
    old = [_requoted(line, hows[min(at, 2)]) for at, line in enumerate(lines[first : draw(st.integers(first + 1, 8))])]
    at = draw(st.integers(0, max(len(old) - 1, 0)))
    new = [*old[:at], *draw(st.lists(_LINES, max_size=2)), *old[at + draw(st.integers(0, 1)) :]]
    if at < len(old) and draw(st.booleans()):
        new = [*old[:at], f"{old[at].rstrip(_BLANKS)}!", *old[at + 1 :]]
    newline, end = draw(st.sampled_from(["\n", "\r\n"])), draw(st.sampled_from(["", "\n"]))
    quoted = Edit(newline.join(old) + end, newline.join(new) + end)
    anything = st.builds(Edit, _TEXTS, _TEXTS, st.booleans())
    noise = st.lists(st.sampled_from([b"a", b"\t", b" ", b"\n", b"\r", b"\xff"]), max_size=9).map(b"".join)
    if draw(st.integers(0, 8)):
        return body, quoted
    return draw(st.just(body) | noise), draw(anything)


@settings(max_examples=600)
@given(first=_quotes(), more=st.lists(_quotes(), max_size=2))
def test_no_body_and_no_edits_make_the_engine_raise(first: tuple[bytes, Edit], more: list[tuple[bytes, Edit]]) -> None:
    """G7: every edit is done, or every failing one is named."""
    body, edit = first
    edits = [edit, *(other for _, other in more)]
    document = _document(body)
    planned = plan(document, edits)
    if isinstance(planned, NoPlan):
        event(", ".join(sorted({failure.code for failure in planned.failures})))
        assert planned.failures
        assert {failure.index for failure in planned.failures} <= set(range(len(edits)))
    else:
        event("done")
        assert [one.index for one in planned.placed] == list(range(len(edits)))
        assert planned.splices is None or spliced(document.body, planned.splices) == planned.body


def _view(document: Document, text: bytes) -> bytes:
    r"""Write all that ends a line of the document as `\n`."""
    text = text.replace(b"\r\n", b"\n")
    return text.replace(b"\r", b"\n") if document.newline == b"\r" else text


def _matched(document: Document, edit: Edit, placed: PlacedEdit) -> tuple[int, int]:
    """Give the lines of the old text (0-based, the last not included), for an exact one by a naive search."""
    if placed.rung != "exact":
        (lines,) = placed.must_see
        return lines.first - 1, lines.last
    view, old = _view(document, document.body) + b"\n", _view(document, edit.old.encode())
    assert view.count(old) == 1 or view[:-1].count(old) == 1
    first = view.count(b"\n", 0, view.index(old))
    return first, first + old.count(b"\n") + (not old.endswith(b"\n"))


@pytest.mark.guarantee("G5")
@settings(max_examples=600)
@given(quote=_quotes())
def test_bytes_outside_the_matched_lines_never_change_on_any_rung(quote: tuple[bytes, Edit]) -> None:
    """G5, SPEC 4.3."""
    body, edit = quote
    document = _document(body)
    planned = plan(document, [edit])
    if not isinstance(planned, EditPlan) or edit.replace_all or not edit.old:
        return
    event(planned.placed[0].rung)
    first, last = _matched(document, edit, planned.placed[0])
    lines = split_lines(document.body, document.newline)
    before, after = b"".join(lines[:first]), b"".join(lines[last:])
    assert planned.body.startswith(before)
    assert planned.body.endswith(after)
    assert len(planned.body) >= len(before) + len(after)


@pytest.mark.guarantee("G6")
@settings(max_examples=600)
@given(quote=_quotes())
def test_a_text_is_found_only_where_nothing_but_white_space_at_line_ends_differs(quote: tuple[bytes, Edit]) -> None:
    """SPEC 4.2: on the exact rung not even that, and it stands there once."""
    body, edit = quote
    document = _document(body)
    planned = plan(document, [edit])
    if not isinstance(planned, EditPlan) or edit.replace_all or not edit.old:
        return
    (placed,) = planned.placed
    first, last = _matched(document, edit, placed)
    if placed.rung != "exact":
        blanks = _BLANKS.encode()
        found = _view(document, b"".join(split_lines(document.body, document.newline)[first:last])).removesuffix(b"\n")
        old = _view(document, edit.old.encode()).removesuffix(b"\n")
        bare = [line.strip(blanks) for line in old.split(b"\n")]
        assert bare == [line.strip(blanks) for line in found.split(b"\n")]
        assert any(bare)


@dataclass(frozen=True)
class _Nested:
    """A block in a file: each line's level and text, how a level is written there and how it is quoted."""

    levels: list[int]
    unit: str
    sent_unit: str
    shift: int
    end: str

    def _text(self, rows: list[tuple[int, str]], unit: str) -> str:
        return "\n".join(unit * level + text for level, text in rows)

    def rows(self) -> list[tuple[int, str]]:
        return [(level, f"w{at} = {at}") for at, level in enumerate(self.levels)]

    def file(self, rows: list[tuple[int, str]]) -> bytes:
        around = f"class K:\n{self.unit}k = 0\n{self.unit}def g():\n{self.unit * 2}pass\n\n"
        return f"{around}{self._text(rows, self.unit)}\n\ntail = 0\n".encode()

    def sent(self, rows: list[tuple[int, str]]) -> str:
        return self._text([(level + self.shift, text) for level, text in rows], self.sent_unit) + self.end


@st.composite
def _nested(draw: st.DrawFn) -> _Nested:
    levels = [draw(st.integers(0, 3))]
    for _ in range(draw(st.integers(1, 5))):
        levels.append(draw(st.integers(0, levels[-1] + 1)))
    unit = draw(st.sampled_from(["  ", "    ", "\t"]))
    others = ["\t"] if unit != "\t" else ["  ", "    ", "        "]
    sent_unit = draw(st.sampled_from([unit, *others]))
    return _Nested(levels, unit, sent_unit, draw(st.integers(-min(levels), 2)), draw(st.sampled_from(["", "\n"])))


@settings(max_examples=600)
@given(block=_nested(), at=st.integers(0, 5))
def test_a_word_changed_in_a_block_with_a_uniform_shift_is_changed_and_nothing_else(block: _Nested, at: int) -> None:
    """SPEC 4.2.3: quoted deeper, shallower, with tabs for blanks or the reverse; the level of each line is known."""
    rows = block.rows()
    at %= len(rows)
    changed = [*rows[:at], (rows[at][0], f"changed = {at}"), *rows[at + 1 :]]
    planned = plan(_document(block.file(rows)), [Edit(block.sent(rows), block.sent(changed))])
    assert isinstance(planned, EditPlan)
    event(planned.placed[0].rung)
    assert planned.body == block.file(changed)


@settings(max_examples=600)
@given(block=_nested(), at=st.integers(0, 5), data=st.data())
def test_a_line_put_into_a_block_is_written_at_its_level_or_refused(
    block: _Nested, at: int, data: st.DataObject
) -> None:
    """SPEC 4.2.3: at a level of the block, or one deeper than the line before it."""
    rows = block.rows()
    at %= len(rows)
    level = data.draw(st.sampled_from([*block.levels, rows[at][0] + 1]))
    changed = [*rows[: at + 1], (level, "new = 1"), *rows[at + 1 :]]
    planned = plan(_document(block.file(rows)), [Edit(block.sent(rows), block.sent(changed))])
    if isinstance(planned, EditPlan) and planned.placed[0].rung != "exact":
        event("written")
        assert planned.body == block.file(changed)
    elif isinstance(planned, NoPlan):
        event("refused")
        assert [(one.code, one.detail) for one in planned.failures] == [("no_match", "indentation")]
