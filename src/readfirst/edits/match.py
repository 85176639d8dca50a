r"""Where the old text of an edit stands in a document: the matching ladder.

The first rung with at least one place decides; two places on it end the search, and it never falls through. Texts come
with `\n` as their only line break; line endings and the byte order mark never take part in a comparison.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from readfirst.content.codec import Document

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


def locate(document: Document, old: bytes, rungs: tuple[Rung, ...] | None = None) -> Match | Ambiguous | Missing:
    """Find the one place of a text that is not empty, on the strictest rung that has any."""
    for rung in rungs or RUNGS:
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
    elif b"\r" in body and b"\n" in old:
        yield from _across_endings(body, old)
    else:
        for place in _occurrences(body, old):
            # A lone carriage return of the old text is data; it is not half of a line break.
            if not (old.endswith(b"\r") and body[place.end : place.end + 1] == b"\n"):
                yield place
    yield from _at_unfinished_end(document, old)


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
    if not old.endswith(b"\n") or body.endswith(document.newline) or len(old) == 1:
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


RUNGS: Final = (Rung("exact", exact_places),)
