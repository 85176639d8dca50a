"""Every store does what the memory store does, whatever is asked in whatever order."""

from __future__ import annotations

from typing import Any, Final

from hypothesis import given, settings
from hypothesis import strategies as st

from readfirst.content.digest import digest_of
from readfirst.sessions.coverage import Coverage
from readfirst.sessions.history import FileHistory
from readfirst.sessions.ledger import FileRecord
from readfirst.sessions.memory import MemoryStore
from readfirst.sessions.redis import RedisStore
from readfirst.sessions.sqlite import SQLiteStore
from readfirst.sessions.store import SessionId, SessionStore
from readfirst.settings import Settings
from readfirst.spans import Identity, LineRange
from tests.redis_server import RedisServer

_SMALL: Final = Settings(records_per_session=4, sessions=2, record_ttl_s=25, kept_bytes_per_session=12)
_MOVES: Final = (("/a", "/b"), ("/b", "/a"), ("/b", "/c"), ("/c", "/a/x"), ("/ab", "/b"), ("/a", "/a"))

_KEYS = st.sampled_from(["/a", "/a/x", "/a/y", "/ab", "/b", "/b/x", "/c"])
_IDENTITIES = st.sampled_from([Identity(1, inode) for inode in range(3)])
_COVERAGE: Final = Coverage((LineRange(1, 2),))
_RECORDS = st.tuples(st.none() | st.binary(max_size=7), st.none() | _IDENTITIES).map(
    lambda pair: FileRecord(digest_of(b"x"), _COVERAGE, pair[0], identity=pair[1])
)
_HISTORIES = st.integers(0, 2).map(lambda number: FileHistory(forgotten=number))
_STEPS = st.tuples(
    st.sampled_from(["one", "two", "three"]).map(SessionId),
    st.one_of(
        st.tuples(st.just("put"), _KEYS, _RECORDS),
        st.tuples(st.just("get"), _KEYS),
        st.tuples(st.just("drop"), _KEYS),
        st.tuples(st.just("find"), _IDENTITIES),
        st.tuples(st.just("put_history"), _KEYS, _HISTORIES),
        st.tuples(st.just("history"), _KEYS),
        st.tuples(st.just("histories")),
        st.sampled_from([("move", *move) for move in _MOVES]),
    ),
)
Step = tuple[SessionId, tuple[Any, ...]]


def _told(store: SessionStore, step: Step) -> object:
    session, (what, *arguments) = step
    return getattr(store, what)(session, *arguments)


@settings(deadline=None)
@given(st.lists(_STEPS, max_size=40))
def test_every_store_tells_the_same(shared_redis: RedisServer, steps: list[Step]) -> None:
    """SPEC 2, stores: one contract. Of several names of a file, SQLite finds an earlier one when the last went."""
    shared_redis.ask("FLUSHALL")
    now = 0.0
    stores: list[SessionStore] = [
        MemoryStore(_SMALL, clock=lambda: now),
        RedisStore(shared_redis.url, _SMALL, clock=lambda: now),
        SQLiteStore(":memory:", _SMALL, clock=lambda: now),
    ]
    try:
        for step in steps:
            now += 1
            memory, redis, sqlite = (_told(store, step) for store in stores)
            assert redis == memory, step
            assert sqlite == memory or (step[1][0] == "find" and memory is None), step
    finally:
        for store in stores:
            store.close()
