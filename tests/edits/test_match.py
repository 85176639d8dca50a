"""Where the old text of an edit stands."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from readfirst.content.codec import Document, decode
from readfirst.content.encodings import UTF_8
from readfirst.edits.match import (
    EXACT,
    MAX_PLACES,
    RUNGS,
    Ambiguous,
    Match,
    Missing,
    Place,
    every_place,
    exact_places,
    locate,
)

BODIES = st.lists(st.sampled_from([b"a", b"b", b"\n", b"\r\n"]), max_size=14).map(b"".join)
OLDS = st.lists(st.sampled_from([b"a", b"b", b"\n"]), min_size=1, max_size=6).map(b"".join)


def _doc(data: bytes) -> Document:
    return decode(data, UTF_8)


def _naive_count(body: bytes, old: bytes) -> int:
    r"""Count on the body with `\n` alone, by looking at every offset."""
    view = body.replace(b"\r\n", b"\n")
    count = sum(view.startswith(old, at) for at in range(len(view)))
    at_end = len(old) > 1 and old.endswith(b"\n") and not view.endswith(b"\n") and view.endswith(old[:-1])
    return count + at_end


@settings(max_examples=500)
@given(body=BODIES, old=OLDS)
@example(body=b"foo\nfoo\nfoo\n", old=b"foo\nfoo\n")
@example(body=b"\r\n\n\r\n", old=b"\n\n")
@example(body=b"a\r\n\r\na", old=b"\na")
@example(body=b"a\r\na", old=b"a\n")
def test_exact_search_finds_as_many_places_as_a_naive_search(body: bytes, old: bytes) -> None:
    """SPEC 4.2.1: exact, line endings aside; overlapping occurrences count."""
    places = list(exact_places(_doc(body), old))
    assert len(places) == len(set(places)) == _naive_count(body, old)
    for place in places:
        stands = body[place.start : place.end].replace(b"\r\n", b"\n")
        assert stands + b"\n" * place.at_end == old


@settings(max_examples=300)
@given(body=BODIES, old=OLDS)
def test_all_places_from_left_to_right_do_not_overlap(body: bytes, old: bytes) -> None:
    """SPEC 4.5: left to right, non-overlapping."""
    places = every_place(_doc(body), old)
    assert all(one.end <= other.start for one, other in pairwise(places))
    view = body.replace(b"\r\n", b"\n")
    at_end = any(place.at_end for place in places)
    assert len(places) - at_end == view.count(old)


@pytest.mark.parametrize(
    ("body", "old", "place"),
    [
        pytest.param(b"a\nb\n", b"b\n", Place(2, 4), id="a line with its break"),
        pytest.param(b"a\r\nb\r\n", b"a\nb\n", Place(0, 6), id="LF matches CRLF"),
        pytest.param(b"a\nb\r\nc", b"a\nb\nc", Place(0, 6), id="mixed endings"),
        pytest.param(b"x\r\nb", b"\nb", Place(1, 4), id="a break at the start is the whole CRLF"),
        pytest.param(b"x\r\nb", b"x\n", Place(0, 3), id="a break at the end is the whole CRLF"),
        pytest.param(b"a\r\n\r\nb", b"\n\n", Place(1, 5), id="nothing but breaks"),
        pytest.param(b"a\rb\r", b"a\nb\n", Place(0, 4), id="CR alone"),
        pytest.param(b"a\nb", b"b\n", Place(2, 3, at_end=True), id="a break for the end of the file"),
        pytest.param(b"a\r\nb", b"a\nb\n", Place(0, 4, at_end=True), id="CRLF, and the end of the file"),
        pytest.param(b"a\rb", b"a\nb\n", Place(0, 3, at_end=True), id="CR alone, and the end of the file"),
        pytest.param(b"a\nb", b"a\nb\n", Place(0, 3, at_end=True), id="the whole of an unfinished file"),
        pytest.param(b"one\rtwo\n", b"e\rt", Place(2, 5), id="a lone return is data"),
        pytest.param(b"a\rb\nc\r\n", b"a\rb\nc\n", Place(0, 7), id="a lone return is data in a longer text"),
        pytest.param(b"a\xffb", b"b", Place(2, 3), id="among bytes of no encoding"),
    ],
)
def test_a_text_that_stands_once_is_found(body: bytes, old: bytes, place: Place) -> None:
    """SPEC 4.2.1."""
    assert locate(_doc(body), old, EXACT) == Match(place, "exact")


@pytest.mark.parametrize(
    ("body", "old"),
    [
        pytest.param(b"abc", b"abd", id="another text"),
        pytest.param(b"", b"a\n", id="an empty file"),
        pytest.param(b"", b"\n", id="a break in an empty file"),
        pytest.param(b"a\nb", b"\n\n", id="two breaks where one is"),
        pytest.param(b"a", b"\n", id="a break alone is never the end of the file"),
        pytest.param(b"a\nb\n", b"b\n\n", id="a final break does not count twice"),
        pytest.param(b"xb", b"a\nb\n", id="the end alone fits"),
        pytest.param(b"a\rxb", b"a\nb\n", id="CR alone: the end alone fits"),
        pytest.param(b"a\rb\r\n", b"a\nb", id="a lone return is no line break where a feed is"),
        pytest.param(b"a\r\n", b"a\r", id="half a line break"),
        pytest.param(b"a\r\nb", b"a\r\n", id="a return before a line break, found in one"),
        pytest.param(b"x\r\na\r\n", b"x\na\r", id="half a line break after a whole one"),
        pytest.param(b"long line\nb\r\nc", b"long line\nb\r\nc", id="a return before a line break further on"),
        pytest.param(b"long\r\nc", b"x\nlong\nc", id="nothing before the longest line"),
        pytest.param(b"y\r\nlong\r\nc", b"x\nlong\nc", id="another line before the longest"),
        pytest.param(b"x\r\nlong\r\nd", b"x\nlong\nc", id="another line after the longest"),
        pytest.param(b"x\r\nlong", b"x\nlong\nc", id="nothing after the longest"),
        pytest.param(b"Abc", b"abc", id="case"),
        pytest.param(b"a  b", b"a b", id="inner white space"),
        pytest.param(b"a.c", b"a*c", id="no pattern"),
    ],
)
def test_a_text_that_does_not_stand_there_is_missing(body: bytes, old: bytes) -> None:
    r"""SPEC 4.2: similarity is never applied; here `\r` in `old` is data, for its line breaks are `\n`."""
    assert locate(_doc(body), old, EXACT) == Missing()


@pytest.mark.parametrize(
    ("body", "old", "places"),
    [
        pytest.param(b"foo\nfoo\nfoo\n", b"foo\nfoo\n", (Place(0, 8), Place(4, 12)), id="overlapping places"),
        pytest.param(b"aaa", b"aa", (Place(0, 2), Place(1, 3)), id="overlapping letters"),
        pytest.param(b"a\r\na\n", b"a\n", (Place(0, 3), Place(3, 5)), id="in both line endings"),
        pytest.param(b"a\na", b"a\n", (Place(0, 2), Place(2, 3, at_end=True)), id="once at the end of the file"),
        pytest.param(b"\r\n\n\r\n", b"\n\n", (Place(0, 3), Place(2, 5)), id="overlapping breaks"),
    ],
)
def test_a_text_that_stands_twice_is_ambiguous(body: bytes, old: bytes, places: tuple[Place, ...]) -> None:
    """G6, SPEC 4.2: overlapping occurrences count."""
    assert locate(_doc(body), old, EXACT) == Ambiguous(places, "exact")


def test_counting_stops_where_nobody_reads_further() -> None:
    """`MAX_PLACES`."""
    outcome = locate(_doc(b"a" * (MAX_PLACES + 5)), b"a", EXACT)
    assert isinstance(outcome, Ambiguous)
    assert len(outcome.places) == MAX_PLACES


def test_the_first_rung_with_a_place_decides() -> None:
    """SPEC 4.2: more than one match on a step is refused and never falls through."""
    never = RUNGS[0]._replace(name="never")
    assert locate(_doc(b"aa"), b"a", (*RUNGS, never)) == Ambiguous((Place(0, 1), Place(1, 2)), "exact")
    assert locate(_doc(b"a"), b"a", (never, *RUNGS)) == Match(Place(0, 1), "never")
