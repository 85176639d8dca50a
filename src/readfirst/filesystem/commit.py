"""Put new bytes in place of old ones, so that at any moment the file holds all of the old or all of the new (G9).

Replace: a temporary file in the same directory gets the old file's owner, mode and extended attributes, then the data,
and is synced; the bytes under the name are hashed once more, as late as possible; one rename; the directory is synced.
The expected digest is a required argument: there is no way to replace or remove a file without saying which version is
meant.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from readfirst.content.digest import Digest
from readfirst.errors import DiskRefused, Stale
from readfirst.filesystem.confined import ConfinedPath, identity_of
from readfirst.filesystem.files import digest_at
from readfirst.filesystem.metadata import Metadata, carry_over, restore
from readfirst.filesystem.oserrors import translated
from readfirst.filesystem.syscalls import rename_no_replace
from readfirst.spans import Identity

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
            carry_over(target, fd)
            _write_all(fd, data)
            os.fsync(fd)
            if digest_at(parent, target.name) != expected:
                raise Stale(path=target.given, during=True)
            os.rename(name, target.name, src_dir_fd=parent, dst_dir_fd=parent)
            target.identity = identity_of(os.fstat(fd))
        return Committed(sync_directory(parent))


def create_file(target: ConfinedPath, data: bytes, *, like: Metadata | None = None) -> Committed:
    """Create a file, and the directories it needs, invisible until it is whole; never replaces anything.

    With `like` it becomes what a file was that had these facts.

    Raises:
        DiskRefused: `exists` when the name was taken meanwhile, or what the filesystem refused.
    """

    def fill(fd: int) -> None:
        _write_all(fd, data)
        if like is not None:
            restore(like, fd)

    return create_filled(target, fill)


def create_filled(target: ConfinedPath, fill: Callable[[int], None]) -> Committed:
    """Create a file as `create_file` does; `fill` writes it through a descriptor."""
    with translated(target.given), parents_made(target) as parent:
        try:
            fd = os.open(".", os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o666, dir_fd=parent)
        except OSError as error:
            if error.errno not in _NO_TMPFILE:
                raise
            target.identity = _create_by_link(parent, target.name, fill)
        else:
            try:
                fill(fd)
                os.fsync(fd)
                os.link(f"/proc/self/fd/{fd}", target.name, dst_dir_fd=parent, follow_symlinks=True)
                target.identity = identity_of(os.fstat(fd))
            finally:
                os.close(fd)
        return Committed(sync_directory(parent))


def _create_by_link(parent: int, name: str, fill: Callable[[int], None]) -> Identity:
    """Do the same where files without a name cannot be made."""
    with _temporary(parent, 0o666) as (fd, temporary):
        fill(fd)
        os.fsync(fd)
        os.link(temporary, name, src_dir_fd=parent, dst_dir_fd=parent)
        os.unlink(temporary, dir_fd=parent)
        return identity_of(os.fstat(fd))


def remove_file(target: ConfinedPath, *, expected: Digest) -> bool:
    """Remove a regular file whose bytes have the expected digest; tell whether that is surely on disk.

    One that nobody may write is meant to stay as it is: `require_writable` says so to those who delete.

    Raises:
        Stale: it is another version, up to the moment of the rename.
        DiskRefused: the filesystem does not do it, or `exists` when the name was taken while it was put back: the
            other version is then kept under the name that `detail` gives.
    """
    return remove_verified(target, lambda parent, name: digest_at(parent, name) == expected)


def remove_link(target: ConfinedPath) -> bool:
    """Remove a link itself, as `remove_file` does a file; tell whether that is surely on disk."""

    def same(parent: int, name: str) -> bool:
        return identity_of(os.stat(name, dir_fd=parent, follow_symlinks=False)) == target.identity

    return remove_verified(target, same)


def remove_verified(target: ConfinedPath, same: Callable[[int, str], bool]) -> bool:
    """Rename to a private name first: what then has it is looked at, and put back if it is not what was meant.

    Raises:
        Stale, DiskRefused: as `remove_file` does.
    """
    parent, private = target.parent_fd, _private_name()
    assert parent is not None  # noqa: S101 - only an allowed directory itself has none
    with translated(target.given):
        rename_no_replace(parent, target.name, parent, private)
        try:
            meant = same(parent, private)
        except OSError:
            meant = False
        if not meant:
            _put_back(target, parent, private)
            raise Stale(path=target.given, during=True)
        try:
            os.unlink(private, dir_fd=parent)
        except OSError:
            _put_back(target, parent, private)
            raise
    return sync_directory(parent)


def _put_back(target: ConfinedPath, parent: int, private: str) -> None:
    try:
        rename_no_replace(parent, private, parent, target.name)
    except FileExistsError as error:
        raise DiskRefused("exists", target.given, detail=private) from error


def _require_replaceable(target: ConfinedPath, status: os.stat_result) -> None:
    require_writable(target)
    if status.st_nlink > 1:
        raise DiskRefused("linked", target.given, detail=str(status.st_nlink))


def require_writable(target: ConfinedPath) -> None:
    """Refuse a file without write permission: it is never replaced or deleted behind its owner's back.

    Raises:
        DiskRefused: permission.
    """
    status = target.stat
    assert status is not None  # noqa: S101 - the caller has seen the file
    # The superuser may write anything; a file that nobody may write is still meant to stay as it is.
    nobody = not stat.S_IMODE(status.st_mode) & 0o222
    if nobody or not os.access(f"/proc/self/fd/{target.fd}", os.W_OK, effective_ids=True):
        raise DiskRefused("permission", target.given)


def _private_name() -> str:
    return f".readfirst-{secrets.token_hex(8)}.tmp"


@contextmanager
def _temporary(parent: int, mode: int) -> Generator[tuple[int, str]]:
    """Open a new file under a private name; it is removed when the block fails."""
    name = _private_name()
    fd = os.open(name, _WRITE, mode, dir_fd=parent)
    try:
        yield fd, name
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name, dir_fd=parent)
        raise
    finally:
        os.close(fd)


def _write_all(fd: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(fd, rest) :]


@contextmanager
def parents_made(target: ConfinedPath) -> Generator[int]:
    """Make the missing directories and give the last one; when the block fails, those that were made go again."""
    made: list[tuple[int, str]] = []
    try:
        for name in target.missing[:-1]:
            _make_parent(target, name, made)
        assert target.parent_fd is not None  # noqa: S101 - only an allowed directory itself has none, and it exists
        yield target.parent_fd
    except BaseException:
        for fd, name in reversed(made):
            # Not if somebody has put something into it meanwhile.
            with contextlib.suppress(OSError):
                os.rmdir(name, dir_fd=fd)
        raise
    finally:
        for fd, _ in made:
            os.close(fd)


def _make_parent(target: ConfinedPath, name: str, made: list[tuple[int, str]]) -> None:
    """Make one directory, below the descriptor of the one before."""
    assert target.parent_fd is not None  # noqa: S101 - as above
    with contextlib.suppress(FileExistsError):
        os.mkdir(name, dir_fd=target.parent_fd)
        made.append((os.dup(target.parent_fd), name))
        sync_directory(target.parent_fd)
    flags = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    target.adopt_parent(os.open(name, flags, dir_fd=target.parent_fd))


def sync_directory(parent: int) -> bool:
    """Make a rename or a new name last; False: it could not be confirmed."""
    try:
        fd = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=parent)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)
    except OSError:
        return False
    return True
