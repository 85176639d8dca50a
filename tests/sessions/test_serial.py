"""What a store outside this process writes can be read back; what cannot be read is nothing."""

from __future__ import annotations

from typing import Final, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readfirst.content.digest import digest_of
from readfirst.sessions.coverage import Coverage
from readfirst.sessions.history import Change, FileHistory, Kind
from readfirst.sessions.ledger import FileRecord, OwnChange
from readfirst.sessions.serial import pack, pack_history, pack_key, unpack, unpack_history, unpack_key
from readfirst.spans import Identity, LinePart, LineRange

RECORD: Final = FileRecord(digest_of(b"1"), Coverage((LineRange(1, 2), LineRange(5, 9))), b"1\n\x00\xff")
HISTORY: Final = FileHistory((Change("edit", digest_of(b"1"), None, seen=Coverage((LineRange(5, 9),))),), 1)

_LINES = st.tuples(st.integers(1, 99), st.integers(0, 9)).map(lambda pair: LineRange(pair[0], sum(pair)))
_DIGESTS = st.binary(max_size=9).map(digest_of)
_PARTS = st.tuples(st.integers(1, 99), st.integers(1, 9), st.integers(0, 9), st.booleans()).map(
    lambda one: LinePart(one[0], one[1], one[1] + one[2], one[3])
)
_COVERAGES = st.builds(Coverage.of, st.lists(_LINES, max_size=5), st.lists(_PARTS, max_size=5))
_NAMES = st.binary(max_size=20).map(unpack_key) | st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
_NUMBERS = st.integers(0, 2**64 - 1)


@given(
    st.builds(
        FileRecord,
        _DIGESTS,
        _COVERAGES,
        content=st.none() | st.binary(max_size=50),
        own=st.none() | st.builds(OwnChange, _DIGESTS, _LINES),
        identity=st.none() | st.builds(Identity, _NUMBERS, _NUMBERS),
    )
)
def test_a_record_comes_back_as_it_was(record: FileRecord) -> None:
    """The law of `serial`."""
    assert unpack(pack(record)) == record


@given(
    st.builds(
        Change,
        st.sampled_from(get_args(Kind)),
        st.none() | _DIGESTS,
        st.none() | _DIGESTS,
        kept=_NAMES,
        seen=st.none() | _COVERAGES,
        source=_NAMES,
        carried=_NUMBERS,
    ).flatmap(lambda change: st.builds(FileHistory, st.lists(st.just(change), max_size=3).map(tuple), _NUMBERS))
)
def test_a_history_comes_back_as_it_was(history: FileHistory) -> None:
    """The law of `serial`, for what a session changed."""
    assert unpack_history(pack_history(history)) == history


@given(_NAMES)
def test_a_key_comes_back_as_it_was(name: str) -> None:
    """The law of `serial`, for names that need not be UTF-8."""
    assert unpack_key(pack_key(name)) == name


def test_a_record_without_parts_is_as_it_was_before_there_were_parts() -> None:
    """SPEC 2: survives a restart, also into a later version of this program."""
    old = b'{"format":1,"digest":"%s","lines":[[1,2],[5,9]],"kept":true}\n1\n\x00\xff' % RECORD.digest.hex().encode()
    assert unpack(old) == RECORD


_GARBAGE = {
    "nothing": b"",
    "no facts": b"{}\n",
    "another kind": b"[1]\n",
    "a number": b"1",
    "no text": b"\xff\n",
    "cut short": pack_history(HISTORY)[:-3],
}


@pytest.mark.parametrize(
    "data",
    [
        *(pytest.param(data, id=name) for name, data in _GARBAGE.items()),
        pytest.param(pack(RECORD).replace(b'"format":1', b'"format":2'), id="another format"),
        pytest.param(pack(RECORD).replace(b"[5,9]", b"[9,5]"), id="no such lines"),
        pytest.param(pack(RECORD).replace(b'"kept"', b'"parts":[[3,9,5,true]],"kept"'), id="no such part"),
    ],
)
def test_what_is_no_record_of_this_format_is_none(data: bytes) -> None:
    """SPEC 2: a lost record can cause a refusal, never a wrong write."""
    assert unpack(data) is None


@pytest.mark.parametrize(
    "data",
    [
        *(pytest.param(data, id=name) for name, data in _GARBAGE.items()),
        pytest.param(pack_history(HISTORY).replace(b'"format":1', b'"format":2'), id="another format"),
        pytest.param(pack_history(HISTORY).replace(b"[5,9]", b"[9,5]"), id="no such lines"),
        pytest.param(pack_history(HISTORY).replace(b'"carried"', b'"carrying"'), id="a fact is missing"),
        pytest.param(pack_history(HISTORY).replace(b'"before":"', b'"before":"x'), id="no digest"),
        pytest.param(pack_history(HISTORY).replace(b'"kind":"edit"', b'"kind":"turn"'), id="no such kind"),
    ],
)
def test_what_is_no_history_of_this_format_is_an_empty_one(data: bytes) -> None:
    """A lost history costs an undo, never a change."""
    assert unpack_history(data) == FileHistory()


@given(st.binary(max_size=30))
def test_any_bytes_can_be_read(data: bytes) -> None:
    """No bytes in a store end a call."""
    assert unpack(data) is None
    assert unpack_history(data) == FileHistory()
