"""The map from the old text's indentation to the file's, and the indentation of each new line through it.

The map must be a function and strictly order-keeping, or the place is none. What it does not name is derived by steps
from the nearest level it names, tabs and blanks converted level by level. Wherever the evidence can be read in two ways
the answer is None and the edit is refused: a wrong indentation is a wrong edit.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final, NamedTuple

from readfirst.content.codec import Document

BLANKS: Final = b" \t\x0b\x0c"
"""White space within a line."""
_TAB_COLUMNS: Final = 8
_WIDEST_LEVEL: Final = 8
_USUAL_LEVELS: Final = {2, 4, 8}
_SAMPLE_BYTES: Final = 200_000

Pair = tuple[bytes, bytes]
"""An indentation of the old text, and what the file has there."""


def indentation(line: bytes) -> bytes:
    return line[: len(line) - len(line.lstrip(BLANKS))]


class Unit(NamedTuple):
    """One level, as sent and as the file has it; equal ones leave every step as it was sent."""

    sent: bytes
    mine: bytes

    def step(self, sent: bytes, style: Style | None = None) -> bytes | None:
        """Convert a step of some levels; None: it is no whole number of them, or not of the file's."""
        if self.sent == self.mine:
            fits = style is None or b"\t" in sent or not style.file_step or len(sent) % style.file_step == 0
            return sent if fits else None
        times = len(sent) // len(self.sent)
        return self.mine * times if self.sent * times == sent else None


_AS_SENT: Final = Unit(b"", b"")


class Style:
    """How the texts that were sent are indented, and how the file is."""

    def __init__(self, document: Document, old: Sequence[bytes], new: Sequence[bytes]) -> None:
        self._lines = document.body[:_SAMPLE_BYTES].replace(document.newline, b"\n")
        self.sent = {indentation(line) for line in (*old, *new) if line.strip(BLANKS)}
        self.same_shape = [indentation(line) for line in old] == [indentation(line) for line in new]
        """Every new line is indented as the old line in its place."""

    @property
    def sent_kind(self) -> bytes:
        return _kind(self.sent)

    @cached_property
    def sent_step(self) -> int:
        """Give the smallest step between two levels that were sent; 0 when there is but one."""
        widths = sorted(len(level) for level in self.sent)
        return min((b - a for a, b in pairwise(widths) if b > a), default=0)

    @cached_property
    def file_uses_tabs(self) -> bool:
        return re.search(rb"^\t", self._lines, re.MULTILINE) is not None

    @cached_property
    def file_step(self) -> int:
        """Give how many blanks the file has a level: its most frequent step to a deeper line; 0: it has none."""
        found = re.findall(rb"^( *)[^\s]", self._lines, re.MULTILINE)
        widths = [len(blanks) for blanks in found]
        steps = Counter(b - a for a, b in pairwise(widths) if 1 < b - a <= _WIDEST_LEVEL)
        return steps.most_common(1)[0][0] if steps else 0


@dataclass(frozen=True, slots=True)
class IndentMap:
    """Old indentation -> file indentation, for lines that are not blank.

    `first` is set when the first old line came without its indentation: it is what the file has there. `other` is the
    map under which it did not, when there is one: then only what does not differ between the two is sure.
    """

    pairs: tuple[Pair, ...]
    first: bytes | None = None
    other: IndentMap | None = None

    def line(self, line: bytes, style: Style, *, is_first: bool) -> bytes | None:
        """Give a line of the new text with its indentation in the file; None: it cannot be derived."""
        text = line.lstrip(BLANKS)
        if not text:
            return line
        own = indentation(line)
        if self.first is not None and not own:
            # Bare as the first old line was: the same line, or one of which nobody can tell where it belongs.
            return self.first + text if is_first else None
        mapped = self.mapped(own, style)
        second = self.other.mapped(own, style) if self.other is not None else None
        if mapped is None or (second is not None and second != mapped):
            return None
        return mapped + text

    def mapped(self, own: bytes, style: Style) -> bytes | None:
        """Give what the file has for an indentation of the new text; None: it cannot be derived."""
        known = next((mine for old, mine in self.pairs if old == own), None)
        if known is not None and b"\t" in known and b" " in known and len(self.pairs) > 1 and not style.same_shape:
            return None  # Blanks after tabs align that one line; a line that moved may mean a level by them.
        return self._derived(own, style) if known is None else known

    def _derived(self, own: bytes, style: Style) -> bytes | None:
        """Step up or down from the nearest level that is known; the order of levels must hold."""
        unit = self._unit(style)
        below = [pair for pair in self.pairs if own.startswith(pair[0])]
        above = [pair for pair in self.pairs if pair[0].startswith(own)]
        found: bytes | None = None
        if unit is not None and below:
            old, mine = max(below, key=lambda pair: len(pair[0]))
            deeper = unit.step(own[len(old) :], style)
            found = None if deeper is None else mine + deeper
        elif unit is not None and above:
            old, mine = min(above, key=lambda pair: len(pair[0]))
            step = unit.step(old[len(own) :], style)
            found = mine[: -len(step)] if step and mine.endswith(step) else None
        in_order = found is not None and all(_order(own, old) == _order(found, mine) for old, mine in self.pairs)
        return found if in_order else None

    def _unit(self, style: Style) -> Unit | None:
        """Tell how one level is written on both sides; None: there is more than one answer, or none."""
        steps = _steps(self.pairs)
        if not steps:
            return _unit_of_one(*self.pairs[0], style)
        if all(sent == mine for sent, mine in steps):
            # Blanks below tabs align a line; they are no levels.
            return None if style.sent_kind == b" " and any(b"\t" in mine for _, mine in self.pairs) else _AS_SENT
        unit = _unit_of(steps)
        of_file = unit is not None and (unit.sent != b"\t" or style.file_step in {0, len(unit.mine)})
        return unit if of_file else None


def _unit_of_one(old: bytes, mine: bytes, style: Style) -> Unit | None:
    """Do the same where only one level is known."""
    kinds = style.sent_kind, _kind([mine])
    if kinds == (b" ", b"\t"):
        return _blanks_to_tabs(len(old), len(mine), style.sent_step)
    if kinds == (b"\t", b" "):
        return _tabs_to_blanks(len(old), len(mine), style.file_step)
    if not mine:
        other = (kinds[0] == b" " and style.file_uses_tabs) or (kinds[0] == b"\t" and style.file_step > 0)
        return None if other else _AS_SENT
    return _AS_SENT if kinds[0] == kinds[1] else None


def _blanks_to_tabs(old: int, mine: int, sent_step: int) -> Unit | None:
    """Tell how many blanks were sent for a tab: the line itself, if its level is absolute, and the steps must agree."""
    absolute = old // mine if old and old % mine == 0 else sent_step
    if absolute != sent_step or not 1 < sent_step <= _WIDEST_LEVEL:
        return None
    return Unit(b" " * sent_step, b"\t")


def _tabs_to_blanks(old: int, mine: int, file_step: int) -> Unit | None:
    """Tell how many blanks the file has for a tab that was sent: the line itself and the file must agree."""
    absolute = mine // old if old and mine % old == 0 else file_step
    if not absolute or (absolute != file_step and (file_step or absolute not in _USUAL_LEVELS)):
        return None
    return Unit(b"\t", b" " * absolute)


def _reduced(step: Unit) -> Unit | None:
    """Bring a step of some levels down to one, where tabs count them."""
    kinds = _kind([step.sent]), _kind([step.mine])
    if not all(kinds):
        return None
    levels = len(step.mine) if kinds[1] == b"\t" else len(step.sent) if kinds[0] == b"\t" else 1
    if len(step.sent) % levels or len(step.mine) % levels:
        return None
    return Unit(step.sent[: len(step.sent) // levels], step.mine[: len(step.mine) // levels])


def indent_map(old_lines: Sequence[bytes], file_lines: Sequence[bytes]) -> IndentMap | None:
    """Give the map between texts whose lines are equal apart from white space at their ends; None: there is none."""
    met = [(indentation(a), indentation(b)) for a, b in zip(old_lines, file_lines, strict=True) if a.strip(BLANKS)]
    pairs = _consistent(met)
    bare = bool(old_lines[0].strip(BLANKS)) and not met[0][0] and bool(met[0][1]) and len(met) > 1
    rest = _consistent(met[1:]) if bare else None
    if rest is not None and _first_alone_is_bare(met[0][1], rest, pairs):
        return IndentMap(rest, met[0][1], IndentMap(pairs) if pairs is not None else None)
    return IndentMap(pairs) if pairs is not None else None


def _first_alone_is_bare(first: bytes, rest: Sequence[Pair], pairs: Sequence[Pair] | None) -> bool:
    """Tell whether the first line may have lost its indentation and the others not.

    Where one character indents both texts, the others then have one shift, and the first line's own indentation is
    deeper than that. Where tabs stand for blanks, no one unit leads from all of the old levels to the file's.
    """
    if any(_kind([old]) not in {b"", _kind([mine])} and mine for old, mine in rest):
        return pairs is None or _unit_of(_steps(pairs)) is None
    return len({_shift(pair) for pair in rest}) == 1 and _width(first) > _shift(rest[0])


def _steps(pairs: Sequence[Pair]) -> list[Unit]:
    """Give by how much each level is deeper than the one before it."""
    return [Unit(b[0][len(a[0]) :], b[1][len(a[1]) :]) for a, b in pairwise(pairs)]


def _unit_of(steps: Sequence[Unit]) -> Unit | None:
    """Give the one level of which all steps are made, if there is one."""
    smallest = _reduced(min(steps, key=lambda step: len(step.sent))) if steps else None
    return smallest if smallest is not None and all(smallest.step(sent) == mine for sent, mine in steps) else None


def _consistent(met: Iterable[Pair]) -> tuple[Pair, ...] | None:
    """Give the pairs in order if they are a function that strictly keeps order."""
    pairs = sorted(set(met), key=lambda pair: (_width(pair[0]), _width(pair[1])))
    for (old_a, file_a), (old_b, file_b) in pairwise(pairs):
        if _width(old_a) >= _width(old_b) or _width(file_a) >= _width(file_b):
            return None
    return tuple(pairs)


def _shift(pair: Pair) -> int:
    return _width(pair[1]) - _width(pair[0])


def _order(a: bytes, b: bytes) -> int:
    return (_width(a) > _width(b)) - (_width(a) < _width(b))


def _width(indent: bytes) -> int:
    return len(indent.expandtabs(_TAB_COLUMNS))


def _kind(levels: Iterable[bytes]) -> bytes:
    """Give the one character that indentations are made of; nothing when there is none or they are mixed."""
    kinds = {level[at : at + 1] for level in levels for at in range(len(level))}
    return kinds.pop() if len(kinds) == 1 else b""
