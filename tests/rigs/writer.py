"""The calls that change text, each compared with what the contract allows and with what the reply says."""

from __future__ import annotations

from collections.abc import Sequence

from readfirst import Edit, ReadfirstError, edit_file, write_file
from readfirst.workspace.edit import ChangeResult
from readfirst.workspace.manage import append_file
from tests.rigs.book import Entry
from tests.rigs.disk import Node
from tests.rigs.reader import Reader, Refused
from tests.rigs.reckoning import SENT, Outcome, carried, outcomes, tolerant_outcomes
from tests.rigs.sight import Sight, after_rows, before_rows, patched, spans_of, split, text_of


class Writer(Reader):
    """A session that changes text."""

    def edit(self, path: str, edits: Sequence[Edit], *, dry_run: bool = False, version: str = "") -> Refused:
        name, before = self.disk.name(path, follow=True), self.disk.tree()
        data = self.disk.data(name)
        proof = None if data is None else self.book.proof(name, data, version)
        result = self._attempt(lambda: edit_file(self.session, path, edits, dry_run=dry_run, version=version))
        if isinstance(result, ReadfirstError):
            self.book.learn(name, data, result)
            return result
        assert data is not None
        assert proof is not None, "an edit of a file that was not read at its present version (G1, G2)"
        after = self._said(name, data, result)
        if after is None:
            return None
        outcome = _explained(proof, edits, result, data, after)
        _require_bytes_kept(data, after, outcome, edits)
        if dry_run:
            self._expect(before)
            return None
        entry = Entry("edit", name, before[name], None, proof.quoting(outcome.quoted), outcome.origins)
        self._changed(before, entry, after, carried(proof, after, outcome), result)
        return None

    def write(
        self, path: str, text: str, *, dry_run: bool = False, keep_newlines: bool = True, version: str = ""
    ) -> Refused:
        name, before = self.disk.name(path, follow=True), self.disk.tree()
        data = self.disk.data(name)
        proof = None if data is None else self.book.proof(name, data, version)
        result = self._attempt(
            lambda: write_file(self.session, path, text, dry_run=dry_run, keep_newlines=keep_newlines, version=version)
        )
        if isinstance(result, ReadfirstError):
            self.book.learn(name, data, result)
            return result
        if data is None:
            self._created(before, name, text, dry_run=dry_run)
            return None
        assert proof is not None, "an overwrite of a file that was not read at its present version (G1, G2)"
        assert proof.whole, "an overwrite of lines that were not seen (G3)"
        after = _overwritten(data, text, keep_newlines=keep_newlines)
        said = self._said(name, data, result)
        assert said in {after, None}, (data, said, after, result.diff)
        if dry_run:
            self._expect(before)
            return None
        entry = Entry("write", name, before[name], None, proof, (SENT,) * len(text_of(after)))
        self._changed(before, entry, after, Sight.all_of(after), result)
        return None

    def append(self, path: str, text: str) -> Refused:
        name, before = self.disk.name(path, follow=True), self.disk.tree()
        data = self.disk.data(name)
        result = self._attempt(lambda: append_file(self.session, path, text))
        if isinstance(result, ReadfirstError):
            return result
        if data is None:
            self._created(before, name, text, dry_run=False)
            return None
        after = data + text.encode()
        self._expect(before | {name: before[name]._replace(data=after)})
        assert result.total == len(spans_of(text_of(after)))
        if after == data:
            return None
        sight, size = self.book.sight(name, data), len(text_of(data))
        origins = (*range(size), *[SENT] * (len(text_of(after)) - size))
        self.book.log.append(Entry("append", name, before[name], self._node(name), sight, origins))
        if sight is not None:
            self.book.know(name, carried(sight, after, Outcome(text_of(after), origins)))
        return None

    def _created(self, before: dict[str, Node], name: str, text: str, *, dry_run: bool) -> None:
        if dry_run:
            self._expect(before)
            return
        self._expect(before | self._with_parents(name, text.encode()))
        self.book.know(name, Sight.all_of(text.encode()))
        self.book.log.append(Entry("create", name, None, self._node(name)))

    def _said(self, name: str, data: bytes, result: ChangeResult) -> bytes | None:
        """Give what the reply says the file holds now, or would hold; None: its diff was shortened."""
        if result.dry_run:
            after = None if result.diff is not None and not result.diff.complete else data
        else:
            after = self.disk.data(name)
        if result.diff is not None and result.diff.complete:
            says = patched(data, result.diff.text)
            assert says is not None
            assert result.dry_run or says == after, "the diff is not what was done"
            after = says
        self._token(name, data, result)
        return after

    def _token(self, name: str, data: bytes, result: ChangeResult) -> None:
        now = self.disk.data(name)
        assert now is not None
        whole = result.version.startswith("w")
        assert not (whole and (result.placed or result.dry_run))
        self.book.told(result.version, now, whole=whole)
        if result.dry_run and result.diff is not None:
            self.book.show(name, data, before_rows(result.diff.text))

    def _changed(self, before: dict[str, Node], entry: Entry, after: bytes, sight: Sight, result: ChangeResult) -> None:
        name = entry.name
        self._expect(before | {name: before[name]._replace(data=after)})
        entry.after = self._node(name)
        if entry.after != entry.before:
            self.book.log.append(entry)
        self.book.know(name, sight)
        if result.diff is not None:
            self.book.show(name, after, after_rows(result.diff.text))


def _explained(proof: Sight, edits: Sequence[Edit], result: ChangeResult, data: bytes, after: bytes) -> Outcome:
    """Find the outcome that the contract allows and that leaves most of the text known (G3, G6, G7)."""
    if {placed.rung for placed in result.placed} == {"exact"}:
        found = list(outcomes(text_of(data), edits))
    else:
        assert len(edits) == 1
        found = list(tolerant_outcomes(text_of(data), edits[0].old, text_of(after)))
    found = [one for one in found if one.text == text_of(after)]
    assert found, f"{edits} do not make {text_of(data)!r} {text_of(after)!r}"
    allowed = [one for one in found if one.changed <= proof.known]
    assert allowed, f"lines {[sorted(one.changed) for one in found]} would change, {sorted(proof.known)} were seen (G3)"
    return max(allowed, key=lambda one: sum(carried(proof, after, one).seen))


def _require_bytes_kept(data: bytes, after: bytes, outcome: Outcome, edits: Sequence[Edit]) -> None:
    """Lines outside those that were quoted keep their bytes, whatever ends them (G5)."""
    spans, lines = spans_of(text_of(data)), split(data.decode())
    if len(outcome.quoted) < len(edits) or any(start == end for start, end in outcome.quoted):
        return
    start, end = min(outcome.quoted)[0], max(stop for _, stop in outcome.quoted)
    head = sum(stop < start for _, stop in spans)
    tail = sum(first >= end for first, _ in spans)
    assert after.startswith("".join(lines[:head]).encode())
    assert after.endswith("".join(lines[len(lines) - tail :]).encode())


def _overwritten(data: bytes, text: str, *, keep_newlines: bool) -> bytes:
    """Give what an overwrite must write: with the mark and the line ending that the file has."""
    mark = "\ufeff" if data.decode().startswith("\ufeff") else ""
    pairs, feeds = data.count(b"\r\n"), data.count(b"\n")
    if keep_newlines and feeds and pairs in {0, feeds}:
        text = text.replace("\r\n", "\n").replace("\n", "\r\n" if pairs else "\n")
    return (mark + text).encode()
