r"""One edit against one document: where its old text stands, and what is written there.

A text of which fewer blanks were quoted than its line has stands there to the letter, inside the indentation. Written
so, every line after the first would stand too far left. So when such a text gets several lines, it is no exact
quotation, and goes to the tolerant rungs; if they do not find it, the letter counts and the reply warns.

(A room beside `plan`, which puts a batch of these together.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from readfirst.content.codec import Document
from readfirst.content.lines import Lines
from readfirst.edits.indent import BLANKS, Style, indent_map, indentation
from readfirst.edits.linemap import Rewrite, WriteLine, as_it_is, rewrite
from readfirst.edits.match import (
    EXACT,
    INDENTATION,
    TOLERANT,
    Ambiguous,
    Match,
    Place,
    Rung,
    every_place,
    lines_at,
    locate,
)
from readfirst.errors import EditFailure
from readfirst.spans import LineRange

_PLACES_NAMED: Final = 5


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace `old` by `new`: in its one place, or in every place with `replace_all`."""

    old: str
    new: str
    replace_all: bool = False


@dataclass(frozen=True, slots=True)
class Wanted:
    r"""An edit in bytes of the body, with `\n` as the only line break; `newline` is the one the caller used."""

    index: int
    old: bytes
    new: bytes
    newline: bytes
    replace_all: bool


@dataclass(frozen=True, slots=True)
class Located:
    """An edit that can be done. `must_see` are the lines that the session must have seen for it (G3)."""

    wanted: Wanted
    rung: str
    rewrites: tuple[Rewrite, ...]
    must_see: tuple[LineRange, ...] = ()
    warnings: tuple[str, ...] = ()


def wanted(document: Document, index: int, edit: Edit) -> Wanted | EditFailure:
    """Bring an edit into the document's terms, or tell why it can be done nowhere."""
    old, new = edit.old.replace("\r\n", "\n"), edit.new.replace("\r\n", "\n")
    if document.newline == b"\r":
        old, new = old.replace("\r", "\n"), new.replace("\r", "\n")
    if old == new:
        return EditFailure(index, "no_change")
    if not old and document.body:
        return EditFailure(index, "empty_old")
    try:
        newline = b"\r\n" if "\r\n" in edit.new else b"\n"
        return Wanted(index, document.to_body(old), document.to_body(new), newline, edit.replace_all)
    except UnicodeEncodeError as error:
        return EditFailure(index, "not_encodable", detail=error.object[error.start : error.start + 1])


def located(document: Document, text: Wanted, rungs: tuple[Rung, ...]) -> Located | EditFailure | None:
    """Find an edit on these rungs; None: its text stands nowhere."""
    if not text.old:
        return Located(text, rungs[0].name, (_rewritten(document, Place(0, 0), text),))
    if text.replace_all:
        return _everywhere(document, text, rungs)
    outcome = locate(document, text.old, rungs)
    if isinstance(outcome, Ambiguous):
        return _ambiguous(document, text.index, outcome)
    if not isinstance(outcome, Match):
        return None
    if outcome.rung == EXACT[0].name and _starts_in_indentation(document, outcome.place, text):
        # Fewer blanks were quoted than the line has: to the letter, the lines after the first would stand wrong.
        indented = locate(document, text.old, TOLERANT)
        if isinstance(indented, Match):
            return _once(document, text, indented.place, indented.rung)
    return _once(document, text, outcome.place, outcome.rung)


def _starts_in_indentation(document: Document, place: Place, text: Wanted) -> bool:
    start = Lines(document.body, document.newline).start_at(place.start)
    inside = place.start > start and not document.body[start : place.start].strip(BLANKS)
    return inside and text.old[:1] in {b" ", b"\t"} and b"\n" in text.new.rstrip(b"\n")


def _everywhere(document: Document, text: Wanted, rungs: tuple[Rung, ...]) -> Located | EditFailure | None:
    """Only the exact rung may replace everywhere."""
    places = every_place(document, text.old)
    if not places:
        return None
    rewrites = tuple(one for place in places if (one := _rewritten(document, place, text)).splices)
    if not rewrites:
        return EditFailure(text.index, "no_change")
    lines = Lines(document.body, document.newline)
    lines.starts()
    warnings: tuple[str, ...] = ()
    if b"\n" in text.new or text.old.endswith(b"\n"):
        warnings = tuple(dict.fromkeys(one for place in places for one in _warnings(document, place, text)))
    must_see = tuple(lines.ranges_of(place.start, place.end) for place in places)
    return Located(text, rungs[0].name, rewrites, must_see, warnings)


def _once(document: Document, text: Wanted, place: Place, rung: str) -> Located | EditFailure:
    indented = _Indented(document, place, text) if rung == INDENTATION else None
    rewritten = _rewritten(document, place, text, indented.line if indented is not None else as_it_is)
    lines = Lines(document.body, document.newline).ranges_of(place.start, place.end)
    if indented is not None and indented.failed:
        return EditFailure(text.index, "no_match", (lines,), detail=INDENTATION)
    if not rewritten.splices:
        # All that differed is white space that the file does not have: a final line break, or trailing blanks.
        return EditFailure(text.index, "no_change", (lines,), detail="white space")
    must_see = () if rung == EXACT[0].name else (lines,)
    return Located(text, rung, (rewritten,), must_see, _warnings(document, place, text))


def _rewritten(document: Document, place: Place, text: Wanted, write: WriteLine = as_it_is) -> Rewrite:
    return rewrite(document, place, text.old, text.new, text.newline, write)


class _Indented:
    """Writes new lines with the indentation that the file has for theirs; remembers that one could not be told."""

    def __init__(self, document: Document, place: Place, text: Wanted) -> None:
        old = text.old.removesuffix(b"\n").split(b"\n")
        found = indent_map(old, lines_at(document, place)[: len(old)])
        assert found is not None  # noqa: S101 - the rung found the place by it
        self._map = found
        self._style = Style(document, old, text.new.removesuffix(b"\n").split(b"\n"))
        self.failed = False

    def line(self, line: bytes, first: bool) -> bytes:
        written = self._map.line(line, self._style, is_first=first)
        self.failed = self.failed or written is None
        return line if written is None else written


def _ambiguous(document: Document, index: int, outcome: Ambiguous) -> EditFailure:
    lines = Lines(document.body, document.newline)
    shown = tuple(lines.ranges_of(place.start, place.end) for place in outcome.places[:_PLACES_NAMED])
    aside = "" if outcome.rung == EXACT[0].name else "white space"
    return EditFailure(index, "ambiguous", shown, len(outcome.places), detail=aside)


def _warnings(document: Document, place: Place, text: Wanted) -> tuple[str, ...]:
    """Tell what was done to the letter and may not have been meant (SPEC 4.9)."""
    found: list[str] = []
    lines = Lines(document.body, document.newline)
    start = lines.start_at(place.start)
    before = document.body[start : place.start]
    if before and not before.strip(BLANKS):
        width = len(indentation(lines.text_at(start)).expandtabs())
        later = [line for line in text.new.split(b"\n")[1:] if line.strip(BLANKS)]
        if any(len(indentation(line).expandtabs()) < width for line in later):
            found.append("less_indented")
    joins = text.old.endswith(b"\n") and text.new and not text.new.endswith(b"\n") and not place.at_end
    if joins and place.end < len(document.body):
        found.append("joined")
    return tuple(found)
