"""Glob patterns, matched one path segment at a time while a walk descends.

A pattern is a row of segment matchers with `**` between them; a `Step` is the set of places in the patterns that a
directory has reached. So a directory that cannot hold a match is never read, all alternatives of a pattern share one
walk, and no pattern takes more than the number of its segments per name: matched as one regular expression over whole
paths, `**/a/**/a/…` runs for hours. Within a segment `*` takes the first place where what follows it fits (an atomic
group), which is right since what stands between two stars has a fixed length.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, NewType

import bracex
from wcmatch import fnmatch

from readfirst.errors import ArgumentRefused

MAX_CHARS: Final = 1_000
MAX_ALTERNATIVES: Final = 256
_MOST_STEPS: Final = 1_000
"""Steps kept by one matcher; a hostile tree makes a new one per directory."""
_FLAGS: Final = fnmatch.CASE | fnmatch.DOTMATCH | fnmatch.FORCEUNIX
_WRAPPED: Final = re.compile(r"\^\(\?s:(.*)\)\$", re.DOTALL)
_TOKEN: Final = re.compile(r"\\.|\[[!^]?\]?(?:\[:\w+:\]|\\.|[^\]\\])*\]|\*+|.", re.DOTALL)

_Place = NewType("_Place", int)
_Accepts = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class _Segment:
    """One place of a pattern. `name` is None for `**`, which takes any number of names."""

    name: str | None
    last: bool
    directories_only: bool


class Glob:
    """What a list of patterns matches, as the places that they can be at."""

    def __init__(self, alternatives: Sequence[str], *, excluding: bool = False) -> None:
        """Compile patterns whose braces are expanded."""
        self._segments: list[_Segment] = []
        self._matchers: dict[str, _Accepts] = {}
        self._steps: dict[frozenset[_Place], Step] = {}
        starts: set[_Place] = set()
        for alternative in dict.fromkeys(alternatives):
            starts.add(_Place(len(self._segments)))
            self._segments += _segments(alternative, excluding=excluding)
        self.start = self._step(starts)

    def _step(self, places: set[_Place]) -> Step:
        """Give the step of some places; `**` may also stand for nothing."""
        for place in sorted(places):
            while self._segments[place].name is None:
                place = _Place(place + 1)  # noqa: PLW2901 - the places behind this one
                places.add(place)
        key = frozenset(places)
        if key not in self._steps:
            if len(self._steps) >= _MOST_STEPS:
                self._steps.clear()
            self._steps[key] = Step(self, key)
        return self._steps[key]

    def accepts(self, places: frozenset[_Place], *, directories_only: bool) -> _Accepts | None:
        """Give what tells whether a name completes a pattern at one of these places."""
        names = [self._segments[place] for place in places]
        last = {one.name or "" for one in names if one.last and one.directories_only == directories_only}
        return re.compile("|".join(sorted(last)), re.DOTALL).fullmatch if last else None

    def after(self, places: frozenset[_Place], name: str) -> Step | None:
        """Give the step below a directory of this name; None: nothing below it can match."""
        following: set[_Place] = set()
        for place in places:
            segment = self._segments[place]
            if segment.name is None:
                following.add(place)
            elif not segment.last and self._matcher(segment.name)(name):
                following.add(_Place(place + 1))
        return self._step(following) if following else None

    def _matcher(self, name: str) -> _Accepts:
        if name not in self._matchers:
            self._matchers[name] = re.compile(name, re.DOTALL).fullmatch
        return self._matchers[name]


class Step:
    """How far the patterns have come in one directory."""

    __slots__ = ("_any", "_directory", "_glob", "_places")

    def __init__(self, glob: Glob, places: frozenset[_Place]) -> None:
        """Prepare to match names at these places."""
        self._glob = glob
        self._places = places
        self._any = glob.accepts(places, directories_only=False)
        self._directory = glob.accepts(places, directories_only=True)

    def matches(self, name: str, *, is_directory: bool) -> bool:
        """Tell whether a name in this directory is matched."""
        if self._any is not None and self._any(name):
            return True
        return is_directory and self._directory is not None and bool(self._directory(name))

    def below(self, name: str) -> Step | None:
        """Give the step of a directory in this one; None: nothing below it can match."""
        return self._glob.after(self._places, name)


def pattern_of(pattern: str) -> Glob:
    """Compile what a search looks for; a pattern without `/` is looked for at any depth.

    Raises:
        ArgumentRefused: it is too long, has too many alternatives, or leads out of the directory.
    """
    return Glob(_expanded("pattern", pattern, MAX_ALTERNATIVES))


def excluded_by(patterns: Sequence[str]) -> Glob | None:
    """Compile what a walk leaves out, with all that is below; None: nothing.

    Raises:
        ArgumentRefused: as in `pattern_of`, for all of them together.
    """
    alternatives: list[str] = []
    for pattern in patterns:
        alternatives += _expanded("excludePatterns", pattern, MAX_ALTERNATIVES - len(alternatives))
    return Glob(alternatives, excluding=True) if alternatives else None


def _expanded(argument: str, pattern: str, limit: int) -> list[str]:
    if len(pattern) > MAX_CHARS:
        raise _refused(argument, f"has {len(pattern):,} characters, more than the limit of {MAX_CHARS:,}")
    if "\0" in pattern or not pattern.strip("./"):
        raise _refused(argument, "names nothing" if "\0" not in pattern else "has a character that no file name has")
    if ".." in pattern.split("/"):
        raise _refused(argument, "counts from `path` downwards, so it cannot hold `..`")
    try:
        # A limit of 0 means none.
        found = list(bracex.expand(pattern, keep_escapes=True, limit=limit)) if limit > 0 else []
    except (bracex.ExpansionLimitException, RecursionError):
        found = []
    if not found:
        raise _refused(argument, f"stands for more than {MAX_ALTERNATIVES} patterns; use fewer braces")
    return found


def _refused(argument: str, problem: str) -> ArgumentRefused:
    return ArgumentRefused(path="", detail=f"`{argument}` {problem}")


def _segments(pattern: str, *, excluding: bool) -> list[_Segment]:
    names = [name for name in pattern.split("/") if name not in {"", "."}]
    directories_only = pattern.endswith("/")
    if excluding:
        # Without all that is below it, a directory would be reported as empty.
        while len(names) > 1 and names[-1] == "**":
            names.pop()
            directories_only = True
    if "/" not in pattern.rstrip("/"):
        names.insert(0, "**")
    if names[-1:] == ["**"] or not names:
        names.append("*")
    compact = [name for at, name in enumerate(names) if name != "**" or names[at - 1 : at] != ["**"]]
    return [
        _Segment(None if name == "**" else segment_regex(name), at == len(compact), directories_only)
        for at, name in enumerate(compact, 1)
    ]


def segment_regex(segment: str) -> str:
    """Translate one segment: `*`, `?`, classes and escapes."""
    pieces = [""]
    for token in _TOKEN.findall(segment):
        if token[0] == "*":
            pieces.append("")
        else:
            pieces[-1] += token
    return starred([_translated(piece) for piece in pieces])


def _translated(piece: str) -> str:
    (regexes, _) = fnmatch.translate(piece, flags=_FLAGS)
    found = _WRAPPED.fullmatch(regexes[0])
    assert found is not None  # noqa: S101 - the form in which wcmatch gives every pattern
    return found[1]


def starred(pieces: Sequence[str]) -> str:
    """Join expressions of fixed length with `*` between them, so that no name takes longer than length x pieces."""
    if len(pieces) == 1:
        return pieces[0]
    first, *middle, last = pieces
    return f"{first}{''.join(f'(?>.*?{piece})' for piece in middle if piece)}.*{last}"
