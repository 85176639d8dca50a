"""One session that makes every call, and after each compares the disk and what was said with the model."""

from __future__ import annotations

from readfirst import ReadfirstError
from readfirst.errors import DiskRefused, PathRefused
from readfirst.workspace.manage import copy_file, delete_file, move_file
from readfirst.workspace.undo import undo_edit
from tests.rigs.book import Entry
from tests.rigs.disk import Node, moved
from tests.rigs.reader import Refused
from tests.rigs.sight import after_rows
from tests.rigs.writer import Writer


class Agent(Writer):
    """A session that changes text, and files as wholes."""

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
        gone = before.keys() - self.disk.tree().keys()
        entry = next(one for one in entries if one.kind != "move" or one.name in gone)
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


def _data(node: Node | None) -> bytes | None:
    return None if node is None else node.data
