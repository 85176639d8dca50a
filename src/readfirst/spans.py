"""The words every floor shares for places in a file.

Rule: lines and columns are 1-based and inclusive, bytes are 0-based and half-open, and a name says which.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True, slots=True, order=True)
class LineRange:
    """Lines `first` to `last`, both included, 1-based. Never empty."""

    first: int
    last: int

    def __post_init__(self) -> None:
        if not 1 <= self.first <= self.last:
            message = f"no such lines: {self.first}-{self.last}"
            raise ValueError(message)

    @property
    def count(self) -> int:
        return self.last - self.first + 1

    def __str__(self) -> str:
        return f"{self.first}" if self.first == self.last else f"{self.first}-{self.last}"


@dataclass(frozen=True, slots=True, order=True)
class LinePart:
    """The characters of one line at the columns `first` to `last`, both included, 1-based. Never empty.

    `ends`: the last of them is the last of the line, its line break aside.
    """

    line: int
    first: int
    last: int
    ends: bool = False

    def __post_init__(self) -> None:
        if not (self.line >= 1 and 1 <= self.first <= self.last):
            message = f"no such part of line {self.line}: {self.first}-{self.last}"
            raise ValueError(message)

    @property
    def is_whole(self) -> bool:
        return self.first == 1 and self.ends


@dataclass(frozen=True, slots=True, order=True)
class LineChange:
    """At line `first` of the old text, `removed` lines go and `added` lines come. Either may be 0.

    `sent`: the caller sent the added lines whole; else part of them is the file's own text.
    """

    first: int
    removed: int
    added: int
    sent: bool = True


@dataclass(frozen=True, slots=True, order=True)
class Splice:
    """The bytes `start` to `end` (not included) become `new`."""

    start: int
    end: int
    new: bytes


class Identity(NamedTuple):
    """What a filesystem calls one file, whatever its names: the device and the inode."""

    device: int
    inode: int


def range_of(first: int, count: int) -> LineRange | None:
    """Give `count` lines from line `first`, or None when there are none."""
    return LineRange(first, first + count - 1) if count > 0 else None


def merged(ranges: Iterable[LineRange]) -> tuple[LineRange, ...]:
    """Join touching ranges; they are sorted."""
    joined: list[LineRange] = []
    for lines in ranges:
        if joined and lines.first <= joined[-1].last + 1:
            joined[-1] = LineRange(joined[-1].first, max(joined[-1].last, lines.last))
        else:
            joined.append(lines)
    return tuple(joined)


def spliced(data: bytes, splices: tuple[Splice, ...]) -> bytes:
    """Give `data` with the splices done; they are sorted and do not overlap."""
    pieces: list[bytes] = []
    at = 0
    for splice in splices:
        pieces += (data[at : splice.start], splice.new)
        at = splice.end
    pieces.append(data[at:])
    return b"".join(pieces)
