"""When a reply counts: for calls that were received after it was sent, since an earlier one was written blind.

Moments are ticks of one counter. A showing waits here only while a call runs that was received before it was sent, and
one that is older than what the record already speaks of is dropped. (A room of its own beside `ledger`: that one says
what a showing proves, this one when.)
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from readfirst.content.digest import Digest
from readfirst.errors import StoreUnavailable
from readfirst.sessions.ledger import FileRecord, Showing, after_showing
from readfirst.sessions.store import SessionId, SessionStore
from readfirst.spans import Identity

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Shown:
    """What a reply shows of the file `key`, which was looked at on tick `seen_at`."""

    key: str
    seen_at: int
    showing: Showing


@dataclass(slots=True)
class _Traffic:
    """One session while any of its calls runs."""

    running: list[int] = field(default_factory=list[int])
    sent: list[tuple[int, Shown]] = field(default_factory=list[tuple[int, Shown]])
    as_of: dict[str, int] = field(default_factory=dict[str, int])
    """The tick at which the version that a record speaks of was looked at or written."""
    contents: dict[tuple[str, Digest], bytes] = field(default_factory=dict[tuple[str, Digest], bytes])
    """One copy of each version that replies on their way speak of."""

    def adds(self, record: FileRecord | None, shown: Shown) -> bool:
        same = record is not None and record.digest == shown.showing.digest
        return same or shown.seen_at > self.as_of.get(shown.key, 0)


class Deliveries:
    """The replies of every session that have left and do not count for all of its running calls."""

    def __init__(self, store: SessionStore) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._traffic: dict[SessionId, _Traffic] = {}

    def begin(self, session: SessionId, received: int) -> None:
        """Note that a call runs which was received at this tick."""
        with self._lock:
            self._traffic.setdefault(session, _Traffic()).running.append(received)

    def shared(self, session: SessionId, key: str, digest: Digest, content: bytes) -> bytes:
        """Give the copy of a version that other replies on their way hold, so that many reads of it hold one."""
        with self._lock:
            traffic = self._traffic.get(session)
            return content if traffic is None else traffic.contents.setdefault((key, digest), content)

    def end(self, session: SessionId, received: int, sent: int | None, shown: Sequence[Shown]) -> None:
        """Note that its reply left at tick `sent`; None: there was none, so it showed nothing."""
        with self._lock:
            traffic = self._traffic[session]
            traffic.running.remove(received)
            if sent is not None:
                traffic.sent += [(sent, one) for one in shown]
            self._settle(session, traffic)

    def record(self, session: SessionId, key: str, received: int) -> FileRecord | None:
        """Give the record of a file as it counts for a running call that was received at this tick."""
        with self._lock:
            record = self._store.get(session, key)
            traffic = self._traffic.get(session)
            if traffic is not None:
                for sent, one in traffic.sent:
                    if one.key == key and sent < received and traffic.adds(record, one):
                        record = after_showing(record, one.showing)
            return record

    def known_as(self, session: SessionId, key: str, identity: Identity) -> str:
        """Give the key that a file goes by in a session: its own path, or that of a record of the same inode."""
        with self._lock:
            sent = [one for _, one in self._traffic.get(session, _Traffic()).sent]
            if self._store.get(session, key) is not None or any(one.key == key for one in sent):
                return key
            other = next((one.key for one in sent if one.showing.identity == identity), None)
            return other or self._store.find(session, identity) or key

    def forgot(self, session: SessionId, key: str, now: int) -> None:
        """Drop the record of a file that this session removed."""
        with self._lock:
            if session in self._traffic:
                self._traffic[session].as_of[key] = now
            self._store.drop(session, key)

    def moved(self, session: SessionId, old: str, new: str) -> None:
        """Let what was seen of a file, or of all below a directory, count under its new path."""
        with self._lock:
            traffic = self._traffic.get(session, _Traffic())
            traffic.sent = [(sent, replace(one, key=_moved(one.key, old, new))) for sent, one in traffic.sent]
            traffic.as_of = {_moved(key, old, new): tick for key, tick in traffic.as_of.items()}
            self._store.drop(session, new)
            self._store.move(session, old, new)

    def wrote(self, session: SessionId, key: str, record: FileRecord, now: int) -> None:
        """Keep the record of an own write at once; what was looked at before it is past."""
        with self._lock:
            if session in self._traffic:
                self._traffic[session].as_of[key] = now
            try:
                self._store.put(session, key, record)
            except StoreUnavailable:
                # The change is on disk, and the reply says so; only the next one needs a read.
                _log.warning("a change could not be recorded: the session store cannot be reached")

    def _settle(self, session: SessionId, traffic: _Traffic) -> None:
        """Store what now counts for every running call."""
        oldest = min(traffic.running, default=None)
        waiting: list[tuple[int, Shown]] = []
        for sent, one in sorted(traffic.sent, key=lambda pair: pair[1].seen_at):
            if oldest is not None and sent >= oldest:
                waiting.append((sent, one))
                continue
            try:
                record = self._store.get(session, one.key)
                if traffic.adds(record, one):
                    known = after_showing(record, one.showing)
                    if known is not record:
                        self._store.put(session, one.key, known)
                    traffic.as_of[one.key] = max(one.seen_at, traffic.as_of.get(one.key, 0))
            except StoreUnavailable:
                # What was shown is not remembered: the file has to be read again before it is changed.
                _log.warning("a reading could not be recorded: the session store cannot be reached")
        traffic.sent = waiting
        if oldest is None:
            del self._traffic[session]


def _moved(key: str, old: str, new: str) -> str:
    return new + key.removeprefix(old) if key == old or key.startswith(f"{old}/") else key
