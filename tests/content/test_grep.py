"""Lines that hold a text or match: as if each stood alone."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readfirst.content.codec import decode, detect
from readfirst.content.encodings import UTF_8
from readfirst.content.grep import BadPattern, lines_matching, pattern_of


def _lines(data: bytes, text: str, *, regex: bool = False, ignore_case: bool = False) -> list[int]:
    document = decode(data, detect(data) or UTF_8)
    return list(lines_matching(document, pattern_of(text, regex=regex, ignore_case=ignore_case)))


@pytest.mark.parametrize(
    ("data", "text", "lines"),
    [
        pytest.param(b"a\nb\na b\n", "a", [1, 3], id="several"),
        pytest.param(b"a a a\n", "a", [1], id="twice in one line"),
        pytest.param(b"x\r\na\r\nx\r\n", "a", [2], id="CRLF"),
        pytest.param(b"x\ra\rx", "a", [2], id="CR alone"),
        pytest.param(b"x\nlast", "last", [2], id="no final line break"),
        pytest.param(b"a.b\naxb\n", "a.b", [1], id="literal"),
        pytest.param("x\nna\u00efve\n".encode("utf-16"), "na\u00efve", [2], id="UTF-16"),
        pytest.param(b"", "a", [], id="empty"),
        pytest.param(b"A\n", "a", [], id="other case"),
    ],
)
def test_lines_that_hold_a_text_are_found(data: bytes, text: str, lines: list[int]) -> None:
    """SPEC 3, `search_content`: literal by default."""
    assert _lines(data, text) == lines


@pytest.mark.parametrize(
    ("data", "text", "lines"),
    [
        pytest.param(b"ab\nb\nxab\n", "^a", [1], id="start"),
        pytest.param(b"ab\r\nb\r\nbx\r\n", "b$", [1, 2], id="end before CRLF"),
        pytest.param(b"a\nb\n", "a.b", [], id="a dot is no line break"),
        pytest.param(b"a\nb\nc\n", r"a\s*b|c", [3], id="white space is no line break"),
        pytest.param(b"a\n\nb\n", "^$", [2], id="empty line"),
        pytest.param(b"a\nb\n", r"\Ab\z", [2], id="ends of a text are those of the line"),
        pytest.param(b"x\n[^x] a\n", "[^x]a", [2], id="a class that holds the line break"),
        pytest.param("na\u00efve\n".encode(), r"^\pL+$", [1], id="letters of any script"),
    ],
)
def test_each_line_stands_alone_for_a_regular_expression(data: bytes, text: str, lines: list[int]) -> None:
    """SPEC 3, `search_content`."""
    assert _lines(data, text, regex=True) == lines


def test_case_may_be_ignored_also_in_a_literal_text() -> None:
    """SPEC 3, `ignoreCase`."""
    data = "Stra\u00dfe\nSTRASSE\n\u00c9t\u00e9 (1)\n".encode()
    assert _lines(data, "\u00c9T\u00c9 (1)", ignore_case=True) == [3]
    assert _lines(data, "^stra", regex=True, ignore_case=True) == [1, 2]


@pytest.mark.parametrize("text", ["(a", "a{1001}", "(?=a)", "\\1", "[b-a]"])
def test_what_is_no_regular_expression_of_linear_time_is_refused(text: str, capfd: pytest.CaptureFixture[str]) -> None:
    """HOSTILE 76: look-ahead and back references are none; nothing is printed."""
    with pytest.raises(BadPattern, match=r"."):
        pattern_of(text, regex=True, ignore_case=False)
    assert capfd.readouterr() == ("", "")


def test_an_expression_that_hangs_other_engines_ends() -> None:
    """HOSTILE 76."""
    assert _lines(b"a" * 50_000 + b"!\n", "(a+)+$", regex=True) == []


@given(
    st.lists(st.text("ab \u00e9", max_size=4), max_size=8),
    st.sampled_from(["a", "ab", "^a", "b$", "a.", "[^a]", r"\s", "^$", "a|\u00e9", "(?i)A", r"\bb"]),
)
def test_lines_are_those_that_match_by_themselves(lines: list[str], text: str) -> None:
    """The law of `lines_matching`."""
    data = "".join(f"{line}\n" for line in lines).encode()
    expected = [number for number, line in enumerate(lines, 1) if re.search(text, line, re.ASCII)]
    assert _lines(data, text, regex=True) == expected
