"""Put new bytes in place of old ones, so that at any moment the file holds all of the old or all of the new (G9).

Replace: a temporary file in the same directory gets the old file's owner, mode and extended attributes, then the data,
and is synced; the bytes under the name are hashed once more, as late as possible; one rename; the directory is synced.
The expected digest is a required argument: there is no way to replace a file without saying which version is meant.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from readfirst.content.digest import Digest
from readfirst.errors import DiskRefused, Stale
from readfirst.filesystem.files import digest_at
from readfirst.filesystem.oserrors import translated
from readfirst.filesystem.roots import ConfinedPath

_WRITE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_NO_TMPFILE: Final = {errno.EOPNOTSUPP, errno.EISDIR, errno.ENOENT, errno.EINVAL}


@dataclass(frozen=True, slots=True)
class Committed:
    """What a commit reached. Not `durable`: written, but the directory could not be synced."""

    durable: bool


def replace_file(target: ConfinedPath, data: bytes, *, expected: Digest) -> Committed:
    """Replace a regular file whose bytes have the expected digest.

    Raises:
        Stale: they do not, up to the moment before the rename.
        DiskRefused: the filesystem does not do it; the old content is intact.
    """
    parent, status = target.parent_fd, target.stat
    assert parent is not None and status is not None  # noqa: PT018, S101 - a regular file has both
    with translated(target.given):
        _require_replaceable(target, status)
        with _temporary(parent, 0o600) as (fd, name):
            _copy_metadata(target, status, fd)
            _write_all(fd, data)
            os.fsync(fd)
            if digest_at(parent, target.name) != expected:
                raise Stale(path=target.given, during=True)
            os.rename(name, target.name, src_dir_fd=parent, dst_dir_fd=parent)
        return Committed(durable=_sync_directory(parent))


def create_file(target: ConfinedPath, data: bytes) -> Committed:
    """Create a file, and the directories it needs, invisible until it is whole; never replaces anything.

    Raises:
        DiskRefused: `exists` when the name was taken meanwhile, or what the filesystem refused.
    """
    with translated(target.given):
        _make_parents(target)
        parent = target.parent_fd
        assert parent is not None  # noqa: S101 - only an allowed directory itself has none, and it exists
        try:
            fd = os.open(".", os.O_TMPFILE | os.O_WRONLY | os.O_CLOEXEC, 0o666, dir_fd=parent)
        except OSError as error:
            if error.errno not in _NO_TMPFILE:
                raise
            _create_by_link(parent, target.name, data)
        else:
            try:
                _write_all(fd, data)
                os.fsync(fd)
                os.link(f"/proc/self/fd/{fd}", target.name, dst_dir_fd=parent, follow_symlinks=True)
            finally:
                os.close(fd)
        return Committed(durable=_sync_directory(parent))


def _create_by_link(parent: int, name: str, data: bytes) -> None:
    """Do the same where files without a name cannot be made."""
    with _temporary(parent, 0o666) as (fd, temporary):
        _write_all(fd, data)
        os.fsync(fd)
        os.link(temporary, name, src_dir_fd=parent, dst_dir_fd=parent)
        os.unlink(temporary, dir_fd=parent)


def _require_replaceable(target: ConfinedPath, status: os.stat_result) -> None:
    # The superuser may write anything; a file that nobody may write is still meant to stay as it is.
    nobody = not stat.S_IMODE(status.st_mode) & 0o222
    if nobody or not os.access(f"/proc/self/fd/{target.fd}", os.W_OK, effective_ids=True):
        raise DiskRefused("permission", target.given)
    if status.st_nlink > 1:
        raise DiskRefused("linked", target.given, detail=str(status.st_nlink))


@contextmanager
def _temporary(parent: int, mode: int) -> Generator[tuple[int, str]]:
    """Open a new file under a private name; it is removed when the block fails."""
    name = f".readfirst-{secrets.token_hex(8)}.tmp"
    fd = os.open(name, _WRITE, mode, dir_fd=parent)
    try:
        yield fd, name
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name, dir_fd=parent)
        raise
    finally:
        os.close(fd)


def _copy_metadata(target: ConfinedPath, status: os.stat_result, fd: int) -> None:
    mine = os.fstat(fd)
    if (mine.st_uid, mine.st_gid) != (status.st_uid, status.st_gid):
        try:
            os.fchown(fd, status.st_uid, status.st_gid)
        except PermissionError as error:
            raise DiskRefused("permission", target.given, detail="owner") from error
    source = f"/proc/self/fd/{target.fd}"
    with contextlib.suppress(OSError):
        for attribute in os.listxattr(source):
            os.setxattr(fd, attribute, os.getxattr(source, attribute))
    # Last: changing the owner clears the set-user-id bit.
    os.fchmod(fd, stat.S_IMODE(status.st_mode))


def _write_all(fd: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(fd, rest) :]


def _make_parents(target: ConfinedPath) -> None:
    """Make the missing directories one by one, each below the descriptor of the one before."""
    for name in target.missing[:-1]:
        parent = target.parent_fd
        with contextlib.suppress(FileExistsError):
            os.mkdir(name, dir_fd=parent)
        flags = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
        target.adopt_parent(os.open(name, flags, dir_fd=parent))


def _sync_directory(parent: int) -> bool:
    try:
        fd = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=parent)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)
    except OSError:
        return False
    return True
