r"""What a session has been shown of a file, reckoned character by character and without the ledger's code.

A `Sight` is one version of a file and, for each character of its text (`\n` as the only line break, no byte order
mark), whether a reply showed it or the session sent it. A line is known when all its characters are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_UNFINISHED = "\\ No newline at end of file"


class Row(NamedTuple):
    """Text that a reply shows of a line, from a column (1-based) on."""

    line: int
    text: str
    column: int = 1


def text_of(data: bytes) -> str:
    return data.decode().removeprefix("\ufeff").replace("\r\n", "\n")


def split(text: str) -> list[str]:
    """Split into lines that keep their breaks."""
    *lines, last = text.split("\n")
    return [f"{line}\n" for line in lines] + ([last] if last else [])


def spans_of(text: str) -> list[tuple[int, int]]:
    """Give where each line starts and ends, its break left out."""
    spans: list[tuple[int, int]] = []
    at = 0
    for line in split(text):
        spans.append((at, at + len(line.removesuffix("\n"))))
        at += len(line)
    return spans


@dataclass(frozen=True)
class Sight:
    """One version and, for each character of its text, whether the session knows it."""

    version: bytes
    seen: tuple[bool, ...]

    @classmethod
    def none_of(cls, version: bytes) -> Sight:
        return cls(version, (False,) * len(text_of(version)))

    @classmethod
    def all_of(cls, version: bytes) -> Sight:
        return cls(version, (True,) * len(text_of(version)))

    @property
    def text(self) -> str:
        return text_of(self.version)

    @property
    def known(self) -> frozenset[int]:
        """The lines of which every character is known; an empty one stands for its break."""
        spans = enumerate(spans_of(self.text), 1)
        return frozenset(number for number, (start, end) in spans if all(self.seen[start : max(end, start + 1)]))

    @property
    def whole(self) -> bool:
        return len(self.known) == len(spans_of(self.text))

    def showing(self, rows: Iterable[Row]) -> Sight:
        """Add what a reply shows; it must be what stands there."""
        seen, spans = list(self.seen), spans_of(self.text)
        for row in rows:
            start, end = spans[row.line - 1]
            first = start + row.column - 1
            assert self.text[first:end].startswith(row.text), (
                f"line {row.line} of {self.text!r} was shown as {row.text!r}"
            )
            seen[first : first + len(row.text)] = [True] * len(row.text)
            if first + len(row.text) == end < len(seen):
                seen[end] = True
        return Sight(self.version, tuple(seen))

    def quoting(self, spans: Iterable[tuple[int, int]]) -> Sight:
        """Add text that the session sent, and that stands there exactly."""
        seen = list(self.seen)
        for start, end in spans:
            seen[start:end] = [True] * (end - start)
        return Sight(self.version, tuple(seen))


def numbered(text: str) -> list[Row]:
    """Parse lines that were shown with their numbers."""
    rows: list[Row] = []
    for row in text.split("\n") if text else ():
        number, tab, line = row.partition("\t")
        assert tab, row
        rows.append(Row(int(number), line))
    return rows


def plain(text: str, first: int) -> list[Row]:
    """Parse lines that were shown as they are, from a line on."""
    lines = text.replace("\r\n", "\n").removesuffix("\n").split("\n") if text else []
    return [Row(number, line) for number, line in enumerate(lines, first)]


class _Shown(NamedTuple):
    mark: str
    text: str
    old: int
    new: int


def _rows(diff: str) -> Iterator[_Shown]:
    """Give the rows of a diff with the numbers that the next line has in both texts, breaks kept."""
    old = new = 0
    lines = diff.split("\n")[2:]
    for at, line in enumerate(lines):
        if hunk := _HUNK.fullmatch(line):
            old = int(hunk[1]) + (hunk[2] == "0")
            new = int(hunk[3]) + (hunk[4] == "0")
            continue
        if line[:1] in {"\\", ""}:
            continue
        text = line[1:] + ("" if lines[at + 1 : at + 2] == [_UNFINISHED] else "\n")
        yield _Shown(line[0], text.removeprefix("\ufeff"), old, new)
        old += line[0] != "+"
        new += line[0] != "-"


def _bare(text: str) -> str:
    return text.removesuffix("\n").removesuffix("\r")


def before_rows(diff: str) -> list[Row]:
    return [Row(row.old, _bare(row.text)) for row in _rows(diff) if row.mark != "+"]


def after_rows(diff: str) -> list[Row]:
    return [Row(row.new, _bare(row.text)) for row in _rows(diff) if row.mark != "-"]


def patched(before: bytes, diff: str) -> bytes | None:
    """Apply a diff; None: it does not fit. A byte order mark stays: of a file that holds nothing else no row tells."""
    text = before.decode()
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    source = split(text.removeprefix(mark))
    out: list[str] = []
    at = 0
    for row in _rows(diff):
        if row.mark == "+":
            out += source[at : row.old - 1]
            at = max(at, row.old - 1)
        else:
            out += source[at : row.old - 1]
            at = row.old
            if source[row.old - 1 : row.old] != [row.text]:
                return None
        if row.mark != "-":
            out.append(row.text)
    return "".join([mark, *out, *source[at:]]).encode()
