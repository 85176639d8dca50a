"""Scenarios of what is a change and what is none: bytes decide, never times, on every store."""

from __future__ import annotations

import mmap
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from tests.wire.scenarios import (
    LONG,
    SMALL,
    World,
    edit,
    read,
    write,
)


def _away_and_back(path: Path) -> None:
    path.rename(path.with_suffix(".away")).rename(path)


def _recreated(path: Path) -> None:
    data = path.read_bytes()
    path.unlink()
    path.write_bytes(data)


def _through_a_copy(path: Path) -> None:
    shutil.copy(path, path.with_suffix(".copy"))
    path.with_suffix(".copy").replace(path)


def _checked_out_and_back(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(b"another branch\n")
    path.write_bytes(data)


_NO_CHANGES: Final[dict[str, Callable[[Path], object]]] = {
    "touched": lambda path: os.utime(path, (2e9, 2e9)),
    "times set back": lambda path: os.utime(path, (1, 1)),
    "another mode": lambda path: path.chmod(0o600),
    "saved by a formatter that changes nothing": lambda path: path.write_bytes(path.read_bytes()),
    "renamed away and back": _away_and_back,
    "deleted and recreated": _recreated,
    "replaced by a copy": _through_a_copy,
    "checked out and back": _checked_out_and_back,
}


@pytest.mark.guarantee("G2")
@pytest.mark.parametrize("what", _NO_CHANGES)
def test_the_same_bytes_are_no_change(world: World, what: str) -> None:
    """SPEC 1, G2: bytes decide, never times; reports 1 to 4, 8 and notes 1.3."""
    path = world.file("long.txt", LONG)
    world.do(read(path))
    _NO_CHANGES[what](Path(path))
    world.do(edit(path, "line 5\n", ""))
    _NO_CHANGES[what](Path(path))
    world.do(write(path))


def _same_size_and_times(path: Path) -> None:
    status = path.stat()
    path.write_text(path.read_text().replace("line 9\n", "LINE 9\n"))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def _replaced_by_an_older_file(path: Path) -> None:
    backup = path.with_suffix(".old")
    backup.write_text(path.read_text().replace("line 9\n", "old line 9\n"))
    os.utime(backup, (1, 1))
    backup.replace(path)


def _mapped(path: Path) -> None:
    with path.open("r+b") as file, mmap.mmap(file.fileno(), 0) as memory:
        memory[:4] = b"LINE"


_REAL_CHANGES: Final[dict[str, Callable[[Path], object]]] = {
    "a line": lambda path: path.write_text(path.read_text().replace("line 9\n", "nine\n")),
    "same size, same times": _same_size_and_times,
    "replaced by an older file": _replaced_by_an_older_file,
    "written through a mapping": _mapped,
    "no final line break": lambda path: path.write_text(path.read_text().removesuffix("\n")),
}


@pytest.mark.guarantee("G2")
@pytest.mark.parametrize("what", _REAL_CHANGES)
def test_other_bytes_are_a_change_that_is_shown_and_the_same_edit_lands(world: World, what: str) -> None:
    """SPEC 2, refusals teach: the diff counts as read; reports 5, 6 and notes 1.3."""
    path = world.file("long.txt", LONG)
    world.do(read(path))
    _REAL_CHANGES[what](Path(path))
    changed = Path(path).read_bytes()
    text = world.taught(edit(path, "line 50\n", "fifty\n"), "stale")
    assert "send the call again if it still fits.\n--- " in text
    assert Path(path).read_bytes() == changed.replace(b"line 50\n", b"fifty\n")


@pytest.mark.guarantee("G2")
def test_other_line_endings_are_a_change(world: World) -> None:
    """SPEC 1, G2; notes 1.3: a hash of decoded text misses it."""
    path = world.file("small.txt", SMALL)
    world.do(read(path))
    world.file("small.txt", SMALL.replace("\n", "\r\n"))
    world.taught(edit(path, "two", "2"), "stale")
    assert world.text("small.txt") == "one\r\n2\r\nthree\r\n"


@pytest.mark.guarantee("G2")
def test_a_byte_order_mark_is_a_change(world: World) -> None:
    """SPEC 1, G2: bytes decide; G5: it is kept."""
    path = world.file("small.txt", SMALL)
    world.do(read(path))
    world.file("small.txt", "\ufeff" + SMALL)
    world.taught(edit(path, "two", "2"), "stale")
    assert world.text("small.txt") == "\ufeffone\n2\nthree\n"


@pytest.mark.guarantee("G2")
@pytest.mark.parametrize(
    "content", [SMALL.encode("utf-16"), SMALL.encode("latin-1") + b"\xe9\n"], ids=["utf-16", "guess"]
)
def test_another_encoding_is_a_change(world: World, content: bytes) -> None:
    """SPEC 1, G2: bytes decide; G5."""
    path = world.file("small.txt", SMALL)
    world.do(read(path))
    world.file("small.txt", content)
    world.taught(edit(path, "two", "2"), "stale")
