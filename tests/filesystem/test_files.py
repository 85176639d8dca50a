"""Only regular files are opened, whole or in chunks, and never more of them than asked for."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from readfirst.content.digest import digest_of
from readfirst.content.lines import CHUNK_BYTES
from readfirst.errors import ContentRefused, DiskRefused, PathRefused
from readfirst.filesystem.files import OpenFile, digest_at, open_file
from readfirst.filesystem.roots import Roots
from tests.conftest import Unprivileged
from tests.filesystem.conftest import open_descriptors


def _refusal(roots: Roots, name: str) -> tuple[str, str]:
    with roots.confine(name) as target, pytest.raises(PathRefused) as refused:
        open_file(target)
    return refused.value.code, refused.value.detail


def test_a_pipe_is_refused_and_nothing_waits_for_its_writer(roots: Roots, root: Path) -> None:
    """SPEC 7, HOSTILE 35."""
    os.mkfifo(root / "pipe")
    assert _refusal(roots, "pipe") == ("not_a_file", "a pipe")


def test_a_socket_is_refused(roots: Roots, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """HOSTILE 36."""
    monkeypatch.chdir(root)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket")
        assert _refusal(roots, "socket") == ("not_a_file", "a socket")


def test_a_directory_is_refused(roots: Roots, root: Path) -> None:
    """HOSTILE 39."""
    (root / "dir").mkdir()
    assert _refusal(roots, "dir") == ("not_a_file", "a directory")


@pytest.mark.parametrize("name", ["zero", "null", "tty"])
def test_a_device_is_refused(name: str) -> None:
    """HOSTILE 36."""
    roots = Roots(["/dev"])
    assert _refusal(roots, name) == ("not_a_file", "a device")
    roots.close()


def test_a_file_without_read_permission_is_refused(roots: Roots, root: Path, unprivileged: Unprivileged) -> None:
    """HOSTILE 40."""
    (root / "mine").write_text("x")
    (root / "mine").chmod(0)
    with unprivileged(), roots.confine("mine") as target, pytest.raises(DiskRefused) as refused:
        open_file(target)
    assert (refused.value.code, refused.value.path) == ("permission", "mine")


@pytest.mark.parametrize(
    "size", [0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 2 * CHUNK_BYTES], ids=lambda size: f"{size} bytes"
)
def test_the_chunks_of_a_file_joined_are_the_file(roots: Roots, root: Path, size: int) -> None:
    """ARCHITECTURE: files yields chunks; law over the sizes around a chunk."""
    data = os.urandom(size)
    (root / "f").write_bytes(data)
    with roots.confine("f") as target, open_file(target) as file:
        chunks = list(file.chunks())
        assert b"".join(chunks) == data == file.read_all(size)
        assert all(len(chunk) == CHUNK_BYTES for chunk in chunks[:-1])
        assert file.chunk(len(chunks) + 5) == b""


class _Growing(OpenFile):
    """A file that somebody makes longer just after its first chunk was read."""

    def __init__(self, path: Path, more: bytes) -> None:
        super().__init__(os.open(path, os.O_RDONLY), str(path))
        self._grown, self._more = path, more

    def chunk(self, number: int) -> bytes:
        chunk = super().chunk(number)
        with self._grown.open("ab") as file:
            file.write(self._more)
        self._more = b""
        return chunk


@pytest.mark.parametrize("size", [100, CHUNK_BYTES], ids=["within a chunk", "at the end of one"])
def test_a_file_that_grows_while_it_is_read_is_read_without_a_gap(root: Path, size: int) -> None:
    """HOSTILE 62: what is read may be short of the end, but it is bytes that once stood there in a row."""
    (root / "f").write_bytes(os.urandom(size))
    with _Growing(root / "f", os.urandom(3 * CHUNK_BYTES)) as file:
        data = file.read_all(2**30)
    assert len(data) >= size
    assert (root / "f").read_bytes().startswith(data)


def test_a_file_over_the_limit_is_not_read(roots: Roots, root: Path) -> None:
    """SPEC 8: with its size and the limit."""
    (root / "f").write_bytes(b"12345")
    with roots.confine("f") as target, open_file(target) as file, pytest.raises(ContentRefused) as refused:
        file.read_all(4)
    assert (refused.value.code, refused.value.size, refused.value.limit) == ("too_large", 5, 4)


def test_a_file_that_holds_more_than_it_says_is_not_read_beyond_the_limit() -> None:
    """HOSTILE 37: never trust st_size for the read length; files of /proc say 0."""
    roots = Roots(["/proc/sys/kernel/random"])
    with roots.confine("uuid") as target, open_file(target) as file:
        assert file.signature().size == 0
        with pytest.raises(ContentRefused) as refused:
            file.read_all(4)
    roots.close()
    assert (refused.value.code, refused.value.limit) == ("too_large", 4)


def test_the_signature_of_a_file_changes_with_its_content(roots: Roots, root: Path) -> None:
    """SPEC 2: size, times and inode stand in for hashing, for pages only."""
    (root / "f").write_bytes(b"1")
    with roots.confine("f") as target, open_file(target) as file:
        before = file.signature()
        assert before == file.signature()
        (root / "f").write_bytes(b"12")
        assert file.signature() != before


def test_what_is_read_is_the_file_that_was_resolved(roots: Roots, root: Path) -> None:
    """SPEC 7: a name that is swapped after the check leads nowhere else."""
    (root / "f").write_bytes(b"mine")
    with roots.confine("f") as target:
        (root / "f").unlink()
        (root / "f").symlink_to("/etc/passwd")
        with open_file(target) as file:
            assert file.read_all(100) == b"mine"


def test_the_digest_under_a_name_is_that_of_the_bytes_there_now(root: Path) -> None:
    """SPEC 6: the check before the rename."""
    (root / "f").write_bytes(b"now")
    fd = os.open(root, os.O_PATH)
    assert digest_at(fd, "f") == digest_of(b"now")
    os.close(fd)


@pytest.mark.parametrize("kind", ["nothing", "directory", "pipe", "link", "socket"])
def test_what_is_no_regular_file_has_no_digest(root: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """SPEC 6: a name that became something else is a change, and nothing hangs or is followed."""
    monkeypatch.chdir(root)
    (root / "real").write_text("x")
    with socket.socket(socket.AF_UNIX) as listener:
        makers = {
            "nothing": lambda: None,
            "directory": lambda: os.mkdir("f"),
            "pipe": lambda: os.mkfifo("f"),
            "link": lambda: os.symlink("real", "f"),
            "socket": lambda: listener.bind("f"),
        }
        makers[kind]()
        fd = os.open(root, os.O_PATH)
        before = open_descriptors()
        try:
            assert digest_at(fd, "f") is None
            assert open_descriptors() == before
        finally:
            os.close(fd)
