"""The system calls that Python lacks, on real filesystems."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from readfirst.filesystem.syscalls import (
    _rename_by_link,  # pyright: ignore[reportPrivateUsage] - the step for filesystems that do not know the flag
    birth_time_s,
    rename_no_replace,
)
from tests.conftest import Unprivileged


@pytest.fixture
def fd(root: Path) -> Generator[int]:
    """Open the directory as the program does: as a mere path."""
    opened = os.open(root, os.O_PATH | os.O_DIRECTORY)
    yield opened
    os.close(opened)


def _make(path: Path, kind: str) -> None:
    makers: dict[str, Callable[[], object]] = {
        "file": lambda: path.write_text("kept"),
        "directory": path.mkdir,
        "link": lambda: path.symlink_to("nowhere"),
        "pipe": lambda: os.mkfifo(path),
    }
    makers[kind]()


@pytest.mark.parametrize("rename", [rename_no_replace, _rename_by_link], ids=["renameat2", "by link"])
@pytest.mark.parametrize("kind", ["file", "directory", "link", "pipe"])
def test_anything_can_be_renamed(root: Path, fd: int, kind: str, rename: Callable[..., None]) -> None:
    """SPEC 6: the same inode has the new name, and the old name is free."""
    _make(root / "old", kind)
    inode = os.lstat(root / "old").st_ino
    rename(fd, "old", fd, "n\u00e9w\udcff")
    assert os.listdir(os.fsencode(root)) == [b"n\xc3\xa9w\xff"]
    assert os.lstat(root / "n\u00e9w\udcff").st_ino == inode


@pytest.mark.parametrize("rename", [rename_no_replace, _rename_by_link], ids=["renameat2", "by link"])
@pytest.mark.parametrize("taken", ["file", "directory", "link", "pipe"])
def test_what_has_the_new_name_is_never_replaced(root: Path, fd: int, taken: str, rename: Callable[..., None]) -> None:
    """SPEC 3 (`move_file`): not even by a dangling link or an empty directory."""
    _make(root / "old", "file")
    _make(root / "new", taken)
    inode = os.lstat(root / "new").st_ino
    with pytest.raises(FileExistsError):
        rename(fd, "old", fd, "new")
    assert sorted(os.listdir(root)) == ["new", "old"]
    assert os.lstat(root / "new").st_ino == inode


def test_what_is_not_there_cannot_be_renamed(fd: int) -> None:
    """rename(2)."""
    with pytest.raises(FileNotFoundError):
        rename_no_replace(fd, "old", fd, "new")


def test_a_directory_never_becomes_part_of_itself(root: Path, fd: int) -> None:
    """HOSTILE 67: the kernel answers as if it did not know the flag, and refuses the plain rename too."""
    (root / "d").mkdir()
    inner = os.open(root / "d", os.O_PATH)
    with pytest.raises(OSError, match=os.strerror(errno.EINVAL)):
        rename_no_replace(fd, "d", inner, "e")
    os.close(inner)
    assert os.listdir(root) == ["d"]


def test_another_filesystem_is_told(root: Path, fd: int, elsewhere: Path) -> None:
    """HOSTILE 68."""
    (root / "f").write_text("kept")
    other = os.open(elsewhere, os.O_PATH)
    with pytest.raises(OSError, match=os.strerror(errno.EXDEV)):
        rename_no_replace(fd, "f", other, "f")
    os.close(other)
    assert (os.listdir(root), os.listdir(elsewhere)) == (["f"], [])


def test_a_name_that_cannot_go_leaves_no_second_one(root: Path, fd: int, unprivileged: Unprivileged) -> None:
    """SPEC 6: in a sticky directory somebody else's file can be linked, but its name cannot be removed."""
    if os.geteuid() != 0:
        pytest.skip("only root can make a file of somebody else")
    (root / "f").write_text("theirs")
    (root / "f").chmod(0o666)
    root.chmod(0o1777)
    (root / "open").mkdir()
    (root / "open").chmod(0o777)
    other = os.open(root / "open", os.O_PATH)
    with unprivileged(), pytest.raises(PermissionError):
        _rename_by_link(fd, "f", other, "g")
    os.close(other)
    assert (sorted(os.listdir(root)), os.listdir(root / "open")) == (["f", "open"], [])


def test_the_birth_of_a_file_is_told_where_it_is_known(root: Path) -> None:
    """SPEC 3 (`get_file_info`): created."""
    (root / "f").touch()
    os.utime(root / "f", (1, 1))
    fd = os.open(root / "f", os.O_PATH)
    born = birth_time_s(fd)
    os.close(fd)
    assert born is None or abs(born - time.time()) < 60


def test_the_birth_of_a_file_that_has_none_is_unknown() -> None:
    """SPEC 3: procfs keeps no such time, and a descriptor may be gone."""
    fd = os.open("/proc/self/status", os.O_PATH)
    assert birth_time_s(fd) is None
    os.close(fd)
    assert birth_time_s(-1) is None
