"""What the operating system said, as a refusal with a code. `OSError` goes no higher than this floor.

(A room of its own: every other room of this floor translates by it.)
"""

from __future__ import annotations

import errno
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from readfirst.errors import Code, DiskRefused, PathRefused, ReadfirstError

_PATH_CODES: Final[dict[int, Code]] = {
    errno.ENOENT: "not_found",
    errno.ENOTDIR: "not_a_directory",
    errno.EISDIR: "not_a_file",
    errno.ELOOP: "too_many_links",
    errno.ENAMETOOLONG: "name_too_long",
    errno.EINVAL: "invalid_path",
}
_DISK_CODES: Final[dict[int, Code]] = {
    errno.EACCES: "permission",
    errno.EPERM: "permission",
    errno.EROFS: "permission",
    errno.EEXIST: "exists",
    errno.ENOTEMPTY: "not_empty",
    errno.ENOSPC: "no_space",
    errno.EDQUOT: "no_space",
    errno.EFBIG: "no_space",
    errno.EBUSY: "busy",
    errno.ETXTBSY: "busy",
}


def refusal_of(error: OSError, path: str) -> ReadfirstError:
    number = error.errno or 0
    if number in _PATH_CODES:
        return PathRefused(_PATH_CODES[number], path)
    code = _DISK_CODES.get(number, "io_error")
    # Of a name that is taken, the detail says by what, and only the caller knows that.
    return DiskRefused(code, path, detail="" if code == "exists" else error.strerror or "")


@contextmanager
def translated(path: str) -> Generator[None]:
    """Turn an `OSError` of the block into a refusal that names `path`."""
    try:
        yield
    except OSError as error:
        raise refusal_of(error, path) from error
