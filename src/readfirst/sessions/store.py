"""Where records and histories are kept: one contract, told by `SessionStore`. Both expire and are bounded in number.

A store needs no transactions: losing an update costs a read or an undo, never a change.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Generic, NewType, Protocol, TypeVar

from readfirst.sessions.history import FileHistory
from readfirst.sessions.ledger import FileRecord
from readfirst.settings import Settings
from readfirst.spans import Identity

SessionId = NewType("SessionId", str)


class SessionStore(Protocol):
    """Keeps one record and one history per session and file; `key` is the file's resolved path."""

    def get(self, session: SessionId, key: str) -> FileRecord | None:
        """Give the record, or None when there is none, or it expired. Counts as a use."""
        ...

    def put(self, session: SessionId, key: str, record: FileRecord) -> None:
        """Keep a record in place of an earlier one."""
        ...

    def drop(self, session: SessionId, key: str) -> None:
        """Forget a record, if there is one."""
        ...

    def find(self, session: SessionId, identity: Identity) -> str | None:
        """Give the key whose record was last kept for this device and inode; looking it up is no keeping."""
        ...

    def history(self, session: SessionId, key: str) -> FileHistory:
        """Give what the session changed in a file; an empty history when that is nothing, or it expired. No use."""
        ...

    def put_history(self, session: SessionId, key: str, history: FileHistory) -> None:
        """Keep a history in place of an earlier one; an empty one is forgotten."""
        ...

    def histories(self, session: SessionId) -> list[tuple[str, FileHistory]]:
        """Give every history of a session that is not empty, sorted by key."""
        ...

    def move(self, session: SessionId, old: str, new: str) -> None:
        """Give the record at `old`, and the records and histories below it, their place at `new`. This is no use."""
        ...

    def close(self) -> None:
        """Let go of files and connections."""
        ...


V = TypeVar("V")


@dataclass(slots=True)
class _Used(Generic[V]):
    value: V
    used: float


class _Session:
    """The records and histories of one session, the least recently used first."""

    def __init__(self) -> None:
        self.records: OrderedDict[str, _Used[FileRecord]] = OrderedDict()
        self.histories: OrderedDict[str, _Used[FileHistory]] = OrderedDict()
        self.names: dict[Identity, str] = {}
        self.kept_bytes = 0

    def set(self, key: str, entry: _Used[FileRecord]) -> None:
        self.remove(key)
        self.records[key] = entry
        self.kept_bytes += len(entry.value.content or b"")
        if entry.value.identity is not None:
            self.names[entry.value.identity] = key

    def remove(self, key: str) -> _Used[FileRecord] | None:
        entry = self.records.pop(key, None)
        if entry is not None:
            self.kept_bytes -= len(entry.value.content or b"")
            if entry.value.identity is not None and self.names.get(entry.value.identity) == key:
                del self.names[entry.value.identity]
        return entry

    def move(self, old: str, new: str) -> None:
        """Rename what stands at `old` and below it; everything keeps its age."""
        records = {key: new + key.removeprefix(old) for key in self.records if key == old or _below(key, old)}
        for key in set(records.values()) - records.keys():
            self.remove(key)
        self.records = OrderedDict((records.get(key, key), entry) for key, entry in self.records.items())
        self.names = {identity: records.get(key, key) for identity, key in self.names.items()}
        histories = {key: new + key.removeprefix(old) for key in self.histories if _below(key, old)}
        for key in set(histories.values()) - histories.keys():
            self.histories.pop(key, None)
        self.histories = OrderedDict((histories.get(key, key), entry) for key, entry in self.histories.items())

    def drop_content(self, limit: int) -> None:
        """Forget kept content, the oldest first, until no more than `limit` bytes are kept."""
        for entry in self.records.values():
            if self.kept_bytes <= limit:
                return
            self.kept_bytes -= len(entry.value.content or b"")
            entry.value = replace(entry.value, content=None)


@dataclass(slots=True)
class MemoryStore:
    """Records and histories of this process; gone when it ends."""

    settings: Settings
    clock: Callable[[], float] = field(default=time.monotonic, kw_only=True)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)
    _sessions: OrderedDict[SessionId, _Session] = field(default_factory=OrderedDict[SessionId, _Session], init=False)

    def get(self, session: SessionId, key: str) -> FileRecord | None:
        with self._lock:
            known = self._sessions.get(session)
            entry = known.records.get(key) if known is not None else None
            if known is None or entry is None:
                return None
            if self._expired(entry):
                known.remove(key)
                return None
            entry.used = self.clock()
            known.records.move_to_end(key)
            self._sessions.move_to_end(session)
            return entry.value

    def put(self, session: SessionId, key: str, record: FileRecord) -> None:
        with self._lock:
            known = self._used(session)
            known.set(key, _Used(record, self.clock()))
            while len(known.records) > self.settings.records_per_session:
                known.remove(next(iter(known.records)))
            known.drop_content(self.settings.kept_bytes_per_session)

    def drop(self, session: SessionId, key: str) -> None:
        with self._lock:
            known = self._sessions.get(session)
            if known is not None:
                known.remove(key)

    def find(self, session: SessionId, identity: Identity) -> str | None:
        with self._lock:
            known = self._sessions.get(session)
            key = known.names.get(identity) if known is not None else None
            return None if known is None or key is None or self._expired(known.records[key]) else key

    def history(self, session: SessionId, key: str) -> FileHistory:
        with self._lock:
            known = self._sessions.get(session)
            entry = known.histories.get(key) if known is not None else None
            return FileHistory() if entry is None or self._expired(entry) else entry.value

    def put_history(self, session: SessionId, key: str, history: FileHistory) -> None:
        with self._lock:
            if history == FileHistory():
                known = self._sessions.get(session)
                if known is not None:
                    known.histories.pop(key, None)
                return
            histories = self._used(session).histories
            histories.pop(key, None)
            histories[key] = _Used(history, self.clock())
            while len(histories) > self.settings.records_per_session:
                histories.popitem(last=False)

    def histories(self, session: SessionId) -> list[tuple[str, FileHistory]]:
        with self._lock:
            known = self._sessions.get(session)
            found = known.histories.items() if known is not None else ()
            return sorted((key, entry.value) for key, entry in found if not self._expired(entry))

    def move(self, session: SessionId, old: str, new: str) -> None:
        with self._lock:
            known = self._sessions.get(session)
            if known is not None and old != new:
                known.move(old, new)

    def close(self) -> None:
        """Hold nothing that has to be let go."""

    def _used(self, session: SessionId) -> _Session:
        known = self._sessions.setdefault(session, _Session())
        self._sessions.move_to_end(session)
        if len(self._sessions) > self.settings.sessions:
            self._sessions.popitem(last=False)
        return known

    def _expired(self, entry: _Used[V]) -> bool:
        return self.clock() - entry.used > self.settings.record_ttl_s


def _below(key: str, directory: str) -> bool:
    return key.startswith(f"{directory}/")
