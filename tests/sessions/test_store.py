"""Where records are kept."""

from __future__ import annotations

import functools
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

from readfirst.content.digest import digest_of
from readfirst.sessions.coverage import Coverage
from readfirst.sessions.ledger import FileRecord
from readfirst.sessions.sqlite import SQLiteStore
from readfirst.sessions.store import MemoryStore, SessionId, SessionStore
from readfirst.settings import Settings
from readfirst.spans import LineRange

ONE, TWO, THREE = SessionId("one"), SessionId("two"), SessionId("three")


class Clock:
    """A clock that stands until it is set."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def _record(text: bytes, *, kept: bool = True) -> FileRecord:
    return FileRecord(digest_of(text), Coverage((LineRange(1, 1),)), text if kept else None)


Make = Callable[..., SessionStore]


@pytest.fixture(params=["memory", "sqlite"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[Make]:
    """Make an empty store of each kind, by the settings and the clock that a test gives."""
    kind: Make = (
        MemoryStore if request.param == "memory" else functools.partial(SQLiteStore, str(tmp_path / "state.db"))
    )
    made: list[SessionStore] = []

    def make_one(*arguments: Any, **options: Any) -> SessionStore:  # noqa: ANN401 - whatever a store takes
        made.append(kind(*arguments, **options))
        return made[-1]

    yield make_one
    for store in made:
        store.close()


def _keys(store: SessionStore, keys: str, session: SessionId = ONE) -> str:
    return "".join(key for key in keys if store.get(session, key) is not None)


def test_a_record_is_kept_under_its_session_and_file(make: Make) -> None:
    """SPEC 2: one record per file and session."""
    store = make(Settings())
    store.put(ONE, "a", _record(b"1"))
    store.put(TWO, "a", _record(b"2"))
    store.put(ONE, "a", _record(b"3"))
    assert store.get(ONE, "a") == _record(b"3")
    assert store.get(TWO, "a") == _record(b"2")
    assert store.get(ONE, "b") is None
    assert store.get(THREE, "a") is None


def test_a_record_that_is_dropped_is_gone_and_no_other_is(make: Make) -> None:
    """`SessionStore.drop`: forget a record, if there is one."""
    store = make(Settings())
    store.put(ONE, "a", _record(b"1"))
    store.put(ONE, "b", _record(b"1"))
    for session, key in ((ONE, "a"), (ONE, "a"), (ONE, "none"), (TWO, "b")):
        store.drop(session, key)
    assert _keys(store, "ab") == "b"


def test_a_record_that_nobody_used_expires(make: Make) -> None:
    """SPEC 2, stores: records expire (default 24 h unused)."""
    clock = Clock()
    store = make(Settings(), clock=clock)
    store.put(ONE, "a", _record(b"1"))
    store.put(ONE, "b", _record(b"1"))
    clock.now = 24 * 3600.0
    assert _keys(store, "a") == "a"
    clock.now += 1
    assert _keys(store, "ab") == "a"
    clock.now = 48 * 3600.0 + 2
    assert _keys(store, "ab") == ""


def test_a_record_written_again_lives_on(make: Make) -> None:
    """SPEC 2, stores."""
    clock = Clock()
    store = make(Settings(record_ttl_s=10), clock=clock)
    store.put(ONE, "a", _record(b"1"))
    clock.now = 9
    store.put(ONE, "a", _record(b"2"))
    clock.now = 19
    assert _keys(store, "a") == "a"


def test_of_too_many_records_the_least_recently_used_goes(make: Make) -> None:
    """SPEC 2, stores: bounded count."""
    store = make(Settings(records_per_session=3))
    for key in "abc":
        store.put(ONE, key, _record(b"1"))
    store.get(ONE, "a")
    store.put(ONE, "b", _record(b"2"))
    store.put(ONE, "d", _record(b"1"))
    assert _keys(store, "abcd") == "abd"


def test_the_bound_on_records_is_one_for_each_session(make: Make) -> None:
    """SPEC 2, stores."""
    store = make(Settings(records_per_session=1))
    store.put(ONE, "a", _record(b"1"))
    store.put(TWO, "b", _record(b"1"))
    assert (_keys(store, "ab", ONE), _keys(store, "ab", TWO)) == ("a", "b")


def test_of_too_many_sessions_the_least_recently_used_goes(make: Make) -> None:
    """`Settings.sessions`."""
    store = make(Settings(sessions=2))
    store.put(ONE, "a", _record(b"1"))
    store.put(TWO, "a", _record(b"1"))
    store.put(ONE, "b", _record(b"1"))
    store.put(THREE, "a", _record(b"1"))
    assert [_keys(store, "a", session) for session in (ONE, TWO, THREE)] == ["a", "", "a"]


def test_looking_up_a_record_is_a_use_of_its_session(make: Make) -> None:
    """`SessionStore.get` counts as a use."""
    store = make(Settings(sessions=2))
    store.put(ONE, "a", _record(b"1"))
    store.put(TWO, "a", _record(b"1"))
    store.get(ONE, "a")
    store.put(THREE, "a", _record(b"1"))
    assert [_keys(store, "a", session) for session in (ONE, TWO, THREE)] == ["a", "", "a"]


def test_kept_content_beyond_the_budget_goes_oldest_first_and_the_records_stay(make: Make) -> None:
    """`Settings.kept_bytes_per_session`: content is dropped, what was seen is not."""
    store = make(Settings(kept_bytes_per_session=10))
    for key in "abc":
        store.put(ONE, key, _record(b"1234"))
    assert store.get(ONE, "a") == _record(b"1234", kept=False)
    assert store.get(ONE, "b") == _record(b"1234")
    store.put(ONE, "d", _record(b"12"))
    assert store.get(ONE, "b") == _record(b"1234")
    store.put(ONE, "e", _record(b"1"))
    assert store.get(ONE, "c") == _record(b"1234", kept=False)
    assert store.get(ONE, "b") == _record(b"1234")


def test_content_that_went_makes_room(make: Make) -> None:
    """`Settings.kept_bytes_per_session`: replaced, dropped and expired records are not counted."""
    clock = Clock()
    store = make(Settings(kept_bytes_per_session=10, record_ttl_s=5), clock=clock)
    store.put(ONE, "a", _record(b"12345678"))
    store.put(ONE, "a", _record(b"87654321"))
    assert store.get(ONE, "a") == _record(b"87654321")
    store.drop(ONE, "a")
    store.put(ONE, "b", _record(b"12345678"))
    clock.now = 6
    assert store.get(ONE, "b") is None
    store.put(ONE, "c", _record(b"1234567890"))
    assert store.get(ONE, "c") == _record(b"1234567890")


def test_content_larger_than_the_budget_is_not_kept(make: Make) -> None:
    """`Settings.kept_bytes_per_session`."""
    store = make(Settings(kept_bytes_per_session=3))
    store.put(ONE, "a", _record(b"1234"))
    assert store.get(ONE, "a") == _record(b"1234", kept=False)
