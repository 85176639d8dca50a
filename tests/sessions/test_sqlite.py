"""The store that outlives the process; what every store keeps is told in `test_store`."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from readfirst.content.digest import digest_of
from readfirst.errors import StoreUnavailable
from readfirst.sessions.coverage import Coverage
from readfirst.sessions.ledger import FileRecord
from readfirst.sessions.sqlite import SQLiteStore
from readfirst.sessions.store import SessionId
from readfirst.settings import Settings
from readfirst.spans import LineRange

ONE = SessionId("one")
RECORD = FileRecord(digest_of(b"1"), Coverage((LineRange(1, 2), LineRange(5, 9))), b"1\n\x00\xff")


def test_records_are_there_when_the_file_is_opened_again(tmp_path: Path) -> None:
    """SPEC 2: survives a restart."""
    path = str(tmp_path / "state.db")
    first = SQLiteStore(path, Settings())
    first.put(ONE, "a", RECORD)
    first.close()
    first.close()
    second = SQLiteStore(path, Settings())
    assert second.get(ONE, "a") == RECORD
    second.close()


def test_two_stores_on_one_file_see_each_other(tmp_path: Path) -> None:
    """Issue 4: safe with two processes."""
    path = str(tmp_path / "state.db")
    first, second = SQLiteStore(path, Settings()), SQLiteStore(path, Settings())
    first.put(ONE, "a", RECORD)
    assert second.get(ONE, "a") == RECORD
    second.drop(ONE, "a")
    assert first.get(ONE, "a") is None
    first.close()
    second.close()


def test_what_was_put_survives_a_kill(tmp_path: Path) -> None:
    """Issue 4: survives kill -9."""
    path = str(tmp_path / "state.db")
    script = (
        "import sys, time\n"
        "from tests.sessions.test_sqlite import ONE, RECORD\n"
        "from readfirst.sessions.sqlite import SQLiteStore\n"
        "from readfirst.settings import Settings\n"
        f"store = SQLiteStore({path!r}, Settings())\n"
        "for number in range(50):\n"
        "    store.put(ONE, str(number), RECORD)\n"
        "print('put', flush=True)\n"
        "time.sleep(60)\n"
    )
    top = Path(__file__).parents[2]
    with subprocess.Popen([sys.executable, "-c", script], cwd=top, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"put\n"
        os.kill(process.pid, signal.SIGKILL)
    store = SQLiteStore(path, Settings())
    assert all(store.get(ONE, str(number)) == RECORD for number in range(50))
    store.close()


def test_a_store_that_is_down_says_so_and_works_again_when_it_is_back(tmp_path: Path) -> None:
    """SPEC 2: `store_unavailable`; recovery without a restart."""
    path = tmp_path / "state.db"
    path.mkdir()
    store = SQLiteStore(str(path), Settings())
    with pytest.raises(StoreUnavailable) as refused:
        store.get(ONE, "a")
    assert refused.value.code == "store_unavailable"
    path.rmdir()
    store.put(ONE, "a", RECORD)
    assert store.get(ONE, "a") == RECORD
    store.close()


def test_a_row_that_is_no_record_is_dropped_content_and_all(tmp_path: Path) -> None:
    """A record of another version counts for nothing, also when content must make room."""
    path = str(tmp_path / "state.db")
    store = SQLiteStore(path, Settings(kept_bytes_per_session=5))
    store.put(ONE, "a", FileRecord(RECORD.digest, RECORD.coverage, b"1234"))
    with sqlite3.connect(path) as database:
        database.execute("UPDATE records SET record = x'00'")
    database.close()
    store.put(ONE, "b", FileRecord(RECORD.digest, RECORD.coverage, b"5678"))
    assert store.get(ONE, "a") is None
    assert store.get(ONE, "b") == FileRecord(RECORD.digest, RECORD.coverage, b"5678")
    store.close()


def test_a_file_of_another_version_of_this_program_starts_empty(tmp_path: Path) -> None:
    """SPEC 2: what cannot be read is nothing; one that is replaced in use is told of once."""
    path = str(tmp_path / "state.db")
    store = SQLiteStore(path, Settings())
    store.put(ONE, "a", RECORD)
    with sqlite3.connect(path) as database:
        database.executescript("DROP TABLE records; CREATE TABLE records (other TEXT); PRAGMA user_version = 1")
    database.close()
    with pytest.raises(StoreUnavailable):
        store.get(ONE, "a")
    assert store.get(ONE, "a") is None
    store.put(ONE, "a", RECORD)
    assert store.get(ONE, "a") == RECORD
    store.close()
