r"""Line-mapped writing: which bytes change when old lines become new ones.

Lines that are equal in the old and the new text keep the file's own bytes; only lines the caller changed are written. A
changed line keeps the ending of the line it replaces, a new line takes its neighbour's.
"""

from __future__ import annotations

from dataclasses import dataclass

from readfirst.content.codec import Document
from readfirst.content.lines import split_lines
from readfirst.content.regions import blocks
from readfirst.edits.match import Place
from readfirst.spans import Splice


@dataclass(frozen=True, slots=True)
class Rewrite:
    """The splices that turn the old text into the new at one place; `core` is the span from the first to the last."""

    splices: tuple[Splice, ...]

    @property
    def core(self) -> tuple[int, int]:
        return self.splices[0].start, self.splices[-1].end


def rewrite(document: Document, place: Place, old: bytes, new: bytes, as_sent: bytes) -> Rewrite:
    r"""Map the new lines onto the file's lines at a place where the old text stands exactly.

    `old` and `new` have `\n` as their only line break and differ; `as_sent` is the line break the caller used, for a
    file that has none to follow.
    """
    if place.at_end:
        old, new = old[:-1], new.removesuffix(b"\n")
    old_lines, new_lines = split_lines(old, b"\n"), split_lines(new, b"\n")
    file_lines = split_lines(document.body[place.start : place.end], document.newline)
    offsets = [place.start]
    for line in file_lines:
        offsets.append(offsets[-1] + len(line))
    endings = _Endings(document, place, file_lines, as_sent)
    splices: list[Splice] = []
    for i1, i2, j1, j2 in blocks(old_lines, new_lines):
        written = [endings.give(line, i1 + at, i2) for at, line in enumerate(new_lines[j1:j2])]
        splices.append(Splice(offsets[i1], offsets[i2], b"".join(written)))
    return Rewrite(tuple(splices))


class _Endings:
    """Gives each written line its line break: that of the line it replaces, else that of the nearest line."""

    def __init__(self, document: Document, place: Place, file_lines: list[bytes], as_sent: bytes) -> None:
        self._document = document
        self._place = place
        self._own = [_ending(line, document.newline) for line in file_lines]
        self._as_sent = as_sent

    def give(self, line: bytes, replaces: int, replaced_end: int) -> bytes:
        """End a new line as line `replaces` of the place ends; from `replaced_end` on it replaces none."""
        if not line.endswith(b"\n"):
            return line
        own = self._own[replaces] if replaces < replaced_end else b""
        return line[:-1] + (own or self._nearest(min(replaces, replaced_end)))

    def _nearest(self, at: int) -> bytes:
        for ending in (*reversed(self._own[:at]), *self._own[at:]):
            if ending:
                return ending
        return self._around() or self._as_sent

    def _around(self) -> bytes:
        """Give the ending of the line in which the place ends, else of the line before it."""
        body, newline = self._document.body, self._document.newline
        at = body.find(newline, self._place.end)
        if at < 0:
            at = body.rfind(newline, 0, self._place.start)
        return _ending(body[max(at - 1, 0) : at + 1], newline) if at >= 0 else b""


def _ending(line: bytes, newline: bytes) -> bytes:
    if newline == b"\n" and line.endswith(b"\r\n"):
        return b"\r\n"
    return newline if line.endswith(newline) else b""
