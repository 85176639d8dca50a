r"""A batch of edits against one document: all of them as splices, or every reason why not.

Edits are located in the document as it is, in any order, because the caller wrote each old text from one view of the
file. Only a text that is not there may stand in what the other edits write. All edits apply or none (G7); overlap is
judged on the changed core, never on shared context.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from readfirst.content.codec import Document, newline_of
from readfirst.content.lines import Lines
from readfirst.edits.linemap import Rewrite, rewrite
from readfirst.edits.match import RUNGS, Ambiguous, Match, Missing, Place, every_place, locate
from readfirst.errors import EditFailure
from readfirst.spans import LineRange, Splice, spliced


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace `old` by `new`: in its one place, or in every place with `replace_all`."""

    old: str
    new: str
    replace_all: bool = False


@dataclass(frozen=True, slots=True)
class PlacedEdit:
    """One edit as done: the rung that found it, how often it was replaced, and the lines it must have seen (G3)."""

    index: int
    rung: str
    count: int
    must_see: tuple[LineRange, ...]


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


@dataclass(frozen=True, slots=True)
class _Text:
    r"""An edit in bytes of the body, with `\n` as the only line break."""

    index: int
    old: bytes
    new: bytes
    newline_sent: bytes
    replace_all: bool


@dataclass(frozen=True, slots=True)
class _Located:
    text: _Text
    rung: str
    rewrites: tuple[Rewrite, ...]
    must_see: tuple[LineRange, ...] = field(default=())


def plan(document: Document, edits: Sequence[Edit]) -> EditPlan | NoPlan:
    """Locate every edit and give the body with all of them done, or every failure."""
    failures: list[EditFailure] = []
    located: list[_Located] = []
    missing: list[_Text] = []
    for index, edit in enumerate(edits):
        text = _text(document, index, edit)
        outcome = _locate(document, text) if isinstance(text, _Text) else text
        if isinstance(outcome, EditFailure):
            failures.append(outcome)
        elif isinstance(outcome, _Located):
            located.append(outcome)
        else:
            missing.append(outcome)
    failures += _overlaps(located)
    splices = tuple(sorted(splice for one in located for rewritten in one.rewrites for splice in rewritten.splices))
    placed = [PlacedEdit(one.text.index, one.rung, len(one.rewrites), one.must_see) for one in located]
    if not missing and not failures:
        return EditPlan(spliced(document.body, splices), splices, _in_order(placed))
    if failures or not located:
        failures += [EditFailure(text.index, "no_match") for text in missing]
        return NoPlan(_in_order_of_failures(failures))
    return _dependent(_changed(document, splices), missing, placed)


def _text(document: Document, index: int, edit: Edit) -> _Text | EditFailure:
    old, new = edit.old.replace("\r\n", "\n"), edit.new.replace("\r\n", "\n")
    if document.newline == b"\r":
        old, new = old.replace("\r", "\n"), new.replace("\r", "\n")
    if old == new:
        return EditFailure(index, "no_change")
    if not old and document.body:
        return EditFailure(index, "empty_old")
    try:
        sent = "\r\n" if "\r\n" in edit.new else "\n"
        return _Text(index, document.to_body(old), document.to_body(new), sent.encode(), edit.replace_all)
    except UnicodeEncodeError as error:
        return EditFailure(index, "not_encodable", detail=error.object[error.start : error.start + 1])


def _locate(document: Document, text: _Text) -> _Located | EditFailure | _Text:
    if not text.old:
        return _Located(text, RUNGS[0].name, (_rewritten(document, Place(0, 0), text),))
    if text.replace_all:
        places = every_place(document, text.old)
        if not places:
            return text
        rewrites = tuple(_rewritten(document, place, text) for place in places)
        return _Located(text, RUNGS[0].name, rewrites, _lines_changed(document, rewrites))
    match locate(document, text.old):
        case Match(place, rung):
            rewritten = _rewritten(document, place, text)
            # The old text ended in a line break that the file does not have, and that break was all that differed.
            return _Located(text, rung, (rewritten,)) if rewritten.splices else EditFailure(text.index, "no_change")
        case Ambiguous(places, _):
            return _ambiguous(document, text.index, places)
        case Missing():
            return text


def _rewritten(document: Document, place: Place, text: _Text) -> Rewrite:
    return rewrite(document, place, text.old, text.new, text.newline_sent)


def _lines_changed(document: Document, rewrites: tuple[Rewrite, ...]) -> tuple[LineRange, ...]:
    lines = Lines(document.body, document.newline)
    lines.starts()
    return tuple(lines.ranges_of(*rewritten.core) for rewritten in rewrites)


def _ambiguous(document: Document, index: int, places: Sequence[Place]) -> EditFailure:
    lines = Lines(document.body, document.newline)
    shown = tuple(lines.ranges_of(place.start, place.end) for place in places[:5])
    return EditFailure(index, "ambiguous", shown, len(places))


def _overlaps(located: list[_Located]) -> list[EditFailure]:
    """Name every edit whose changed core meets that of another; two insertions at one point have no order."""
    cores = sorted((*rewritten.core, one.text.index) for one in located for rewritten in one.rewrites)
    found: dict[int, int] = {}
    end, owner = -1, -1
    start = -1
    for core_start, core_end, index in cores:
        meets = core_start < end or (core_start == core_end == start == end)
        if meets and index != owner:
            found.setdefault(index, owner)
            found.setdefault(owner, index)
        if core_end >= end:
            start, end, owner = core_start, core_end, index
    return [EditFailure(index, "overlap", other=other) for index, other in found.items()]


def _changed(document: Document, splices: tuple[Splice, ...]) -> Document:
    body = spliced(document.body, splices)
    return replace(document, body=body, newline=newline_of(body))


def _dependent(document: Document, waiting: list[_Text], placed: list[PlacedEdit]) -> EditPlan | NoPlan:
    """Do the edits whose old text only the other edits write, each in the text that stands after those before it."""
    progress = True
    failures: list[EditFailure] = []
    while waiting and progress and not failures:
        progress = False
        for text in tuple(waiting):
            outcome = _locate(document, text)
            if isinstance(outcome, _Located):
                splices = tuple(splice for rewritten in outcome.rewrites for splice in rewritten.splices)
                document = _changed(document, splices)
                placed.append(PlacedEdit(text.index, outcome.rung, len(outcome.rewrites), ()))
                waiting.remove(text)
                progress = True
            elif isinstance(outcome, EditFailure):
                failures.append(outcome)
                waiting.remove(text)
    if waiting or failures:
        failures += [EditFailure(text.index, "no_match") for text in waiting]
        return NoPlan(_in_order_of_failures(failures))
    return EditPlan(document.body, None, _in_order(placed))


def _in_order(placed: list[PlacedEdit]) -> tuple[PlacedEdit, ...]:
    return tuple(sorted(placed, key=lambda one: one.index))


def _in_order_of_failures(failures: list[EditFailure]) -> tuple[EditFailure, ...]:
    return tuple(sorted(failures, key=lambda failure: failure.index))
