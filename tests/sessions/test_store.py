"""Where records are kept."""

from __future__ import annotations

import functools
from collections.abc import Callable, Generator, Iterable
from pathlib import Path
from typing import Any

import pytest

from readfirst.content.digest import digest_of
from readfirst.sessions.coverage import Coverage
from readfirst.sessions.history import Change, FileHistory
from readfirst.sessions.ledger import FileRecord
from readfirst.sessions.memory import MemoryStore
from readfirst.sessions.redis import RedisStore
from readfirst.sessions.sqlite import SQLiteStore
from readfirst.sessions.store import SessionId, SessionStore
from readfirst.settings import Settings
from readfirst.spans import Identity, LineRange
from tests.redis_server import RedisServer

ONE, TWO, THREE = SessionId("one"), SessionId("two"), SessionId("three")


class Clock:
    """A clock that stands until it is set."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def _record(text: bytes, *, kept: bool = True, inode: int | None = None) -> FileRecord:
    identity = None if inode is None else Identity(7, inode)
    return FileRecord(digest_of(text), Coverage((LineRange(1, 1),)), text if kept else None, identity=identity)


def _history(source: str) -> FileHistory:
    return FileHistory((Change("move", digest_of(b"1"), None, source=source),))


Make = Callable[..., SessionStore]


@pytest.fixture(params=["memory", "sqlite", "redis"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[Make]:
    """Make an empty store of each kind, by the settings and the clock that a test gives."""
    kind: Make = MemoryStore
    if request.param == "sqlite":
        kind = functools.partial(SQLiteStore, str(tmp_path / "state.db"))
    elif request.param == "redis":
        server: RedisServer = request.getfixturevalue("redis_server")
        kind = functools.partial(RedisStore, server.url)
    made: list[SessionStore] = []

    def make_one(*arguments: Any, **options: Any) -> SessionStore:  # noqa: ANN401 - whatever a store takes
        made.append(kind(*arguments, **options))
        return made[-1]

    yield make_one
    for store in made:
        store.close()


def _keys(store: SessionStore, keys: Iterable[str], session: SessionId = ONE) -> str:
    return "".join(key for key in keys if store.get(session, key) is not None)


def _changed(store: SessionStore, session: SessionId = ONE) -> dict[str, FileHistory]:
    return dict(store.histories(session))


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


def test_content_of_no_bytes_takes_no_room(make: Make) -> None:
    """`Settings.kept_bytes_per_session`: dropping it would free nothing."""
    store = make(Settings(kept_bytes_per_session=6))
    store.put(ONE, "a", _record(b""))
    store.put(ONE, "b", _record(b"1234"))
    store.put(ONE, "c", _record(b"1234"))
    assert store.get(ONE, "a") == _record(b"")
    assert store.get(ONE, "b") == _record(b"1234", kept=False)


def test_content_larger_than_the_budget_is_not_kept(make: Make) -> None:
    """`Settings.kept_bytes_per_session`."""
    store = make(Settings(kept_bytes_per_session=3))
    store.put(ONE, "a", _record(b"1234"))
    assert store.get(ONE, "a") == _record(b"1234", kept=False)


def test_sessions_and_files_whose_names_run_together_are_told_apart(make: Make) -> None:
    """SPEC 2: one record per file and session, whatever they are called."""
    store = make(Settings())
    names = ["", "a", "a:", "a:b", "a:b:c", "%61", "a%3A", "{a}", "b", "b:c", "used", "record:", "caf\udce9"]
    for session in names:
        for key in names:
            store.put(SessionId(session), f"/{key}", _record(f"{session} {key}".encode("utf-8", "surrogateescape")))
    for session in names:
        for key in names:
            text = f"{session} {key}".encode("utf-8", "surrogateescape")
            assert store.get(SessionId(session), f"/{key}") == _record(text)


def test_a_file_is_found_by_what_the_filesystem_calls_it(make: Make) -> None:
    """SPEC 2, identity: a device and an inode of one session; large ones too."""
    store = make(Settings())
    store.put(ONE, "a", _record(b"1", inode=2**64 - 1))
    store.put(ONE, "b", _record(b"1"))
    store.put(TWO, "c", _record(b"1", inode=5))
    assert store.find(ONE, Identity(7, 2**64 - 1)) == "a"
    assert store.find(ONE, Identity(7, 2**64 - 2)) is None
    assert store.find(ONE, Identity(8, 2**64 - 1)) is None
    assert store.find(ONE, Identity(7, 5)) is None
    assert store.find(THREE, Identity(7, 5)) is None


def test_the_name_that_is_found_is_the_one_kept_last_and_not_the_one_looked_up_last(make: Make) -> None:
    """`SessionStore.find`: of two hard links, the record that was kept last speaks of the newer version."""
    store = make(Settings())
    for key in ("a", "b", "a", "b"):
        store.put(ONE, key, _record(b"1", inode=5))
    store.get(ONE, "a")
    assert store.find(ONE, Identity(7, 5)) == "b"
    store.put(ONE, "a", _record(b"2", inode=5))
    assert store.find(ONE, Identity(7, 5)) == "a"


def test_a_record_that_is_gone_is_not_found(make: Make) -> None:
    """`SessionStore.find`: dropped, replaced by another file, expired, or beyond the limit."""
    clock = Clock()
    store = make(Settings(records_per_session=1, record_ttl_s=10), clock=clock)
    store.put(ONE, "a", _record(b"1", inode=1))
    store.drop(ONE, "a")
    assert store.find(ONE, Identity(7, 1)) is None
    store.put(ONE, "a", _record(b"1", inode=2))
    store.put(ONE, "a", _record(b"1", inode=3))
    assert store.find(ONE, Identity(7, 2)) is None
    clock.now = 10
    assert store.find(ONE, Identity(7, 3)) == "a"
    clock.now = 10.5
    assert store.find(ONE, Identity(7, 3)) is None
    store.put(ONE, "a", _record(b"1", inode=4))
    clock.now = 11
    store.put(ONE, "b", _record(b"1"))
    assert store.find(ONE, Identity(7, 4)) is None


def test_a_history_is_kept_under_its_session_and_file(make: Make) -> None:
    """`SessionStore.put_history`: in place of an earlier one."""
    store = make(Settings())
    store.put_history(ONE, "a", _history("1"))
    store.put_history(TWO, "a", _history("2"))
    store.put_history(ONE, "a", _history("3"))
    assert store.history(ONE, "a") == _history("3")
    assert store.history(TWO, "a") == _history("2")
    assert store.history(ONE, "b") == FileHistory()
    assert store.history(THREE, "a") == FileHistory()
    assert store.get(ONE, "a") is None


def test_the_histories_of_a_session_come_sorted(make: Make) -> None:
    """`SessionStore.histories`: by key, whatever was changed last."""
    store = make(Settings())
    keys = ["/b", "/a/x", "/Z", "/a", "/é", "/a b", "/😀", "/\uffff"]
    for key in keys:
        store.put_history(ONE, key, _history(key))
    store.put_history(TWO, "/c", _history("/c"))
    assert store.histories(ONE) == [
        (key, _history(key)) for key in ["/Z", "/a", "/a b", "/a/x", "/b", "/é", "/\uffff", "/😀"]
    ]
    assert store.histories(THREE) == []


def test_an_empty_history_is_forgotten(make: Make) -> None:
    """`SessionStore.put_history`; an empty one whose older changes are forgotten says so and stays."""
    store = make(Settings())
    store.put_history(ONE, "a", _history("1"))
    store.put_history(ONE, "a", FileHistory())
    store.put_history(ONE, "b", FileHistory())
    store.put_history(ONE, "c", FileHistory(forgotten=3))
    assert store.histories(ONE) == [("c", FileHistory(forgotten=3))]
    assert store.history(ONE, "a") == FileHistory()


def test_forgetting_a_history_is_no_use_of_a_session(make: Make) -> None:
    """`Settings.sessions`: nothing is kept, so nothing makes room."""
    store = make(Settings(sessions=1))
    store.put(ONE, "a", _record(b"1"))
    store.put_history(TWO, "a", FileHistory())
    assert _keys(store, "a") == "a"


def test_a_history_that_nobody_added_to_expires(make: Make) -> None:
    """SPEC 2, stores: looking at it does not keep it."""
    clock = Clock()
    store = make(Settings(record_ttl_s=10), clock=clock)
    store.put_history(ONE, "a", _history("1"))
    store.put_history(ONE, "b", _history("1"))
    clock.now = 5
    store.put_history(ONE, "b", _history("2"))
    clock.now = 10
    assert _changed(store) == {"a": _history("1"), "b": _history("2")}
    assert store.history(ONE, "a") == _history("1")
    clock.now = 10.5
    assert store.history(ONE, "a") == FileHistory()
    assert _changed(store) == {"b": _history("2")}
    clock.now = 15.5
    assert _changed(store) == {}


def test_of_too_many_histories_the_one_changed_longest_ago_goes(make: Make) -> None:
    """SPEC 2, stores: bounded count; each session has its own, apart from its records."""
    store = make(Settings(records_per_session=2))
    store.put_history(TWO, "a", _history("1"))
    store.put(ONE, "a", _record(b"1"))
    store.put(ONE, "b", _record(b"1"))
    for key in "aba":
        store.put_history(ONE, key, _history("1"))
    store.history(ONE, "b")
    store.put_history(ONE, "c", _history("1"))
    assert sorted(_changed(store)) == ["a", "c"]
    assert sorted(_changed(store, TWO)) == ["a"]
    assert _keys(store, "ab") == "ab"


def test_a_session_beyond_the_limit_loses_its_histories_too(make: Make) -> None:
    """`Settings.sessions`: adding to a history is a use of its session."""
    store = make(Settings(sessions=2))
    for session in (ONE, TWO):
        store.put_history(session, "a", _history("1"))
        store.put(session, "a", _record(b"1", inode=1))
    store.put_history(ONE, "b", _history("1"))
    store.put_history(THREE, "a", _history("1"))
    assert [sorted(_changed(store, session)) for session in (ONE, TWO, THREE)] == [["a", "b"], [], ["a"]]
    assert [_keys(store, "a", session) for session in (ONE, TWO, THREE)] == ["a", "", ""]
    assert store.find(TWO, Identity(7, 1)) is None


_NAMES = {
    "plain": "dir",
    "percent": "di%",
    "underscore": "di_",
    "star": "d*",
    "question mark": "d?r",
    "bracket": "[d]ir[",
    "quote": "d'i\"r`",
    "backslash": "d\\%r\\",
    "blank": " dir\n",
    "not ASCII": "dïr😀",
    "not UTF-8": "d\udcffr",
}
"""Names of folders, some of which mean more than themselves in a pattern."""


@pytest.mark.parametrize("name", _NAMES.values(), ids=_NAMES)
def test_what_is_at_a_name_and_below_it_moves_and_nothing_else_does(make: Make, name: str) -> None:
    """`SessionStore.move`: `old` and `old/…`, not `oldish`; of `old` itself, the history is its caller's."""
    store = make(Settings())
    old, new = f"/{name}", f"/to/{name}"
    stay = ["/", "/dir-", "/diR", "/dirs", "/d", f"{old}ish", f"{old}ish/x", f"/x{old}/y", f"{old[:-1]}/x"]
    for key in [old, f"{old}/x", f"{old}/{name}/y", *stay]:
        store.put(ONE, key, _record(key.encode("utf-8", "surrogateescape")))
        store.put_history(ONE, key, _history(key))
    store.put(TWO, old, _record(b"2"))
    store.move(ONE, old, new)
    for key in ("", "/x", f"/{name}/y"):
        assert store.get(ONE, new + key) == _record(f"{old}{key}".encode("utf-8", "surrogateescape"))
        assert store.get(ONE, old + key) is None
    assert _keys(store, stay) == "".join(stay)
    below = {f"{new}/x": _history(f"{old}/x"), f"{new}/{name}/y": _history(f"{old}/{name}/y")}
    assert _changed(store) == {key: _history(key) for key in [old, *stay]} | below
    assert store.get(TWO, old) == _record(b"2")


def test_what_moves_takes_the_place_of_what_was_there(make: Make) -> None:
    """`SessionStore.move`: one record per file, and its content is counted once."""
    store = make(Settings(kept_bytes_per_session=10))
    store.put(ONE, "/a/x", _record(b"1234", inode=1))
    store.put(ONE, "/b/x", _record(b"5678", inode=2))
    store.put_history(ONE, "/a/x", _history("a"))
    store.put_history(ONE, "/b/x", _history("b"))
    store.move(ONE, "/a", "/b")
    assert (store.get(ONE, "/a/x"), store.get(ONE, "/b/x")) == (None, _record(b"1234", inode=1))
    assert store.histories(ONE) == [("/b/x", _history("a"))]
    assert (store.find(ONE, Identity(7, 1)), store.find(ONE, Identity(7, 2))) == ("/b/x", None)
    store.put(ONE, "/c", _record(b"123456"))
    assert store.get(ONE, "/b/x") == _record(b"1234", inode=1)
    store.put(ONE, "/d", _record(b"1"))
    assert store.get(ONE, "/c") == _record(b"123456", kept=False)
    store.move(ONE, "/b/x", "/e")
    store.put(ONE, "/f", _record(b"123456"))
    assert store.get(ONE, "/e") == _record(b"1234", kept=False, inode=1)


def test_a_move_onto_itself_or_of_nothing_changes_nothing(make: Make) -> None:
    """`SessionStore.move`."""
    store = make(Settings())
    store.put(ONE, "/a/x", _record(b"1", inode=1))
    store.put_history(ONE, "/a/x", _history("1"))
    for session, old, new in ((ONE, "/a", "/a"), (ONE, "/b", "/a"), (ONE, "/b", "/a/x"), (TWO, "/a", "/b")):
        store.move(session, old, new)
    assert store.get(ONE, "/a/x") == _record(b"1", inode=1)
    assert store.find(ONE, Identity(7, 1)) == "/a/x"
    assert _changed(store) == {"/a/x": _history("1")}


def test_of_two_names_of_a_file_the_one_kept_last_is_found_after_the_other_moved(make: Make) -> None:
    """`SessionStore.move` keeps nothing anew."""
    store = make(Settings())
    store.put(ONE, "/a", _record(b"1", inode=1))
    store.put(ONE, "/b", _record(b"2", inode=1))
    store.move(ONE, "/a", "/c")
    assert store.find(ONE, Identity(7, 1)) == "/b"
    store.move(ONE, "/b", "/d")
    assert store.find(ONE, Identity(7, 1)) == "/d"


def test_what_moved_is_as_old_as_it_was(make: Make) -> None:
    """`SessionStore.move` is no use, neither for expiry nor for the limits."""
    clock = Clock()
    store = make(Settings(records_per_session=2, record_ttl_s=10), clock=clock)
    for clock.now, key in enumerate(("/a/x", "/b/x")):
        store.put(ONE, key, _record(b"1"))
        store.put_history(ONE, key, _history("1"))
    clock.now = 2
    store.move(ONE, "/a", "/c")
    store.put(ONE, "/d", _record(b"1"))
    store.put_history(ONE, "/d", _history("1"))
    assert sorted(_changed(store)) == ["/b/x", "/d"]
    clock.now = 3
    store.move(ONE, "/b", "/e")
    clock.now = 11.5
    assert sorted(_changed(store)) == ["/d"]
    assert _keys(store, ["/c/x", "/d", "/e/x"]) == "/d"
