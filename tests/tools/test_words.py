"""Words shared by replies and refusals."""

from __future__ import annotations

import pytest

from readfirst.errors import NextCall
from readfirst.spans import LineRange
from readfirst.tools.words import Names, call, counted, lines_named, next_call, printable, quoted, visible

_NAMES = Names()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("plain.py", '"plain.py"'),
        ('say "hi"\\', '"say \\"hi\\"\\\\"'),
        ("two\nlines\tand\x1b[2J", '"two\\nlines\\tand\\u001b[2J"'),
        ("é 漢 😀", '"é 漢 😀"'),
        ("half\ud83d", '"half\\ud83d"'),
        ("raw\udcff", '"raw\\udcff"'),
    ],
    ids=["plain", "quotes", "control characters", "other letters", "lone surrogate", "raw byte"],
)
def test_quoted_text_can_neither_act_nor_break_the_wire(text: str, words: str) -> None:
    """HOSTILE 26, 28, 58."""
    assert quoted(text) == words


def test_printable_text_only_loses_half_characters() -> None:
    """HOSTILE 28: one lone surrogate in an answer ends a stdio server."""
    assert printable("a\n\x1b é😀\ud83d\udcff") == "a\n\x1b é😀\\ud83d\\udcff"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("plain", "«plain»"),
        ("\tindent", "«→indent»"),
        ("blanks  ", "«blanks··»"),
        ("   ", "«···»"),
        ("tab at the end\t", "«tab at the end→»"),
        ("no\u00a0break", "«no⍽break»"),
        ("\u201cq\u201d \u2018s\u2019", "«\\u201cq\\u201d \\u2018s\\u2019»"),
        ("a\u2013b\u2014c\u200bd\re", "«a\\u2013b\\u2014c\\u200bd\\re»"),
        ("x" * 200, f"«{'x' * 200}»"),
        ("x" * 201, f"«{'x' * 200}…»"),
    ],
    ids=["plain", "tab", "blanks", "only blanks", "end tab", "nbsp", "quotes", "dashes", "200", "201"],
)
def test_a_visible_line_shows_what_an_eye_would_miss(line: str, words: str) -> None:
    """SPEC 4.7."""
    assert visible(line) == words


@pytest.mark.parametrize(("number", "words"), [(0, "0 lines"), (1, "1 line"), (2, "2 lines"), (12_345, "12,345 lines")])
def test_a_count_agrees_with_its_thing(number: int, words: str) -> None:
    """STYLE: words for models."""
    assert counted(number, "line") == words


@pytest.mark.parametrize(
    ("ranges", "words"),
    [
        ([LineRange(7, 7)], "line 7"),
        ([LineRange(7, 9)], "lines 7-9"),
        ([LineRange(1, 1), LineRange(7, 9)], "lines 1, 7-9"),
        ([LineRange(n, n) for n in range(1, 17, 2)], "lines 1, 3, 5, 7, 9, 11, 13, 15"),
        ([LineRange(n, n) for n in range(1, 21, 2)], "lines 1, 3, 5, 7, 9, 11, 13, 15 and 2 more ranges"),
    ],
    ids=["one", "range", "two", "eight", "ten"],
)
def test_ranges_are_named_shortly(ranges: list[LineRange], words: str) -> None:
    """G12: what is left out is counted."""
    assert lines_named(ranges) == words


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        (NextCall("read", "a b"), 'read_file(path="a b")'),
        (NextCall("read", "f", LineRange(40, 52)), 'read_file(path="f", offset=40, limit=13)'),
        (
            NextCall("read", "f", LineRange(2, 2), 100_000, 99_999),
            'read_file(path="f", offset=2, column=99999, limit=1, maxChars=100000)',
        ),
        (NextCall("edit", "f"), 'edit_file(path="f")'),
        (NextCall("write", "f"), 'write_file(path="f")'),
        (NextCall("list_roots"), "list_allowed_directories()"),
    ],
    ids=["read", "read lines", "read on in a line", "edit", "write", "directories"],
)
def test_the_next_call_is_written_as_a_model_makes_it(wanted: NextCall, words: str) -> None:
    """SPEC 5: the one call that fixes it."""
    assert next_call(_NAMES, wanted) == words


def test_calls_use_the_names_in_force() -> None:
    """SPEC 3: hints in replies use the names of the profile."""
    names = Names(read="read", edit="edit", write="write", list_roots="roots")
    assert call(names, "read", "f", offset=5) == 'read(path="f", offset=5)'
    assert next_call(names, NextCall("list_roots")) == "roots()"
