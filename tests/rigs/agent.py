"""One session that calls the use cases, and after each call compares the disk and what was said with the model."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TypeVar

from readfirst import Edit, ReadfirstError, ReadRequest, Workspace, edit_file, read_page, write_file
from readfirst.content.diff import Diff
from readfirst.errors import DiskRefused, GuardRefused, PathRefused
from readfirst.workspace.browse import get_file_info
from readfirst.workspace.edit import ChangeResult
from readfirst.workspace.history import session_changes
from readfirst.workspace.manage import append_file, copy_file, delete_file, move_file
from readfirst.workspace.read import ReadResult, read_pages
from readfirst.workspace.undo import undo_edit
from tests.rigs.book import Book, Entry
from tests.rigs.disk import Disk, Node, moved
from tests.rigs.reckoning import SENT, Outcome, carried, outcomes, tolerant_outcomes
from tests.rigs.sight import Sight, after_rows, before_rows, numbered, patched, plain, spans_of, split, text_of

T = TypeVar("T")
Refused = ReadfirstError | None
_MOST_STEPS = 60


class Agent:
    """Calls as an agent does. Each method gives the refusal, or None when the call was done."""

    def __init__(self, disk: Disk, open_workspace: Callable[[], Workspace]) -> None:
        self.disk = disk
        self.book = Book(disk)
        self._open = open_workspace
        self.workspace = open_workspace()

    @property
    def session(self):
        return self.workspace.session("agent")

    def restart(self) -> None:
        self.workspace.close()
        self.workspace = self._open()

    # Reading

    def read(self, path: str, request: ReadRequest) -> Refused:
        name, before = self.disk.name(path, follow=True), self.disk.tree()
        result = self._attempt(lambda: read_page(self.session, path, request))
        assert self.disk.tree() == before
        if isinstance(result, ReadfirstError):
            return result
        self._was_read(name, result, numbered_lines=request.numbered)
        return None

    def read_several(self, paths: Sequence[str], max_chars: int) -> None:
        for path, result in zip(paths, read_pages(self.session, paths, max_chars), strict=True):
            if isinstance(result, ReadResult):
                self._was_read(self.disk.name(path, follow=True), result, numbered_lines=False)

    def _was_read(self, name: str, result: ReadResult, *, numbered_lines: bool) -> None:
        data = self.disk.data(name)
        assert data is not None
        page = result.page
        assert result.total == len(spans_of(text_of(data)))
        if page.lines is None and text_of(data):
            assert not page.text
            assert not result.version
            return
        first = page.lines.first if page.lines is not None else 1
        rows = numbered(page.text) if numbered_lines else plain(page.text, first)
        rows = [rows[0]._replace(column=page.first_column), *rows[1:]] if rows else []
        old = self.book.sights.get(name)
        if old is not None and self.book.sight(name, data) is None:
            assert result.changed, "a read does not say that the file changed"
        self.book.show(name, data, rows)
        self.book.told(result.version, data, whole=Sight.none_of(data).showing(rows).whole)

    def changes(self, path: str) -> None:
        result = self._attempt(lambda: session_changes(self.session, path, max_chars=400))
        if isinstance(result, ReadfirstError):
            return
        told, more = result
        assert more == 0
        for one in told:
            name = os.path.relpath(one.path, self.disk.root)
            data = self.disk.data(name)
            if one.diff is not None and data is not None and self.book.sight(name, data) is not None:
                self.book.show(name, data, after_rows(one.diff.text))

    def check_view(self, name: str) -> None:
        """What the server says that the session has seen is no more than what it was shown."""
        data = self.disk.data(name)
        if data is None:
            return
        view = get_file_info(self.session, name).view
        assert view is not None
        if view.state == "fresh":
            sight = self.book.sight(name, data)
            assert sight is not None, f"{name} was not read at its present version"
            assert view.seen <= len(sight.known), f"{view.seen} lines of {name} count as seen, {sight.known} were"

    # Changing text

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

    def _with_parents(self, name: str, data: bytes | None = None) -> dict[str, Node]:
        """Give a new file, and the directories above it, as they are, but for the file's bytes."""
        tree, new = self.disk.tree(), dict[str, Node]()
        if data is not None:
            new[name] = tree[name]._replace(kind="file", data=data)
        while name := os.path.dirname(name):
            new[name] = tree[name]
        return new

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

    # Files as wholes

    def copy(self, source: str, destination: str) -> Refused:
        here, there = self.disk.name(source, follow=True), self.disk.name(destination, follow=False)
        before = self.disk.tree()
        result = self._attempt(lambda: copy_file(self.session, source, destination))
        if isinstance(result, ReadfirstError):
            return result
        assert there not in before
        self._expect(before | self._with_parents(there) | {there: before[here]})
        sight = self.book.sight(here, before[here].data)
        self.book.log.append(Entry("copy", there, None, self._node(there)))
        if sight is not None:
            self.book.know(there, sight)
        return None

    def move(self, source: str, destination: str) -> Refused:
        here, there = self.disk.name(source, follow=False), self.disk.name(destination, follow=False)
        before = self.disk.tree()
        result = self._attempt(lambda: move_file(self.session, source, destination))
        if isinstance(result, ReadfirstError):
            return result
        assert there not in before
        self._expect(self._with_parents(there) | {moved(name, here, there): node for name, node in before.items()})
        self.book.log_move(here, there, before[here])
        return None

    def delete(self, path: str, *, version: str = "") -> Refused:
        name, before = self.disk.name(path, follow=False), self.disk.tree()
        data = self.disk.data(name)
        proof = None if data is None else self.book.proof(name, data, version)
        result = self._attempt(lambda: delete_file(self.session, path, version=version))
        if isinstance(result, ReadfirstError):
            self.book.learn(name, data, result)
            return result
        assert data is None or proof is not None, "a file was deleted that was not read at its present version"
        self._expect({other: node for other, node in before.items() if other != name})
        assert before[name].kind == result.kind
        self.book.log.append(Entry("delete", name, before[name], None, proof))
        self.book.sights.pop(name, None)
        return None

    def undo(self, path: str) -> Refused:
        names = list(dict.fromkeys(self.disk.name(path, follow=follow) for follow in (False, True)))
        entries, before = self.book.last_changes(names), self.disk.tree()
        result = self._attempt(lambda: undo_edit(self.session, path))
        if isinstance(result, ReadfirstError):
            if not (".." in path and isinstance(result, PathRefused)):
                self._require_reason(entries, before, result)
            return result
        away = self.disk.tree()
        entry = next(one for one in entries if one.kind != "move" or one.name not in away)
        assert result.kind == entry.kind
        now = {name: node for name, node in before.items() if name != entry.name}
        if entry.kind == "move":
            assert entry.after is not None
            assert entry.after.kind != "file" or entry.after.data == before[entry.name].data
            now = {moved(name, entry.name, entry.source): node for name, node in before.items()}
            self._expect(now | self._with_parents(entry.source))
            self.book.take_back_move(entry)
            return None
        assert _data(before.get(entry.name)) == _data(entry.after), "an undo of what somebody changed since"
        if entry.before is not None:
            # An edit undone keeps what others did to the mode; a deletion undone brings it back.
            mode = before[entry.name].mode if entry.name in before else entry.before.mode
            now |= self._with_parents(entry.name) | {entry.name: entry.before._replace(mode=mode)}
        self._expect(now)
        self.book.take_back(entry)
        if result.diff is not None and entry.name in self.book.sights:
            assert entry.before is not None
            self.book.show(entry.name, entry.before.data, after_rows(result.diff.text))
        return None

    def _require_reason(self, entries: list[Entry], before: dict[str, Node], refusal: ReadfirstError) -> None:
        """An undo is refused only if there is nothing to take back, or others changed what it would change."""
        if entries and not isinstance(refusal, DiskRefused):
            changed = any(_data(before.get(entry.name)) != _data(entry.after) for entry in entries)
            assert changed, f"nothing forbids this undo: {refusal}"

    # What every call keeps

    def insist(self, path: str, call: Callable[[str], Refused], version: str) -> Refused:
        """Do as each refusal says until the call is done, or refused for what no reading changes (G12)."""
        codes: list[str] = []
        for _ in range(_MOST_STEPS):
            refusal = call(version)
            if not isinstance(refusal, GuardRefused):
                return refusal
            codes.append(refusal.code)
            assert codes[-2:] not in (["not_read"] * 2, ["stale"] * 2), codes
            step, version = refusal.next_calls[0], ""
            if step.action == "read":
                first, limit = (step.lines.first, step.lines.count) if step.lines else (1, 0)
                request = ReadRequest(first, limit, column=step.column, max_chars=step.max_chars)
                assert self.read(step.path, request) is None
        raise AssertionError(f"{path}: no end of refusals: {codes}")

    def _attempt(self, call: Callable[[], T]) -> T | ReadfirstError:
        before = self.disk.tree()
        try:
            return call()
        except ReadfirstError as refusal:
            self._expect(before)
            return refusal

    def _expect(self, tree: dict[str, Node]) -> None:
        assert self.disk.tree() == tree

    def _node(self, name: str) -> Node:
        return self.disk.tree()[name]


def _data(node: Node | None) -> bytes | None:
    return None if node is None else node.data


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
