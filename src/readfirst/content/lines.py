r"""Where the lines of a file are: an index built in one streaming pass, and the lines of a body in memory.

Only `\n`, `\r\n` and, in a file that has no `\n`, `\r` end a line. A final line break adds no line.

The index keeps two numbers per chunk of 128 KiB: how many lines end before it, and its digest. So a page costs the
chunks it stands in, memory is bounded whatever the file's size, and a chunk read later proves by its own bytes that it
belongs to the version that was indexed. That is why a page and its version are one, though they need two looks.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from readfirst.content.digest import Digest, Hasher, chunk_digest
from readfirst.content.encodings import Detector, Encoding
from readfirst.spans import LineRange

CHUNK_BYTES: Final = 128 * 1024
"""Bytes of a chunk: a multiple of every character width, so that no wide line break is split."""

ChunkReader = Callable[[int], bytes]
"""Gives chunk i of the file: its bytes from i * CHUNK_BYTES, as many as there are up to CHUNK_BYTES."""


class VersionMoved(Exception):
    """A chunk read for a page is not the chunk that was indexed: somebody wrote in between."""


@dataclass(frozen=True, slots=True)
class LineIndex:
    """One version of a file: its digest, its encoding (None: not text) and where its lines are."""

    size: int
    digest: Digest
    encoding: Encoding | None
    newline: str
    line_count: int
    breaks_before: array[int]
    chunk_digests: array[int]

    def chunk(self, number: int, read: ChunkReader) -> bytes:
        """Read a chunk and prove that it belongs to this version.

        Raises:
            VersionMoved: it does not.
        """
        chunk = read(number)
        if number >= len(self.chunk_digests) or chunk_digest(chunk) != self.chunk_digests[number]:
            raise VersionMoved
        return chunk

    def chunks_from_line(self, line: int, read: ChunkReader) -> Iterator[bytes]:
        """Give the file's bytes from the start of a line (1 to `line_count`), piece by piece, each proven."""
        assert self.encoding is not None  # noqa: S101 - a file that is not text has no lines
        number, skip = self._start_of(line, read)
        yield self.chunk(number, read)[skip:]
        for following in range(number + 1, len(self.chunk_digests)):
            yield self.chunk(following, read)

    def _start_of(self, line: int, read: ChunkReader) -> tuple[int, int]:
        assert self.encoding is not None  # noqa: S101
        if line == 1:
            return 0, len(self.encoding.bom)
        number = bisect_left(self.breaks_before, line - 1) - 1
        chunk = self.chunk(number, read)
        mark = self.newline.encode(self.encoding.name)
        return number, _after_mark(chunk, mark, line - 1 - self.breaks_before[number])


def _after_mark(chunk: bytes, mark: bytes, nth: int) -> int:
    """Give the offset just past the nth mark (1-based) that stands at a multiple of its own width."""
    at = 0
    while True:
        at = chunk.index(mark, at)
        if at % len(mark):
            at += 1
            continue
        at += len(mark)
        nth -= 1
        if nth == 0:
            return at


class Indexer:
    """Builds a `LineIndex` from the chunks of a file, fed in order; all but the last are CHUNK_BYTES long."""

    def __init__(self, fallback: str = "") -> None:
        self._hasher = Hasher()
        self._detector = Detector(fallback)
        self._digests = array("Q")
        self._feeds = _Marks("\n")
        self._returns: _Marks | None = _Marks("\r")
        self._size = 0

    def feed(self, chunk: bytes) -> None:
        first = not self._digests
        self._hasher.update(chunk)
        self._detector.feed(chunk)
        self._digests.append(chunk_digest(chunk))
        encoding = self._detector.marked if first else self._feeds.encoding
        self._feeds.feed(chunk, encoding)
        if self._returns is not None:
            self._returns.feed(chunk, encoding)
            if self._feeds.total:
                # There is a line feed, so a lone carriage return is data; its places are not needed any more.
                self._returns = None
        self._size += len(chunk)

    def index(self) -> LineIndex:
        encoding = self._detector.encoding()
        marks = self._returns if self._returns is not None and self._returns.total else self._feeds
        bom = len(encoding.bom) if encoding is not None else 0
        unfinished = self._size > bom and not marks.at_end
        return LineIndex(
            size=self._size,
            digest=Digest(self._hasher.digest()),
            encoding=encoding,
            newline=marks.mark,
            line_count=marks.total + unfinished,
            breaks_before=marks.before,
            chunk_digests=self._digests,
        )


class _Marks:
    """Counts one line-break character chunk by chunk."""

    def __init__(self, mark: str) -> None:
        self.mark = mark
        self.before = array("Q")
        self.total = 0
        self.at_end = False
        self.encoding: Encoding | None = None

    def feed(self, chunk: bytes, encoding: Encoding | None) -> None:
        self.encoding = encoding
        self.before.append(self.total)
        if encoding is None or encoding.unit == 1:
            mark = self.mark.encode()
            self.total += chunk.count(mark)
        else:
            mark = self.mark.encode(encoding.name)
            self.total += chunk.decode(encoding.name, "replace").count(self.mark)
        self.at_end = chunk.endswith(mark)


def index_of(data: bytes, fallback: str = "") -> LineIndex:
    """Index a file that is in memory."""
    indexer = Indexer(fallback)
    for start in range(0, max(len(data), 1), CHUNK_BYTES):
        indexer.feed(data[start : start + CHUNK_BYTES])
    return indexer.index()


def reader_of(data: bytes) -> ChunkReader:
    return lambda number: data[number * CHUNK_BYTES : (number + 1) * CHUNK_BYTES]


class Lines:
    """The lines of a body in memory, found when asked for."""

    __slots__ = ("_starts", "body", "newline")

    def __init__(self, body: bytes, newline: bytes) -> None:
        self.body = body
        self.newline = newline
        self._starts: list[int] | None = None

    @property
    def count(self) -> int:
        return self.body.count(self.newline) + (bool(self.body) and not self.body.endswith(self.newline))

    @property
    def all(self) -> LineRange | None:
        count = self.count
        return LineRange(1, count) if count else None

    def number_at(self, position: int) -> int:
        """Give the number of the line that holds the byte at `position`; at the very end, that of a line after it."""
        if self._starts is not None:
            return bisect_right(self._starts, position)
        return self.body.count(self.newline, 0, position) + 1

    def start_at(self, position: int) -> int:
        """Give the offset at which the line that holds `position` starts."""
        return self.body.rfind(self.newline, 0, position) + 1

    def end_at(self, position: int) -> int:
        """Give the offset just past the line that holds `position`, its line break included."""
        at = self.body.find(self.newline, position)
        return len(self.body) if at < 0 else at + 1

    def text_at(self, start: int) -> bytes:
        """Give the line that starts at an offset, without its line break."""
        at = self.body.find(self.newline, start)
        if at < 0:
            return self.body[start:]
        line = self.body[start:at]
        return line.removesuffix(b"\r") if self.newline == b"\n" else line

    def starts(self) -> list[int]:
        """Give the offset of every line, and that of the end after a final line break. Worth it for many look-ups."""
        if self._starts is None:
            starts = [0]
            at = self.body.find(self.newline) + 1
            while at:
                starts.append(at)
                at = self.body.find(self.newline, at) + 1
            self._starts = starts
        return self._starts

    def offset(self, line: int) -> int:
        """Give the offset at which a line (1-based) starts; past the last line, the end of the body."""
        starts = self.starts()
        return starts[line - 1] if line <= len(starts) else len(self.body)

    def slice(self, lines: LineRange) -> bytes:
        """Give whole lines with their line breaks."""
        return self.body[self.offset(lines.first) : self.offset(lines.last + 1)]

    def ranges_of(self, start: int, end: int) -> LineRange:
        """Give the lines in which the bytes `start` to `end` (not included) stand; for no bytes, the line there."""
        first = self.number_at(start)
        last = first + self.body.count(self.newline, start, max(start, end - 1))
        return LineRange(first, last)


def split_lines(data: bytes, newline: bytes) -> list[bytes]:
    """Split into lines that keep their line breaks; law: joined they are the data."""
    pieces = data.split(newline)
    lines = [piece + newline for piece in pieces[:-1]]
    if pieces[-1]:
        lines.append(pieces[-1])
    return lines
