"""Which lines differ between two bodies: from known splices, or by comparing two texts.

A region is the same whichever way it was found, so coverage, replies and diffs all speak of the same lines. Comparing
trims equal ends by bytes; what is left is aligned line by line in `align`.

(A room beside `diff`: coverage and replies need to know which lines changed, and no words.)
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from readfirst.content.align import blocks
from readfirst.content.lines import Lines, split_lines
from readfirst.spans import LineChange, LineRange, Splice, range_of


@dataclass(frozen=True, slots=True)
class Region:
    """`removed` lines from `old_line` on became `added` lines from `new_line` on (1-based).

    `old` and `new` are the byte spans of those whole lines in the two bodies.
    """

    old_line: int
    removed: int
    old: tuple[int, int]
    new_line: int
    added: int
    new: tuple[int, int]

    @property
    def change(self) -> LineChange:
        return LineChange(self.old_line, self.removed, self.added)

    def new_within(self, spans: Sequence[tuple[int, int]]) -> bool:
        """Tell whether the added lines, their last break aside, lie within one of these sorted spans of bytes."""
        start, end = self.new
        at = bisect_right(spans, (start, end)) if spans else 0
        around = spans[max(at - 1, 0) : at + 1]
        return any(first <= start and end - 1 <= last for first, last in around)

    @property
    def old_lines(self) -> LineRange | None:
        return range_of(self.old_line, self.removed)

    @property
    def new_lines(self) -> LineRange | None:
        return range_of(self.new_line, self.added)


def regions_of_splices(before: Lines, after: Lines, splices: Iterable[Splice]) -> tuple[Region, ...]:
    """Find the lines that sorted, disjoint splices of `before` changed into `after`."""
    if before.newline != after.newline:
        return regions_between(before, after)
    regions: list[Region] = []
    line = shift = 0
    counted = grown = 0
    for start, end, growth in _line_spans(before, splices):
        line += before.body.count(before.newline, counted, start)
        counted = start
        old = before.body[start:end]
        new_start = start + grown
        new = after.body[new_start : end + grown + growth]
        compared = _compared(old, new, before.newline, after.newline)
        regions += [_moved(region, line, start, line + shift, new_start) for region in compared]
        shift += len(split_lines(new, after.newline)) - len(split_lines(old, before.newline))
        grown += growth
    return tuple(regions)


def _line_spans(before: Lines, splices: Iterable[Splice]) -> Iterator[tuple[int, int, int]]:
    """Widen splices to whole lines and join those that touch: (start, end, bytes gained)."""
    current: tuple[int, int, int] | None = None
    for splice in splices:
        growth = len(splice.new) - (splice.end - splice.start)
        if current is not None and splice.end < current[1]:
            # On lines that take part already; a long line is not searched again for each of its splices.
            current = (current[0], current[1], current[2] + growth)
            continue
        start = before.start_at(splice.start)
        # A splice that ends at a line's start may still join what follows, so that line takes part.
        end = before.end_at(splice.end)
        if current is not None and (start < current[1] or start == len(before.body)):
            current = (current[0], end, current[2] + growth)
            continue
        if current is not None:
            yield current
        current = (start, end, growth)
    if current is not None:
        yield current


def regions_between(before: Lines, after: Lines) -> tuple[Region, ...]:
    """Find the lines in which two texts differ."""
    head = _common_head(before, after)
    tail = _common_tail(before, after, head)
    old = before.body[head : len(before.body) - tail]
    new = after.body[head : len(after.body) - tail]
    line = before.body.count(before.newline, 0, head)
    return tuple(
        _moved(region, line, head, line, head) for region in _compared(old, new, before.newline, after.newline)
    )


def _common_head(before: Lines, after: Lines) -> int:
    """Give the length of the equal start, cut back to whole lines that both texts end alike."""
    if before.newline != after.newline:
        return 0
    same = common_prefix(before.body, after.body)
    return before.body.rfind(before.newline, 0, same) + 1


def _common_tail(before: Lines, after: Lines, head: int) -> int:
    if before.newline != after.newline:
        return 0
    old, new = before.body[head:], after.body[head:]
    same = common_prefix(old[::-1], new[::-1])
    # The tail starts after a line break that belongs to it on neither side.
    start = len(old) - same
    whole_lines = _starts_line(old, start, before.newline) and _starts_line(new, len(new) - same, after.newline)
    if whole_lines:
        return same
    at = old.find(before.newline, start)
    return 0 if at < 0 else len(old) - at - 1


def _starts_line(body: bytes, at: int, newline: bytes) -> bool:
    return at == 0 or body[at - 1 : at] == newline


def common_prefix(a: bytes, b: bytes) -> int:
    """Give the number of equal bytes at the start, found by halving: each step compares at C speed."""
    low, high = 0, min(len(a), len(b))
    if a[:high] == b[:high]:
        return high
    while high - low > 1:
        middle = (low + high) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle
    return low


def _compared(old: bytes, new: bytes, old_newline: bytes, new_newline: bytes) -> Iterator[Region]:
    """Compare two runs of whole lines; places count from their start."""
    old_lines, new_lines = split_lines(old, old_newline), split_lines(new, new_newline)
    old_offsets, new_offsets = _offsets(old_lines), _offsets(new_lines)
    for i1, i2, j1, j2 in blocks(old_lines, new_lines):
        yield Region(
            i1 + 1, i2 - i1, (old_offsets[i1], old_offsets[i2]), j1 + 1, j2 - j1, (new_offsets[j1], new_offsets[j2])
        )


def _moved(region: Region, old_line: int, old_at: int, new_line: int, new_at: int) -> Region:
    return Region(
        region.old_line + old_line,
        region.removed,
        (region.old[0] + old_at, region.old[1] + old_at),
        region.new_line + new_line,
        region.added,
        (region.new[0] + new_at, region.new[1] + new_at),
    )


def _offsets(lines: Sequence[bytes]) -> list[int]:
    offsets = [0]
    for line in lines:
        offsets.append(offsets[-1] + len(line))
    return offsets
