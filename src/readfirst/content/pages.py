"""One page of a file: whole lines, capped, with the place where the next page starts.

Law: the pages of a file, read with the continuation each one gives, joined are the document. Nothing is ever cut from
the middle; only a line that alone exceeds the budget is cut, at the budget, and goes on at a column.

(ARCHITECTURE puts paging into `lines`; the index and the page grew into two stories, so they are two modules.)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from readfirst.content.codec import text_decoder
from readfirst.content.encodings import Encoding
from readfirst.content.lines import CHUNK_BYTES, ChunkReader, LineIndex
from readfirst.spans import LinePart, LineRange, range_of


@dataclass(frozen=True, slots=True)
class PageRequest:
    """Which lines to show: from `first` on, at most `limit` of them and `max_chars` characters as sent.

    `column` (1-based) is the character of the first line at which to start.
    """

    first: int
    limit: int
    max_chars: int
    column: int = 1
    numbered: bool = True


@dataclass(frozen=True, slots=True)
class Page:
    """What was shown. `whole` are the lines shown in full, `lines` those shown at least in part."""

    text: str
    lines: LineRange | None
    whole: LineRange | None
    next_line: int | None
    next_column: int
    """Column at which `next_line` goes on: 1 unless that line was cut."""
    first_column: int = 1
    """Column at which the first of the lines starts."""
    past_line_end: bool = False
    """The column asked for lies past the end of its line: nothing was shown."""
    part: LinePart | None = None
    """What was shown of the one of the lines that is not whole; only the first can be."""


def page_of(index: LineIndex, read: ChunkReader, request: PageRequest) -> Page:
    """Give one page; `request.first` is a line of the file, 1 to `line_count`.

    Raises:
        VersionMoved: the file is not the version that was indexed.
    """
    assert index.encoding is not None  # noqa: S101 - the caller refuses files that are not text
    reader = _TextReader(index.chunks_from_line(request.first, read), index.encoding, index.newline)
    if request.column > 1 and not reader.skip(request.column - 1):
        return Page("", None, None, request.first, 1, past_line_end=True)
    return _fill(reader, request, index.line_count)


def _fill(reader: _TextReader, request: PageRequest, line_count: int) -> Page:
    pieces: list[str] = []
    part: LinePart | None = None
    room = request.max_chars
    number = request.first
    end = min(line_count, request.first + request.limit - 1)
    while number <= end:
        column = request.column if number == request.first else 1
        prefix = f"{number}\t" if request.numbered else ""
        if pieces and request.numbered:
            prefix = f"\n{prefix}"
        text, ended = reader.line(max(room - len(prefix), 1))
        bare = reader.without_break(text) if ended else text
        if not ended or len(prefix) + len(bare) > room:
            if pieces:
                break
            shown = bare[: max(room - len(prefix), 1)]
            if not ended or shown != bare:
                return _cut(prefix + shown, number, column, len(shown))
        if column > 1:
            part = LinePart(number, column, column + len(bare) - 1, ends=True)
        if request.numbered:
            text = bare
        pieces.append(prefix + text)
        room -= len(prefix) + len(text)
        number += 1
    return _page(pieces, part, request, number, line_count)


def _cut(text: str, number: int, column: int, chars: int) -> Page:
    part = LinePart(number, column, column + chars - 1)
    return Page(text, LineRange(number, number), None, number, column + chars, column, part=part)


def _page(pieces: list[str], part: LinePart | None, request: PageRequest, after: int, line_count: int) -> Page:
    first_whole = request.first + (request.column > 1)
    return Page(
        text="".join(pieces),
        lines=range_of(request.first, after - request.first),
        whole=range_of(first_whole, after - first_whole),
        next_line=after if after <= line_count else None,
        next_column=1,
        first_column=request.column,
        part=part,
    )


class _TextReader:
    """Decodes chunks into lines, holding no more text than one line's budget and one chunk."""

    def __init__(self, chunks: Iterator[bytes], encoding: Encoding, newline: str) -> None:
        self._chunks = chunks
        self._decoder = text_decoder(encoding)
        self._newline = newline
        self._text = ""
        self._at = 0
        self._done = False

    def line(self, max_chars: int) -> tuple[str, bool]:
        """Give the next line with its line break, and whether its end was reached within about `max_chars`."""
        end = self._find_end(max_chars + 2)
        if end is None:
            return self._text[self._at : self._at + max_chars], False
        line = self._text[self._at : end]
        self._at = end
        return line, True

    def skip(self, chars: int) -> bool:
        """Pass over characters of the present line; False: it has no more than that many."""
        while True:
            step = min(chars, CHUNK_BYTES)
            # One more than the step: a line break of two characters may begin just there.
            end = self._find_end(step + 1)
            if end is not None:
                rest = len(self.without_break(self._text[self._at : end]))
                self._at += min(chars, rest)
                return chars < rest
            # No line break in hand, and more than `step` characters: the next one belongs to the line.
            self._at += step
            chars -= step
            if chars == 0:
                return True

    def _find_end(self, max_chars: int) -> int | None:
        """Give the offset just past the present line, reading on until it or more than `max_chars` are in hand."""
        searched = self._at
        while True:
            at = self._text.find(self._newline, searched)
            if at >= 0:
                return at + 1
            if self._done:
                return len(self._text)
            if len(self._text) - self._at > max_chars:
                return None
            searched = len(self._text) - self._at
            self._read_on()

    def without_break(self, line: str) -> str:
        bare = line.removesuffix(self._newline)
        # A carriage return belongs to the line break only where a line feed follows it.
        return bare.removesuffix("\r") if bare != line and self._newline == "\n" else bare

    def _read_on(self) -> None:
        chunk = next(self._chunks, None)
        self._done = chunk is None
        more = self._decoder.decode(chunk or b"", final=self._done)
        self._text = self._text[self._at :] + more
        self._at = 0
