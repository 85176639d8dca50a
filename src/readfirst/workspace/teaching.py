"""Refusals that teach: each shows what the caller lacks when that is small, and what it shows counts as seen.

(A room beside the use cases: all that change a file refuse in these ways.)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final, Literal

from readfirst.content.closest import closest_lines, repaired
from readfirst.content.codec import Document, decode, detect
from readfirst.content.diff import DiffLimit, lines_of, unified_diff
from readfirst.content.digest import Digest
from readfirst.content.lines import Lines
from readfirst.content.regions import regions_between
from readfirst.edits.match import exact_places
from readfirst.edits.plan import Edit
from readfirst.errors import EditFailure, EditsRefused, NextCall, NotRead, Stale, Unseen
from readfirst.filesystem.confined import ConfinedPath
from readfirst.sessions.ledger import FileRecord
from readfirst.spans import LineRange
from readfirst.workspace.context import Session

_CHARS_WITHOUT: Final = 60
_CHARS_WITH: Final = 700
"""Room for the words of one failing edit, without and with two quoted lines and the lines' numbers."""
_LEAST_CHARS: Final = 200
_TELLING_CHARS: Final = 8
"""A new text shorter than this stands in many files by chance (SPEC 4.7)."""

Wants = Literal["edit", "write", "delete"]
"""The call that is refused: the one to send again once the caller knows more."""


class Teacher:
    """Completes the refusals of one call on one version of one file."""

    def __init__(
        self, session: Session, target: ConfinedPath, document: Document, digest: Digest, wants: Wants
    ) -> None:
        self._session = session
        self._wants: Wants = wants
        self._settings = session.workspace.settings
        self._target = target
        self._document = document
        self._digest = digest
        self._lines = Lines(document.body, document.newline)

    def not_read(self, refusal: NotRead) -> NotRead:
        """Show a small file whole, else name the read."""
        every = self._lines.all
        text = self._numbered((every,)) if every is not None else None
        refusal.shown = text
        refusal.next_calls = (NextCall("read" if text is None else self._wants, self._target.given),)
        return refusal

    def stale(self, refusal: Stale, record: FileRecord | None) -> Stale:
        """Show what changed since the session's read, if all of it fits; else name the lines to read."""
        path = self._target.given
        refusal.next_calls = (NextCall("read", path),)
        if record is None or record.digest == self._digest:
            return refusal
        refusal.undone = record.undone_by(self._digest)
        refusal.next_calls = (NextCall("read", path, self._seen_before(record)),)
        encoding = detect(record.content, self._settings.fallback_encoding) if record.content is not None else None
        # A byte order mark that came or went stands in no line, and so in no diff.
        if record.content is None or encoding is None or encoding != self._document.encoding:
            return refusal
        before = decode(record.content, encoding)
        regions = regions_between(Lines(before.body, before.newline), self._lines)
        limit = DiffLimit(self._settings.refusal_diff_lines, self._settings.refusal_diff_chars)
        diff = unified_diff(before, self._document, regions, self._target.relative, limit)
        if diff.complete and regions:
            refusal.diff = diff.text
            unseen = self._wants == "write" and diff.shown_after != ((self._lines.all,) if self._lines.all else ())
            refusal.next_calls = (NextCall("read" if unseen else self._wants, path),)
            self._show(diff.shown_after)
        else:
            refusal.changed = lines_of(regions, self._lines.count)
            if refusal.changed:
                refusal.next_calls = (NextCall("read", path, _hull(refusal.changed)),)
        return refusal

    def _seen_before(self, record: FileRecord) -> LineRange | None:
        """Give the lines to read again where nobody knows what changed: those around what was seen; None: all."""
        seen, count = record.coverage.ranges, self._lines.count
        if self._wants == "write" or not seen or seen[0].first > count:
            return None
        lines = LineRange(seen[0].first, min(seen[-1].last, count))
        return None if lines == self._lines.all else lines

    def unseen(self, refusal: Unseen) -> Unseen:
        """Show the unseen lines when they are few, else name the read of the first of them.

        Law: whoever repeats the refused call after each read that it names is refused no more in the end.
        """
        path, settings = self._target.given, self._settings
        refusal.shown = self._numbered(refusal.ranges)
        if refusal.shown is not None:
            refusal.next_calls = (NextCall(self._wants, path),)
            return refusal
        most, first = settings.max_page_chars, refusal.ranges[0].first
        if self._size(first) > most:
            refusal.next_calls = (NextCall("read", path, LineRange(first, first), most, refusal.column, cut=True),)
            return refusal
        longest = max((self._size(number) for lines in refusal.ranges for number in self._long(lines)), default=0)
        max_chars = most if longest > settings.page_chars else 0
        refusal.next_calls = (NextCall("read", path, _hull(refusal.ranges), max_chars),)
        return refusal

    def _long(self, lines: LineRange) -> Iterator[int]:
        """Give the lines that may not fit on a default page; few files have any."""
        for number in range(lines.first, lines.last + 1):
            if self._lines.offset(number + 1) - self._lines.offset(number) > self._settings.page_chars // 2:
                yield number

    def _size(self, number: int) -> int:
        return len(f"{number}\t{self._line(number)}")

    def edits_refused(self, failures: tuple[EditFailure, ...], edits: tuple[Edit, ...]) -> EditsRefused:
        """Add to each text that was not found the lines most like it, as long as the refusal has room for them."""
        room = self._settings.error_chars - (len(failures) + 1) * _CHARS_WITHOUT
        taught: list[EditFailure] = []
        for failure in failures:
            if failure.code == "no_match":
                limit = min(room - _CHARS_WITH, self._settings.closest_chars)
                taught.append(self._with_closest(failure, edits[failure.index], limit))
                closest = taught[-1].closest
                room -= sum(map(len, closest.text)) + _CHARS_WITH if closest else 0
            else:
                taught.append(failure)
        return EditsRefused(failures[0].code, self._target.given, failures=tuple(taught), edit_count=len(edits))

    def _with_closest(self, failure: EditFailure, edit: Edit, max_chars: int) -> EditFailure:
        if max_chars < _LEAST_CHARS:
            return replace(failure, searched=False)
        already = len(edit.new) >= _TELLING_CHARS and self._stands(edit.new)
        cause = "already applied" if already else ""
        old = edit.old
        for text, why in repaired(edit.old):
            if self._stands(text):
                old, cause = text, why
        closest = closest_lines(self._document, old, self._settings.closest_lines, max_chars)
        if closest is not None:
            self._show((closest.lines,) if closest.whole else ())
        return replace(failure, closest=closest, detail=failure.detail or cause or (closest.cause if closest else ""))

    def _stands(self, text: str) -> bool:
        """Tell whether a text stands in the file exactly."""
        try:
            wanted = self._document.to_body(text.replace("\r\n", "\n"))
        except UnicodeEncodeError:
            return False
        return bool(wanted) and next(exact_places(self._document, wanted), None) is not None

    def _numbered(self, ranges: tuple[LineRange, ...]) -> str | None:
        """Give the lines with their numbers, noted as shown; None when they are more than a refusal may show."""
        settings = self._settings
        if sum(lines.count for lines in ranges) > settings.refusal_lines:
            return None
        if sum(len(self._lines.slice(lines)) for lines in ranges) > settings.refusal_chars * 4:
            return None
        numbers = (number for lines in ranges for number in range(lines.first, lines.last + 1))
        rows = [f"{number}\t{self._line(number)}" for number in numbers]
        text = "\n".join(rows)
        if len(text) > self._settings.refusal_chars:
            return None
        self._show(ranges)
        return text

    def _line(self, number: int) -> str:
        return self._document.shown(self._lines.text_at(self._lines.offset(number)))

    def _show(self, ranges: tuple[LineRange, ...]) -> None:
        self._session.show(self._target, self._digest, ranges, self._document.data)


def _hull(ranges: tuple[LineRange, ...]) -> LineRange:
    return LineRange(ranges[0].first, ranges[-1].last)
