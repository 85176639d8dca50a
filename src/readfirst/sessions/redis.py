"""Records and histories in Redis or Valkey: many processes, on many machines, may share them.

Each call is one request, and one step of the server (`redis_scripts`), so that nobody finds half of a change. Two
processes that put the same record at once cost a read, never a change.

A server that is down must not slow down reading, which goes on without it: after a failure, calls fail at once for a
while, and then the next one tries again.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final
from urllib.parse import quote, urlsplit

from redis import Redis, RedisError
from redis.backoff import NoBackoff
from redis.commands.core import Script
from redis.retry import Retry

from readfirst.errors import StoreUnavailable
from readfirst.sessions import redis_scripts
from readfirst.sessions.history import FileHistory
from readfirst.sessions.ledger import FileRecord
from readfirst.sessions.serial import pack, pack_history, pack_key, unpack, unpack_history, unpack_key
from readfirst.sessions.store import SessionId
from readfirst.settings import Settings
from readfirst.spans import Identity

_TIMEOUT_S: Final = 2.0
"""How long a connection, and each answer, is waited for."""
_PAUSE_S: Final = 1.0
_PAUSE_RATIO: Final = 5
"""After a failure the pause is this many times what it took, so that a server that hangs costs a sixth of the time."""
_SCHEMES: Final = ("redis", "rediss", "unix")
_FORM: Final = (
    "write redis://[[USER]:PASSWORD@]HOST[:PORT][/DB], with special characters of the password percent-encoded"
)


class RedisStore:
    """Records and histories on the server that a URL names: `redis://`, `rediss://` or `unix://`."""

    def __init__(
        self, url: str, settings: Settings, *, clock: Callable[[], float] = time.time, pause_s: float = _PAUSE_S
    ) -> None:
        """Get ready to connect; the first call does.

        Raises:
            ValueError: the URL names no server, or has an option that is unknown. The text says how to write it, and
                does not quote it.
        """
        try:
            self._name = public_name(url)
            self._client = _client(url)
        except (TypeError, ValueError, RedisError):
            # What went wrong may be a piece of the password.
            raise ValueError(_FORM) from None
        self._settings = settings
        self._clock = clock
        self._pause_s = pause_s
        self._resume_at = 0.0
        self._reason = ""
        self._get = self._client.register_script(redis_scripts.GET)
        self._put = self._client.register_script(redis_scripts.PUT)
        self._drop = self._client.register_script(redis_scripts.DROP)
        self._find = self._client.register_script(redis_scripts.FIND)
        self._history = self._client.register_script(redis_scripts.HISTORY)
        self._put_history = self._client.register_script(redis_scripts.PUT_HISTORY)
        self._histories = self._client.register_script(redis_scripts.HISTORIES)
        self._move = self._client.register_script(redis_scripts.MOVE)

    def get(self, session: SessionId, key: str) -> FileRecord | None:
        found = self._run(self._get, session, pack_key(key))
        if found is None:
            return None
        value, kept = found
        record = unpack(value)
        return replace(record, content=None) if record is not None and kept is None else record

    def put(self, session: SessionId, key: str, record: FileRecord) -> None:
        self._run(
            self._put,
            session,
            pack_key(key),
            pack(record),
            "" if record.content is None else len(record.content),
            "" if record.identity is None else _identity(record.identity),
            self._settings.records_per_session,
            self._settings.kept_bytes_per_session,
            self._settings.sessions,
        )

    def drop(self, session: SessionId, key: str) -> None:
        self._run(self._drop, session, pack_key(key))

    def find(self, session: SessionId, identity: Identity) -> str | None:
        found = self._run(self._find, session, _identity(identity))
        return None if found is None else unpack_key(found)

    def history(self, session: SessionId, key: str) -> FileHistory:
        found = self._run(self._history, session, pack_key(key))
        return FileHistory() if found is None else unpack_history(found)

    def put_history(self, session: SessionId, key: str, history: FileHistory) -> None:
        value = b"" if history == FileHistory() else pack_history(history)
        limits = self._settings.records_per_session, self._settings.sessions
        self._run(self._put_history, session, pack_key(key), value, *limits)

    def histories(self, session: SessionId) -> list[tuple[str, FileHistory]]:
        rows = self._run(self._histories, session)
        found = sorted((unpack_key(key), unpack_history(value)) for key, value in rows)
        return [(key, history) for key, history in found if history != FileHistory()]

    def move(self, session: SessionId, old: str, new: str) -> None:
        if old != new:
            self._run(self._move, session, pack_key(old), pack_key(new))

    def close(self) -> None:
        self._client.close()

    def _run(self, script: Script, session: SessionId, *arguments: bytes | str | int) -> Any:  # noqa: ANN401 - whatever the script gives
        """Let the server do one step.

        Raises:
            StoreUnavailable: it cannot be reached or does not do it, or that was so a moment ago.
        """
        began = time.monotonic()
        if began < self._resume_at:
            raise StoreUnavailable(path=self._name, detail=self._reason)
        now, ttl = self._clock(), self._settings.record_ttl_s
        facts = quote(pack_key(session), safe=""), repr(now), repr(now - ttl), max(round(ttl * 1000), 1)
        try:
            return script(args=[*facts, *arguments])
        except (RedisError, OSError) as error:
            ended = time.monotonic()
            self._reason = str(error)
            self._resume_at = ended + max(self._pause_s, _PAUSE_RATIO * (ended - began))
            raise StoreUnavailable(path=self._name, detail=self._reason) from error


def public_name(url: str) -> str:
    """Give the URL without user, password and options.

    Raises:
        ValueError: it names no server, or a password in it could be taken for something else.
    """
    parts = urlsplit(url)
    place, name = parts.netloc.rpartition("@")[2], parts.path.removeprefix("/")
    if parts.scheme not in _SCHEMES or parts.fragment or "@" in parts.path + parts.query:
        raise ValueError
    if parts.scheme == "unix":
        if place or not name:
            raise ValueError
    elif parts.port == 0 or not (parts.hostname or "").encode("idna") or (name and not name.isdecimal()):
        raise ValueError
    return f"{parts.scheme}://{place}{parts.path}"


def _client(url: str) -> Redis:
    """Make a client that tries once."""
    client = Redis.from_url(  # pyright: ignore[reportUnknownMemberType] - its options are untyped
        url,
        protocol=2,
        socket_timeout=_TIMEOUT_S,
        socket_connect_timeout=_TIMEOUT_S,
        retry=Retry(NoBackoff(), 0),
        driver_info=None,
    )
    # The client looks at most options when it connects, which is too late to say that they are wrong.
    client.connection_pool.connection_class(**client.connection_pool.connection_kwargs)
    return client


def _identity(identity: Identity) -> str:
    return f"{identity.device}:{identity.inode}"
