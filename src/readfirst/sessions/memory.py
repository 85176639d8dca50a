"""Records and histories in this process: the store of a server that was told of no other.

Kept content is bounded for each session. When half of the bound is used, a thread of its own compresses the oldest,
never a call; what is beyond the bound all the same is forgotten, the oldest first.

(A room of its own beside `store`: that one tells the contract.)
"""

from __future__ import annotations

import threading
import time
import zlib
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Final, Generic, TypeVar

from readfirst.sessions.history import FileHistory
from readfirst.sessions.ledger import FileRecord
from readfirst.sessions.store import SessionId
from readfirst.settings import Settings
from readfirst.spans import Identity

V = TypeVar("V")

_PRESSURE: Final = 0.5
"""Share of the bound from which content is compressed."""
_BATCH: Final = 64
_FASTEST: Final = 1


@dataclass(slots=True)
class _Used(Generic[V]):
    value: V
    used: float


@dataclass(slots=True)
class _Record:
    """A record; once its content was compressed, `value` has none and `packed` has it, if that is shorter."""

    value: FileRecord
    used: float
    packed: bytes | None = None
    squeezed: bool = False

    @property
    def kept_bytes(self) -> int:
        return len(self.packed or self.value.content or b"")

    def record(self) -> FileRecord:
        return self.value if self.packed is None else replace(self.value, content=zlib.decompress(self.packed))


class _Session:
    """The records and histories of one session, the least recently used first."""

    def __init__(self) -> None:
        self.records: OrderedDict[str, _Record] = OrderedDict()
        self.histories: OrderedDict[str, _Used[FileHistory]] = OrderedDict()
        self.names: dict[Identity, str] = {}
        self.kept_bytes = 0

    def set(self, key: str, entry: _Record) -> None:
        self.remove(key)
        self.records[key] = entry
        self.kept_bytes += entry.kept_bytes
        if entry.value.identity is not None:
            self.names[entry.value.identity] = key

    def remove(self, key: str) -> None:
        entry = self.records.pop(key, None)
        if entry is not None:
            self.kept_bytes -= entry.kept_bytes
            if entry.value.identity is not None and self.names.get(entry.value.identity) == key:
                del self.names[entry.value.identity]

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
            if entry.kept_bytes:
                self.kept_bytes -= entry.kept_bytes
                entry.value, entry.packed = replace(entry.value, content=None), None

    def to_squeeze(self) -> Iterator[tuple[str, _Record, bytes]]:
        """Give content that was never compressed, the oldest first."""
        for key, entry in self.records.items():
            if not entry.squeezed and entry.value.content:
                yield key, entry, entry.value.content

    def squeeze(self, key: str, entry: _Record, packed: bytes) -> None:
        """Take compressed content, if its record still is there and it is shorter."""
        content = entry.value.content
        if self.records.get(key) is not entry or content is None:
            return
        entry.squeezed = True
        if len(packed) < len(content):
            self.kept_bytes += len(packed) - len(content)
            entry.value, entry.packed = replace(entry.value, content=None), packed


@dataclass(slots=True)
class MemoryStore:
    """Records and histories of this process; gone when it ends."""

    settings: Settings
    clock: Callable[[], float] = field(default=time.monotonic, kw_only=True)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)
    _sessions: OrderedDict[SessionId, _Session] = field(default_factory=OrderedDict[SessionId, _Session], init=False)
    _squeezer: threading.Thread | None = field(default=None, init=False)

    def get(self, session: SessionId, key: str) -> FileRecord | None:
        with self._lock:
            known = self._sessions.get(session)
            entry = known.records.get(key) if known is not None else None
            if known is None or entry is None:
                return None
            if self._expired(entry.used):
                known.remove(key)
                return None
            entry.used = self.clock()
            known.records.move_to_end(key)
            self._sessions.move_to_end(session)
            return entry.record()

    def put(self, session: SessionId, key: str, record: FileRecord) -> None:
        with self._lock:
            known = self._used(session)
            known.set(key, _Record(record, self.clock()))
            while len(known.records) > self.settings.records_per_session:
                known.remove(next(iter(known.records)))
            known.drop_content(self.settings.kept_bytes_per_session)
            if self._pressed(known) and self._squeezer is None:
                self._squeezer = threading.Thread(target=self._squeeze, name="store-squeezer", daemon=True)
                self._squeezer.start()

    def drop(self, session: SessionId, key: str) -> None:
        with self._lock:
            known = self._sessions.get(session)
            if known is not None:
                known.remove(key)

    def find(self, session: SessionId, identity: Identity) -> str | None:
        with self._lock:
            known = self._sessions.get(session)
            key = known.names.get(identity) if known is not None else None
            return None if known is None or key is None or self._expired(known.records[key].used) else key

    def history(self, session: SessionId, key: str) -> FileHistory:
        with self._lock:
            known = self._sessions.get(session)
            entry = known.histories.get(key) if known is not None else None
            return FileHistory() if entry is None or self._expired(entry.used) else entry.value

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
            return sorted((key, entry.value) for key, entry in found if not self._expired(entry.used))

    def move(self, session: SessionId, old: str, new: str) -> None:
        with self._lock:
            known = self._sessions.get(session)
            if known is not None and old != new:
                known.move(old, new)

    def close(self) -> None:
        """Wait until nothing is being compressed."""
        squeezer = self._squeezer
        if squeezer is not None:
            squeezer.join()

    def _pressed(self, known: _Session) -> bool:
        return known.kept_bytes > self.settings.kept_bytes_per_session * _PRESSURE

    def _squeeze(self) -> None:
        """Compress content of the sessions under pressure, in a thread of its own, until there is no more to gain."""
        while True:
            with self._lock:
                found = [
                    (known, *one)
                    for known in self._sessions.values()
                    if self._pressed(known)
                    for one in islice(known.to_squeeze(), _BATCH)
                ]
                if not found:
                    self._squeezer = None
                    return
            for known, key, entry, content in found:
                packed = zlib.compress(content, _FASTEST)
                with self._lock:
                    known.squeeze(key, entry, packed)

    def _used(self, session: SessionId) -> _Session:
        known = self._sessions.setdefault(session, _Session())
        self._sessions.move_to_end(session)
        if len(self._sessions) > self.settings.sessions:
            self._sessions.popitem(last=False)
        return known

    def _expired(self, used: float) -> bool:
        return self.clock() - used > self.settings.record_ttl_s


def _below(key: str, directory: str) -> bool:
    return key.startswith(f"{directory}/")
