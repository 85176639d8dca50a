r"""Where the old text of an edit stands in a document: the matching ladder.

The first rung with at least one place decides; two places on it end the search, and it never falls through. Texts come
with `\n` as their only line break; line endings and the byte order mark never take part in a comparison.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from readfirst.content.codec import Document
from readfirst.content.lines import Lines
from readfirst.edits.indent import BLANKS, indent_map

INDENTATION: Final = "indentation"
MAX_PLACES: Final = 10_000
"""Counting stops here: nobody reads further, and a single letter may stand in a million places."""


@dataclass(frozen=True, slots=True)
class Place:
    """The bytes `start` to `end` of the body are the old text.

    `at_end`: its last line break stands for the end of a file that does not end in one.
    """

    start: int
    end: int
    at_end: bool = False


@dataclass(frozen=True, slots=True)
class Match:
    place: Place
    rung: str


@dataclass(frozen=True, slots=True)
class Ambiguous:
    places: tuple[Place, ...]
    rung: str


@dataclass(frozen=True, slots=True)
class Missing:
    pass


class Rung(NamedTuple):
    name: str
    find: Callable[[Document, bytes], Iterator[Place]]


def locate(document: Document, old: bytes, rungs: tuple[Rung, ...]) -> Match | Ambiguous | Missing:
    """Find the one place of a text that is not empty, on the strictest of these rungs that has any."""
    for rung in rungs:
        places: list[Place] = []
        for place in rung.find(document, old):
            places.append(place)
            if len(places) == MAX_PLACES:
                break
        if len(places) == 1:
            return Match(places[0], rung.name)
        if places:
            return Ambiguous(tuple(places), rung.name)
    return Missing()


def every_place(document: Document, old: bytes) -> tuple[Place, ...]:
    """Find all exact places from left to right, none overlapping the one before it."""
    places: list[Place] = []
    for place in exact_places(document, old):
        if not places or place.start >= places[-1].end:
            places.append(place)
    return tuple(places)


def exact_places(document: Document, old: bytes) -> Iterator[Place]:
    """Find every place, overlapping ones too, at which the text stands exactly, line endings aside."""
    body = document.body
    if document.newline == b"\r":
        yield from _occurrences(body, old.replace(b"\n", b"\r"))
    else:
        several = b"\r" in body and b"\n" in old
        for place in _across_endings(body, old) if several else _occurrences(body, old):
            if not _halves_break(body, place.end):
                yield place
    yield from _at_unfinished_end(document, old)


def _halves_break(body: bytes, at: int) -> bool:
    """A carriage return of the old text is data; it is not the half of a line break."""
    return body[max(at - 1, 0) : at + 1] == b"\r\n"


def _occurrences(body: bytes, old: bytes) -> Iterator[Place]:
    at = body.find(old)
    while at >= 0:
        yield Place(at, at + len(old))
        at = body.find(old, at + 1)


def _across_endings(body: bytes, old: bytes) -> Iterator[Place]:
    """Find a text of several lines in a body whose lines may end in either way: by its longest line, then around it."""
    lines = old.split(b"\n")
    longest = max(range(len(lines)), key=lambda i: len(lines[i]))
    if not lines[longest]:
        yield from _only_breaks(body, len(lines) - 1)
        return
    for hit in _occurrences(body, lines[longest]):
        start = _back(body, hit.start, lines[:longest])
        end = _forward(body, hit.end, lines[longest + 1 :])
        if start is not None and end is not None:
            yield Place(start, end)


def _back(body: bytes, at: int, lines: list[bytes]) -> int | None:
    """Step back over lines, the last of which ends where `at` begins; None: they do not stand there."""
    for line in reversed(lines):
        if body[at - 1 : at] != b"\n":
            return None
        at -= 2 if body[max(at - 2, 0) : at] == b"\r\n" else 1
        if not body.endswith(line, 0, at):
            return None
        at -= len(line)
    return at


def _forward(body: bytes, at: int, lines: list[bytes]) -> int | None:
    for line in lines:
        if _halves_break(body, at):
            return None
        if body.startswith(b"\n", at):
            at += 1
        elif body.startswith(b"\r\n", at):
            at += 2
        else:
            return None
        if not body.startswith(line, at):
            return None
        at += len(line)
    return at


def _only_breaks(body: bytes, count: int) -> Iterator[Place]:
    """Find runs of `count` line breaks with nothing between them."""
    feed = body.find(b"\n")
    while feed >= 0:
        start = feed - 1 if body[max(feed - 1, 0) : feed] == b"\r" else feed
        end = _forward(body, start, [b""] * count)
        if end is not None:
            yield Place(start, end)
        feed = body.find(b"\n", feed + 1)


def _at_unfinished_end(document: Document, old: bytes) -> Iterator[Place]:
    """In a file without a final line break, one at the end of the old text stands for the end of the file."""
    body = document.body
    if not old.endswith(b"\n") or body.endswith(document.newline):
        return
    *before, last = old[:-1].split(b"\n")
    if not body.endswith(last):
        return
    start = _back_from(document, len(body) - len(last), before)
    if start is not None and start < len(body):
        yield Place(start, len(body), at_end=True)


def _back_from(document: Document, at: int, lines: list[bytes]) -> int | None:
    if document.newline == b"\n":
        return _back(document.body, at, lines)
    before = b"".join(line + document.newline for line in lines)
    return at - len(before) if document.body.endswith(before, 0, at) else None


def trailing_places(document: Document, old: bytes) -> Iterator[Place]:
    """Find whole lines equal to those of the text, trailing white space and the blanks in blank lines aside."""
    return _whole_lines(document, old, lambda wanted, found: wanted.rstrip(BLANKS) == found.rstrip(BLANKS))


def indented_places(document: Document, old: bytes) -> Iterator[Place]:
    """Find whole lines equal to those of the text, white space at both ends aside, if one map leads to theirs."""
    wanted = old.removesuffix(b"\n").split(b"\n")
    for place in _whole_lines(document, old, lambda sent, found: sent.strip(BLANKS) == found.strip(BLANKS)):
        if indent_map(wanted, lines_at(document, place)[: len(wanted)]) is not None:
            yield place


def lines_at(document: Document, place: Place) -> list[bytes]:
    """Give the lines of the body at a place, without their breaks."""
    lines = document.body[place.start : place.end].split(document.newline)
    if document.newline == b"\r":
        return lines
    return [*(line.removesuffix(b"\r") for line in lines[:-1]), lines[-1]]


def _whole_lines(document: Document, old: bytes, same: Callable[[bytes, bytes], bool]) -> Iterator[Place]:
    """Find runs of whole lines: by the longest line of the text, then its neighbours. Blanks alone are nowhere."""
    ends_with_break = old.endswith(b"\n")
    wanted = old.removesuffix(b"\n").split(b"\n")
    longest = max(range(len(wanted)), key=lambda i: len(wanted[i].strip(BLANKS)))
    needle = wanted[longest].strip(BLANKS)
    lines = Lines(document.body, document.newline)
    at = document.body.find(needle) if needle else -1
    while at >= 0:
        place = _lines_around(lines, at, wanted, longest, same)
        if place is not None:
            yield _with_break(lines, place) if ends_with_break else place
        at = document.body.find(needle, lines.end_at(at))


def _lines_around(
    lines: Lines, at: int, wanted: list[bytes], index: int, same: Callable[[bytes, bytes], bool]
) -> Place | None:
    """Give the run in which line `index` of the wanted ones is the line that holds `at`."""
    start = lines.start_at(at)
    if not same(wanted[index], lines.text_at(start)):
        return None
    for line in reversed(wanted[:index]):
        if start == 0:
            return None
        start = lines.start_at(start - 1)
        if not same(line, lines.text_at(start)):
            return None
    end = lines.end_at(at)
    last = lines.start_at(at)
    for line in wanted[index + 1 :]:
        if end >= len(lines.body) or not same(line, lines.text_at(end)):
            return None
        last, end = end, lines.end_at(end)
    return Place(start, last + len(lines.text_at(last)))


def _with_break(lines: Lines, place: Place) -> Place:
    """Take in the line break after a run; at the end of a file that has none, it stands for the end."""
    end = lines.end_at(place.end)
    return Place(place.start, end, at_end=not lines.body.endswith(lines.newline, 0, end))


RUNGS: Final = (Rung("exact", exact_places), Rung("trailing", trailing_places), Rung(INDENTATION, indented_places))
EXACT: Final = RUNGS[:1]
TOLERANT: Final = RUNGS[1:]
