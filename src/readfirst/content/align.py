"""Which items of two sequences differ, as blocks. Bounded: the time grows with the length, whatever differs.

Equal ends are trimmed. A small gap is aligned exactly (Indel distance, rapidfuzz). A large one is split at lines that
occur once on each side (patience diff, Bram Cohen); where there are none, the two are walked side by side, and after a
difference they meet again at the nearest run of equal lines. What does not meet within a window is one block.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

_EXACT_CELLS: Final = 4_000_000
"""Two runs of lines are aligned exactly up to this product of their lengths (0.5 MB of bit matrix)."""

_MAX_DEPTH: Final = 8
"""How often a gap is split by lines that occur once in it, before what is left counts as one region."""


_WINDOW: Final = 400
"""Lines within which two texts must meet again after a difference."""
_RUN: Final = 3
"""Equal lines that count as a meeting."""


class Block(NamedTuple):
    """Items i1 to i2 of one sequence became items j1 to j2 of another (half-open, 0-based)."""

    i1: int
    i2: int
    j1: int
    j2: int


def blocks(old: Sequence[bytes], new: Sequence[bytes]) -> list[Block]:
    """Give the blocks in which two sequences differ, in order; everything between them is equal."""
    found: list[Block] = []
    for block in _differences(old, new):
        if found and found[-1].i2 == block.i1 and found[-1].j2 == block.j1:
            found[-1] = Block(found[-1].i1, block.i2, found[-1].j1, block.j2)
        else:
            found.append(block)
    return found


def _differences(old: Sequence[bytes], new: Sequence[bytes]) -> Iterator[Block]:
    """Trim equal ends, then align what is left: exactly if small, else between lines that occur once in each."""
    pending = [(Block(0, len(old), 0, len(new)), 0)]
    while pending:
        whole, depth = pending.pop()
        gap = _trimmed(old, new, whole)
        removed, added = gap.i2 - gap.i1, gap.j2 - gap.j1
        if removed and added and removed * added <= _EXACT_CELLS:
            yield from _aligned(old, new, gap)
        elif removed and added:
            anchors = _anchors(old[gap.i1 : gap.i2], new[gap.j1 : gap.j2]) if depth < _MAX_DEPTH else []
            if anchors:
                pending += reversed([(part, depth + 1) for part in _between(anchors, gap)])
            else:
                yield from _side_by_side(old, new, gap)
        elif removed or added:
            yield gap


def _trimmed(old: Sequence[bytes], new: Sequence[bytes], block: Block) -> Block:
    i1, i2, j1, j2 = block
    while i1 < i2 and j1 < j2 and old[i1] == new[j1]:
        i1, j1 = i1 + 1, j1 + 1
    while i1 < i2 and j1 < j2 and old[i2 - 1] == new[j2 - 1]:
        i2, j2 = i2 - 1, j2 - 1
    return Block(i1, i2, j1, j2)


def _between(anchors: list[tuple[int, int]], gap: Block) -> Iterator[Block]:
    at_i, at_j = gap.i1, gap.j1
    for i, j in anchors:
        yield Block(at_i, gap.i1 + i, at_j, gap.j1 + j)
        at_i, at_j = gap.i1 + i + 1, gap.j1 + j + 1
    yield Block(at_i, gap.i2, at_j, gap.j2)


def _anchors(old: Sequence[bytes], new: Sequence[bytes]) -> list[tuple[int, int]]:
    """Give pairs of lines that occur once on each side, the longest run of them in the same order (patience)."""
    once_old = {line for line, times in Counter(old).items() if times == 1}
    once_new = {line for line, times in Counter(new).items() if times == 1}
    place = {line: j for j, line in enumerate(new) if line in once_new}
    pairs = [(i, place[line]) for i, line in enumerate(old) if line in once_old and line in place]
    tops: list[int] = []
    top_at: list[int] = []
    previous: list[int] = []
    for at, (_, j) in enumerate(pairs):
        pile = bisect_left(tops, j)
        previous.append(top_at[pile - 1] if pile else -1)
        if pile == len(tops):
            tops.append(j)
            top_at.append(at)
        else:
            tops[pile], top_at[pile] = j, at
    chain: list[tuple[int, int]] = []
    at = top_at[-1] if top_at else -1
    while at >= 0:
        chain.append(pairs[at])
        at = previous[at]
    return chain[::-1]


def _side_by_side(old: Sequence[bytes], new: Sequence[bytes], gap: Block) -> Iterator[Block]:
    i, i2, j, j2 = gap
    while i < i2 and j < j2:
        if old[i] == new[j]:
            i, j = i + 1, j + 1
            continue
        to_i, to_j = _meeting(old[i : min(i + _WINDOW, i2)], new[j : min(j + _WINDOW, j2)]) or (i2 - i, j2 - j)
        yield Block(i, i + to_i, j, j + to_j)
        i, j = i + to_i, j + to_j
    if i < i2 or j < j2:
        yield Block(i, i2, j, j2)


def _meeting(old: Sequence[bytes], new: Sequence[bytes]) -> tuple[int, int] | None:
    """Give the nearest places at which a run of lines is equal; None: there are none."""
    places: dict[tuple[bytes, ...], int] = {}
    for at in range(len(new) - _RUN + 1):
        places.setdefault(tuple(new[at : at + _RUN]), at)
    met = [
        (at + places[run], at, places[run])
        for at in range(len(old) - _RUN + 1)
        if (run := tuple(old[at : at + _RUN])) in places
    ]
    return min(met)[1:] if met else None


def _aligned(old: Sequence[bytes], new: Sequence[bytes], gap: Block) -> Iterator[Block]:
    # Deferred: rapidfuzz takes 10 ms to import, and most edits change one run of lines.
    from rapidfuzz.distance import Indel  # noqa: PLC0415

    i1, i2, j1, j2 = gap
    if i2 - i1 == 1 and j2 - j1 == 1:
        yield gap
        return
    numbers: dict[bytes, int] = {}
    old_ids = [numbers.setdefault(line, len(numbers)) for line in old[i1:i2]]
    new_ids = [numbers.setdefault(line, len(numbers)) for line in new[j1:j2]]
    for step in Indel.opcodes(old_ids, new_ids):
        if step.tag != "equal":
            yield Block(i1 + step.src_start, i1 + step.src_end, j1 + step.dest_start, j1 + step.dest_end)
