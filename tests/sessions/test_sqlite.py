"""The store that outlives the process; what every store keeps is told in `test_store`."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readfirst.content.digest import digest_of
from readfirst.errors import StoreUnavailable
from readfirst.sessions.coverage import Coverage
from readfirst.sessions.ledger import FileRecord, OwnChange
from readfirst.sessions.serial import pack, unpack
from readfirst.sessions.sqlite import SQLiteStore
from readfirst.sessions.store import SessionId
from readfirst.settings import Settings
from readfirst.spans import LinePart, LineRange

ONE = SessionId("one")
RECORD = FileRecord(digest_of(b"1"), Coverage((LineRange(1, 2), LineRange(5, 9))), b"1\n\x00\xff")


@given(
    content=st.none() | st.binary(max_size=50),
    ranges=st.lists(st.tuples(st.integers(1, 99), st.integers(0, 9)), max_size=5),
    parts=st.lists(st.tuples(st.integers(1, 99), st.integers(1, 9), st.integers(0, 9), st.booleans()), max_size=5),
    own=st.none() | st.integers(1, 99).map(lambda line: OwnChange(digest_of(b"0"), LineRange(line, line + 1))),
)
def test_a_record_comes_back_as_it_was(
    content: bytes | None,
    ranges: list[tuple[int, int]],
    parts: list[tuple[int, int, int, bool]],
    own: OwnChange | None,
) -> None:
    """The law of `serial`."""
    coverage = Coverage.of(
        (LineRange(first, first + more) for first, more in ranges),
        (LinePart(line, first, first + more, ends) for line, first, more, ends in parts),
    )
    record = FileRecord(digest_of(b"x"), coverage, content, own)
    assert unpack(pack(record)) == record


def test_a_record_without_parts_is_as_it_was_before_there_were_parts() -> None:
    """SPEC 2: survives a restart, also into a later version of this program."""
    old = b'{"format":1,"digest":"%s","lines":[[1,2],[5,9]],"kept":true}\n1\n\x00\xff' % RECORD.digest.hex().encode()

    assert unpack(old) == RECORD


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"{}\n", id="no facts"),
        pytest.param(b"[1]\n", id="another kind"),
        pytest.param(b"\xff\n", id="no text"),
        pytest.param(pack(RECORD).replace(b'"format":1', b'"format":2'), id="another format"),
        pytest.param(pack(RECORD).replace(b"[5,9]", b"[9,5]"), id="no such lines"),
        pytest.param(pack(RECORD).replace(b'"kept"', b'"parts":[[3,9,5,true]],"kept"'), id="no such part"),
    ],
)
def test_what_is_no_record_of_this_format_is_none(data: bytes) -> None:
    """SPEC 2: a lost record can cause a refusal, never a wrong write."""
    assert unpack(data) is None


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
