"""The lines of one version of a file that a session has been shown.

Laws: union is the union of the sets; after an edit every untouched line keeps its state under its new number, and a
written line is seen if the session sent all of it, or had seen the lines it comes from. A line shown in parts is seen
when they cover it from its first character to its end.
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Final

from readfirst.spans import LineChange, LinePart, LineRange, merged

_FIRST: Final = attrgetter("first")
_MOST_PARTS: Final = 256
"""Parts kept of one version. One that is dropped costs a read, never a change."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """A set of lines as sorted ranges, and parts of other lines as sorted parts; neither meet nor touch."""

    ranges: tuple[LineRange, ...] = ()
    parts: tuple[LinePart, ...] = ()

    @classmethod
    def of(cls, ranges: Iterable[LineRange | None], parts: Iterable[LinePart] = ()) -> Coverage:
        joined = _joined(sorted(parts))
        if not joined:
            return cls(merged(sorted((one for one in ranges if one is not None), key=_FIRST)))
        whole = (LineRange(part.line, part.line) for part in joined if part.is_whole)
        lines = merged(sorted((*(one for one in ranges if one is not None), *whole)))
        return cls(lines, tuple(part for part in joined if not _holds(lines, part.line)))

    def union(self, other: Coverage) -> Coverage:
        """Give what is in either; of too many parts those of the lines that `other` speaks of stay first."""
        if not other.parts and not any(self.missing(lines) for lines in other.ranges):
            return self
        both = Coverage.of((*self.ranges, *other.ranges), (*self.parts, *other.parts))
        if len(both.parts) <= _MOST_PARTS:
            return both
        # Of one line those at its start stay first: whoever reads on where they end makes progress.
        recent = {part.line for part in other.parts}
        kept = sorted(both.parts, key=lambda part: part.line not in recent)[:_MOST_PARTS]
        return Coverage(both.ranges, tuple(sorted(kept)))

    def missing(self, wanted: LineRange) -> tuple[LineRange, ...]:
        """Give the lines of `wanted` that are not in the set."""
        gaps: list[LineRange] = []
        at = wanted.first
        for lines in self.ranges:
            if lines.last < at:
                continue
            if lines.first > wanted.last:
                break
            if lines.first > at:
                gaps.append(LineRange(at, lines.first - 1))
            at = lines.last + 1
        if at <= wanted.last:
            gaps.append(LineRange(at, wanted.last))
        return tuple(gaps)

    def next_column(self, line: int) -> int:
        """Give the first column of an unseen line that was not shown."""
        start = next((part for part in self.parts if part.line == line and part.first == 1), None)
        return 1 if start is None else start.last + 1

    def after(self, changes: Iterable[LineChange]) -> Coverage:
        """Shift by an own edit; `changes` are sorted, in line numbers of the old text."""
        ranges: list[LineRange] = []
        parts: list[LinePart] = []
        at, shift = 1, 0
        for change in changes:
            ranges += self._moved_ranges(at, change.first - 1, shift)
            parts += self._moved_parts(at, change.first - 1, shift) if self.parts else ()
            known = change.sent or (change.removed > 0 and not self.missing(_removed(change)))
            if change.added and known:
                ranges.append(LineRange(change.first + shift, change.first + shift + change.added - 1))
            at = change.first + change.removed
            shift += change.added - change.removed
        ranges += self._moved_ranges(at, sys.maxsize, shift)
        parts += self._moved_parts(at, sys.maxsize, shift) if self.parts else ()
        # The ranges are in order here, so that nothing has to be sorted.
        return Coverage.of(ranges, parts) if parts else Coverage(merged(ranges))

    def _moved_ranges(self, first: int, last: int, shift: int) -> list[LineRange]:
        moved: list[LineRange] = []
        for lines in self.ranges:
            start, end = max(lines.first, first), min(lines.last, last)
            if start <= end:
                moved.append(LineRange(start + shift, end + shift))
        return moved

    def _moved_parts(self, first: int, last: int, shift: int) -> list[LinePart]:
        return [replace(part, line=part.line + shift) for part in self.parts if first <= part.line <= last]

    @property
    def count(self) -> int:
        return sum(lines.count for lines in self.ranges)


def _joined(parts: Iterable[LinePart]) -> list[LinePart]:
    """Join touching parts of one line; they are sorted."""
    joined: list[LinePart] = []
    for part in parts:
        before = joined[-1] if joined else None
        if before is not None and part.line == before.line and part.first <= before.last + 1:
            last, ends = max((before.last, before.ends), (part.last, part.ends))
            joined[-1] = LinePart(part.line, before.first, last, ends)
        else:
            joined.append(part)
    return joined


def _holds(ranges: tuple[LineRange, ...], line: int) -> bool:
    at = bisect_right(ranges, line, key=attrgetter("first"))
    return at > 0 and line <= ranges[at - 1].last


def _removed(change: LineChange) -> LineRange:
    return LineRange(change.first, change.first + change.removed - 1)
