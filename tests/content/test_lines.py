"""Where the lines of a file are."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from readfirst.content.digest import digest_of
from readfirst.content.lines import (
    CHUNK_BYTES,
    ChunkReader,
    LineIndex,
    Lines,
    VersionMoved,
    index_of,
    reader_of,
    split_lines,
)
from readfirst.spans import LineRange

BODIES = st.lists(st.sampled_from([b"a", b"bc", b"\n", b"\r\n", b"\r", b"\xff"]), max_size=30).map(b"".join)
NEWLINES = st.sampled_from([b"\n", b"\r"])

ASTRAL = "\U0001f600"
LONG_TEXTS = [
    pytest.param("line of text\n" * 40_000, "utf-8", b"", id="LF"),
    pytest.param("line\r\n" * 60_000 + "end", "utf-8", codecs.BOM_UTF8, id="CRLF with a mark"),
    pytest.param("x" * (CHUNK_BYTES - 1) + "\r\n" + "y\n", "utf-8", b"", id="CRLF on a chunk boundary"),
    pytest.param("x" * (CHUNK_BYTES - 1) + "\n" + "y\n", "utf-8", b"", id="LF as last byte of a chunk"),
    pytest.param("ab\r" * 60_000, "utf-8", b"", id="CR alone"),
    pytest.param("ab\r" * 60_000 + "\nend", "utf-8", b"", id="a feed after a chunk full of returns"),
    pytest.param(f"{ASTRAL}\u0a0a\u0a00\u000d\u0d00\n" * 20_000, "utf-16-le", codecs.BOM_UTF16_LE, id="UTF-16 LE"),
    pytest.param(f"x{ASTRAL}\u0a0a\u0a00\n" * 20_000, "utf-16-be", codecs.BOM_UTF16_BE, id="UTF-16 BE"),
    pytest.param("\u0a0a\u0a00\r\n" * 20_000, "utf-32-le", codecs.BOM_UTF32_LE, id="UTF-32 LE"),
    pytest.param("\u0a0a\u000a\u0a00\r" * 20_000, "utf-32-be", codecs.BOM_UTF32_BE, id="UTF-32 BE"),
    pytest.param("x" * CHUNK_BYTES * 3, "utf-8", b"", id="one line over three chunks"),
]


def _naive_lines(text: str) -> list[str]:
    return [line.decode() for line in split_lines(text.encode(), b"\n" if "\n" in text else b"\r")]


@pytest.mark.parametrize(("text", "name", "mark"), LONG_TEXTS)
def test_an_index_over_many_chunks_agrees_with_a_split_of_the_text(text: str, name: str, mark: bytes) -> None:
    """SPEC 3.1: only these breaks end a line, and a final one adds none."""
    data = mark + text.encode(name)
    lines = _naive_lines(text)
    index = index_of(data)
    assert (index.line_count, index.size, index.digest) == (len(lines), len(data), digest_of(data))
    count = len(lines)
    for number in sorted({1, 2, count // 3, count // 2, count - 1, count} & set(range(1, count + 1))):
        rest = b"".join(index.chunks_from_line(number, reader_of(data)))
        assert rest.decode(name) == "".join(lines[number - 1 :])


def test_every_line_start_near_a_chunk_boundary_is_found() -> None:
    """The law of `LineIndex.chunks_from_line`."""
    data = b"".join(b"%d\n" % i for i in range(60_000))
    index = index_of(data)
    assert len(index.chunk_digests) == 3
    for boundary in (CHUNK_BYTES, 2 * CHUNK_BYTES):
        near = data.count(b"\n", 0, boundary)
        for line in range(near - 2, near + 4):
            first = next(piece for piece in index.chunks_from_line(line, reader_of(data)) if piece)
            assert (first + data[boundary : boundary + 10]).startswith(b"%d\n" % (line - 1))


@pytest.mark.parametrize(
    ("data", "line_count", "newline"),
    [
        pytest.param(b"", 0, "\n", id="empty"),
        pytest.param(codecs.BOM_UTF8, 0, "\n", id="nothing but a mark"),
        pytest.param(codecs.BOM_UTF16_BE, 0, "\n", id="nothing but a wide mark"),
        pytest.param(b"\n", 1, "\n", id="one empty line"),
        pytest.param(b"a", 1, "\n", id="one unfinished line"),
        pytest.param(b"a\nb", 2, "\n", id="no final line break"),
        pytest.param(b"a\nb\n", 2, "\n", id="a final line break adds no line"),
        pytest.param(b"a\rb\nc", 2, "\n", id="a lone return is data where a feed is"),
        pytest.param(b"a\rb\r", 2, "\r", id="returns alone"),
        pytest.param(b"a\x0cb\x0bc\xe2\x80\xa8d\xc2\x85", 1, "\n", id="nothing else ends a line"),
        pytest.param(b"\xff\xfe\x0a\x00\x0a", 2, "\n", id="binary still has a number"),
    ],
)
def test_line_counts(data: bytes, line_count: int, newline: str) -> None:
    """SPEC 3.1."""
    index = index_of(data)
    assert (index.line_count, index.newline) == (line_count, newline)


def _read_counted(data: bytes, reads: list[int]) -> ChunkReader:
    reader = reader_of(data)

    def read(number: int) -> bytes:
        reads.append(number)
        return reader(number)

    return read


def test_a_chunk_that_changed_after_indexing_is_never_served() -> None:
    """SPEC 2, one version at a time."""
    data = b"0123456789abcde\n" * (3 * CHUNK_BYTES // 16)
    index = index_of(data)
    moved = bytearray(data)
    moved[2 * CHUNK_BYTES + 5] ^= 1
    pieces = index.chunks_from_line(1, reader_of(bytes(moved)))
    assert [next(pieces), next(pieces)] == [data[:CHUNK_BYTES], data[CHUNK_BYTES : 2 * CHUNK_BYTES]]
    with pytest.raises(VersionMoved):
        next(pieces)


@pytest.mark.parametrize(
    "now",
    [
        pytest.param(b"", id="emptied"),
        pytest.param(b"a\nb", id="cut"),
        pytest.param(b"a\nb\nc", id="grown"),
        pytest.param(b"a\nB\n", id="overwritten"),
    ],
)
def test_a_file_that_became_another_one_moves_the_version(now: bytes) -> None:
    """SPEC 2, one version at a time."""
    index = index_of(b"a\nb\n")
    with pytest.raises(VersionMoved):
        list(index.chunks_from_line(2, reader_of(now)))


def test_a_chunk_that_was_never_indexed_moves_the_version() -> None:
    """`LineIndex.chunk`."""
    index: LineIndex = index_of(b"a\n")
    with pytest.raises(VersionMoved):
        index.chunk(1, reader_of(b"a\n"))


def test_finding_a_line_reads_its_chunk_twice_at_most_and_none_before_it() -> None:
    """SPEC 3.1: O(page), not O(offset)."""
    data = b"0123456789abcde\n" * (4 * CHUNK_BYTES // 16)
    reads: list[int] = []
    next(index_of(data).chunks_from_line(3 * CHUNK_BYTES // 16 + 10, _read_counted(data, reads)))
    assert reads == [3, 3]


@given(body=BODIES, newline=NEWLINES)
def test_split_lines_joined_are_the_data(body: bytes, newline: bytes) -> None:
    """The law of `split_lines`."""
    lines = split_lines(body, newline)
    assert b"".join(lines) == body
    assert all(line.count(newline) == 1 for line in lines[:-1])
    assert all(line.find(newline) in {-1, len(line) - 1} and line for line in lines)


@given(body=BODIES, newline=NEWLINES, looked_up=st.booleans())
@example(body=b"", newline=b"\n", looked_up=True)
def test_the_lines_of_a_body_agree_with_its_split(body: bytes, newline: bytes, *, looked_up: bool) -> None:
    """`Lines`, before and after its starts are known."""
    lines, split = Lines(body, newline), split_lines(body, newline)
    if looked_up:
        lines.starts()
    assert lines.count == len(split)
    assert lines.all == (LineRange(1, len(split)) if split else None)
    at = 0
    for number, line in enumerate(split, 1):
        for position in (at, at + len(line) - 1):
            assert lines.number_at(position) == number
            assert (lines.start_at(position), lines.end_at(position)) == (at, at + len(line))
        assert lines.offset(number) == at
        assert lines.slice(LineRange(number, number)) == line
        at += len(line)
    assert lines.offset(len(split) + 1) == lines.offset(len(split) + 9) == len(body)


@pytest.mark.parametrize(
    ("start", "end", "lines"),
    [
        pytest.param(0, 2, LineRange(1, 1), id="a line with its break"),
        pytest.param(0, 3, LineRange(1, 2), id="a byte into the next"),
        pytest.param(1, 1, LineRange(1, 1), id="no bytes: the line there"),
        pytest.param(2, 2, LineRange(2, 2), id="no bytes at a line's start"),
        pytest.param(1, 6, LineRange(1, 3), id="from middle to end"),
    ],
)
def test_bytes_stand_in_lines(start: int, end: int, lines: LineRange) -> None:
    """`Lines.ranges_of`."""
    assert Lines(b"a\nb\nc\n", b"\n").ranges_of(start, end) == lines


def test_a_place_past_the_final_line_break_is_on_a_line_of_its_own() -> None:
    """`Lines.number_at`: at the very end, that of a line after it."""
    assert Lines(b"a\n", b"\n").number_at(2) == 2
    assert Lines(b"a\n", b"\n").starts() == [0, 2]
