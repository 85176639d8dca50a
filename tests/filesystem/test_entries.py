"""Names in directories: listed, copied, made and removed."""

from __future__ import annotations

import errno
import os
import socket
import stat
import threading
import time
from pathlib import Path

import pytest

from readfirst.errors import DiskRefused, PathRefused, ReadfirstError
from readfirst.filesystem.entries import (
    Entry,
    _entry,  # pyright: ignore[reportPrivateUsage] - a name that goes while it is looked at
    copy_entry,
    entries_in,
    kind_of,
    link_target,
    make_directory,
    make_link,
    remove_directory,
)
from readfirst.filesystem.files import sparse_digest_at
from readfirst.filesystem.roots import Roots
from tests.conftest import Unprivileged, file_size_limit
from tests.filesystem.conftest import open_descriptors

_TIB = 1 << 40
_MIB = 1024 * 1024


def _copy(roots: Roots, source: str = "f", destination: str = "copy") -> None:
    with roots.confine(source) as here, roots.confine(destination) as there:
        copy_entry(here, there)


def _refused(roots: Roots, source: str = "f", destination: str = "copy") -> ReadfirstError:
    with pytest.raises(ReadfirstError) as refused:
        _copy(roots, source, destination)
    return refused.value


def test_a_directory_is_listed_sorted_and_nothing_is_followed(roots: Roots, root: Path) -> None:
    """SPEC 3 (`list_directory`); HOSTILE 26 and 28: any name is listed."""
    (root / "d").mkdir()
    (root / "a\nb").touch()
    (root / "bad\udcff").touch()
    (root / "l").symlink_to("../outside")
    os.mkfifo(root / "p")
    with roots.confine(".") as target:
        found = entries_in(target)
    kinds = [("a\nb", "file", ""), ("bad\udcff", "file", ""), ("d", "directory", "")]
    assert found == [Entry(*one) for one in [*kinds, ("l", "link", "../outside"), ("p", "other", "")]]  # type: ignore[arg-type] # the rows are no literals


def test_a_file_is_no_directory_to_be_listed(roots: Roots, root: Path) -> None:
    """HOSTILE 39."""
    (root / "f").touch()
    with roots.confine("f") as target, pytest.raises(PathRefused) as refused:
        entries_in(target)
    assert (refused.value.code, refused.value.detail) == ("not_a_directory", "itself")


def test_a_directory_that_may_not_be_read_is_refused(roots: Roots, root: Path, unprivileged: Unprivileged) -> None:
    """HOSTILE 40."""
    root.chmod(0o311)
    before = open_descriptors()
    with unprivileged(), roots.confine(".") as target, pytest.raises(DiskRefused) as refused:
        entries_in(target)
    root.chmod(0o755)
    assert (refused.value.code, open_descriptors()) == ("permission", before)


def test_a_link_that_goes_while_it_is_listed_is_told_without_its_target(root: Path) -> None:
    """HOSTILE 65: directory changes during a walk."""
    (root / "l").symlink_to("f")
    fd = os.open(root, os.O_RDONLY)
    with os.scandir(fd) as found:
        one = next(found)
        (root / "l").unlink()
        assert _entry(fd, one) == Entry("l", "link")
    os.close(fd)


def test_kinds_are_told_by_mode() -> None:
    """SPEC 3: file, directory, link; anything else is neither."""
    modes = [stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK, stat.S_IFIFO, stat.S_IFSOCK, stat.S_IFCHR, stat.S_IFBLK]
    assert [kind_of(mode | 0o644) for mode in modes] == ["file", "directory", "link", *["other"] * 4]


def test_a_link_says_what_it_says(roots: Roots, root: Path) -> None:
    """HOSTILE 12: also one to itself."""
    (root / "l").symlink_to("./l/../x\udcff")
    with roots.confine("l", follow=False) as target:
        assert link_target(target) == "./l/../x\udcff"


def test_a_copy_has_bytes_permissions_and_times_and_nothing_else_is_left(roots: Roots, root: Path) -> None:
    """SPEC 3 (`copy_file`): with mode and times; a copy has its own owner, so no set-id bits."""
    data = os.urandom(3 * _MIB + 17)
    (root / "f").write_bytes(data)
    (root / "f").chmod(0o4751)
    os.utime(root / "f", ns=(1_000_000_001, 2_000_000_002))
    before = open_descriptors()
    _copy(roots, destination="new/dir/copy")
    copy = root / "new/dir/copy"
    assert copy.read_bytes() == data
    assert (stat.S_IMODE(copy.stat().st_mode), copy.stat().st_mtime_ns) == (0o751, 2_000_000_002)
    assert (os.listdir(copy.parent), open_descriptors()) == (["copy"], before)


def test_a_copy_keeps_holes(roots: Roots, root: Path) -> None:
    """HOSTILE 38: 1 TiB without a block is copied at once, and what lies in it arrives in its place."""
    with open(root / "f", "wb") as file:
        file.truncate(_TIB)
        for at, piece in ((5, b"head"), (_TIB // 2 + 3, b"middle"), (_TIB - 4, b"tail")):
            file.seek(at)
            file.write(piece)
    start = time.monotonic()
    _copy(roots)
    fd = os.open(root, os.O_PATH)
    assert sparse_digest_at(fd, "copy") == sparse_digest_at(fd, "f") is not None
    os.close(fd)
    assert time.monotonic() - start < 10
    status = (root / "copy").stat()
    assert (status.st_size, status.st_blocks * 512 < _MIB) == (_TIB, True)
    with open(root / "copy", "rb") as copy:
        copy.seek(_TIB // 2)
        assert copy.read(10) == b"\0\0\0middle\0"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        pytest.param([(0, b"x")], [(0, b"x")], True, id="equal"),
        pytest.param([(0, b"x"), (9 * _MIB, b"\0" * _MIB)], [(0, b"x")], True, id="zeros and a hole"),
        pytest.param([(0, b"x")], [(9 * _MIB, b"x")], False, id="another place"),
        pytest.param([(0, b"x")], [(1, b"x")], False, id="another place in the block"),
        pytest.param([(0, b"x"), (_MIB, b"y")], [(0, b"x")], False, id="more bytes"),
    ],
)
def test_sparse_digests_are_equal_when_the_bytes_are(
    root: Path, one: list[tuple[int, bytes]], other: list[tuple[int, bytes]], *, same: bool
) -> None:
    """Law of `OpenFile.sparse_digest`: bytes and their places decide, not where the holes lie."""
    for name, pieces in (("f", one), ("g", other)):
        with open(root / name, "wb") as file:
            file.truncate(20 * _MIB + 1)
            for at, piece in pieces:
                file.seek(at)
                file.write(piece)
    fd = os.open(root, os.O_PATH)
    assert (sparse_digest_at(fd, "f") == sparse_digest_at(fd, "g")) == same
    assert sparse_digest_at(fd, "nothing") is None
    os.truncate(root / "f", 20 * _MIB)
    assert sparse_digest_at(fd, "f") != sparse_digest_at(fd, "g")
    os.close(fd)


@pytest.mark.parametrize("kind", ["directory", "pipe", "socket", "device"])
def test_only_a_regular_file_is_copied(roots: Roots, root: Path, kind: str) -> None:
    """HOSTILE 35, 36: nothing else is opened, so nothing hangs."""
    if kind == "device" and os.geteuid() != 0:
        pytest.skip("only root can make a device")
    listener = socket.socket(socket.AF_UNIX)
    makers = {
        "directory": lambda: os.mkdir(root / "f"),
        "pipe": lambda: os.mkfifo(root / "f"),
        "socket": lambda: listener.bind(str(root / "f")),
        "device": lambda: os.mknod(root / "f", stat.S_IFCHR | 0o666, os.makedev(1, 3)),
    }
    makers[kind]()
    refusal = _refused(roots, destination="new/copy")
    listener.close()
    assert isinstance(refusal, PathRefused)
    assert (refusal.code, refusal.detail) == ("not_a_file", f"a {kind}")
    assert os.listdir(root) == ["f"]


def test_a_failing_copy_leaves_nothing(roots: Roots, root: Path) -> None:
    """SPEC 3 (`copy_file`): not even the directories made for it."""
    (root / "f").write_bytes(b"x" * 5000)
    (root / "there").mkdir()
    before = open_descriptors()
    with file_size_limit(1000):
        assert _refused(roots, destination="there/new/dir/copy").code == "no_space"
    assert (sorted(os.listdir(root)), os.listdir(root / "there")) == (["f", "there"], [])
    assert open_descriptors() == before


def test_a_file_that_keeps_changing_is_not_copied(roots: Roots, root: Path) -> None:
    """HOSTILE 62: a copy is one version of the file, or none."""
    (root / "f").write_bytes(b"x" * (16 * _MIB))
    stop = threading.Event()

    def append() -> None:
        with open(root / "f", "ab", buffering=0) as file:
            while not stop.is_set():
                file.write(b"y")

    writer = threading.Thread(target=append)
    writer.start()
    try:
        refusal = _refused(roots)
    finally:
        stop.set()
        writer.join()
    assert (refusal.code, refusal.path, os.listdir(root)) == ("busy", "f", ["f"])


def test_a_copy_of_a_file_that_shrinks_meanwhile_is_one_version(roots: Roots, root: Path) -> None:
    """HOSTILE 62: it is copied again, and nothing of the longer one stays behind."""
    (root / "f").write_bytes(b"x" * (16 * _MIB))
    shrink = threading.Thread(target=os.truncate, args=(root / "f", 10))
    with roots.confine("f") as here, roots.confine("copy") as there:
        shrink.start()
        copy_entry(here, there)
    shrink.join()
    assert (root / "copy").read_bytes() in {b"x" * 10, b"x" * (16 * _MIB)}


def test_a_directory_is_removed_only_when_it_is_empty(roots: Roots, root: Path) -> None:
    """SPEC 3 (`delete_file`)."""
    (root / "d").mkdir()
    (root / "d" / "f").touch()
    with roots.confine("d") as target, pytest.raises(DiskRefused) as refused:
        remove_directory(target)
    assert refused.value.code == "not_empty"
    (root / "d" / "f").unlink()
    with roots.confine("d") as target:
        assert remove_directory(target)
    assert os.listdir(root) == []


def test_links_and_directories_are_made_with_their_parents_and_replace_nothing(roots: Roots, root: Path) -> None:
    """SPEC 2 (undo): they come back where they were, and only if nothing is there."""
    with roots.confine("a/l", follow=False) as target:
        assert make_link(target, "nowhere\udcff")
    with roots.confine("b/d") as target:
        assert make_directory(target)
    assert (os.readlink(root / "a" / "l"), (root / "b" / "d").is_dir()) == ("nowhere\udcff", True)
    with roots.confine("c/l", follow=False) as target:
        (root / "c").mkdir()
        (root / "c" / "l").touch()
        with pytest.raises(DiskRefused) as refused:
            make_link(target, "x")
    assert (refused.value.code, refused.value.detail, os.listdir(root / "c")) == ("exists", "", ["l"])


def test_without_knowledge_of_holes_everything_is_copied(
    roots: Roots, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SPEC 3 (`copy_file`): where the filesystem cannot tell, all bytes are read."""

    def seek(_fd: int, _at: int, _how: int) -> int:
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))

    (root / "f").write_bytes(b"x" * 5 + bytes(3 * _MIB) + b"y")
    monkeypatch.setattr(os, "lseek", seek)
    _copy(roots)
    assert (root / "copy").read_bytes() == (root / "f").read_bytes()
