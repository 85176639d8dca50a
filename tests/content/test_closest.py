"""The lines most like a text that was not found."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from readfirst.content.closest import closest_lines, repaired
from readfirst.content.codec import Document, decode, detect
from readfirst.errors import ClosestLines
from readfirst.spans import LineRange

CODE = b"""import os


def greet(name: str) -> str:
    message = f"Hello, {name}!"
    return message


def part(name: str) -> str:
    return f"Goodbye, {name}!"
"""


def _document(data: bytes) -> Document:
    encoding = detect(data)
    assert encoding is not None
    return decode(data, encoding)


def _closest(data: bytes, old: str, max_lines: int = 30, max_chars: int = 2_000) -> ClosestLines:
    found = closest_lines(_document(data), old, max_lines, max_chars)
    assert found is not None
    return found


def test_the_closest_lines_come_with_numbers_and_the_first_line_that_differs() -> None:
    """SPEC 4.7."""
    found = _closest(CODE, 'def greet(name: str) -> str:\n    message = f"Hi, {name}!"\n    return message\n')
    assert found.lines == LineRange(4, 6)
    assert found.text == ("def greet(name: str) -> str:", '    message = f"Hello, {name}!"', "    return message")
    assert found.first_difference == (5, '    message = f"Hello, {name}!"', '    message = f"Hi, {name}!"')
    assert (found.cause, found.whole) == ("", True)
    assert 80 < found.score < 100


@pytest.mark.parametrize(
    ("data", "old", "lines", "cause"),
    [
        pytest.param(
            b"say 'hi' now\n", "say \u2018hi\u2019 now", LineRange(1, 1), "curly quotes or no-break spaces", id="quotes"
        ),
        pytest.param(b"x\nmy words\n", "my\u00a0words", LineRange(2, 2), "curly quotes or no-break spaces", id="NBSP"),
        pytest.param(b"one\n  two  three\n", "two three", LineRange(2, 2), "white space", id="inner white space"),
        pytest.param(b"a\tbcdef\n", "a    bcdef", LineRange(1, 1), "white space", id="a tab"),
        pytest.param(b"x\nHello World\n", "hello world", LineRange(2, 2), "case", id="case"),
        pytest.param(b"x\nSTRASSE here\n", "stra\u00dfe here", LineRange(2, 2), "case", id="case beyond ASCII"),
        pytest.param(b"total = 1\n", "total = 2", LineRange(1, 1), "", id="another text"),
    ],
)
def test_a_cause_is_named_when_one_is_found(data: bytes, old: str, lines: LineRange, cause: str) -> None:
    """SPEC 4.7."""
    found = _closest(data, old)
    assert (found.lines, found.cause) == (lines, cause)


@pytest.mark.parametrize(
    ("data", "old"),
    [
        pytest.param(b"some text\n", "", id="no text"),
        pytest.param(b"some text\n", " \n\t\n", id="white space alone"),
        pytest.param(b"", "some text", id="an empty file"),
        pytest.param(b"alpha beta\n", "0123456789", id="nothing alike"),
        pytest.param(b"alpha\n", "a\nb", id="lines too short to look for"),
        pytest.param(b"zz\n" * 600_000, "quite another thing", id="a large file with no word of it"),
    ],
)
def test_where_nothing_is_alike_nothing_is_named(data: bytes, old: str) -> None:
    """`closest_lines`: None when nothing scores 40 of 100."""
    assert closest_lines(_document(data), old, 30, 2_000) is None


@pytest.mark.parametrize(
    ("data", "old", "lines"),
    [
        pytest.param(
            b"x\nalpha beta gamma\n", "alpho bete gomma", LineRange(2, 2), id="last resort: no word in common"
        ),
        pytest.param(b"x\nconfiguration = 12\n", "set configuration: 99\n", LineRange(2, 2), id="a long word"),
        pytest.param(b"x\r\nfirst one\r\nsecond\r\n", "first one\nSECOND\n", LineRange(2, 3), id="CRLF"),
        pytest.param(b"x\rfirst one\rsecond\r", "first one\nSECOND\n", LineRange(2, 3), id="CR alone"),
        pytest.param(b"tail end\n", "what\never\ntail end\n", LineRange(1, 1), id="a start before the file's"),
        pytest.param(b"caf\xe9 latte\nmore\n", "caf\u00e9 latte", LineRange(1, 1), id="bytes that cannot be decoded"),
        pytest.param(
            b"body\nx\n" * 90 + b"body\nmindful\nend\n",
            "body\nmindful\nEND\n",
            LineRange(181, 183),
            id="of a common and a rare line the rare one decides",
        ),
        pytest.param(
            b"zz\n" * 600_000 + b"configuration = 12\n",
            "set configuration: 99\n",
            LineRange(600_001, 600_001),
            id="a long word in a large file",
        ),
        pytest.param(
            b"alpha\nbeta one two xxxxx\n-\n-\n-\nalpha\nbeta one two thre\n",
            "alpha\nbeta one two three\n",
            LineRange(6, 7),
            id="of two places the one more alike",
        ),
        pytest.param(
            b"".join(b"def f%d():\n    return\n\n" % i for i in range(50)),
            "def f20():\n    return 1\n",
            LineRange(61, 62),
            id="of many alike the best",
        ),
    ],
)
def test_the_best_place_is_found_stage_by_stage(data: bytes, old: str, lines: LineRange) -> None:
    """SPEC 4.7."""
    assert _closest(data, old).lines == lines


def test_a_text_of_many_lines_is_found_by_lines_beyond_its_longest() -> None:
    """SPEC 4.7: when none of the six longest lines stands in the file, the next ones are looked for."""
    old = "".join(f"q{i} q{i} q{i} q{i}\n" for i in range(7)) + "a b\nc d\n"
    data = b"zz\n" * 600_000 + b"".join(b"q%d q%d q%d qx\n" % (i, i, i) for i in range(7)) + b"a b\nc d\n"
    assert _closest(data, old).lines == LineRange(600_001, 600_009)


def test_what_is_shown_is_capped_and_says_so() -> None:
    """SPEC 4.7: capped at about 30 lines / 2,000 characters. G12."""
    data = b"".join(b"line number %d\n" % i for i in range(100))
    old = "".join(f"line number {i}\n" for i in range(50)) + "another\n"
    assert _closest(data, old).lines == LineRange(1, 30)
    few = _closest(data, old, max_chars=70)
    assert (few.lines, len(few.text), few.whole) == (LineRange(1, 5), 5, True)


def test_a_long_line_is_shown_in_part_and_says_so() -> None:
    """SPEC 2: a line shown in part is not a seen line."""
    found = _closest(b"needle " + b"x" * 5_000 + b"\nnext\n", "needle " + "x" * 5_000 + "!\n")
    assert found.text == ("needle " + "x" * 993 + " [... the line goes on]",)
    assert not found.whole


@pytest.mark.parametrize(
    ("old", "texts"),
    [
        pytest.param("plain", [], id="nothing to repair"),
        pytest.param("12\tfoo\n13\tbar\n", [("foo\nbar\n", "line numbers pasted")], id="numbers and tabs"),
        pytest.param("  7|foo\n\n  9|bar", [("foo\n\nbar", "line numbers pasted")], id="numbers and bars"),
        pytest.param("     1\u2192foo", [("foo", "line numbers pasted")], id="numbers and arrows"),
        pytest.param("12: foo", [("foo", "line numbers pasted")], id="numbers and colons"),
        pytest.param("12\tfoo\nbar\n", [], id="not every line is numbered"),
        pytest.param("a &lt; b &amp;&amp; c", [("a < b && c", "HTML entities")], id="HTML entities"),
        pytest.param("", [], id="no text"),
        pytest.param("  \n", [], id="white space alone has no numbers"),
    ],
)
def test_a_text_may_have_been_meant_as_another(old: str, texts: list[tuple[str, str]]) -> None:
    """SPEC 4.7: "line numbers pasted", "HTML entities"."""
    assert list(repaired(old)) == texts


@given(
    data=st.lists(st.sampled_from([b"alpha", b"beta ", b"\n", b"\r\n", b"\xff", b"x"]), max_size=20).map(b"".join),
    old=st.lists(st.sampled_from(["alpha", "beta ", "\n", "\u00e9", "y", "\ud800"]), max_size=12).map("".join),
)
@example(data=b"alpha\n", old="alpha\nbeta\n")
def test_what_is_named_is_what_stands_there(data: bytes, old: str) -> None:
    """Nothing found is ever edited; it is shown, so it must be true."""
    document = _document(data)
    found = closest_lines(document, old, 30, 2_000)
    if found is not None:
        lines = document.shown(document.body).split(document.newline.decode())
        at = slice(found.lines.first - 1, found.lines.last)
        assert [line.rstrip("\r") for line in lines[at]] == [text.rstrip("\r") for text in found.text]
        assert found.score >= 40
