r"""A batch of edits against one document: all of them as splices, or every reason why not.

Edits are located in the document as it is, in any order, because the caller wrote each old text from one view of the
file. Only a text that is not there may stand in what the other edits write. All edits apply or none (G7); overlap is
judged on the changed core, never on shared context.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from readfirst.content.codec import Document
from readfirst.edits.located import Edit, Located, Wanted, located, wanted
from readfirst.edits.match import EXACT, TOLERANT
from readfirst.errors import EditFailure
from readfirst.spans import LineRange, Splice, spliced

_SEARCHES_PER_EDIT: Final = 4
"""How often a text that another edit writes is looked for: a long chain in reverse order would take hours."""

__all__ = ["Edit", "EditPlan", "NoPlan", "PlacedEdit", "plan"]


@dataclass(frozen=True, slots=True)
class PlacedEdit:
    """One edit as done: the rung that found it, how often it was replaced, and the lines it must have seen (G3)."""

    index: int
    rung: str
    count: int
    must_see: tuple[LineRange, ...]
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EditPlan:
    """What the body becomes. `splices` are those of the original body; None when edits build on one another."""

    body: bytes
    splices: tuple[Splice, ...] | None
    placed: tuple[PlacedEdit, ...]

    def written(self) -> tuple[tuple[int, int], ...]:
        """Where in the new body the caller's text stands; nothing when edits build on one another."""
        spans: list[tuple[int, int]] = []
        grown = 0
        for splice in self.splices or ():
            start = splice.start + grown
            spans.append((start, start + len(splice.new)))
            grown += len(splice.new) - (splice.end - splice.start)
        return tuple(spans)


@dataclass(frozen=True, slots=True)
class NoPlan:
    """Every edit that failed; nothing is done."""

    failures: tuple[EditFailure, ...]


def plan(document: Document, edits: Sequence[Edit]) -> EditPlan | NoPlan:
    """Locate every edit and give the body with all of them done, or every failure."""
    batch = _Batch(document)
    for index, edit in enumerate(edits):
        text = wanted(document, index, edit)
        batch.take(text if isinstance(text, EditFailure) else located(document, text, EXACT) or text)
    batch.look_further()
    failures = [*batch.failures, *_overlaps(batch.located)]
    if not failures:
        failures += batch.found_twice()
    if failures:
        return _no_plan([*failures, *(EditFailure(text.index, "no_match") for text in batch.missing)])
    splices = _sorted_splices(batch.located)
    placed = [_placed(one) for one in batch.located]
    waiting = sorted((*batch.waiting, *batch.missing), key=lambda text: text.index)
    if not waiting:
        return EditPlan(spliced(document.body, splices), splices, _in_order(placed))
    return _dependent(_changed(document, splices), waiting, placed)


class _Batch:
    """The edits of a call, sorted by what is known of them.

    `waiting` are those whose text other edits write; `missing` those whose text was found nowhere yet.
    """

    def __init__(self, document: Document) -> None:
        self._document = document
        self.located: list[Located] = []
        self.failures: list[EditFailure] = []
        self.waiting: list[Wanted] = []
        self.missing: list[Wanted] = []

    def take(self, outcome: Located | EditFailure | Wanted) -> None:
        if isinstance(outcome, Located):
            self.located.append(outcome)
        elif isinstance(outcome, EditFailure):
            self.failures.append(outcome)
        else:
            self.missing.append(outcome)

    def look_further(self) -> None:
        """Look for each missing text with white space aside, unless the other edits are what writes it."""
        if not self.missing:
            return
        written = self._written_by(self.located)
        missing, self.missing = self.missing, []
        for text in missing:
            if self.located and located(written, text, EXACT) is not None:
                self.waiting.append(text)
            else:
                self.take(text if text.replace_all else located(self._document, text, TOLERANT) or text)

    def found_twice(self) -> list[EditFailure]:
        """Name every edit found with white space aside whose very text the other edits write: two candidates."""
        failures: list[EditFailure] = []
        for one in self.located:
            if one.rung != EXACT[0].name and len(self.located) + len(self.waiting) + len(self.missing) > 1:
                written = self._written_by([other for other in self.located if other is not one])
                others = _dependent(written, [*self.waiting, *self.missing], [])
                body = others.body if isinstance(others, EditPlan) else written.body
                if located(replace(written, body=body), one.wanted, EXACT) is not None:
                    failures.append(EditFailure(one.wanted.index, "ambiguous", one.must_see, 2, detail="white space"))
        return failures

    def _written_by(self, edits: list[Located]) -> Document:
        return _changed(self._document, _sorted_splices(edits))


def _sorted_splices(edits: list[Located]) -> tuple[Splice, ...]:
    return tuple(sorted(splice for one in edits for splice in _splices(one)))


def _splices(one: Located) -> tuple[Splice, ...]:
    return tuple(splice for rewritten in one.rewrites for splice in rewritten.splices)


def _placed(one: Located) -> PlacedEdit:
    return PlacedEdit(one.wanted.index, one.rung, len(one.rewrites), one.must_see, one.warnings)


def _overlaps(located_edits: list[Located]) -> list[EditFailure]:
    """Name every edit whose changed core meets that of another; two insertions at one point have no order."""
    cores = sorted((*rewritten.core, one.wanted.index) for one in located_edits for rewritten in one.rewrites)
    found: dict[int, int] = {}
    start, end, owner = -1, -1, -1
    for core_start, core_end, index in cores:
        meets = core_start < end or (core_start == core_end == start == end)
        if meets and index != owner:
            found.setdefault(index, owner)
            found.setdefault(owner, index)
        if core_end >= end:
            start, end, owner = core_start, core_end, index
    return [EditFailure(index, "overlap", other=other) for index, other in found.items()]


def _changed(document: Document, splices: tuple[Splice, ...]) -> Document:
    # What ends a line stays what it was: a carriage return that an edit writes is data to the edits after it.
    return replace(document, body=spliced(document.body, splices))


def _dependent(document: Document, waiting: list[Wanted], placed: list[PlacedEdit]) -> EditPlan | NoPlan:
    """Do the edits whose old text only others write, each in the text that stands after those before it."""
    failures: list[EditFailure] = []
    left = deque(waiting)
    searches, passed_by = _SEARCHES_PER_EDIT * len(left), 0
    while left and searches and passed_by < len(left):
        text = left.popleft()
        searches -= 1
        outcome = located(document, text, EXACT)
        if outcome is None:
            # An edit further on in the call may write it.
            left.append(text)
            passed_by += 1
            continue
        passed_by = 0
        if isinstance(outcome, EditFailure):
            failures.append(outcome)
        else:
            document = _changed(document, _splices(outcome))
            # It changes only what this call wrote, on lines that the file does not have yet.
            placed.append(replace(_placed(outcome), must_see=()))
    failures += [EditFailure(text.index, "no_match") for text in left]
    return _no_plan(failures) if failures else EditPlan(document.body, None, _in_order(placed))


def _in_order(placed: list[PlacedEdit]) -> tuple[PlacedEdit, ...]:
    return tuple(sorted(placed, key=lambda one: one.index))


def _no_plan(failures: list[EditFailure]) -> NoPlan:
    return NoPlan(tuple(sorted(failures, key=lambda failure: failure.index)))
