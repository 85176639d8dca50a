"""What the use cases share: the workspace, and the session of one call.

`Workspace` owns what lives as long as the process. `Session` is one caller during one call: it answers what that caller
had seen when the call was received, and collects what the reply will show.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections import OrderedDict
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, Self

from readfirst.content.digest import Digest
from readfirst.content.lines import LineIndex
from readfirst.errors import DiskRefused
from readfirst.filesystem.files import Signature
from readfirst.filesystem.locks import FileLocks
from readfirst.filesystem.roots import ConfinedPath, Roots
from readfirst.sessions.coverage import Coverage
from readfirst.sessions.delivery import Deliveries, Shown
from readfirst.sessions.ledger import FileRecord, Showing
from readfirst.sessions.store import MemoryStore, SessionId, SessionStore
from readfirst.settings import Settings
from readfirst.spans import LinePart, LineRange

_SETTLED_NS: Final = 2_000_000_000
_TRIES: Final = 5


class Workspace:
    """Files below the allowed directories, as many sessions read and edit them."""

    def __init__(
        self, directories: Iterable[str], *, settings: Settings | None = None, store: SessionStore | None = None
    ) -> None:
        """Open a workspace.

        Raises:
            OSError: a directory is missing or no directory.
        """
        self.settings = settings or Settings()
        self.roots = Roots(directories)
        self.locks = FileLocks()
        self.indexes = IndexCache(self.settings.kept_indexes)
        self._store = store or MemoryStore(self.settings)
        self.deliveries = Deliveries(self._store)
        self._ticks = itertools.count(1)

    def tick(self) -> int:
        """Give the next moment; safe from any thread."""
        return next(self._ticks)

    def session(self, name: str = "default", *, received: int | None = None) -> Session:
        """Open a session for one call, received at a tick; without one, for a caller that waits for each result."""
        return Session(self, SessionId(name), received)

    @contextmanager
    def locked(self, path: str) -> Generator[ConfinedPath]:
        """Resolve a path and hold the lock of the file it leads to; what it leads to is looked up under the lock."""
        for _ in range(_TRIES):
            with self.roots.confine(path) as seen:
                key = seen.path
            with self.locks.hold(key), self.roots.confine(path) as target:
                if target.path == key:
                    yield target
                    return
        raise DiskRefused("busy", path)

    def close(self) -> None:
        """Close the directories and the store."""
        self.roots.close()
        self._store.close()

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

    def record(self, key: str) -> FileRecord | None:
        """Give what this session had seen of a file when the call was received."""
        received = self.workspace.tick() if self._received is None else self._received
        return self.workspace.deliveries.record(self.id, key, received)

    def show(
        self,
        key: str,
        digest: Digest,
        lines: Iterable[LineRange | None],
        content: bytes | None,
        part: LinePart | None = None,
    ) -> None:
        """Note that the reply shows lines of a version whole, and a part of one; `content` is that version."""
        kept = self.kept(content)
        if kept is not None:
            kept = self.workspace.deliveries.shared(self.id, key, digest, kept)
        showing = Showing(digest, Coverage.of(lines, () if part is None else (part,)), kept)
        self._shown.append(Shown(key, self.workspace.tick(), showing))
        if self._received is None:
            now = self.workspace.tick()
            self.workspace.deliveries.begin(self.id, now)
            self._end(now, self.workspace.tick())

    def wrote(self, key: str, record: FileRecord) -> None:
        """Note an own write; it counts at once."""
        self.workspace.deliveries.wrote(self.id, key, record, self.workspace.tick())

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


@dataclass(frozen=True, slots=True)
class _Indexed:
    signature: Signature
    index: LineIndex


class IndexCache:
    """Line indexes of large files, for serving further pages; never used to decide about a change.

    An index is kept only when the file's times were at least two seconds old when it was hashed: a file that changes
    within the resolution of its times could change again unnoticed.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._lock = threading.Lock()
        self._indexes: OrderedDict[str, _Indexed] = OrderedDict()

    def get(self, path: str, signature: Signature) -> LineIndex | None:
        with self._lock:
            known = self._indexes.get(path)
            if known is None or known.signature != signature:
                return None
            self._indexes.move_to_end(path)
            return known.index

    def put(self, path: str, signature: Signature, index: LineIndex) -> None:
        if time.time_ns() - max(signature.mtime_ns, signature.ctime_ns) < _SETTLED_NS:
            return
        with self._lock:
            self._indexes[path] = _Indexed(signature, index)
            if len(self._indexes) > self._size:
                self._indexes.popitem(last=False)

    def drop(self, path: str) -> None:
        with self._lock:
            self._indexes.pop(path, None)
