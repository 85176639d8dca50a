"""Names in directories: list, make, move, copy and remove them. No step ever replaces anything that has a name."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, Literal

from readfirst.errors import DiskRefused, PathRefused
from readfirst.filesystem.commit import Committed, create_filled, parents_made, remove_verified, sync_directory
from readfirst.filesystem.confined import ConfinedPath, identity_of
from readfirst.filesystem.files import OpenFile, open_file, sparse_digest_at
from readfirst.filesystem.metadata import Metadata, imitate, metadata_of, restore
from readfirst.filesystem.oserrors import translated
from readfirst.filesystem.syscalls import rename_no_replace

_BLOCK: Final = 1024 * 1024
_TRIES: Final = 3

Kind = Literal["directory", "file", "link", "other"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One name in a directory. `target` is what a link says, as it says it; `size` is None when it is not known."""

    name: str
    kind: Kind
    target: str = ""
    size: int | None = None


def kind_of(mode: int) -> Kind:
    kinds: dict[int, Kind] = {stat.S_IFDIR: "directory", stat.S_IFREG: "file", stat.S_IFLNK: "link"}
    return kinds.get(stat.S_IFMT(mode), "other")


def entries_in(target: ConfinedPath, *, sized: bool = False) -> list[Entry]:
    """List a directory, sorted by name; nothing is followed. With `sized`, files have sizes.

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
                entries = sorted((_entry(fd, one) for one in found), key=lambda entry: entry.name)
            return [replace(entry, size=_size(fd, entry)) for entry in entries] if sized else entries
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


def _size(directory_fd: int, entry: Entry) -> int | None:
    if entry.kind != "file":
        return None
    try:
        return os.stat(entry.name, dir_fd=directory_fd, follow_symlinks=False).st_size
    except OSError:
        return None


def link_target(target: ConfinedPath) -> str:
    """Give what a link says."""
    assert target.fd is not None  # noqa: S101 - the caller has seen the link
    with translated(target.given):
        return os.readlink("", dir_fd=target.fd)


def copy_entry(
    source: ConfinedPath, destination: ConfinedPath, *, give: Callable[[Metadata, int], None] = imitate
) -> Committed:
    """Copy a regular file, holes as holes, with its permissions and times; a failed copy leaves nothing.

    `give` gives the copy what else it has of the file.

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
                _copy_extents(file, fd, before.size)
                if file.signature() == before:
                    give(known, fd)
                    return
            raise DiskRefused("busy", source.given)

        return create_filled(destination, fill)


def _copy_extents(file: OpenFile, fd: int, size: int) -> None:
    for start, end in file.extents():
        at = start
        while at < end:
            piece = os.pread(file.fd, min(_BLOCK, end - at), at)
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
    with translated(destination.given), parents_made(destination) as into:
        if destination.fd is not None and same_name(source, destination):
            os.rename(source.name, destination.name, src_dir_fd=parent, dst_dir_fd=into)
            return sync_directory(into)
        try:
            rename_no_replace(parent, source.name, into, destination.name)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            if not source.is_file:
                raise DiskRefused("cross_device", source.given) from error
            return _move_across(source, destination, into)
        return all([sync_directory(into), sync_directory(parent)])


def _move_across(source: ConfinedPath, destination: ConfinedPath, into: int) -> bool:
    copied = copy_entry(source, destination, give=restore)
    try:
        digest = sparse_digest_at(into, destination.name)
        removed = remove_verified(
            source, lambda parent, name: digest is not None and sparse_digest_at(parent, name) == digest
        )
    except BaseException:
        # What has the name now goes only if it is the copy.
        with contextlib.suppress(FileNotFoundError):
            now = os.stat(destination.name, dir_fd=into, follow_symlinks=False)
            if identity_of(now) == destination.identity:
                os.unlink(destination.name, dir_fd=into)
        raise
    return removed and copied.durable


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


def make_link(target: ConfinedPath, says: str) -> bool:
    """Make a link that says `says`; tell whether that is surely on disk."""
    with translated(target.given), parents_made(target) as parent:
        os.symlink(says, target.name, dir_fd=parent)
        return sync_directory(parent)


def make_directory(target: ConfinedPath, *, like: Metadata | None = None) -> bool:
    """Make a directory and those above it that are missing; tell whether that is surely on disk.

    With `like` it becomes what a directory was that had these facts.
    """
    with translated(target.given), parents_made(target) as parent:
        os.mkdir(target.name, 0o777 if like is None else 0o700, dir_fd=parent)
        if like is not None:
            flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
            fd = os.open(target.name, flags, dir_fd=parent)
            try:
                restore(like, fd)
            finally:
                os.close(fd)
        return sync_directory(parent)
