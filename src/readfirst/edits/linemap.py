r"""Line-mapped writing: which bytes change when old lines become new ones.

Lines that are equal in the old and the new text keep the file's own bytes; only lines the caller changed are written. A
changed line keeps the ending of the line it replaces, a new line takes its neighbour's.

The texts are seen as lines and the breaks between them, so "a\n" is two lines, the second one empty. That way a
last line without a break is equal to the same line with one.

(A room beside `plan`: how a place is written is a story of its own, the same for every rung.)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from readfirst.content.align import Block, blocks
from readfirst.content.codec import Document
from readfirst.edits.match import Place
from readfirst.spans import Splice

_MAX_PAIRED: Final = 2_500
"""Changed blocks of mixed line endings are paired by likeness up to this product of their lengths."""

WriteLine = Callable[[bytes, bool], bytes]
"""Turns a changed line of the new text, and whether it is the first, into the bytes to write."""


@dataclass(frozen=True, slots=True)
class Rewrite:
    """The splices that turn the old text into the new at one place; there are none where the file holds it already."""

    splices: tuple[Splice, ...]

    @property
    def core(self) -> tuple[int, int]:
        return self.splices[0].start, self.splices[-1].end


def as_it_is(line: bytes, _first: bool) -> bytes:
    return line


def rewrite(
    document: Document, place: Place, old: bytes, new: bytes, as_sent: bytes, write: WriteLine = as_it_is
) -> Rewrite:
    r"""Map the new lines onto the file's lines at the place where the old text was found.

    `old` and `new` have `\n` as their only line break and differ; `as_sent` is the line break the caller used, for a
    file that has none to follow.
    """
    if b"\n" not in old and b"\n" not in new and write is as_it_is:
        changes = document.body[place.start : place.end] != new
        return Rewrite((Splice(place.start, place.end, new),) if changes else ())
    if place.at_end:
        old, new = old[:-1], new.removesuffix(b"\n")
    old_lines, new_lines = old.split(b"\n"), new.split(b"\n")
    written = _Written(document, place, as_sent)
    splices: list[Splice] = []
    for block in blocks(old_lines, new_lines):
        lines = [write(line, block.j1 + at == 0) for at, line in enumerate(new_lines[block.j1 : block.j2])]
        splice = written.splice(block, lines)
        if splices and splices[-1].end == splice.start:
            # Around a line that is empty and last, two insertions meet at one point: their order must not be lost.
            before = splices.pop()
            splice = Splice(before.start, splice.end, before.new + splice.new)
        if document.body[splice.start : splice.end] != splice.new:
            splices.append(splice)
    return Rewrite(tuple(splices))


class _Written:
    """The file's lines at a place, and what is written between and instead of them."""

    def __init__(self, document: Document, place: Place, as_sent: bytes) -> None:
        self._document = document
        self._starts, self._ends, breaks = _lines_at(document, place)
        self._place = place
        self._breaks = [*breaks, _break_after(document, place.end)]
        self._as_sent = as_sent

    def splice(self, block: Block, lines: list[bytes]) -> Splice:
        """Put lines in place of those of a block, with the breaks that belong to them."""
        i1, i2, count = block.i1, block.i2, len(self._starts)
        if lines and i1 < i2:
            *breaks, last = self._breaks_for(block, lines)
            if i2 < count and last != self._breaks[i2 - 1]:
                return Splice(self._starts[i1], self._starts[i2], _joined(lines, [*breaks, last]))
            return Splice(self._starts[i1], self._ends[i2 - 1], _joined(lines, [*breaks, b""]))
        if lines and i1 < count:
            return Splice(
                self._starts[i1], self._starts[i1], _joined(lines, [self._break(max(i1 - 1, 0))] * len(lines))
            )
        if lines:
            end, newline = self._ends[-1], self._break(count - 1)
            return Splice(end, end, newline + newline.join(lines))
        if i2 < count:
            return Splice(self._starts[i1], self._starts[i2], b"")
        return Splice(self._ends[i1 - 1], self._ends[i2 - 1], b"")

    def _breaks_for(self, block: Block, lines: list[bytes]) -> list[bytes]:
        """Give each line that replaces others the break of the one it replaces."""
        own = [self._break(line) for line in range(block.i1, block.i2)]
        before = self._break(max(block.i1 - 1, 0))
        if {*own, before} == {before} or len(lines) == len(own) or len(lines) * len(own) > _MAX_PAIRED:
            return [own[min(at, len(own) - 1)] for at in range(len(lines))]
        body = self._document.body
        old = [body[self._starts[line] : self._ends[line]] for line in range(block.i1, block.i2)]
        return [before if at is None else own[at] for at in replaced_by(old, lines)]

    def _break(self, line: int) -> bytes:
        """Give the break that ends a line of the place, also when it lies just past it; else the nearest one."""
        nearest = next((known for known in (self._breaks[line], *reversed(self._breaks)) if known), b"")
        return nearest or _break_before(self._document, self._place.start) or self._as_sent


def replaced_by(old: list[bytes], new: list[bytes]) -> list[int | None]:
    """Give for each new line the old line that it replaces, in order and as alike as can be.

    One that replaces none goes with the line before it; None: that is the line before all of these.
    """
    # Deferred: rapidfuzz takes 10 ms to import, and this is for files of mixed line endings only.
    from rapidfuzz import fuzz  # noqa: PLC0415

    best = [[0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i, mine in enumerate(old, 1):
        for j, line in enumerate(new, 1):
            alike = best[i - 1][j - 1] + 1 + round(fuzz.ratio(mine, line))
            best[i][j] = max(best[i - 1][j], best[i][j - 1], alike)
    pairs: dict[int, int] = {}
    i, j = len(old), len(new)
    while i and j:
        if best[i][j] == best[i][j - 1]:
            j -= 1
        elif best[i][j] == best[i - 1][j]:
            i -= 1
        else:
            i, j = i - 1, j - 1
            pairs[j] = i
    replaced: list[int | None] = []
    for j in range(len(new)):
        replaced.append(pairs.get(j, replaced[-1] if replaced else None))
    return replaced


def _joined(lines: list[bytes], breaks: list[bytes]) -> bytes:
    return b"".join(line + newline for line, newline in zip(lines, breaks, strict=True))


def _break_after(document: Document, position: int) -> bytes:
    at = document.body.find(document.newline, position)
    return document.body[_break_start(document.body, at, document.newline) : at + 1] if at >= 0 else b""


def _break_before(document: Document, position: int) -> bytes:
    at = document.body.rfind(document.newline, 0, position)
    return document.body[_break_start(document.body, at, document.newline) : at + 1] if at >= 0 else b""


def _lines_at(document: Document, place: Place) -> tuple[list[int], list[int], list[bytes]]:
    """Give where each line at a place starts and ends, breaks left out, and the breaks between them."""
    body, newline = document.body, document.newline
    starts, ends, breaks = [place.start], list[int](), list[bytes]()
    at = body.find(newline, place.start, place.end)
    while at >= 0:
        end = max(_break_start(body, at, newline), starts[-1])
        ends.append(end)
        breaks.append(body[end : at + 1])
        starts.append(at + 1)
        at = body.find(newline, at + 1, place.end)
    return starts, [*ends, place.end], breaks


def _break_start(body: bytes, at: int, newline: bytes) -> int:
    return at - 1 if newline == b"\n" and at and body[at - 1 : at] == b"\r" else at
