"""What every call keeps, and the calls that only look: they note what they showed, and never change anything."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TypeVar

from readfirst import ReadfirstError, ReadRequest, Session, Workspace, read_page
from readfirst.errors import GuardRefused
from readfirst.workspace.browse import get_file_info
from readfirst.workspace.history import session_changes
from readfirst.workspace.read import ReadResult, read_pages
from tests.rigs.book import Book
from tests.rigs.disk import Disk, Node
from tests.rigs.sight import Sight, after_rows, numbered, plain, spans_of, text_of

T = TypeVar("T")
Refused = ReadfirstError | None
_MOST_STEPS = 60


class Reader:
    """One session. Each method gives the refusal, or None when the call was done."""

    def __init__(self, disk: Disk, open_workspace: Callable[[], Workspace]) -> None:
        self.disk = disk
        self.book = Book(disk)
        self._open = open_workspace
        self.workspace = open_workspace()

    @property
    def session(self) -> Session:
        return self.workspace.session("agent")

    def restart(self) -> None:
        self.workspace.close()
        self.workspace = self._open()

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
        if old is not None and self.book.sight(name, data) is None and not self.disk.linked:
            assert result.changed, "a read does not say that the file changed"
        self.book.show(name, data, rows)
        self.book.told(result.version, data, whole=Sight.none_of(data).showing(rows).whole)

    def changes(self, path: str) -> None:
        result = self._attempt(lambda: session_changes(self.session, path, max_chars=4_000))
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

    def _with_parents(self, name: str, data: bytes | None = None) -> dict[str, Node]:
        """Give a new file, and the directories above it, as they are, but for the file's bytes."""
        tree, new = self.disk.tree(), dict[str, Node]()
        if data is not None:
            new[name] = tree[name]._replace(kind="file", data=data)
        while name := os.path.dirname(name):
            new[name] = tree[name]
        return new
