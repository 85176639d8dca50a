"""Where records and histories are kept: one contract, told by `SessionStore`. Both expire and are bounded in number.

A store needs no transactions: losing an update costs a read or an undo, never a change.
"""

from __future__ import annotations

from typing import NewType, Protocol

from readfirst.sessions.history import FileHistory
from readfirst.sessions.ledger import FileRecord
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
