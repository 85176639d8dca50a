r"""What an edit makes of a text, reckoned without the edit engine: plain searches, and every outcome a call may have.

Each character of an outcome tells which one of the old text it is, or that the session sent it. So what is known of a
text can be followed through an edit, and back through its undo.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations, product

from readfirst import Edit
from tests.rigs.sight import Sight, spans_of, split, text_of

SENT = -1
_BLANKS = " \t"


@dataclass(frozen=True)
class Outcome:
    """A text that an edit may make; `origins` are the characters of the old text, or SENT.

    `quoted` are the spans of the old text that the call quoted exactly; `changed` its lines that a `replaceAll`, or an
    edit found with white space aside, touched.
    """

    text: str
    origins: tuple[int, ...]
    quoted: tuple[tuple[int, int], ...] = ()
    changed: frozenset[int] = frozenset()


def carried(proof: Sight, after: bytes, outcome: Outcome) -> Sight:
    """Give what is known after an edit: text that was known and is still there, and text that was sent."""
    assert text_of(after) == outcome.text
    before = proof.quoting(outcome.quoted)
    seen = [origin == SENT or before.seen[origin] for origin in outcome.origins]
    emptied = _emptied(proof.text, outcome.origins)
    for at, origin in enumerate(outcome.origins):
        if origin in emptied and outcome.text[at] == "\n":
            seen[at] = True
    return Sight(after, tuple(seen))


def _emptied(text: str, origins: Iterable[int]) -> set[int]:
    """Give the breaks of the old lines that lost all their characters: whoever quoted those knows what is left."""
    left = set(origins)
    return {end for start, end in spans_of(text) if start < end and not left.intersection(range(start, end))}


def places(text: str, old: str) -> list[tuple[int, int]]:
    """Find every place of a text; a break at its end may stand for the end of a file that has none."""
    found = [(at, at + len(old)) for at in range(len(text)) if text.startswith(old, at)]
    bare = old.removesuffix("\n")
    if bare and bare != old and not text.endswith("\n") and text.endswith(bare):
        found.append((len(text) - len(bare), len(text)))
    return found


@dataclass(frozen=True)
class _Splice:
    start: int
    end: int
    new: str


def outcomes(text: str, edits: Sequence[Edit]) -> Iterator[Outcome]:
    """Give all outcomes that the contract allows for edits whose old texts stand somewhere exactly (SPEC 4.6)."""
    splices: list[_Splice] = []
    quoted: list[tuple[int, int]] = []
    changed: set[int] = set()
    later: list[Edit] = []
    for edit in edits:
        found = _found(text, edit)
        if found is None:
            return
        if not found:
            later.append(edit)
        for start, end in found:
            quoted.append((start, end))
            splices.append(_trimmed(text, start, end, edit))
            if edit.replace_all:
                changed |= _lines(text, start, end)
    known = tuple(quoted), frozenset(changed)
    whole = [(char, at) for at, char in enumerate(text)]
    for base in {_spliced(whole, order) for order in _orders(splices)}:
        for made in _later(base, later):
            yield Outcome("".join(char for char, _ in made), tuple(origin for _, origin in made), *known)


def _found(text: str, edit: Edit) -> list[tuple[int, int]] | None:
    """Give the places that an edit changes; None: the contract forbids it."""
    old = edit.old.replace("\r\n", "\n")
    if not old:
        return [(0, 0)] if not text else None
    found = places(text, old)
    if not edit.replace_all:
        return found if len(found) < 2 else None
    apart: list[tuple[int, int]] = []
    for start, end in found:
        if not apart or start >= apart[-1][1]:
            apart.append((start, end))
    return apart


def _trimmed(text: str, start: int, end: int, edit: Edit) -> _Splice:
    """Leave out what old and new have in common at both ends: edits may share context."""
    old, new = text[start:end], edit.new.replace("\r\n", "\n")
    if len(old) < len(edit.old.replace("\r\n", "\n")):
        new = new.removesuffix("\n")
    while old and new and old[0] == new[0]:
        old, new, start = old[1:], new[1:], start + 1
    while old and new and old[-1] == new[-1]:
        old, new, end = old[:-1], new[:-1], end - 1
    return _Splice(start, end, new)


def _lines(text: str, start: int, end: int) -> set[int]:
    last = max(end - 1, start)
    return {number for number, (first, stop) in enumerate(spans_of(text), 1) if first <= last and stop >= start}


def _orders(splices: list[_Splice]) -> Iterator[list[_Splice]]:
    """Sort by place; insertions at one point may come in either order."""
    points = sorted({(splice.start, splice.end) for splice in splices})
    groups = [[one for one in splices if (one.start, one.end) == point] for point in points]
    for orders in product(*(permutations(group) for group in groups)):
        yield [splice for order in orders for splice in order]


Tagged = tuple[tuple[str, int], ...]


def _spliced(text: Sequence[tuple[str, int]], splices: Iterable[_Splice]) -> Tagged:
    out: list[tuple[str, int]] = []
    at = 0
    for splice in splices:
        out += text[at : splice.start]
        out += [(char, SENT) for char in splice.new]
        at = splice.end
    return (*out, *text[at:])


def _later(base: Tagged, edits: list[Edit]) -> Iterator[Tagged]:
    """Do the edits whose text only the others write, in any order that works."""
    if not edits:
        yield base
    text = "".join(char for char, _ in base)
    for at, edit in enumerate(edits):
        found = _found(text, edit)
        if found:
            splices = [_Splice(start, end, edit.new.replace("\r\n", "\n")) for start, end in found]
            yield from _later(_spliced(base, splices), [*edits[:at], *edits[at + 1 :]])


def tolerant_outcomes(text: str, old: str, after: str) -> Iterator[Outcome]:
    """Explain a text as one edit that was found with the white space at line ends aside (SPEC 4.2)."""
    wanted = [line.strip(_BLANKS) for line in old.replace("\r\n", "\n").removesuffix("\n").split("\n")]
    lines = split(text)
    bare = [line.removesuffix("\n").strip(_BLANKS) for line in lines]
    for first in range(len(lines) - len(wanted) + 1):
        last = first + len(wanted)
        head, tail = "".join(lines[:first]), "".join(lines[last:])
        middle = len(after) - len(head) - len(tail)
        if bare[first:last] == wanted and middle >= 0 and after.startswith(head) and after.endswith(tail):
            origins = (*range(len(head)), *[SENT] * middle, *range(len(text) - len(tail), len(text)))
            yield Outcome(after, origins, (), frozenset(range(first + 1, last + 1)))
