"""Records in a SQLite file: they outlive the process, and several processes may share them.

Write-ahead logging: a process that is killed loses nothing it had put, and readers do not wait for writers. Each record
is one row, replaced as a whole; two processes that put the same one at once cost a read, never a change.
"""

from __future__ import annotations

import contextlib
import sqlite3
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

from readfirst.errors import StoreUnavailable
from readfirst.sessions.ledger import FileRecord
from readfirst.sessions.serial import pack, unpack
from readfirst.sessions.store import SessionId
from readfirst.settings import Settings

_WAIT_S: Final = 5.0
"""How long a locked database is waited for."""
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS records (
    session TEXT NOT NULL, key TEXT NOT NULL, used REAL NOT NULL, kept INTEGER NOT NULL, record BLOB NOT NULL,
    PRIMARY KEY (session, key)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS records_used ON records (session, used);
"""


class SQLiteStore:
    """Records under their session's name in one database file, which is made if it is missing."""

    def __init__(self, path: str, settings: Settings, *, clock: Callable[[], float] = time.time) -> None:
        self._path = path
        self._settings = settings
        self._clock = clock
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None

    def get(self, session: SessionId, key: str) -> FileRecord | None:
        with self._transaction() as database:
            row = database.execute(
                "SELECT record, used FROM records WHERE session = ? AND key = ?", (session, key)
            ).fetchone()
            if row is None:
                return None
            if self._clock() - row[1] > self._settings.record_ttl_s:
                database.execute("DELETE FROM records WHERE session = ? AND key = ?", (session, key))
                return None
            database.execute("UPDATE records SET used = ? WHERE session = ? AND key = ?", (self._clock(), session, key))
            return unpack(row[0])

    def put(self, session: SessionId, key: str, record: FileRecord) -> None:
        with self._transaction() as database:
            row = (session, key, self._clock(), len(record.content or b""), pack(record))
            database.execute("REPLACE INTO records VALUES (?, ?, ?, ?, ?)", row)
            self._bound(database, session)

    def drop(self, session: SessionId, key: str) -> None:
        with self._transaction() as database:
            database.execute("DELETE FROM records WHERE session = ? AND key = ?", (session, key))

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
            self._connection = None

    def _bound(self, database: sqlite3.Connection, session: SessionId) -> None:
        """Forget what expired, then the oldest sessions, records and content beyond the limits."""
        settings = self._settings
        database.execute("DELETE FROM records WHERE used < ?", (self._clock() - settings.record_ttl_s,))
        database.execute(
            "DELETE FROM records WHERE session IN"
            " (SELECT session FROM records GROUP BY session ORDER BY MAX(used) DESC LIMIT -1 OFFSET ?)",
            (settings.sessions,),
        )
        database.execute(
            "DELETE FROM records WHERE session = ? AND key IN"
            " (SELECT key FROM records WHERE session = ? ORDER BY used DESC LIMIT -1 OFFSET ?)",
            (session, session, settings.records_per_session),
        )
        kept: int = database.execute("SELECT SUM(kept) FROM records WHERE session = ?", (session,)).fetchone()[0] or 0
        if kept <= settings.kept_bytes_per_session:
            return
        rows = database.execute(
            "SELECT key, kept, record FROM records WHERE session = ? AND kept > 0 ORDER BY used", (session,)
        )
        for key, size, data in rows.fetchall():
            if kept <= settings.kept_bytes_per_session:
                return
            record = unpack(data)
            if record is not None:
                bare = pack(replace(record, content=None))
                database.execute(
                    "UPDATE records SET kept = 0, record = ? WHERE session = ? AND key = ?", (bare, session, key)
                )
            kept -= size

    @contextmanager
    def _transaction(self) -> Generator[sqlite3.Connection]:
        """Do all of the block or none of it.

        Raises:
            StoreUnavailable: the database cannot be opened, read or written; the next call tries again.
        """
        with self._lock:
            try:
                with self._open() as database:
                    yield database
            except sqlite3.Error as error:
                if self._connection is not None:
                    with contextlib.suppress(sqlite3.Error):
                        self._connection.close()
                self._connection = None
                raise StoreUnavailable(path=self._path, detail=str(error)) from error

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = sqlite3.connect(self._path, timeout=_WAIT_S, check_same_thread=False)
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = NORMAL")
            self._connection.executescript(_SCHEMA)
        return self._connection
