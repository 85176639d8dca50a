"""Names in directories: list, make, move, copy and remove them. No step ever replaces anything that has a name."""

from __future__ import annotations

import errno
import os
import stat
from dataclasses import dataclass
from typing import Final, Literal

from readfirst.content.digest import Digest
from readfirst.errors import DiskRefused, PathRefused
from readfirst.filesystem.commit import Committed, create_filled, make_parents, remove_file, sync_directory
from readfirst.filesystem.files import digest_at, open_file
from readfirst.filesystem.metadata import imitate, metadata_of
from readfirst.filesystem.oserrors import translated
from readfirst.filesystem.roots import ConfinedPath, identity_of
from readfirst.filesystem.syscalls import rename_no_replace

_BLOCK: Final = 1024 * 1024
_TRIES: Final = 3

Kind = Literal["directory", "file", "link", "other"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One name in a directory. `target` is what a link says, as it says it."""

    name: str
    kind: Kind
    target: str = ""


def kind_of(mode: int) -> Kind:
    kinds: dict[int, Kind] = {stat.S_IFDIR: "directory", stat.S_IFREG: "file", stat.S_IFLNK: "link"}
    return kinds.get(stat.S_IFMT(mode), "other")


def entries_in(target: ConfinedPath) -> list[Entry]:
    """List a directory, sorted by name; nothing is followed.

    Raises:
        PathRefused: not_a_directory.
        DiskRefused: it cannot be read.
    """
    if not target.is_directory:
        raise PathRefused("not_a_directory", target.given, detail="itself")
    with translated(target.given):
        fd = os.open(f"/proc/self/fd/{target.fd}", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            with os.scandir(fd) as found:
                return sorted((_entry(fd, one) for one in found), key=lambda entry: entry.name)
        finally:
            os.close(fd)


def _entry(directory_fd: int, found: os.DirEntry[str]) -> Entry:
    if found.is_symlink():
        try:
            return Entry(found.name, "link", os.readlink(found.name, dir_fd=directory_fd))
        except OSError:
            return Entry(found.name, "link")
    if found.is_dir(follow_symlinks=False):
        return Entry(found.name, "directory")
    return Entry(found.name, "file" if found.is_file(follow_symlinks=False) else "other")


def link_target(target: ConfinedPath) -> str:
    """Give what a link says."""
    assert target.fd is not None  # noqa: S101 - the caller has seen the link
    with translated(target.given):
        return os.readlink("", dir_fd=target.fd)


def copy_entry(source: ConfinedPath, destination: ConfinedPath) -> Committed:
    """Copy a regular file, holes as holes, with its permissions and times; a failed copy leaves nothing.

    Raises:
        PathRefused: not_a_file.
        DiskRefused: exists, busy (the source keeps changing), or what the filesystem refused.
    """
    known = metadata_of(source)
    with open_file(source) as file:

        def fill(fd: int) -> None:
            for _ in range(_TRIES):
                before = file.signature()
                os.ftruncate(fd, 0)
                _copy_extents(file.fd, fd, before.size)
                if file.signature() == before:
                    imitate(known, fd)
                    return
            raise DiskRefused("busy", source.given)

        return create_filled(destination, fill)


def _copy_extents(source: int, fd: int, size: int) -> None:
    at = 0
    while at < size:
        try:
            at = os.lseek(source, at, os.SEEK_DATA)
            end = min(os.lseek(source, at, os.SEEK_HOLE), size)
        except OSError as error:
            if error.errno == errno.ENXIO:
                break
            end = size
        while at < end:
            piece = os.pread(source, min(_BLOCK, end - at), at)
            if not piece:
                # It became shorter; the caller sees that and copies again.
                return
            at += os.pwrite(fd, piece, at)
    os.ftruncate(fd, size)


def move_entry(source: ConfinedPath, destination: ConfinedPath) -> bool:
    """Give a file, link or directory another name; tell whether that is surely on disk.

    To another filesystem a regular file is copied, synced, and removed here if it still is what was copied.

    Raises:
        DiskRefused: exists, cross_device (no regular file), or what the filesystem refused.
        Stale: the file changed while it was copied; both are as they were before.
    """
    parent = source.parent_fd
    assert parent is not None  # noqa: S101 - the caller refuses an allowed directory
    with translated(destination.given):
        make_parents(destination)
        into = destination.parent_fd
        assert into is not None  # noqa: S101 - as above
        if destination.fd is not None and same_name(source, destination):
            os.rename(source.name, destination.name, src_dir_fd=parent, dst_dir_fd=into)
            return sync_directory(into)
        try:
            rename_no_replace(parent, source.name, into, destination.name)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
        else:
            return all([sync_directory(into), sync_directory(parent)])
    if not source.is_file:
        raise DiskRefused("cross_device", source.given)
    return _move_across(source, destination, into)


def _move_across(source: ConfinedPath, destination: ConfinedPath, into: int) -> bool:
    copied = copy_entry(source, destination)
    try:
        digest = digest_at(into, destination.name)
        return remove_file(source, expected=digest or Digest(b"")) and copied.durable
    except BaseException:
        now = os.stat(destination.name, dir_fd=into, follow_symlinks=False)
        if identity_of(now) == destination.identity:
            os.unlink(destination.name, dir_fd=into)
        raise


def same_name(source: ConfinedPath, destination: ConfinedPath) -> bool:
    """Tell whether a name is the source's own in other case, on a filesystem that sees no difference."""
    same = source.identity == destination.identity and source.path != destination.path
    one_name = source.is_directory or (source.stat is not None and source.stat.st_nlink == 1)
    return same and one_name and source.path.casefold() == destination.path.casefold()


def remove_directory(target: ConfinedPath) -> bool:
    """Remove an empty directory; tell whether that is surely on disk.

    Raises:
        DiskRefused: not_empty, or what the filesystem refused.
    """
    parent = target.parent_fd
    assert parent is not None  # noqa: S101 - the caller refuses an allowed directory
    with translated(target.given):
        os.rmdir(target.name, dir_fd=parent)
    return sync_directory(parent)


def make_link(target: ConfinedPath, says: str) -> None:
    """Make a link that says `says`."""
    with translated(target.given):
        make_parents(target)
        os.symlink(says, target.name, dir_fd=target.parent_fd)


def make_directory(target: ConfinedPath, mode: int) -> None:
    """Make a directory and those above it that are missing."""
    with translated(target.given):
        make_parents(target)
        os.mkdir(target.name, mode, dir_fd=target.parent_fd)
