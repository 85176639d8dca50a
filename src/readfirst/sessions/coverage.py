"""The lines of one version of a file that a session has been shown.

Laws: union is the union of the sets; after an edit every untouched line keeps its state under its new number, and a
written line is seen if the session sent all of it, or had seen the lines it comes from.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from readfirst.spans import LineChange, LineRange, merged


@dataclass(frozen=True, slots=True)
class Coverage:
    """A set of lines as sorted ranges that neither meet nor touch."""

    ranges: tuple[LineRange, ...] = ()

    @classmethod
    def of(cls, ranges: Iterable[LineRange | None]) -> Coverage:
        return cls(merged(sorted(one for one in ranges if one is not None)))

    def union(self, other: Coverage) -> Coverage:
        return Coverage.of((*self.ranges, *other.ranges))

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

    def after(self, changes: Iterable[LineChange]) -> Coverage:
        """Shift by an own edit; `changes` are sorted, in line numbers of the old text."""
        kept: list[LineRange | None] = []
        at, shift = 1, 0
        for change in changes:
            kept += self._moved(at, change.first - 1, shift)
            known = change.sent or (change.removed > 0 and not self.missing(_removed(change)))
            if change.added and known:
                kept.append(LineRange(change.first + shift, change.first + shift + change.added - 1))
            at = change.first + change.removed
            shift += change.added - change.removed
        kept += self._moved(at, None, shift)
        return Coverage.of(kept)

    def _moved(self, first: int, last: int | None, shift: int) -> list[LineRange | None]:
        moved: list[LineRange | None] = []
        for lines in self.ranges:
            start = max(lines.first, first)
            end = lines.last if last is None else min(lines.last, last)
            if start <= end:
                moved.append(LineRange(start + shift, end + shift))
        return moved

    @property
    def count(self) -> int:
        return sum(lines.count for lines in self.ranges)


def _removed(change: LineChange) -> LineRange:
    return LineRange(change.first, change.first + change.removed - 1)
