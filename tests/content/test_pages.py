"""One page of a file."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from readfirst.content.lines import CHUNK_BYTES, VersionMoved, index_of, reader_of, split_lines
from readfirst.content.pages import Page, PageRequest, page_of
from readfirst.spans import LinePart, LineRange

PIECES = st.sampled_from(["a", "bcd", "\u00e9", "\U0001f600", "\n", "\r\n", "\r", "longer words", "\u0a0a"])
TEXTS = st.lists(PIECES, min_size=1, max_size=40).map("".join)
ENCODINGS = st.sampled_from([
    ("utf-8", b""),
    ("utf-8", codecs.BOM_UTF8),
    ("utf-16-le", codecs.BOM_UTF16_LE),
    ("utf-16-be", codecs.BOM_UTF16_BE),
    ("utf-32-le", codecs.BOM_UTF32_LE),
    ("utf-32-be", codecs.BOM_UTF32_BE),
])  # fmt: skip


def _page(data: bytes, request: PageRequest) -> Page:
    return page_of(index_of(data), reader_of(data), request)


def _all_pages(data: bytes, limit: int, max_chars: int, *, numbered: bool = False) -> list[Page]:
    index, read = index_of(data), reader_of(data)
    pages: list[Page] = []
    line: int | None = 1
    column = 1
    while line is not None:
        page = page_of(index, read, PageRequest(line, limit, max_chars, column, numbered))
        assert page.next_line is None or (page.next_line, page.next_column) > (line, column)
        pages.append(page)
        line, column = page.next_line, page.next_column
    return pages


@settings(max_examples=300)
@given(text=TEXTS, encoding=ENCODINGS, limit=st.integers(1, 10), max_chars=st.integers(1, 30))
@example(text="abc\r\ndef\r\n", encoding=("utf-8", b""), limit=2, max_chars=3)
def test_the_pages_joined_are_the_document(text: str, encoding: tuple[str, bytes], limit: int, max_chars: int) -> None:
    """The law of `pages`; page progress is strict."""
    name, mark = encoding
    pages = _all_pages(mark + text.encode(name), limit, max_chars)
    assert "".join(page.text for page in pages) == text


@given(text=TEXTS, limit=st.integers(1, 10), max_chars=st.integers(1, 30))
def test_every_line_is_whole_on_one_page_or_cut_on_several(text: str, limit: int, max_chars: int) -> None:
    """SPEC 2: a line shown in part is not a seen line. SPEC 3.1: whole lines; nothing is cut from the middle."""
    lines = split_lines(text.encode(), b"\n" if "\n" in text else b"\r")
    pages = _all_pages(text.encode(), limit, max_chars)
    shown = [number for page in pages if page.whole for number in range(page.whole.first, page.whole.last + 1)]
    assert shown == sorted(set(shown))
    for number, line in enumerate(lines, 1):
        on = [page for page in pages if page.lines and page.lines.first <= number <= page.lines.last]
        assert (number in shown) == (len(on) == 1)
        assert line.decode() in "".join(page.text for page in on)


@given(text=TEXTS, encoding=ENCODINGS, limit=st.integers(1, 10), max_chars=st.integers(1, 30), numbered=st.booleans())
def test_the_parts_of_a_line_meet_and_reach_its_end(
    text: str, encoding: tuple[str, bytes], limit: int, max_chars: int, *, numbered: bool
) -> None:
    """SPEC 2: lines count when they were returned whole; windows of one line add up to it, in characters."""
    name, mark = encoding
    newline = "\n" if "\n" in text else "\r"
    rows = [line.decode() for line in split_lines(text.encode(), newline.encode())]
    ends = ("\r\n", "\n") if newline == "\n" else ("\r",)
    sizes = [len(row) - next((len(end) for end in ends if row.endswith(end)), 0) for row in rows]
    shown = dict.fromkeys(range(1, len(sizes) + 1), 0)
    for page in _all_pages(mark + text.encode(name), limit, max_chars, numbered=numbered):
        for number in range(page.whole.first, page.whole.last + 1) if page.whole else ():
            assert shown[number] == 0
            shown[number] = sizes[number - 1]
        if page.part is not None:
            part = page.part
            assert part.first == shown[part.line] + 1
            shown[part.line] = part.last
            assert part.ends == (part.last == sizes[part.line - 1])
    assert list(shown.values()) == sizes


@given(text=TEXTS, limit=st.integers(1, 10), max_chars=st.integers(8, 60))
def test_a_numbered_page_is_never_longer_than_asked(text: str, limit: int, max_chars: int) -> None:
    """SPEC 3.1: `maxChars` characters of text as sent, numbers included; at most `limit` lines."""
    for page in _all_pages(text.encode(), limit, max_chars, numbered=True):
        assert len(page.text) <= max_chars
        assert page.lines is not None
        assert page.lines.count <= limit


@given(text=TEXTS, limit=st.integers(1, 10), max_chars=st.integers(8, 60))
def test_numbers_stand_before_the_lines_and_change_nothing_else(text: str, limit: int, max_chars: int) -> None:
    r"""SPEC 3.1: line numbers are `12<TAB>text`."""
    newline = "\n" if "\n" in text else "\r"
    pieces: dict[int, str] = {}
    for page in _all_pages(text.encode(), limit, max_chars, numbered=True):
        for row in page.text.split("\n"):
            number, _, line = row.partition("\t")
            pieces[int(number)] = pieces.get(int(number), "") + line
    wanted = [line.decode() for line in split_lines(text.encode(), newline.encode())]
    bare = [line.removesuffix("\n").removesuffix("\r") if line.endswith(newline) else line for line in wanted]
    assert list(pieces.values()) == bare
    assert list(pieces) == list(range(1, len(wanted) + 1))


@pytest.mark.parametrize(
    ("request_", "page"),
    [
        pytest.param(
            PageRequest(1, 2, 100), Page("1\tone\n2\ttwo", LineRange(1, 2), LineRange(1, 2), 3, 1), id="limit"
        ),
        pytest.param(
            PageRequest(2, 9, 100), Page("2\ttwo\n3\tthree", LineRange(2, 3), LineRange(2, 3), None, 1), id="to the end"
        ),
        pytest.param(
            PageRequest(1, 9, 11), Page("1\tone\n2\ttwo", LineRange(1, 2), LineRange(1, 2), 3, 1), id="just enough room"
        ),
        pytest.param(
            PageRequest(1, 9, 10), Page("1\tone", LineRange(1, 1), LineRange(1, 1), 2, 1), id="a character too few"
        ),
        pytest.param(
            PageRequest(3, 9, 6),
            Page("3\tthre", LineRange(3, 3), None, 3, 5, part=LinePart(3, 1, 4)),
            id="a line longer than the budget",
        ),
        pytest.param(
            PageRequest(3, 9, 4, 2),
            Page("3\thr", LineRange(3, 3), None, 3, 4, 2, part=LinePart(3, 2, 3)),
            id="the middle of a line",
        ),
        pytest.param(
            PageRequest(3, 9, 6, 5),
            Page("3\te", LineRange(3, 3), None, None, 1, 5, part=LinePart(3, 5, 5, ends=True)),
            id="the rest of a cut line",
        ),
        pytest.param(
            PageRequest(2, 9, 100, 3),
            Page("2\to\n3\tthree", LineRange(2, 3), LineRange(3, 3), None, 1, 3, part=LinePart(2, 3, 3, ends=True)),
            id="whole lines after the rest of one",
        ),
        pytest.param(
            PageRequest(1, 1, 100, 4), Page("", None, None, 1, 1, past_line_end=True), id="a column past the end"
        ),
        pytest.param(
            PageRequest(1, 2, 100, 1, numbered=False),
            Page("one\r\ntwo\r\n", LineRange(1, 2), LineRange(1, 2), 3, 1),
            id="text as it is",
        ),
        pytest.param(
            PageRequest(2, 1, 100, 2, numbered=False),
            Page("wo\r\n", LineRange(2, 2), None, 3, 1, 2, part=LinePart(2, 2, 3, ends=True)),
            id="the rest of a line as it is: its break is no character of it",
        ),
        pytest.param(
            PageRequest(1, 9, 1),
            Page("1\to", LineRange(1, 1), None, 1, 2, part=LinePart(1, 1, 1)),
            id="no room for the number",
        ),
    ],
)
def test_a_page_says_what_it_shows_and_where_it_goes_on(request_: PageRequest, page: Page) -> None:
    """SPEC 3.1."""
    assert _page(b"one\r\ntwo\r\nthree", request_) == page


@pytest.mark.parametrize(
    ("line", "column", "past"),
    [
        pytest.param(CHUNK_BYTES * 2, CHUNK_BYTES + 7, False, id="a column in the second chunk"),
        pytest.param(CHUNK_BYTES * 2, CHUNK_BYTES * 2, False, id="the last character"),
        pytest.param(CHUNK_BYTES * 2, CHUNK_BYTES * 2 + 1, True, id="just past the line"),
        pytest.param(CHUNK_BYTES * 2, CHUNK_BYTES * 9, True, id="far past the line"),
        pytest.param(CHUNK_BYTES - 1, CHUNK_BYTES, True, id="past a line whose CRLF two chunks share"),
    ],
)
def test_a_column_of_a_line_over_several_chunks_is_found(line: int, column: int, *, past: bool) -> None:
    """SPEC 3.1: continue in a line (`column`)."""
    page = _page(b"x" * line + b"\r\nnext\n", PageRequest(1, 1, 50, column, numbered=False))
    assert page.past_line_end == past
    assert page.text == ("" if past else ("x" * (line - column + 1))[:50] + ("\r\n" if line - column < 50 else ""))


def test_a_line_of_one_character_is_never_cut() -> None:
    """SPEC 3.1: page progress, even where the number alone exceeds the budget."""
    assert _page(b"a\nb\n", PageRequest(1, 9, 1)) == Page("1\ta", LineRange(1, 1), LineRange(1, 1), 2, 1)


def test_a_line_that_just_fits_is_whole_even_where_two_chunks_share_its_break() -> None:
    """SPEC 3.1: whole lines."""
    line = "x" * (CHUNK_BYTES - 1)
    page = _page(f"{line}\r\nnext\n".encode(), PageRequest(1, 1, CHUNK_BYTES - 1, numbered=False))
    assert page == Page(f"{line}\r\n", LineRange(1, 1), LineRange(1, 1), 2, 1)


def test_reading_a_late_page_costs_the_chunks_of_that_page_and_one() -> None:
    """SPEC 3.1: O(page), not O(offset)."""
    data = b"".join(b"%07d some text\n" % i for i in range(115_000))
    assert len(data) > 2_000_000
    index = index_of(data)
    width = len(b"0000000 some text\n")
    for first in (1, 2, 30_000, 57_500, 7_282, 7_283, 114_000):
        reads: list[int] = []

        def read(number: int, log: list[int] = reads) -> bytes:
            log.append(number)
            return reader_of(data)(number)

        page = page_of(index, read, PageRequest(first, 1_000, 45_000))
        assert page.text.startswith(f"{first}\t{first - 1:07d} some text\n")
        assert page.lines is not None
        of_page = range((first - 1) * width // CHUNK_BYTES, (page.lines.last * width - 1) // CHUNK_BYTES + 1)
        assert set(reads) <= {*of_page, of_page.start - 1}
        assert len(reads) <= len(of_page) + 1


def test_a_page_of_a_very_long_line_reads_no_further_than_it_shows() -> None:
    """SPEC 3.1: memory stays bounded whatever the file's size."""
    data = b"x" * (20 * CHUNK_BYTES)
    reads: list[int] = []

    def read(number: int) -> bytes:
        reads.append(number)
        return reader_of(data)(number)

    page = page_of(index_of(data), read, PageRequest(1, 10, 1_000))
    assert (len(page.text), reads) == (1_000, [0])


def test_a_page_of_a_file_that_moved_is_never_served() -> None:
    """SPEC 2, one version at a time."""
    with pytest.raises(VersionMoved):
        page_of(index_of(b"a\nb\n"), reader_of(b"a\nc\n"), PageRequest(1, 2, 100))


def test_bytes_of_an_unknown_encoding_are_shown_by_a_guess() -> None:
    """SPEC 4.10."""
    assert _page(b"caf\xe9\nok\n", PageRequest(1, 9, 99)).text == "1\tcaf\u00e9\n2\tok"
