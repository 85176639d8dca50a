"""The few system calls that Python lacks, each with the plainest meaning that its caller needs.

glibc has the wrappers, so `ctypes` calls them by name; where a filesystem does not know a flag, the closest thing that
loses nothing stands in.
"""

from __future__ import annotations

import ctypes
import errno
import os
import stat
import struct
from typing import Final

_LIBC: Final = ctypes.CDLL(None, use_errno=True)
_RENAME_NOREPLACE: Final = 1
_AT_EMPTY_PATH: Final = 0x1000
_STATX_BTIME: Final = 0x800
_STATX_BYTES: Final = 256
_BIRTH: Final = struct.Struct("=qI")
_BIRTH_AT: Final = 80
_UNKNOWN: Final = {errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP}


def rename_no_replace(from_fd: int, name: str, to_fd: int, new_name: str) -> None:
    """Rename below two directories; nothing that has the new name is ever replaced.

    Raises:
        FileExistsError: something has the new name.
        OSError: whatever else rename(2) says.
    """
    result = _LIBC.renameat2(from_fd, os.fsencode(name), to_fd, os.fsencode(new_name), _RENAME_NOREPLACE)
    if result == 0:
        return
    number = ctypes.get_errno()
    if number not in _UNKNOWN:
        raise OSError(number, os.strerror(number))
    _rename_by_link(from_fd, name, to_fd, new_name)


def _rename_by_link(from_fd: int, name: str, to_fd: int, new_name: str) -> None:
    """Do it where the flag is not known: a second name, then one name less; a directory only replaces an empty one."""
    if stat.S_ISDIR(os.stat(name, dir_fd=from_fd, follow_symlinks=False).st_mode):
        os.rename(name, new_name, src_dir_fd=from_fd, dst_dir_fd=to_fd)
        return
    os.link(name, new_name, src_dir_fd=from_fd, dst_dir_fd=to_fd, follow_symlinks=False)
    try:
        os.unlink(name, dir_fd=from_fd)
    except OSError:
        os.unlink(new_name, dir_fd=to_fd)
        raise


def birth_time_s(fd: int) -> float | None:
    """Tell when a file was made, in seconds since the epoch; None: the filesystem does not know."""
    found = ctypes.create_string_buffer(_STATX_BYTES)
    if _LIBC.statx(fd, b"", _AT_EMPTY_PATH, _STATX_BTIME, found) != 0:
        return None
    (known,) = struct.unpack_from("=I", found.raw)
    if not known & _STATX_BTIME:
        return None
    seconds, nanoseconds = _BIRTH.unpack_from(found.raw, _BIRTH_AT)
    return float(seconds + nanoseconds / 1e9)
