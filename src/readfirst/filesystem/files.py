"""Open regular files for reading, through the descriptor that was checked, and never more of them than asked for."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from types import TracebackType
from typing import Final, NamedTuple, Self

from readfirst.content.digest import Digest, Hasher
from readfirst.content.lines import CHUNK_BYTES
from readfirst.errors import ContentRefused, PathRefused
from readfirst.filesystem.confined import ConfinedPath
from readfirst.filesystem.oserrors import translated

_ZEROS: Final = bytes(CHUNK_BYTES)
_READ: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class Signature(NamedTuple):
    """What a filesystem says of one version of a file; equal signatures do not prove equal bytes."""

    device: int
    inode: int
    size: int
    mtime_ns: int
    ctime_ns: int


class OpenFile:
    """A regular file open for reading."""

    def __init__(self, fd: int, path: str) -> None:
        self._fd = fd
        self._path = path

    @property
    def fd(self) -> int:
        return self._fd

    def signature(self) -> Signature:
        with translated(self._path):
            status = os.fstat(self._fd)
        return Signature(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)

    def chunk(self, number: int) -> bytes:
        """Read chunk `number` (`content.lines.CHUNK_BYTES` each), shorter only at the end of the file."""
        pieces: list[bytes] = []
        at, end = number * CHUNK_BYTES, (number + 1) * CHUNK_BYTES
        with translated(self._path):
            while at < end and (piece := os.pread(self._fd, end - at, at)):
                pieces.append(piece)
                at += len(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def chunks(self) -> Iterator[bytes]:
        number = 0
        while chunk := self.chunk(number):
            yield chunk
            if len(chunk) < CHUNK_BYTES:
                return
            number += 1

    def read_all(self, max_bytes: int) -> bytes:
        """Read the whole file.

        Raises:
            ContentRefused: too_large, it holds more than `max_bytes`.
        """
        size = self.signature().size
        chunks: list[bytes] = []
        read = 0
        for chunk in self.chunks() if size <= max_bytes else ():
            chunks.append(chunk)
            read += len(chunk)
            # The size is only what the filesystem says; the file may grow, or hold more than it says.
            if read > max_bytes:
                break
        if max(size, read) > max_bytes:
            raise ContentRefused("too_large", self._path, size=max(size, read), limit=max_bytes)
        return b"".join(chunks)

    def digest(self) -> Digest:
        """Hash the whole file, chunk by chunk."""
        hasher = Hasher()
        for chunk in self.chunks():
            hasher.update(chunk)
        return Digest(hasher.digest())

    def extents(self) -> Iterator[tuple[int, int]]:
        """Give the spans that hold bytes; the rest of the file is holes, which read as zeros.

        Raises:
            OSError: the file cannot be looked at.
        """
        at, size = 0, os.fstat(self._fd).st_size
        while at < size:
            try:
                at = os.lseek(self._fd, at, os.SEEK_DATA)
                end = min(os.lseek(self._fd, at, os.SEEK_HOLE), size)
            except OSError as error:
                if error.errno == errno.ENXIO:
                    return
                # This filesystem knows of no holes.
                end = size
            yield at, end
            at = end

    def sparse_digest(self) -> Digest:
        """Hash the bytes with their places, zeros aside: a copy has the same, and the longest hole takes no time.

        It is no `digest`; only two of this kind can be compared.
        """
        hasher, done = Hasher(), -1
        hasher.update(str(self.signature().size).encode())
        with translated(self._path):
            for at, end in self.extents():
                for number in range(max(at // CHUNK_BYTES, done + 1), -(-end // CHUNK_BYTES)):
                    chunk, done = self.chunk(number), number
                    if chunk != _ZEROS[: len(chunk)]:
                        hasher.update(f" {number} ".encode())
                        hasher.update(chunk)
        return Digest(hasher.digest())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._fd)


def open_file(target: ConfinedPath) -> OpenFile:
    """Open the regular file that was resolved; pipes, sockets and devices are never opened.

    Raises:
        PathRefused: not_a_file.
        DiskRefused: it cannot be opened.
    """
    assert target.fd is not None  # noqa: S101 - the caller has required that it exists
    if not target.is_file:
        raise PathRefused("not_a_file", target.given, detail=_kind(target.stat))
    with translated(target.given):
        return OpenFile(os.open(f"/proc/self/fd/{target.fd}", _READ), target.given)


def digest_at(directory_fd: int, name: str) -> Digest | None:
    """Hash what now stands under a name, without following a link; None: no regular file does.

    Raises:
        OSError: it cannot be read.
    """
    file = opened_at(directory_fd, name)
    if file is None:
        return None
    with file:
        return file.digest()


def sparse_digest_at(directory_fd: int, name: str) -> Digest | None:
    """Hash it as `digest_at` does, in the way of `OpenFile.sparse_digest`."""
    file = opened_at(directory_fd, name)
    if file is None:
        return None
    with file:
        return file.sparse_digest()


def opened_at(directory_fd: int, name: str) -> OpenFile | None:
    """Open the regular file that stands under a name, without following a link; None: no regular file does.

    Raises:
        OSError: it cannot be opened.
    """
    try:
        seen = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=directory_fd)
    except FileNotFoundError:
        return None
    try:
        if not stat.S_ISREG(os.fstat(seen).st_mode):
            return None
        return OpenFile(os.open(f"/proc/self/fd/{seen}", _READ), name)
    finally:
        os.close(seen)


def _kind(status: os.stat_result | None) -> str:
    kinds = {
        stat.S_IFDIR: "a directory",
        stat.S_IFIFO: "a pipe",
        stat.S_IFSOCK: "a socket",
        stat.S_IFCHR: "a device",
        stat.S_IFBLK: "a device",
    }
    return kinds.get(stat.S_IFMT(status.st_mode), "no regular file") if status is not None else "no regular file"
