r"""A batch of edits against one document: all of them as splices, or every reason why not.

Edits are located in the document as it is, in any order, because the caller wrote each old text from one view of the
file. Only a text that is not there may stand in what the other edits write. All edits apply or none (G7); overlap is
judged on the changed core, never on shared context.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from readfirst.content.codec import Document
from readfirst.edits.located import Edit, Located, Wanted, located, wanted
from readfirst.edits.match import EXACT, TOLERANT
from readfirst.errors import EditFailure
from readfirst.spans import LineRange, Splice, spliced

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
    batch.failures += _overlaps(batch.located)
    if batch.failures:
        batch.failures += [EditFailure(text.index, "no_match") for text in batch.missing]
        return _no_plan(batch.failures)
    splices = tuple(sorted(splice for one in batch.located for splice in _splices(one)))
    placed = [_placed(one) for one in batch.located]
    if not batch.missing:
        return EditPlan(spliced(document.body, splices), splices, _in_order(placed))
    return _dependent(_changed(document, splices), batch.missing, placed)


class _Batch:
    """The edits of a call, sorted by what is known of them."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self.located: list[Located] = []
        self.failures: list[EditFailure] = []
        self.missing: list[Wanted] = []

    def take(self, outcome: Located | EditFailure | Wanted) -> None:
        match outcome:
            case Located():
                self.located.append(outcome)
            case EditFailure():
                self.failures.append(outcome)
            case Wanted():
                self.missing.append(outcome)

    def look_further(self) -> None:
        """Look for each missing text with white space aside, unless the other edits are what writes it."""
        if not self.missing:
            return
        written = _changed(self._document, tuple(sorted(splice for one in self.located for splice in _splices(one))))
        missing, self.missing = self.missing, []
        for text in missing:
            depends = bool(self.located) and located(written, text, EXACT) is not None
            self.take(text if depends or text.replace_all else located(self._document, text, TOLERANT) or text)


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
    """Do the edits whose old text only the other edits write, each in the text that stands after those before it."""
    failures: list[EditFailure] = []
    progress = True
    while waiting and progress:
        progress = False
        for text in tuple(waiting):
            outcome = located(document, text, EXACT)
            if outcome is None:
                continue
            waiting.remove(text)
            if isinstance(outcome, EditFailure):
                failures.append(outcome)
            else:
                document = _changed(document, _splices(outcome))
                placed.append(_placed(outcome))
                progress = True
    if waiting or failures:
        return _no_plan([*failures, *(EditFailure(text.index, "no_match") for text in waiting)])
    return EditPlan(document.body, None, _in_order(placed))


def _in_order(placed: list[PlacedEdit]) -> tuple[PlacedEdit, ...]:
    return tuple(sorted(placed, key=lambda one: one.index))


def _no_plan(failures: list[EditFailure]) -> NoPlan:
    return NoPlan(tuple(sorted(failures, key=lambda failure: failure.index)))
