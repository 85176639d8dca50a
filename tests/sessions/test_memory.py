"""The store of this process; what every store keeps is told in `test_store`."""

from __future__ import annotations

import random
import threading

from readfirst.content.digest import digest_of
from readfirst.sessions.coverage import Coverage
from readfirst.sessions.ledger import FileRecord
from readfirst.sessions.memory import MemoryStore
from readfirst.sessions.store import SessionId
from readfirst.settings import Settings
from readfirst.spans import LineRange

ONE = SessionId("one")
_SIZE = 10_000


def _record(content: bytes) -> FileRecord:
    return FileRecord(digest_of(content), Coverage((LineRange(1, 1),)), content)


def _text(number: int) -> bytes:
    return f"line {number}\n".encode() * (_SIZE // 8)


def test_under_pressure_old_content_is_compressed_rather_than_forgotten() -> None:
    """Issue 4: kept content is bounded, compressed only under pressure."""
    store = MemoryStore(Settings(kept_bytes_per_session=10 * _SIZE))
    for number in range(50):
        store.put(ONE, f"{number}", _record(_text(number)))
        store.close()
    assert [store.get(ONE, f"{number}") for number in range(50)] == [_record(_text(number)) for number in range(50)]


def test_content_that_compression_does_not_shorten_stays_and_the_oldest_goes() -> None:
    """Issue 4: oldest out."""
    noise = random.Random(7)  # noqa: S311 - any bytes that do not compress
    contents = [noise.randbytes(_SIZE) for _ in range(12)]
    store = MemoryStore(Settings(kept_bytes_per_session=10 * _SIZE))
    for number, content in enumerate(contents):
        store.put(ONE, f"{number}", _record(content))
        store.close()
    kept = [store.get(ONE, f"{number}") for number in range(12)]
    assert [record is not None and record.content is not None for record in kept] == [False] * 2 + [True] * 10


def test_without_pressure_nothing_is_compressed() -> None:
    """Issue 4: compressed only under pressure, and never inside a call."""
    store = MemoryStore(Settings(kept_bytes_per_session=10 * _SIZE))
    content = _text(1)
    store.put(ONE, "a", _record(content))
    store.close()
    record = store.get(ONE, "a")
    assert record is not None
    assert record.content is content


def test_records_that_change_while_content_is_compressed_are_right() -> None:
    """A thread compresses what calls replace, move and drop meanwhile."""
    store = MemoryStore(Settings(kept_bytes_per_session=20 * _SIZE))

    def churn(seed: int) -> None:
        draw = random.Random(seed)  # noqa: S311 - which call comes next
        for turn in range(300):
            key = f"{draw.randrange(15)}"
            store.put(ONE, key, _record(_text(turn)))
            store.move(ONE, key, f"{draw.randrange(15)}")
            store.drop(ONE, f"{draw.randrange(30)}")
            record = store.get(ONE, f"{draw.randrange(15)}")
            assert record is None or record.content is None or digest_of(record.content) == record.digest

    threads = [threading.Thread(target=churn, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    store.close()
    for key in range(15):
        store.drop(ONE, f"{key}")
    assert store._sessions[ONE].kept_bytes == 0  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - the books must balance
