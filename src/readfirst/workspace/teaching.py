"""Refusals that teach: each shows what the caller lacks when that is small, and what it shows counts as seen."""

from __future__ import annotations

from readfirst.content.closest import closest_lines, repaired
from readfirst.content.codec import Document, decode, detect
from readfirst.content.diff import DiffLimit, lines_of, unified_diff
from readfirst.content.digest import Digest
from readfirst.content.lines import Lines
from readfirst.content.regions import regions_between
from readfirst.edits.match import exact_places
from readfirst.edits.plan import Edit
from readfirst.errors import EditFailure, EditsRefused, NextCall, NotRead, Stale, Unseen
from readfirst.filesystem.roots import ConfinedPath
from readfirst.sessions.ledger import FileRecord
from readfirst.spans import LineRange
from readfirst.workspace.context import Session


class Teacher:
    """Completes the refusals of one call on one version of one file."""

    def __init__(self, session: Session, target: ConfinedPath, document: Document, digest: Digest) -> None:
        self._session = session
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
        action = "edit" if text is not None else "read"
        refusal.next_calls = (NextCall(action, self._target.given),)
        return refusal

    def stale(self, refusal: Stale, record: FileRecord | None) -> Stale:
        """Show what changed since the session's read, if all of it fits; else name the lines to read."""
        path = self._target.given
        refusal.next_calls = (NextCall("read", path),)
        if record is None or record.digest == self._digest or record.content is None:
            return refusal
        encoding = detect(record.content)
        if encoding is None:
            return refusal
        before = decode(record.content, encoding)
        regions = regions_between(Lines(before.body, before.newline), self._lines)
        limit = DiffLimit(self._settings.refusal_diff_lines, self._settings.refusal_diff_chars)
        diff = unified_diff(before, self._document, regions, self._target.relative, limit)
        if diff.complete and regions:
            refusal.diff = diff.text
            refusal.next_calls = (NextCall("edit", path),)
            self._show(diff.shown_after)
        else:
            refusal.changed = lines_of(regions, self._lines.count)
            refusal.next_calls = tuple(NextCall("read", path, lines) for lines in refusal.changed[:1]) or refusal.next_calls
        return refusal

    def unseen(self, refusal: Unseen) -> Unseen:
        """Show the unseen lines when they are few, else name the read of the first of them."""
        refusal.shown = self._numbered(refusal.ranges)
        again = NextCall("write", self._target.given)
        refusal.next_calls = (NextCall("read", self._target.given, refusal.ranges[0]) if refusal.shown is None else again,)
        return refusal

    def edits_refused(self, failures: tuple[EditFailure, ...], edits: tuple[Edit, ...]) -> EditsRefused:
        """Add to each text that was not found the lines most like it."""
        taught = tuple(
            self._with_closest(failure, edits[failure.index]) if failure.code == "no_match" else failure
            for failure in failures
        )
        return EditsRefused(failures[0].code, self._target.given, failures=taught, edit_count=len(edits))

    def _with_closest(self, failure: EditFailure, edit: Edit) -> EditFailure:
        settings = self._settings
        already = len(edit.new) >= 8 and next(self._places(edit.new), None) is not None  # noqa: PLR2004 - SPEC 4.7
        closest, cause = None, "already applied" if already else ""
        for text, why in repaired(edit.old):
            if next(self._places(text), None) is not None:
                closest, cause = closest_lines(self._document, text, settings.closest_lines, settings.closest_chars), why
        if closest is None:
            closest = closest_lines(self._document, edit.old, settings.closest_lines, settings.closest_chars)
        if closest is not None:
            self._show((closest.lines,) if closest.whole else ())
            cause = cause or closest.cause
        return EditFailure(failure.index, failure.code, closest=closest, detail=cause)

    def _places(self, text: str):  # noqa: ANN202 - an iterator of places
        return exact_places(self._document, self._document.to_body(text.replace("\r\n", "\n")))

    def _numbered(self, ranges: tuple[LineRange, ...]) -> str | None:
        """Give the lines with their numbers, noted as shown; None when they are more than a refusal may show."""
        if sum(lines.count for lines in ranges) > self._settings.refusal_lines:
            return None
        numbers = (number for lines in ranges for number in range(lines.first, lines.last + 1))
        rows = [f"{number}\t{self._line(number)}" for number in numbers]
        text = "\n".join(rows)
        if len(text) > self._settings.refusal_chars:
            return None
        self._show(ranges)
        return text

    def _line(self, number: int) -> str:
        return self._document.shown(self._lines.slice(LineRange(number, number))).rstrip("\r\n")

    def _show(self, ranges: tuple[LineRange, ...]) -> None:
        self._session.show(self._target.path, self._digest, ranges, self._document.data)


