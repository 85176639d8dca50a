"""The lines of a file most like a text that was not found, and what the difference seems to be.

Bounded on purpose: lines of the text that do stand in the file vote for where the text may start (a `bytes.find` each),
then long words do, and only the few best places are scored (rapidfuzz `fuzz.ratio`); one last pass over the lines runs
on small files only. Nothing found here is ever edited; it is shown.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from readfirst.content.codec import Document
from readfirst.content.lines import Lines
from readfirst.errors import ClosestLines
from readfirst.spans import LineRange

MIN_SCORE: Final = 40.0
"""Below this, nothing is alike (0 to 100)."""
_GOOD_SCORE: Final = 85.0
"""From this on, no further stage is tried."""
_HITS: Final = 64
_WINDOWS: Final = 6
_SCORED_CHARS: Final = 4_000
_LAST_RESORT_BYTES: Final = 200_000
_SIMILAR_LINE: Final = 60.0
_MERGE_LINES: Final = 3
_MIN_NEEDLE: Final = 3
"""Characters of a line that may vote: a brace stands everywhere."""

_NUMBERED: Final = re.compile(r"^[ ]*\d+(?:\t|\||→|: ?)", re.MULTILINE)
_CURLY: Final = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u00a0": " "})


@dataclass(frozen=True, slots=True)
class _Vote:
    """A line of the text, number `index` of it, stands in the file on `line`, which starts at `start`."""

    index: int
    line: int
    start: int
    weight: int = 1

    @property
    def first_line(self) -> int:
        return max(self.line - self.index, 1)


def closest_lines(document: Document, old: str, max_lines: int, max_chars: int) -> ClosestLines | None:
    """Find the lines most like `old`; None when nothing scores 40 of 100."""
    wanted = _lines_of(old)
    if not any(line.strip() for line in wanted):
        return None
    lines = Lines(document.body, document.newline)
    best = _best_window(document, lines, wanted)
    if best is None:
        return None
    start_line, start, score = best
    found = [document.shown(line).rstrip("\r\n") for line in _window(lines, start, len(wanted))]
    difference = next(
        (
            (start_line + i, mine, theirs)
            for i, (mine, theirs) in enumerate(zip(found, wanted, strict=False))
            if mine != theirs
        ),
        None,
    )
    shown = _capped(found, max_lines, max_chars)
    where = LineRange(start_line, start_line + max(len(shown), 1) - 1)
    return ClosestLines(
        where, tuple(shown), score, difference, _cause(found, wanted), whole=shown == found[: len(shown)]
    )


def repaired(old: str) -> Iterator[tuple[str, str]]:
    """Give texts that `old` may have been meant as, each with its cause; the caller looks for them in the file."""
    lines = [line for line in old.splitlines() if line.strip()]
    if lines and all(_NUMBERED.match(line) for line in lines):
        yield _NUMBERED.sub("", old), "line numbers pasted"
    unescaped = html.unescape(old)
    if unescaped != old:
        yield unescaped, "HTML entities"


def _lines_of(text: str) -> list[str]:
    lines = text.replace("\r\n", "\n").split("\n")
    return lines[:-1] if len(lines) > 1 and not lines[-1] else lines


def _best_window(document: Document, lines: Lines, wanted: list[str]) -> tuple[int, int, float] | None:
    """Give (line, offset, score) of the best place, trying stage after stage until one is good enough."""
    # Deferred: rapidfuzz takes 10 ms to import, and most edits are found.
    from rapidfuzz import fuzz  # noqa: PLC0415

    text = "\n".join(line.strip() for line in wanted)[:_SCORED_CHARS]
    best: tuple[int, int, float] | None = None
    for votes in _stages(document, lines, wanted):
        for vote in _elected(votes):
            start = _back_to(lines, vote)
            window = (document.shown(line[: _SCORED_CHARS * 4]).strip() for line in _window(lines, start, len(wanted)))
            cutoff = max(MIN_SCORE, best[2] if best else 0.0)
            score = fuzz.ratio(text, "\n".join(window)[:_SCORED_CHARS], score_cutoff=cutoff)
            if score and (best is None or score > best[2]):
                best = vote.first_line, start, score
        if best is not None and best[2] >= _GOOD_SCORE:
            break
    return best


def _stages(document: Document, lines: Lines, wanted: list[str]) -> Iterator[list[_Vote]]:
    ranked = sorted(
        ((line.strip(), index) for index, line in enumerate(wanted) if len(line.strip()) >= _MIN_NEEDLE),
        key=lambda pair: -len(pair[0]),
    )
    yield list(_votes(document, lines, ranked[:6]))
    yield list(_votes(document, lines, ranked[6:20]))
    words = sorted(
        {(word, i) for i, line in enumerate(wanted) for word in re.findall(r"\w{3,}", line)}, key=_longest_first
    )
    yield list(_votes(document, lines, words[:16]))
    if len(lines.body) <= _LAST_RESORT_BYTES and ranked:
        yield list(_most_similar_line(document, lines, *ranked[0]))


def _longest_first(pair: tuple[str, int]) -> tuple[int, str, int]:
    return -len(pair[0]), *pair


def _votes(document: Document, lines: Lines, needles: Iterable[tuple[str, int]]) -> Iterator[_Vote]:
    for needle, index in needles:
        wanted = needle.encode("utf-8", "replace")[:_SCORED_CHARS]
        counted, line = 0, 1
        hits: list[tuple[int, int]] = []
        at = document.body.find(wanted)
        while at >= 0 and len(hits) < _HITS:
            line += document.body.count(document.newline, counted, at)
            counted = at
            hits.append((line, lines.start_at(at)))
            at = document.body.find(wanted, lines.end_at(at))
        # A text that stands in one place tells more than one that stands everywhere.
        weight = max(len(needle) * 100 // max(len(hits), 1), 1)
        yield from (_Vote(index, number, start, weight) for number, start in hits)


def _elected(votes: list[_Vote]) -> list[_Vote]:
    """Give the votes with the most weight behind their starting line, starts within 3 lines counted together."""
    weight: Counter[int] = Counter()
    for vote in votes:
        weight[vote.first_line] += vote.weight
    ranked = sorted(votes, key=lambda vote: (-_support(weight, vote.first_line), vote.first_line))
    chosen: list[_Vote] = []
    for vote in ranked:
        if all(vote.first_line != other.first_line for other in chosen):
            chosen.append(vote)
        if len(chosen) == _WINDOWS:
            break
    return chosen


def _support(weight: Counter[int], line: int) -> int:
    return 2 * weight[line] + sum(weight[line + step] for step in range(-_MERGE_LINES, _MERGE_LINES + 1))


def _most_similar_line(document: Document, lines: Lines, needle: str, index: int) -> Iterator[_Vote]:
    from rapidfuzz import fuzz, process  # noqa: PLC0415 - as above

    choices = [line[:_SCORED_CHARS] for line in document.shown(document.body).lower().split(document.newline.decode())]
    hit = process.extractOne(needle.lower(), choices, scorer=fuzz.ratio, score_cutoff=_SIMILAR_LINE)
    if hit is not None:
        yield _Vote(index, hit[2] + 1, lines.offset(hit[2] + 1))


def _back_to(lines: Lines, vote: _Vote) -> int:
    start = vote.start
    for _ in range(vote.line - vote.first_line):
        start = lines.start_at(start - 1)
    return start


def _window(lines: Lines, start: int, count: int) -> Iterator[bytes]:
    for _ in range(count):
        if start >= len(lines.body):
            return
        end = lines.end_at(start)
        yield lines.body[start:end]
        start = end


def _capped(found: list[str], max_lines: int, max_chars: int) -> list[str]:
    shown: list[str] = []
    long = max_chars // 2
    for line in found[:max_lines]:
        text = line if len(line) <= long else f"{line[:long]} [... the line goes on]"
        max_chars -= len(text)
        if max_chars < 0:
            break
        shown.append(text)
    return shown


def _cause(found: list[str], wanted: list[str]) -> str:
    mine, theirs = "\n".join(found), "\n".join(wanted)
    if mine.translate(_CURLY) == theirs.translate(_CURLY):
        return "curly quotes or no-break spaces"
    if "".join(mine.split()) == "".join(theirs.split()):
        return "white space"
    if mine.casefold() == theirs.casefold():
        return "case"
    return ""
