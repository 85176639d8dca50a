"""Records and histories in a SQLite file: they outlive the process, and several processes may share them.

Write-ahead logging: a process that is killed loses nothing it had put, and readers do not wait for writers. Each record
is one row, replaced as a whole; two processes that put the same one at once cost a read, never a change. Triggers keep
each session's totals, so that its limits are checked without counting its rows. Sessions and keys are bytes, since a
file name need not be UTF-8; of the rows for one identity, the last one put has the highest turn.
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
from readfirst.sessions.history import FileHistory
from readfirst.sessions.ledger import FileRecord
from readfirst.sessions.serial import pack, pack_history, pack_key, unpack, unpack_history, unpack_key
from readfirst.sessions.store import SessionId
from readfirst.settings import Settings
from readfirst.spans import Identity

_WAIT_S: Final = 5.0
"""How long a locked database is waited for."""
_FORMAT: Final = 4
_CLEAR: Final = """
DROP TABLE IF EXISTS records; DROP TABLE IF EXISTS histories; DROP TABLE IF EXISTS sessions;
"""
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS sessions (
    session BLOB PRIMARY KEY, used REAL NOT NULL, records INTEGER NOT NULL DEFAULT 0, kept INTEGER NOT NULL DEFAULT 0,
    histories INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS records (
    session BLOB NOT NULL, key BLOB NOT NULL, used REAL NOT NULL, kept INTEGER NOT NULL, identity TEXT,
    turn INTEGER NOT NULL, record BLOB NOT NULL, PRIMARY KEY (session, key)
);
CREATE INDEX IF NOT EXISTS records_used ON records (session, used);
CREATE INDEX IF NOT EXISTS records_age ON records (used);
CREATE INDEX IF NOT EXISTS records_identity ON records (session, identity, turn);
CREATE TABLE IF NOT EXISTS histories (
    session BLOB NOT NULL, key BLOB NOT NULL, used REAL NOT NULL, history BLOB NOT NULL, PRIMARY KEY (session, key)
);
CREATE INDEX IF NOT EXISTS histories_age ON histories (used);
CREATE TRIGGER IF NOT EXISTS record_in AFTER INSERT ON records BEGIN
    UPDATE sessions SET records = records + 1, kept = kept + NEW.kept WHERE session = NEW.session;
END;
CREATE TRIGGER IF NOT EXISTS record_out AFTER DELETE ON records BEGIN
    UPDATE sessions SET records = records - 1, kept = kept - OLD.kept WHERE session = OLD.session;
END;
CREATE TRIGGER IF NOT EXISTS record_kept AFTER UPDATE OF kept ON records BEGIN
    UPDATE sessions SET kept = kept + NEW.kept - OLD.kept WHERE session = NEW.session;
END;
CREATE TRIGGER IF NOT EXISTS history_in AFTER INSERT ON histories BEGIN
    UPDATE sessions SET histories = histories + 1 WHERE session = NEW.session;
END;
CREATE TRIGGER IF NOT EXISTS history_out AFTER DELETE ON histories BEGIN
    UPDATE sessions SET histories = histories - 1 WHERE session = OLD.session;
END;
"""
_TURN: Final = "SELECT coalesce(max(turn), 0) + 1 FROM records WHERE session = ? AND identity = ?"
_BELOW: Final = "session = ? AND (key = ? OR substr(key, 1, ?) = ?)"


class SQLiteStore:
    """Records and histories under their session's name in one database file, which is made if it is missing."""

    def __init__(self, path: str, settings: Settings, *, clock: Callable[[], float] = time.time) -> None:
        self._path = path
        self._settings = settings
        self._clock = clock
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None

    def get(self, session: SessionId, key: str) -> FileRecord | None:
        with self._transaction() as database:
            owner, name = pack_key(session), pack_key(key)
            row = database.execute(
                "SELECT record, used FROM records WHERE session = ? AND key = ?", (owner, name)
            ).fetchone()
            if row is None:
                return None
            if row[1] < self._oldest:
                database.execute("DELETE FROM records WHERE session = ? AND key = ?", (owner, name))
                return None
            now = self._clock()
            database.execute("UPDATE records SET used = ? WHERE session = ? AND key = ?", (now, owner, name))
            database.execute("UPDATE sessions SET used = ? WHERE session = ?", (now, owner))
            return unpack(row[0])

    def put(self, session: SessionId, key: str, record: FileRecord) -> None:
        with self._transaction() as database:
            owner, name = pack_key(session), pack_key(key)
            self._touch(database, owner)
            kept, identity = len(record.content or b""), _name(record.identity)
            database.execute(
                f"INSERT INTO records VALUES (?, ?, ?, ?, ?, ({_TURN}), ?) ON CONFLICT (session, key) DO UPDATE SET"  # noqa: S608
                " used = excluded.used, kept = excluded.kept, identity = excluded.identity, turn = excluded.turn,"
                " record = excluded.record",
                (owner, name, self._clock(), kept, identity, owner, identity, pack(record)),
            )
            self._bound_records(database, owner)

    def drop(self, session: SessionId, key: str) -> None:
        with self._transaction() as database:
            database.execute("DELETE FROM records WHERE session = ? AND key = ?", (pack_key(session), pack_key(key)))

    def find(self, session: SessionId, identity: Identity) -> str | None:
        with self._transaction() as database:
            row = database.execute(
                "SELECT key FROM records WHERE session = ? AND identity = ? AND used >= ? ORDER BY turn DESC LIMIT 1",
                (pack_key(session), _name(identity), self._oldest),
            ).fetchone()
            return None if row is None else unpack_key(row[0])

    def history(self, session: SessionId, key: str) -> FileHistory:
        with self._transaction() as database:
            row = database.execute(
                "SELECT history FROM histories WHERE session = ? AND key = ? AND used >= ?",
                (pack_key(session), pack_key(key), self._oldest),
            ).fetchone()
            return FileHistory() if row is None else unpack_history(row[0])

    def put_history(self, session: SessionId, key: str, history: FileHistory) -> None:
        with self._transaction() as database:
            owner, name = pack_key(session), pack_key(key)
            if history == FileHistory():
                database.execute("DELETE FROM histories WHERE session = ? AND key = ?", (owner, name))
                return
            self._touch(database, owner)
            database.execute(
                "INSERT INTO histories VALUES (?, ?, ?, ?) ON CONFLICT (session, key) DO UPDATE SET"
                " used = excluded.used, history = excluded.history",
                (owner, name, self._clock(), pack_history(history)),
            )
            over = self._total(database, "histories", owner) - self._settings.records_per_session
            if over > 0:
                _drop_oldest(database, "histories", owner, over)

    def histories(self, session: SessionId) -> list[tuple[str, FileHistory]]:
        with self._transaction() as database:
            rows = database.execute(
                "SELECT key, history FROM histories WHERE session = ? AND used >= ?",
                (pack_key(session), self._oldest),
            )
            found = sorted((unpack_key(key), unpack_history(data)) for key, data in rows.fetchall())
            return [(key, history) for key, history in found if history != FileHistory()]

    def move(self, session: SessionId, old: str, new: str) -> None:
        if old == new:
            return
        owner, source, target = pack_key(session), pack_key(old), pack_key(new)
        below = source + b"/"
        with self._transaction() as database:
            for table, itself in (("records", source), ("histories", below)):
                rows = database.execute(
                    f"SELECT key FROM {table} WHERE {_BELOW}",  # noqa: S608 - constants
                    (owner, itself, len(below), below),
                )
                for (key,) in rows.fetchall():
                    moved = target + key.removeprefix(source)
                    database.execute(f"DELETE FROM {table} WHERE session = ? AND key = ?", (owner, moved))  # noqa: S608
                    database.execute(
                        f"UPDATE {table} SET key = ? WHERE session = ? AND key = ?",  # noqa: S608
                        (moved, owner, key),
                    )

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
            self._connection = None

    @property
    def _oldest(self) -> float:
        """The time of last use before which a value has expired."""
        return self._clock() - self._settings.record_ttl_s

    def _touch(self, database: sqlite3.Connection, session: bytes) -> None:
        """Note a use of the session, and forget what expired and the sessions beyond the limit."""
        known = database.execute(
            "UPDATE sessions SET used = ? WHERE session = ? RETURNING 1", (self._clock(), session)
        ).fetchone()
        for table in ("records", "histories"):
            database.execute(f"DELETE FROM {table} WHERE used < ?", (self._oldest,))  # noqa: S608
        if known is not None:
            return
        database.execute("INSERT INTO sessions (session, used) VALUES (?, ?)", (session, self._clock()))
        rows = database.execute(
            "SELECT session FROM sessions ORDER BY used DESC LIMIT -1 OFFSET ?", (self._settings.sessions,)
        )
        for (name,) in rows.fetchall():
            for table in ("records", "histories", "sessions"):
                database.execute(f"DELETE FROM {table} WHERE session = ?", (name,))  # noqa: S608

    def _bound_records(self, database: sqlite3.Connection, session: bytes) -> None:
        """Forget the oldest records and content beyond the limits."""
        over = self._total(database, "records", session) - self._settings.records_per_session
        if over > 0:
            _drop_oldest(database, "records", session, over)
        kept = self._total(database, "kept", session)
        if kept <= self._settings.kept_bytes_per_session:
            return
        rows = database.execute(
            "SELECT key, kept, record FROM records WHERE session = ? AND kept > 0 ORDER BY used", (session,)
        )
        for key, size, data in rows:
            if kept <= self._settings.kept_bytes_per_session:
                return
            record = unpack(data)
            if record is not None:
                bare = pack(replace(record, content=None))
                database.execute(
                    "UPDATE records SET kept = 0, record = ? WHERE session = ? AND key = ?", (bare, session, key)
                )
            kept -= size

    @staticmethod
    def _total(database: sqlite3.Connection, what: str, session: bytes) -> int:
        row = database.execute(f"SELECT {what} FROM sessions WHERE session = ?", (session,)).fetchone()  # noqa: S608
        total: int = row[0]
        return total

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
            (found,) = self._connection.execute("PRAGMA user_version").fetchone()
            if found not in {0, _FORMAT}:
                self._connection.executescript(_CLEAR)
            if found != _FORMAT:
                self._connection.executescript(_SCHEMA)
                self._connection.execute(f"PRAGMA user_version = {_FORMAT}")
        return self._connection


def _name(identity: Identity | None) -> str | None:
    return None if identity is None else f"{identity.device}:{identity.inode}"


def _drop_oldest(database: sqlite3.Connection, table: str, session: bytes, count: int) -> None:
    database.execute(
        f"DELETE FROM {table} WHERE session = ? AND key IN"  # noqa: S608
        f" (SELECT key FROM {table} WHERE session = ? ORDER BY used LIMIT ?)",
        (session, session, count),
    )
