"""The lines of an ignore file, as git's `dir.c` and `wildmatch.c` read them: rules that match one entry.

Text here has one character for each byte, since git's patterns are matched on bytes. pathspec's expressions were tried:
they match through ancestors (a nested `!*.log/` then overrules what git ignores), know no named classes, and backtrack:
for a hostile line with five stars one name of 80 characters takes 0.7 s, and twice as long a name 50 times as long.
Known difference: git lets `**` cross directories right after a literal beginning (`foo**/bar`); here it is `*`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from readfirst.filesystem.globs import starred

MAX_CHARS: Final = 4096
"""A longer line matches nothing."""
_ALPHA: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_DIGIT: Final = frozenset("0123456789")
_PRINTED: Final = frozenset(map(chr, range(0x20, 0x7F)))
_CLASSES: Final = {
    "alnum": _ALPHA | _DIGIT,
    "alpha": _ALPHA,
    "blank": frozenset(" \t"),
    "cntrl": frozenset([*map(chr, range(0x20)), "\x7f"]),
    "digit": _DIGIT,
    "graph": _PRINTED - {" "},
    "lower": frozenset(char for char in _ALPHA if char.islower()),
    "print": _PRINTED,
    "punct": _PRINTED - _ALPHA - _DIGIT - {" "},
    "space": frozenset(" \t\n\r"),
    "upper": frozenset(char for char in _ALPHA if char.isupper()),
    "xdigit": frozenset("0123456789abcdefABCDEF"),
}
_NAMED_CLASS: Final = re.compile(r"\[:([^\]]*):\]")
_BYTES: Final = frozenset(map(chr, range(256)))


class _NeverMatchesError(Exception):
    """The pattern is broken; git then matches nothing with it."""


@dataclass(frozen=True, slots=True)
class Segment:
    """One name in a rule; `literal` is that name when there are no wildcards, `suffix` its end after a single star."""

    regex: str
    literal: str | None
    fits: Callable[[str], object]
    suffix: str = ""


_ANY_DEPTH: Final = Segment(".*", None, re.compile(".*", re.DOTALL).fullmatch)
"""`**`: any number of names, at the end of a pattern at least one."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One line. `anchored` rules are about the path below the ignore file, the others about the name."""

    order: int
    negated: bool
    directories_only: bool
    anchored: bool
    segments: tuple[Segment, ...]

    @property
    def last(self) -> Segment:
        return self.segments[-1]

    def fits(self, name: str, above: tuple[str, ...], *, is_directory: bool) -> bool:
        """Tell whether the rule is about an entry, `above` being the directories between the ignore file and it."""
        if (self.directories_only and not is_directory) or not self.last.fits(name):
            return False
        if not self.anchored:
            return True
        if len(self.segments) != len(above) + 1 and _ANY_DEPTH not in self.segments:
            return False
        return _path_fits(self.segments, (*above, name))


def rule_of(order: int, line: str) -> Rule | None:
    """Read a line; None: it is no rule, or one that matches nothing."""
    if line.startswith("#") or len(line) > MAX_CHARS:
        return None
    pattern = _trimmed(line.removesuffix("\r"))
    negated = pattern.startswith("!")
    pattern = pattern[negated:]
    directories_only = pattern.endswith("/")
    pattern = pattern.removesuffix("/")
    anchored = "/" in pattern
    pattern = pattern.removeprefix("/")
    if not pattern:
        return None
    try:
        return Rule(order, negated, directories_only, anchored, _segments(pattern, anchored=anchored))
    except _NeverMatchesError:
        return None


def _trimmed(line: str) -> str:
    """Drop spaces at the end, but for one that is escaped."""
    text = line.rstrip(" ")
    backslashes = len(text) - len(text.rstrip("\\"))
    return f"{text} " if backslashes % 2 and text != line else text


def _segments(pattern: str, *, anchored: bool) -> tuple[Segment, ...]:
    """Split at the slashes outside of classes; each segment is a row of pieces with stars between them."""
    segments: list[Segment] = []
    pieces, literal, stars = [""], "", 0
    at = 0
    while at <= len(pattern):
        # An escaped slash is still one.
        at += pattern[at : at + 2] == "\\/"
        char = pattern[at : at + 1]
        if char in {"", "/"}:
            only_stars = stars > 1 and pieces == ["", ""]
            segments.append(_ANY_DEPTH if anchored and only_stars else _segment(pieces, literal))
            pieces, literal, stars = [""], "", 0
        elif char == "*":
            stars += 1
            if len(pieces) == 1 or pieces[-1]:
                pieces.append("")
        elif char == "[":
            at, piece = _class(pattern, at + 1)
            pieces[-1] += piece
        elif char == "?":
            pieces[-1] += "."
        else:
            if char == "\\":
                at += 1
                char = pattern[at : at + 1]
            if not char:
                raise _NeverMatchesError
            literal += char
            pieces[-1] += re.escape(char)
        at += 1
    return tuple(segments)


def _segment(pieces: list[str], literal: str) -> Segment:
    regex = starred(pieces)
    if regex == re.escape(literal):
        return Segment(regex, literal, literal.__eq__)
    suffix = literal if regex == f".*{re.escape(literal)}" else ""
    return Segment(regex, None, re.compile(regex, re.DOTALL).fullmatch, suffix)


def _class(pattern: str, at: int) -> tuple[int, str]:
    """Read a class whose `[` stands before `at`; give the place of its `]` and an expression for its characters."""
    negated = pattern[at : at + 1] in {"!", "^"}
    at += negated
    members: set[str] = set()
    before = ""
    first = True
    while first or pattern[at : at + 1] != "]":
        first = False
        char = pattern[at : at + 1]
        named = _NAMED_CLASS.match(pattern, at)
        if named is not None:
            if named[1] not in _CLASSES:
                raise _NeverMatchesError
            members |= _CLASSES[named[1]]
            at, before = named.end(), ""
            continue
        if char == "-" and before and pattern[at + 1 : at + 2] not in {"", "]"}:
            at, end = _escaped(pattern, at + 1)
            members.update(map(chr, range(ord(before), ord(end) + 1)))
            before = ""
        else:
            at, before = _escaped(pattern, at)
            members.add(before)
        at += 1
    found = (_BYTES - members if negated else members) - {"/"}
    if not found:
        raise _NeverMatchesError
    return at, f"[{''.join(map(re.escape, sorted(found)))}]"


def _escaped(pattern: str, at: int) -> tuple[int, str]:
    at += pattern[at : at + 1] == "\\"
    if at >= len(pattern):
        raise _NeverMatchesError
    return at, pattern[at]


def _path_fits(segments: tuple[Segment, ...], names: tuple[str, ...]) -> bool:
    """Match a path by the set of places reached, in time names x segments."""
    last = len(segments)
    places = {0}
    for name in names:
        following: set[int] = set()
        for place in _with_skipped(places, segments):
            if segments[place] is _ANY_DEPTH:
                following.add(place)
                if place + 1 == last:
                    following.add(last)
            elif segments[place].fits(name):
                following.add(place + 1)
        places = following
    return last in places


def _with_skipped(places: set[int], segments: tuple[Segment, ...]) -> set[int]:
    """Give the places from which a name can be taken: those behind a `**` too, which may stand for nothing."""
    found: set[int] = set()
    for place in places:
        at = place
        while at < len(segments) and at not in found:
            found.add(at)
            if segments[at] is not _ANY_DEPTH:
                break
            at += 1
    return found
