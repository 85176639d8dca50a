"""What the use cases share: the workspace, and the session of one call.

`Workspace` owns what lives as long as the process. `Session` is one caller during one call: it answers what that caller
had seen when the call was received, and collects what the reply will show.
"""

from __future__ import annotations

import itertools
import logging
import os
from collections.abc import Generator, Iterable, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Final, Self

from readfirst.content.digest import Digest
from readfirst.errors import DiskRefused, PathRefused, ReadfirstError, StoreUnavailable
from readfirst.filesystem.confined import ConfinedPath
from readfirst.filesystem.locks import FileLocks
from readfirst.filesystem.roots import Roots
from readfirst.filesystem.undo import UndoBytes
from readfirst.sessions.coverage import Coverage
from readfirst.sessions.delivery import Deliveries, Shown
from readfirst.sessions.ledger import FileRecord, Showing
from readfirst.sessions.memory import MemoryStore
from readfirst.sessions.store import SessionId, SessionStore
from readfirst.settings import Settings
from readfirst.spans import LinePart, LineRange
from readfirst.workspace.indexes import IndexCache

_log = logging.getLogger(__name__)

_TRIES: Final = 100
"""Each loses only to another call that moved the file or replaced it under another of its names."""


@dataclass(frozen=True, slots=True)
class _Asked:
    path: str
    follow: bool


class Workspace:
    """Files below the allowed directories, as many sessions read and edit them."""

    def __init__(
        self,
        directories: Iterable[str],
        *,
        settings: Settings | None = None,
        store: SessionStore | None = None,
        state_directory: str = "~/.local/state/readfirst",
        private: Iterable[str] = (),
    ) -> None:
        """Open a workspace; old bytes for undo are kept below `state_directory`.

        That directory, and the other `private` paths of the program, no session may touch.

        Raises:
            OSError: a directory is missing or no directory.
        """
        self.settings = settings or Settings()
        state_directory = os.path.abspath(os.path.expanduser(state_directory))
        self._private = (state_directory, *private)
        self.roots = self.open_roots(directories)
        """The allowed directories in force. To allow others, put another set here, from any thread."""
        self.locks = FileLocks()
        self.indexes = IndexCache(self.settings.kept_indexes)
        self.undo = UndoBytes(
            os.path.join(state_directory, "undo"),
            max_bytes=self.settings.undo_bytes,
            max_age_s=self.settings.record_ttl_s,
        )
        self.store = store or MemoryStore(self.settings)
        self.deliveries = Deliveries(self.store)
        self._ticks = itertools.count(1)

    def open_roots(self, directories: Iterable[str]) -> Roots:
        """Open directories that may become the allowed ones; what is the program's own stays refused in them.

        Raises:
            OSError: a directory is missing or no directory.
        """
        return Roots(directories, private=self._private)

    def tick(self) -> int:
        """Give the next moment; safe from any thread."""
        return next(self._ticks)

    def session(self, name: str = "default", *, received: int | None = None) -> Session:
        """Open a session for one call, received at a tick; without one, for a caller that waits for each result.

        It keeps to the directories that are allowed now, whatever happens to them later.
        """
        # The copy shares all there is, and `roots` is replaced, never changed: a running call ends as it began.
        # Made by hand: `copy.copy` takes five times as long, at every call.
        pinned = Workspace.__new__(Workspace)
        pinned.__dict__.update(self.__dict__)
        return Session(pinned, SessionId(name), received)

    @contextmanager
    def locked(self, path: str, *, follow: bool = True) -> Generator[ConfinedPath]:
        """Resolve a path and hold the lock of the file it leads to; what it leads to is looked up under the lock."""
        with self._locked([_Asked(path, follow)]) as (target,):
            yield target

    @contextmanager
    def locked_pair(
        self, source: str, destination: str, *, follow_source: bool
    ) -> Generator[tuple[ConfinedPath, ConfinedPath]]:
        """Do the same for two paths; a link that the destination names is itself the destination."""
        with self._locked([_Asked(source, follow_source), _Asked(destination, follow=False)]) as (here, there):
            yield here, there

    @contextmanager
    def _locked(self, asked: Sequence[_Asked]) -> Generator[list[ConfinedPath]]:
        """Lock the real paths, so that callers of one path wait in line; then the files, for their other names."""
        for _ in range(_TRIES):
            keys = [self._real_path(one) for one in asked]
            with ExitStack() as held:
                for key in sorted(set(keys)):
                    held.enter_context(self.locks.hold(key))
                targets = [held.enter_context(self.roots.confine(one.path, follow=one.follow)) for one in asked]
                if [target.path for target in targets] != keys:
                    continue
                for identity in sorted({target.identity for target in targets if target.identity is not None}):
                    held.enter_context(self.locks.hold(identity))
                if all(target.look_again() for target in targets):
                    yield targets
                    return
        raise DiskRefused("busy", asked[0].path)

    def _real_path(self, asked: _Asked) -> str:
        with self.roots.confine(asked.path, follow=asked.follow) as target:
            return target.path

    def same_file(self, path: str, target: ConfinedPath) -> bool:
        """Tell whether a real path is now another name of a file."""
        try:
            with self.roots.confine(path, follow=False) as other:
                return other.identity == target.identity
        except ReadfirstError:
            return False

    def close(self) -> None:
        """Close the directories and the store."""
        self.roots.close()
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Session:
    """One caller during one call, or one who waits for each result before the next call (`received` is None then).

    The former is closed by `end`, with the tick at which the reply left, or None when it never will.
    """

    def __init__(self, workspace: Workspace, session_id: SessionId, received: int | None) -> None:
        self.workspace = workspace
        self.id = session_id
        self._received = received
        self._shown: list[Shown] = []
        if received is not None:
            workspace.deliveries.begin(session_id, received)

    def key_of(self, target: ConfinedPath) -> str:
        """Give the path under which this session knows a file: its real path, or another name of the same file."""
        if not target.known_as:
            target.known_as = self._found_key(target)
        return target.known_as

    def _found_key(self, target: ConfinedPath) -> str:
        if target.identity is None:
            return target.path
        try:
            known = self.workspace.deliveries.known_as(self.id, target.path, target.identity)
        except StoreUnavailable:
            return target.path
        same = known == target.path or self.workspace.same_file(known, target)
        return known if same else target.path

    def names_of(self, path: str) -> tuple[str, ...]:
        """Give the paths under which a session may know what a path names, or leads to where that is allowed.

        Raises:
            PathRefused: it is malformed or leads outside before its last component.
        """
        names: list[str] = []
        for follow in (False, True):
            try:
                with self.workspace.roots.confine(path, follow=follow) as target:
                    names += [target.path, self.key_of(target)]
            except PathRefused:
                if not names:
                    raise
        return tuple(dict.fromkeys(names))

    def record(self, target: ConfinedPath) -> FileRecord | None:
        """Give what this session had seen of a file when the call was received.

        Raises:
            StoreUnavailable: nobody can tell.
        """
        received = self.workspace.tick() if self._received is None else self._received
        record = self.workspace.deliveries.record(self.id, target.known_as or target.path, received)
        if record is not None:
            target.known_as = target.known_as or target.path
        elif not target.known_as and self.key_of(target) != target.path:
            record = self.workspace.deliveries.record(self.id, self.key_of(target), received)
        return record

    def show(
        self,
        target: ConfinedPath,
        digest: Digest,
        lines: Iterable[LineRange | None],
        content: bytes | None,
        part: LinePart | None = None,
    ) -> None:
        """Note that the reply shows lines of a version whole, and a part of one; `content` is that version."""
        key, kept = self.key_of(target), self.kept(content)
        if kept is not None:
            kept = self.workspace.deliveries.shared(self.id, key, digest, kept)
        showing = Showing(digest, Coverage.of(lines, () if part is None else (part,)), kept, target.identity)
        self._shown.append(Shown(key, self.workspace.tick(), showing))
        if self._received is None:
            now = self.workspace.tick()
            self.workspace.deliveries.begin(self.id, now)
            self._end(now, self.workspace.tick())

    def wrote(self, target: ConfinedPath, record: FileRecord) -> None:
        """Note an own write; it counts at once."""
        known = record.of(target.identity)
        self.workspace.deliveries.wrote(self.id, self.key_of(target), known, self.workspace.tick())

    def forgot(self, target: ConfinedPath) -> None:
        """Note that this session removed a name; what it knows of the file under another name stays."""
        try:
            self.workspace.deliveries.forgot(self.id, target.path, self.workspace.tick())
        except StoreUnavailable:
            _log.warning("a removal was not noted: the session store cannot be reached")

    def kept(self, content: bytes | None) -> bytes | None:
        """Give content back if it is small enough to be kept for showing a later difference."""
        small = content is not None and len(content) <= self.workspace.settings.kept_bytes_per_file
        return content if small else None

    def end(self, sent: int | None) -> None:
        """Close the call; what it showed counts from the tick at which its reply left, or never."""
        if self._received is not None:
            self._end(self._received, sent)

    def _end(self, received: int, sent: int | None) -> None:
        self.workspace.deliveries.end(self.id, received, sent, self._shown)
        self._shown = []
