"""No sequence of calls changes a line that the session has not seen, and no change by others is lost unseen.

Calls and outside changes in any order, over real files. What a session was shown, the model reckons for itself.

A longer hunt than the usual one: `pytest tests/rigs --hypothesis-profile long`.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from readfirst import Edit, ReadRequest, Settings, Workspace
from readfirst.sessions.sqlite import SQLiteStore
from tests.rigs.agent import Agent
from tests.rigs.disk import Disk
from tests.rigs.draws import (
    ASKED,
    DIRECTORIES,
    FILES,
    LINES,
    NAMES,
    PLACES,
    REQUESTS,
    SETTINGS,
    TEXTS,
    contents,
    quotes,
)
from tests.rigs.reader import Refused
from tests.rigs.sight import text_of

_STEPS = 40
_MARK = b"\xef\xbb\xbf"


class SessionMachine(RuleBasedStateMachine):
    """One session and the programs beside it, on four files in two directories."""

    durable = False

    @initialize(files=st.lists(contents(), min_size=3, max_size=3), limits=SETTINGS)
    def start(self, files: list[bytes], limits: Settings) -> None:
        self.home = Path(tempfile.mkdtemp())
        self.disk = Disk(self.home / "root")
        self.versions = sorted(set(files))
        for name, data in zip(NAMES, files, strict=False):
            self.disk.overwrite(name, data)
        os.symlink("one", self.disk.at("also"))

        def opened() -> Workspace:
            store = SQLiteStore(str(self.home / "state.db"), limits) if self.durable else None
            root, state = str(self.disk.root), str(self.home / "state")
            return Workspace([root], settings=limits, store=store, state_directory=state)

        self.agent = Agent(self.disk, opened)

    def teardown(self) -> None:
        self.agent.workspace.close()
        shutil.rmtree(self.home)

    def _text(self, path: str, draw: st.DataObject) -> str:
        """Give what stands in a file, or what the session knows it as."""
        name = self.disk.name(path, follow=True)
        sight, data = self.agent.book.sights.get(name), self.disk.data(name)
        if sight is not None and draw.draw(st.booleans()):
            return sight.text
        return text_of(data) if data is not None else ""

    def _version(self, draw: st.DataObject) -> str:
        tokens = sorted(self.agent.book.tokens)
        return draw.draw(st.sampled_from(["", "", "", *tokens])) if tokens else ""

    # What the session calls

    @rule(path=ASKED, request=REQUESTS)
    def read(self, path: str, request: ReadRequest) -> None:
        self.agent.read(path, request)

    @rule(path=ASKED)
    def read_all(self, path: str) -> None:
        self.agent.read(path, ReadRequest(max_chars=64))

    @rule(paths=st.lists(ASKED, min_size=1, max_size=3), room=st.sampled_from([20, 100, 1000]))
    def read_several(self, paths: list[str], room: int) -> None:
        self.agent.read_several(paths, room)

    @rule(path=ASKED, draw=st.data(), dry_run=st.integers(0, 4).map(lambda one: one == 0), insist=st.booleans())
    def edit(self, path: str, draw: st.DataObject, dry_run: bool, insist: bool) -> None:
        edit = draw.draw(quotes(self._text(path, draw)))
        self._edit(path, [edit], dry_run=dry_run, version=self._version(draw), insist=insist)

    @rule(path=ASKED, draw=st.data(), insist=st.booleans())
    def edit_everywhere(self, path: str, draw: st.DataObject, insist: bool) -> None:
        edit = draw.draw(quotes(self._text(path, draw)))
        self._edit(path, [Edit(edit.old, edit.new, replace_all=True)], version=self._version(draw), insist=insist)

    @rule(path=ASKED, draw=st.data(), count=st.integers(2, 3))
    def edit_several(self, path: str, draw: st.DataObject, count: int) -> None:
        text = self._text(path, draw)
        edits: list[Edit] = []
        for _ in range(count):
            source = draw.draw(st.sampled_from([text, text, *(edit.new for edit in edits)]))
            edits.append(draw.draw(quotes(source, several=True)))
        data = self.disk.data(self.disk.name(path, follow=True)) or b""
        written = "".join([text_of(data), *(edit.new for edit in edits)])
        if all(edit.old in written and edit.old[:1] not in {" ", "\t"} for edit in edits):
            self._edit(path, edits, version=self._version(draw), insist=True)

    def _edit(self, path: str, edits: list[Edit], *, version: str, insist: bool, dry_run: bool = False) -> None:
        if insist:
            self.agent.insist(path, lambda one: self.agent.edit(path, edits, dry_run=dry_run, version=one), version)
        else:
            self.agent.edit(path, edits, dry_run=dry_run, version=version)

    @rule(path=ASKED, text=TEXTS, draw=st.data(), dry_run=st.booleans(), keep=st.booleans(), insist=st.booleans())
    def write(self, path: str, text: str, draw: st.DataObject, dry_run: bool, keep: bool, insist: bool) -> None:
        def call(version: str) -> Refused:
            return self.agent.write(path, text, dry_run=dry_run, keep_newlines=keep, version=version)

        version = self._version(draw)
        if insist:
            self.agent.insist(path, call, version)
        else:
            call(version)

    @rule(path=ASKED, text=TEXTS)
    def append(self, path: str, text: str) -> None:
        self.agent.append(path, text)

    def _place(self, draw: st.DataObject) -> str:
        """Choose a destination, mostly one that is free."""
        free = [name for name in FILES if not os.path.lexists(self.disk.at(name))]
        return draw.draw(st.sampled_from([*free, *free, "one", "one/f"]))

    @rule(source=ASKED, draw=st.data())
    def copy(self, source: str, draw: st.DataObject) -> None:
        self.agent.copy(source, self._place(draw))

    @rule(source=PLACES, draw=st.data())
    def move(self, source: str, draw: st.DataObject) -> None:
        self.agent.move(source, self._place(draw))

    @rule(source=DIRECTORIES, destination=DIRECTORIES)
    def move_directory(self, source: str, destination: str) -> None:
        self.agent.move(source, destination)

    @rule(path=PLACES, draw=st.data(), insist=st.booleans())
    def delete(self, path: str, draw: st.DataObject, insist: bool) -> None:
        version = self._version(draw)
        if insist:
            self.agent.insist(path, lambda one: self.agent.delete(path, version=one), version)
        else:
            self.agent.delete(path, version=version)

    @rule(path=st.one_of(ASKED, PLACES))
    def undo(self, path: str) -> None:
        self.agent.undo(path)

    @rule(draw=st.data(), times=st.integers(1, 3))
    def undo_what_was_changed(self, draw: st.DataObject, times: int) -> None:
        for _ in range(times):
            names = sorted({name for entry in self.agent.book.log for name in (entry.name, entry.source) if name})
            if names:
                self.agent.undo(draw.draw(st.sampled_from(names)))

    @precondition(lambda self: len(self.agent.book.log) > 3)
    @rule()
    def undo_everything(self) -> None:
        for name in sorted({entry.name for entry in self.agent.book.log}):
            while self.agent.undo(name) is None:
                pass

    @rule(path=st.one_of(st.just(""), PLACES))
    def changes(self, path: str) -> None:
        self.agent.changes(path)

    @precondition(lambda self: self.durable)
    @rule()
    def restart(self) -> None:
        self.agent.restart()

    # What other programs do

    def _name(self, draw: st.DataObject) -> str:
        """Choose a file, mostly one that the session changed."""
        mine = [entry.name for entry in self.agent.book.log if self.disk.data(entry.name) is not None]
        return draw.draw(st.sampled_from([NAMES[0], *mine, *NAMES]))

    @rule(draw=st.data(), data=contents(), renames=st.booleans())
    def outside_write(self, draw: st.DataObject, data: bytes, renames: bool) -> None:
        self._outside(self._name(draw), data, renames=renames)

    @rule(draw=st.data(), renames=st.booleans())
    def outside_version_again(self, draw: st.DataObject, renames: bool) -> None:
        """Write what stood somewhere before, as a checkout does."""
        self._outside(self._name(draw), draw.draw(st.sampled_from(self.versions)), renames=renames)

    @rule(draw=st.data(), renames=st.booleans())
    def outside_change(self, draw: st.DataObject, renames: bool) -> None:
        """Change a line, put one in, take one out, or write the line endings or the byte order mark anew."""
        name = self._name(draw)
        data = self.disk.data(name)
        if data is None:
            return
        mark = _MARK if data.startswith(_MARK) else b""
        lines = data.removeprefix(mark).splitlines(keepends=True)
        at = draw.draw(st.integers(0, len(lines)))
        how = draw.draw(st.sampled_from(["change", "insert", "remove", "endings", "mark"]))
        if how == "endings":
            lf = [line.replace(b"\r\n", b"\n") for line in lines]
            lines = lf if lf != lines else [line.replace(b"\n", b"\r\n") for line in lines]
        elif how != "mark":
            new = [] if how == "remove" else [draw.draw(LINES).encode() + b"\n"]
            lines[at : at + (how != "insert")] = new
        if how == "mark" or draw.draw(st.integers(0, 9)) == 9:
            mark = b"" if mark else _MARK
        self._outside(name, b"".join([mark, *lines]), renames=renames)

    def _outside(self, name: str, data: bytes, *, renames: bool) -> None:
        if self.disk.writable(name):
            (self.disk.replace if renames else self.disk.overwrite)(name, data)

    @rule(name=st.sampled_from(NAMES), how=st.sampled_from(["touch", "chmod", "delete", "delete"]))
    def outside_touch(self, name: str, how: str) -> None:
        if self.disk.data(name) is None:
            return
        if how == "touch":
            os.utime(self.disk.at(name), (1, 1))
        elif how == "chmod":
            self.disk.at(name).chmod(0o444 if self.disk.at(name).stat().st_mode & 0o200 else 0o640)
        else:
            self.disk.at(name).unlink()

    @rule(name=PLACES, draw=st.data(), how=st.sampled_from(["rename", "rename", "link", "symlink"]))
    def outside_name(self, name: str, draw: st.DataObject, how: str) -> None:
        self.disk.give_name(name, self._place(draw), how)

    @rule(name=DIRECTORIES, other=DIRECTORIES)
    def outside_directory(self, name: str, other: str) -> None:
        self.disk.give_name(name, other, "rename")

    @rule(draw=st.data(), renames=st.booleans())
    def outside_takes_back(self, draw: st.DataObject, renames: bool) -> None:
        """Write what stood there before one of the session's changes."""
        known = [entry for entry in self.agent.book.log if entry.before is not None and entry.before.kind == "file"]
        if known:
            entry = draw.draw(st.sampled_from(known))
            assert entry.before is not None
            self._outside(entry.name, entry.before.data, renames=renames)

    @invariant()
    def the_server_claims_no_more_than_it_showed(self) -> None:
        present = {data for name in NAMES if (data := self.disk.data(name)) is not None}
        self.versions += sorted(present.difference(self.versions))
        for name in NAMES:
            self.agent.check_view(name)


class DurableMachine(SessionMachine):
    """The same with records that outlive the process."""

    durable = True


@pytest.mark.parametrize("machine", [SessionMachine, DurableMachine], ids=["memory", "sqlite"])
@pytest.mark.guarantee("G1", "G2", "G3", "G4", "G5", "G6", "G7")
def test_no_sequence_of_calls_changes_what_was_not_seen(machine: type[SessionMachine]) -> None:
    """SPEC 1 and 2, the undo of SPEC 3, and what G12 says of a refusal's next call."""
    run_state_machine_as_test(
        machine,
        settings=settings(
            # Of the usual 100: 40 where each call goes through a file, 80 where it does not.
            max_examples=settings().max_examples * (2 if machine.durable else 4) // 5,
            stateful_step_count=_STEPS,
            deadline=None,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
        ),
    )
