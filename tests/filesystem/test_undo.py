"""Old bytes that are kept for undo: private, bounded, and never claimed when they are not there."""

from __future__ import annotations

import os
import stat
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readfirst.filesystem.metadata import Metadata
from readfirst.filesystem.undo import (
    Kept,
    UndoBytes,
    _head,  # pyright: ignore[reportPrivateUsage] - the law is that of the two together
    _kept,  # pyright: ignore[reportPrivateUsage]
)
from tests.conftest import Unprivileged, file_size_limit
from tests.filesystem.conftest import open_descriptors

_HEAD = len(_head(Kept(b"")))
_integers = st.integers(min_value=0, max_value=2**63)
_attributes = st.lists(st.tuples(st.text(), st.binary())).map(tuple)
_metadata = st.builds(Metadata, _integers, _integers, _integers, _integers, _integers, _attributes, _integers)


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """Name a directory that does not exist yet."""
    return tmp_path / "state" / "undo"


def _bytes(directory: Path, *, max_bytes: int = 1_000_000, max_age_s: float = 3600.0) -> UndoBytes:
    return UndoBytes(str(directory), max_bytes=max_bytes, max_age_s=max_age_s)


def _aged(directory: Path, name: str, seconds: float) -> None:
    then = time.time() - seconds
    os.utime(directory / name, (then, then))


@given(st.builds(Kept, st.binary(), st.sampled_from(["file", "link", "directory"]), st.none() | _metadata))
def test_what_was_kept_comes_back_as_it_was(kept: Kept) -> None:
    """Law: `_kept(_head(kept), kept.data) == kept`."""
    assert _kept(_head(kept), kept.data) == kept


@pytest.mark.parametrize("sync", [False, True])
def test_kept_bytes_are_for_their_user_alone(directory: Path, *, sync: bool) -> None:
    """SPEC 6 (undo bytes): 0600 in 0700, whatever the umask."""
    undo, before, mask = _bytes(directory), open_descriptors(), os.umask(0)
    kept = Kept(b"line\n\0" * 1000, metadata=Metadata(0o4755, 1, 2, 3, 4, (("user.x", b"\n\xff"),)))
    try:
        name = undo.keep(kept, sync=sync)
    finally:
        os.umask(mask)
    assert undo.read(name) == kept
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (directory, directory / name)]
    assert (modes, open_descriptors()) == ([0o700, 0o600], before)


def test_dropped_bytes_are_gone(directory: Path) -> None:
    """SPEC 6 (undo bytes): dropping twice, or what never was, is nothing."""
    undo = _bytes(directory)
    name = undo.keep(Kept(b"x"), sync=False)
    for one in (name, name, "", "0" * 32):
        undo.drop(one)
    assert (undo.read(name), os.listdir(directory)) == (None, [])


@pytest.mark.parametrize(
    "name",
    ["", ".", "..", "../secret", "/etc/passwd", "0" * 31, "0" * 33, "A" * 32, "0" * 32 + "\n", "0" * 31 + "/"],
)
def test_a_stored_name_leads_nowhere_else(directory: Path, name: str) -> None:
    """G10: whoever can change the session store reads and removes no other file."""
    undo = _bytes(directory)
    undo.keep(Kept(b"x"), sync=False)
    secret = directory.parent / "secret"
    secret.write_bytes(_head(Kept(b"")) + b"secret")
    assert undo.read(name) is None
    undo.drop(name)
    assert secret.exists()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"x",
        b"{}\n",
        b"[]\n",
        b'"text"\nx',
        b"\xff\n",
        b'{"kind": "file", "metadata": [1]}\n',
        b'{"metadata": 3}\n',
    ],
)
def test_what_another_program_left_there_is_nothing(directory: Path, data: bytes) -> None:
    """SPEC 6 (undo bytes): unreadable is not kept."""
    undo = _bytes(directory)
    name = undo.keep(Kept(b"x"), sync=False)
    (directory / name).write_bytes(data)
    assert undo.read(name) is None


def test_bytes_that_cannot_be_read_are_not_kept_any_more(directory: Path, unprivileged: Unprivileged) -> None:
    """SPEC 6 (undo bytes): missing and forbidden are the same."""
    undo = _bytes(directory)
    name = undo.keep(Kept(b"x"), sync=False)
    (directory / name).chmod(0)
    with unprivileged():
        assert undo.read(name) is None
    assert undo.read("0" * 32) is None


def test_bytes_are_kept_for_a_limited_time(directory: Path) -> None:
    """SPEC 6 (undo bytes): 24 h; what is older is not given, and goes when room is made."""
    undo = _bytes(directory, max_age_s=100)
    old, young = (undo.keep(Kept(b"x"), sync=False) for _ in range(2))
    _aged(directory, old, 101)
    _aged(directory, young, 99)
    assert (undo.read(old), undo.read(young)) == (None, Kept(b"x"))
    _bytes(directory, max_age_s=100).keep(Kept(b"y"), sync=False)
    assert not (directory / old).exists()
    assert (directory / young).exists()


@given(sizes=st.lists(st.integers(0, 400), min_size=1, max_size=20))
def test_no_more_is_kept_than_the_limit_and_the_oldest_go_first(
    tmp_path_factory: pytest.TempPathFactory, sizes: list[int]
) -> None:
    """Law of SPEC 6 (undo bytes): what is left are the last that were kept, and they fit."""
    directory = tmp_path_factory.mktemp("undo")
    undo = _bytes(directory, max_bytes=1000)
    names: list[str] = []
    for at, size in enumerate(sizes):
        names.append(undo.keep(Kept(b"x" * size), sync=False))
        _aged(directory, names[-1], 1000 - at)
    left = [name for name in names if (directory / name).exists()]
    assert left == names[-len(left) :]
    assert names[-1] in left
    assert sum((directory / name).stat().st_size for name in left) <= 1000


def test_what_is_larger_than_the_limit_is_not_kept_and_drives_nothing_out(directory: Path) -> None:
    """SPEC 6 (undo bytes): bounded."""
    undo = _bytes(directory, max_bytes=1000)
    name = undo.keep(Kept(b"x"), sync=False)
    assert undo.keep(Kept(b"x" * 1000), sync=False) == ""
    assert undo.keep(Kept(b"x" * (1000 - _HEAD)), sync=False) != ""
    assert undo.read(name) is None


def test_files_of_others_are_not_counted_and_not_removed(directory: Path) -> None:
    """SPEC 6 (undo bytes): only what has such a name is ours."""
    directory.mkdir(parents=True)
    (directory / "notes").write_bytes(b"x" * 5000)
    _bytes(directory, max_bytes=500).keep(Kept(b"x" * 400), sync=False)
    assert (directory / "notes").exists()


@pytest.mark.parametrize("sync", [False, True])
def test_on_a_full_disk_nothing_is_kept_and_nothing_left_behind(directory: Path, *, sync: bool) -> None:
    """SPEC 6: disk full."""
    undo, before = _bytes(directory), open_descriptors()
    with file_size_limit(1000):
        assert undo.keep(Kept(b"x" * 5000), sync=sync) == ""
    assert (os.listdir(directory), open_descriptors()) == ([], before)


def test_bytes_that_are_not_surely_on_disk_do_not_count_as_kept(directory: Path, unprivileged: Unprivileged) -> None:
    """SPEC 6 (undo bytes): synced for a delete; a directory that cannot be opened cannot be synced."""
    undo = _bytes(directory, max_bytes=10**9)
    undo.keep(Kept(b"x"), sync=False)
    before = os.listdir(directory)
    directory.chmod(0o333)
    directory.parent.chmod(0o777)
    with unprivileged():
        kept = undo.keep(Kept(b"y"), sync=True)
    directory.chmod(0o700)
    assert (kept, os.listdir(directory)) == ("", before)


def test_a_state_directory_that_cannot_be_is_told(tmp_path: Path) -> None:
    """SPEC 6 (undo bytes): if they cannot be kept, the caller says so."""
    (tmp_path / "file").touch()
    assert _bytes(tmp_path / "file" / "undo").keep(Kept(b"x"), sync=True) == ""


def test_processes_that_make_room_at_once_do_not_disturb_each_other(directory: Path) -> None:
    """SPEC 6 (undo bytes): several may share the directory, and each removes what the other has just listed."""
    names: list[str] = []

    def keep() -> None:
        # One object a process: each has its own count and looks into the directory for itself.
        names.extend(_bytes(directory, max_bytes=2000).keep(Kept(b"x" * 300), sync=False) for _ in range(40))

    keepers = [threading.Thread(target=keep) for _ in range(8)]
    for keeper in keepers:
        keeper.start()
    for keeper in keepers:
        keeper.join()
    assert (len(names), "" in names) == (320, False)
