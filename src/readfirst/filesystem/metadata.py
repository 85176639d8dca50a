"""What a file is besides its bytes: owner, mode, times, extended attributes (G11).

(A room of its own: a commit carries it over, a copy takes part of it, and what was deleted gets it back.)
"""

from __future__ import annotations

import contextlib
import os
import stat
from dataclasses import dataclass

from readfirst.errors import DiskRefused
from readfirst.filesystem.confined import ConfinedPath

_PERMISSIONS = 0o777


@dataclass(frozen=True, slots=True)
class Metadata:
    """Facts of one object; `mode` without its kind, times in nanoseconds."""

    mode: int
    uid: int
    gid: int
    accessed_ns: int
    modified_ns: int
    attributes: tuple[tuple[str, bytes], ...] = ()
    names: int = 1
    """How many hard links it has, or had."""


def metadata_of(target: ConfinedPath) -> Metadata:
    """Look at a file or directory that exists."""
    status = target.stat
    assert status is not None  # noqa: S101 - the caller has required that it exists
    source = f"/proc/self/fd/{target.fd}"
    attributes: list[tuple[str, bytes]] = []
    with contextlib.suppress(OSError):
        for name in os.listxattr(source):
            with contextlib.suppress(OSError):
                attributes.append((name, os.getxattr(source, name)))
    return Metadata(
        mode=stat.S_IMODE(status.st_mode),
        uid=status.st_uid,
        gid=status.st_gid,
        accessed_ns=status.st_atime_ns,
        modified_ns=status.st_mtime_ns,
        attributes=tuple(attributes),
        names=status.st_nlink,
    )


def carry_over(target: ConfinedPath, fd: int) -> None:
    """Give an open file the owner, mode and attributes of the one that it replaces; its times are its own.

    Raises:
        DiskRefused: permission, the owner cannot be kept.
        OSError: the mode cannot.
    """
    known = metadata_of(target)
    try:
        _own(known, fd)
    except PermissionError as error:
        raise DiskRefused("permission", target.given, detail="owner") from error
    _attributes_and_mode(known, fd, known.mode)


def restore(known: Metadata, fd: int) -> None:
    """Give an open file or directory everything that is known of the one it brings back.

    Its owner only where that is allowed; else no bit that would lend the rights of another owner.
    """
    mode = known.mode
    try:
        _own(known, fd)
    except PermissionError:
        mode &= ~(stat.S_ISUID | stat.S_ISGID)
    _attributes_and_mode(known, fd, mode)
    os.utime(fd, ns=(known.accessed_ns, known.modified_ns))


def imitate(known: Metadata, fd: int) -> None:
    """Give an open file the permissions and times of the one it is a copy of; the copy has its own owner."""
    os.fchmod(fd, known.mode & _PERMISSIONS)
    os.utime(fd, ns=(known.accessed_ns, known.modified_ns))


def _own(known: Metadata, fd: int) -> None:
    mine = os.fstat(fd)
    if (mine.st_uid, mine.st_gid) != (known.uid, known.gid):
        os.fchown(fd, known.uid, known.gid)


def _attributes_and_mode(known: Metadata, fd: int, mode: int) -> None:
    for name, value in known.attributes:
        # One that only the superuser may set does not keep the others away.
        with contextlib.suppress(OSError):
            os.setxattr(fd, name, value)
    # Last: changing the owner clears the set-user-id bit.
    os.fchmod(fd, mode)
