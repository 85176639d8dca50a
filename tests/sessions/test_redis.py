"""The store that many processes share; what every store keeps is told in `test_store` and `test_alike`."""

from __future__ import annotations

import itertools
import random
import socket
import threading
from collections.abc import Callable
from functools import partial
from typing import Final

import pytest

from readfirst.content.digest import digest_of
from readfirst.errors import StoreUnavailable
from readfirst.sessions.coverage import Coverage
from readfirst.sessions.history import FileHistory
from readfirst.sessions.ledger import FileRecord
from readfirst.sessions.redis import RedisStore, public_name
from readfirst.sessions.store import SessionId
from readfirst.settings import Settings
from readfirst.spans import Identity, LineRange
from tests.redis_server import RedisServer, redis_program

ONE: Final = SessionId("one")
RECORD: Final = FileRecord(digest_of(b"1"), Coverage((LineRange(1, 2),)), b"1\n\x00\xff", identity=Identity(1, 2))
HISTORY: Final = FileHistory(forgotten=1)


def _lifetimes(server: RedisServer) -> dict[str, int]:
    """Give what remains to every key, in milliseconds; below 0: for ever."""
    return {key: server.ask("PTTL", key) for key in server.ask("KEYS", "*")}


def test_two_stores_on_one_server_see_each_other(redis_server: RedisServer) -> None:
    """SPEC 2: many server processes; over TCP and over the server's socket, and in one database of it."""
    first, second = RedisStore(redis_server.url, Settings()), RedisStore(f"unix://{redis_server.socket}", Settings())
    other = RedisStore(f"{redis_server.url[:-1]}1", Settings())
    first.put(ONE, "/a", RECORD)
    first.put_history(ONE, "/a", HISTORY)
    assert second.get(ONE, "/a") == RECORD
    assert second.find(ONE, Identity(1, 2)) == "/a"
    assert second.histories(ONE) == [("/a", HISTORY)]
    assert other.get(ONE, "/a") is None
    second.drop(ONE, "/a")
    assert first.get(ONE, "/a") is None
    first.close()
    second.close()
    other.close()


def test_everything_lies_under_one_prefix_and_expires_by_itself(redis_server: RedisServer) -> None:
    """SPEC 2, stores: what nobody uses leaves a shared server, also when no readfirst runs any more."""
    store = RedisStore(redis_server.url, Settings(record_ttl_s=100, kept_bytes_per_session=9))
    for key in ("/a/x", "/b", "/c"):
        store.put(ONE, key, RECORD)
        store.put_history(ONE, key, HISTORY)
    store.move(ONE, "/a", "/d")
    store.drop(ONE, "/b")
    store.put_history(ONE, "/b", FileHistory())
    lifetimes = _lifetimes(redis_server)
    assert len(lifetimes) == 11
    assert all(key.startswith("readfirst:") for key in lifetimes)
    assert all(90_000 < left <= 100_000 for left in lifetimes.values())
    store.close()


def test_a_use_puts_off_the_end(redis_server: RedisServer) -> None:
    """SPEC 2, stores: 24 h unused; a history lives from its last change."""
    store = RedisStore(redis_server.url, Settings(record_ttl_s=100))
    store.put(ONE, "/a", RECORD)
    store.put(ONE, "/b", RECORD)
    store.put_history(ONE, "/a", HISTORY)
    for key in _lifetimes(redis_server):
        redis_server.ask("PEXPIRE", key, 50_000)
    store.get(ONE, "/a")
    store.history(ONE, "/a")
    store.find(ONE, Identity(1, 2))
    old = {key for key, left in _lifetimes(redis_server).items() if left <= 50_000}
    assert old == {"readfirst:one:record:/b", "readfirst:one:history:/a"}
    store.close()


@pytest.mark.parametrize(
    "lost", ["record:/a", "history:/a", "used", "content", "kept", "identities", "names", "changed"]
)
def test_what_the_server_lost_early_is_forgotten_and_in_nobody_s_way(redis_server: RedisServer, lost: str) -> None:
    """SPEC 2: a lost record can cause a refusal, never a wrong write; a server may evict what expires."""
    store = RedisStore(redis_server.url, Settings(kept_bytes_per_session=10))
    for key in ("/a", "/b"):
        store.put(ONE, key, RECORD)
        store.put_history(ONE, key, HISTORY)
    assert redis_server.ask("DEL", f"readfirst:one:{lost}") == 1
    assert store.find(ONE, Identity(1, 2)) in {"/b", None}
    assert {key for key, _ in store.histories(ONE)} <= {"/a", "/b"}
    assert store.get(ONE, "/a") in {RECORD, FileRecord(RECORD.digest, RECORD.coverage, identity=RECORD.identity), None}
    store.move(ONE, "/a", "/c")
    store.move(ONE, "", "/d")
    for key in ("/d/b", "/d/e", "/d/f"):
        store.put(ONE, key, RECORD)
        store.put_history(ONE, key, HISTORY)
    assert store.get(ONE, "/d/f") == RECORD
    assert store.find(ONE, Identity(1, 2)) == "/d/f"
    assert {"/d/b", "/d/e", "/d/f"} <= dict(store.histories(ONE)).keys()
    assert int(redis_server.ask("HGET", "readfirst:one:kept", "") or 0) <= 10
    store.close()


def test_many_at_once_leave_the_indexes_whole(redis_server: RedisServer) -> None:
    """SPEC 2: two processes that change the same session at once lose no more than an update."""
    settings = Settings(records_per_session=6, kept_bytes_per_session=20, sessions=2)
    stores = [RedisStore(redis_server.url, settings) for _ in range(2)]

    def work(seed: int) -> None:
        draw, store = random.Random(seed), stores[seed % 2]  # noqa: S311 - no secret
        for _ in range(300):
            session = SessionId(draw.choice(["one", "one", "two", "three"]))
            key, other = draw.choices(["/a", "/a/x", "/b", "/b/x", "/c", "/d", "/e", "/f"], k=2)
            record = FileRecord(RECORD.digest, RECORD.coverage, b"x" * draw.randrange(9), identity=Identity(1, seed))
            steps: list[Callable[[], None]] = [
                partial(store.put, session, key, record),
                partial(store.put, session, key, record),
                partial(store.drop, session, key),
                partial(store.put_history, session, key, HISTORY),
                partial(store.move, session, key, other),
            ]
            draw.choice(steps)()
            store.get(session, other)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for store in stores:
        store.close()
    sessions = {key.split(":")[1] for key in redis_server.ask("KEYS", "readfirst:*:*")}
    assert sessions == set(redis_server.ask("ZRANGE", "readfirst:sessions", 0, -1))
    assert len(sessions) == 2
    for session in sessions:
        _assert_whole(redis_server, f"readfirst:{session}:", settings)


def _assert_whole(server: RedisServer, base: str, settings: Settings) -> None:
    """Compare each index with what it names."""
    used, changed = (server.ask("ZRANGE", f"{base}{index}", 0, -1) for index in ("used", "changed"))
    assert {f"{base}record:{key}" for key in used} == set(server.ask("KEYS", f"{base}record:*"))
    assert {f"{base}history:{key}" for key in changed} == set(server.ask("KEYS", f"{base}history:*"))
    kept = {key: int(size) for key, size in server.ask("HGETALL", f"{base}kept").items()}
    assert kept.pop("", 0) == sum(kept.values()) <= settings.kept_bytes_per_session
    assert {key for key, size in kept.items() if size} == set(server.ask("ZRANGE", f"{base}content", 0, -1))
    assert kept.keys() <= set(used)
    identities = server.ask("HGETALL", f"{base}identities")
    assert identities.keys() == set(used)
    assert all(identities[key] == identity for identity, key in server.ask("HGETALL", f"{base}names").items())
    assert max(len(used), len(changed)) <= settings.records_per_session


def test_a_server_that_is_down_is_told_of_at_once_and_found_again(own_redis: RedisServer) -> None:
    """SPEC 2: `store_unavailable`; recovery without a restart; and a server that forgot its scripts gets them again."""
    patient, eager = (RedisStore(own_redis.url, Settings(), pause_s=pause_s) for pause_s in (1000, 0))
    patient.put(ONE, "/a", RECORD)
    own_redis.kill()
    for store in (patient, patient, eager, eager):
        with pytest.raises(StoreUnavailable) as refused:
            store.get(ONE, "/a")
        assert (refused.value.code, refused.value.path) == ("store_unavailable", own_redis.url)
        assert "refused" in refused.value.detail.lower()
    own_redis.start()
    with pytest.raises(StoreUnavailable):
        patient.get(ONE, "/a")
    assert eager.get(ONE, "/a") is None
    eager.put(ONE, "/a", RECORD)
    assert eager.get(ONE, "/a") == RECORD
    patient.close()
    eager.close()


def test_a_server_that_hangs_is_waited_for_once() -> None:
    """SPEC 2: reads go on, so no other call waits for it."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        store = RedisStore(f"redis://127.0.0.1:{listener.getsockname()[1]}?socket_timeout=0.05", Settings())
        for _ in range(3):
            with pytest.raises(StoreUnavailable, match="store_unavailable"):
                store.get(ONE, "/a")
        listener.setblocking(False)  # noqa: FBT003 - the standard library's
        listener.accept()[0].close()
        with pytest.raises(BlockingIOError):
            listener.accept()
        store.close()


def test_a_server_that_refuses_what_it_is_told_is_unavailable(redis_server: RedisServer) -> None:
    """Another program's key, a server short of memory, a replica: nothing can be proved."""
    redis_server.ask("SET", "readfirst:one:used", "no sorted set")
    store = RedisStore(redis_server.url, Settings())
    with pytest.raises(StoreUnavailable) as refused:
        store.put(ONE, "/a", RECORD)
    assert "WRONGTYPE" in refused.value.detail
    store.close()


def test_a_password_opens_the_server_and_is_shown_to_nobody(caplog: pytest.LogCaptureFixture) -> None:
    """SPEC 9: logs hold no secrets, the most talkative neither."""
    caplog.set_level("DEBUG")
    with RedisServer(redis_program(), "--requirepass", "sesame@1") as server:
        place = f"127.0.0.1:{server.port}/0"
        right, wrong = (RedisStore(f"redis://:{word}@{place}", Settings()) for word in ("sesame%401", "sesame%402"))
        right.put(ONE, "/a", RECORD)
        assert right.get(ONE, "/a") == RECORD
        with pytest.raises(StoreUnavailable) as refused:
            wrong.get(ONE, "/a")
        server.kill()
        with pytest.raises(StoreUnavailable) as down:
            right.get(ONE, "/a")
        right.close()
        wrong.close()
    for error in (refused.value, down.value):
        assert error.path == f"redis://{place}"
        chain = (error, error.__cause__, error.__context__)
        assert "sesame" not in " ".join(itertools.chain(map(str, chain), map(repr, chain), [error.detail, caplog.text]))


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("redis://host", "redis://host"),
        ("rediss://user:sesame@host:7000/3?ssl_cert_reqs=none", "rediss://host:7000/3"),
        ("redis://:ses@me@[::1]:1", "redis://[::1]:1"),
        ("redis://host?password=sesame", "redis://host"),
        ("unix://:sesame@/run/redis.sock?db=1", "unix:///run/redis.sock"),
        ("unix:///run/redis.sock", "unix:///run/redis.sock"),
    ],
)
def test_a_server_is_named_by_its_place(url: str, name: str) -> None:
    """`StoreUnavailable.path` names the store without its password."""
    assert public_name(url) == name
    RedisStore(url, Settings()).close()


@pytest.mark.parametrize(
    "url",
    [
        "",
        "redis:",
        "redis://",
        "redis://:sesame@",
        "http://host",
        "redis://host:sesame",
        "redis://host:0",
        "redis://host:70000",
        "redis://host/sesame",
        "redis://host#sesame",
        "redis://[sesame",
        "redis://ses..ame",
        "redis://:1/sesame@host",
        "redis://user:1/2@host",
        "redis://:1?sesame@host",
        "redis://:1#sesame@host",
        "redis://host?sesame=1",
        "redis://host?socket_timeout=sesame",
        "redis://host?protocol=sesame",
        "unix://",
        "unix://ses",
        "unix://:ses/ame@/run/redis.sock",
    ],
)
def test_what_names_no_server_is_refused_without_quoting_it(url: str) -> None:
    """`RedisStore`: a password that is not percent-encoded is no part of a name."""
    with pytest.raises(ValueError, match=r"^write redis://\[\[USER") as refused:
        RedisStore(url, Settings())
    assert "ses" not in str(refused.value)
    assert refused.value.__suppress_context__
