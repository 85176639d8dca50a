"""One lock per real file."""

from __future__ import annotations

import threading

import pytest

from readfirst.filesystem.locks import FileLocks


def _users(locks: FileLocks, path: str) -> int:
    held = locks._held.get(path)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - tells who waits, without a sleep
    return held.users if held is not None else 0


def test_a_second_caller_waits_for_the_first() -> None:
    """SPEC 6: check and write of one call are not parted by another."""
    locks = FileLocks()
    order: list[str] = []

    def second() -> None:
        with locks.hold("/f"):
            order.append("second")

    thread = threading.Thread(target=second)
    with locks.hold("/f"):
        thread.start()
        while _users(locks, "/f") < 2:
            assert thread.is_alive()
        order.append("first")
    thread.join()
    assert order == ["first", "second"]


def test_different_files_do_not_wait_for_each_other() -> None:
    """SPEC 6: one lock per file."""
    locks = FileLocks()
    with locks.hold("/a"), locks.hold("/b"):
        assert (_users(locks, "/a"), _users(locks, "/b")) == (1, 1)


def test_a_lock_that_nobody_holds_takes_no_memory() -> None:
    """ARCHITECTURE: also after a failure under the lock."""
    locks = FileLocks()
    with pytest.raises(KeyError), locks.hold("/f"):
        raise KeyError
    with locks.hold("/f"):
        assert _users(locks, "/f") == 1
    assert _users(locks, "/f") == 0
