"""Where records are kept: one contract, told by `SessionStore`. Records expire and are bounded in number.

A store needs no transactions: losing an update costs a read, never a change.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NewType, Protocol

from readfirst.sessions.ledger import FileRecord
from readfirst.settings import Settings

SessionId = NewType("SessionId", str)


class SessionStore(Protocol):
    """Keeps one record per session and file; `key` is the file's resolved path."""

    def get(self, session: SessionId, key: str) -> FileRecord | None:
        """Give the record, or None when there is none, or it expired. Counts as a use."""
        ...

    def put(self, session: SessionId, key: str, record: FileRecord) -> None:
        """Keep a record in place of an earlier one."""
        ...

    def drop(self, session: SessionId, key: str) -> None:
        """Forget a record, if there is one."""
        ...

    def close(self) -> None:
        """Let go of files and connections."""
        ...


@dataclass(slots=True)
class _Entry:
    record: FileRecord
    used: float


class _Session:
    """The records of one session, the least recently used first."""

    def __init__(self) -> None:
        self.entries: OrderedDict[str, _Entry] = OrderedDict()
        self.kept_bytes = 0

    def set(self, key: str, entry: _Entry) -> None:
        self.remove(key)
        self.entries[key] = entry
        self.kept_bytes += len(entry.record.content or b"")

    def remove(self, key: str) -> None:
        entry = self.entries.pop(key, None)
        if entry is not None:
            self.kept_bytes -= len(entry.record.content or b"")

    def drop_content(self, limit: int) -> None:
        """Forget kept content, the oldest first, until no more than `limit` bytes are kept."""
        for entry in self.entries.values():
            if self.kept_bytes <= limit:
                return
            self.kept_bytes -= len(entry.record.content or b"")
            entry.record = replace(entry.record, content=None)


class MemoryStore:
    """Records of this process; gone when it ends."""

    def __init__(self, settings: Settings, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._settings = settings
        self._clock = clock
        self._lock = threading.Lock()
        self._sessions: OrderedDict[SessionId, _Session] = OrderedDict()

    def get(self, session: SessionId, key: str) -> FileRecord | None:
        with self._lock:
            records = self._sessions.get(session)
            entry = records.entries.get(key) if records is not None else None
            if records is None or entry is None:
                return None
            if self._clock() - entry.used > self._settings.record_ttl_s:
                records.remove(key)
                return None
            entry.used = self._clock()
            records.entries.move_to_end(key)
            self._sessions.move_to_end(session)
            return entry.record

    def close(self) -> None:
        """Hold nothing that has to be let go."""

    def put(self, session: SessionId, key: str, record: FileRecord) -> None:
        with self._lock:
            records = self._sessions.setdefault(session, _Session())
            self._sessions.move_to_end(session)
            if len(self._sessions) > self._settings.sessions:
                self._sessions.popitem(last=False)
            records.set(key, _Entry(record, self._clock()))
            while len(records.entries) > self._settings.records_per_session:
                records.remove(next(iter(records.entries)))
            records.drop_content(self._settings.kept_bytes_per_session)

    def drop(self, session: SessionId, key: str) -> None:
        with self._lock:
            records = self._sessions.get(session)
            if records is not None:
                records.remove(key)
