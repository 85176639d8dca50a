"""A path that was resolved below an allowed directory: a handle, never a string to reopen.

(A room beside `roots`: that one tells what is allowed, this is what it gives.)
"""

from __future__ import annotations

import os
import stat
from types import TracebackType
from typing import Self

from readfirst.errors import NextCall, PathRefused
from readfirst.filesystem.names import escaped, similar_names
from readfirst.filesystem.resolve import Resolved
from readfirst.spans import Identity


class ConfinedPath:
    """An object below an allowed directory, or the place of one that does not exist yet. Close it after use.

    `given` is the path as asked for, `path` the real one, `relative` and `parts` that below its allowed directory, of
    which `base_fd` is the descriptor, not closed here. Where a name was found under another spelling, `given` is the
    real path. `path` is text, bytes that are none are escaped in it; resolved again, it leads to the same name.
    """

    def __init__(self, given: str, resolved: Resolved, *, respelled: bool = False) -> None:
        self.parent_fd = resolved.parent_fd
        self.name = resolved.name
        self.fd = resolved.fd
        self.missing = resolved.missing
        self.named_as_directory = resolved.named_as_directory
        self.base_fd = resolved.base.fd
        self.parts = resolved.parts
        self.relative = "/".join(resolved.parts)
        self.path = escaped("/" + "/".join((*resolved.base.parts, *resolved.parts)))
        self.given = self.path if respelled else given
        self.respelled = respelled
        self.known_as = ""
        """The path under which the calling session knows the file; empty until that was asked for."""
        self.stat = os.fstat(self.fd) if self.fd is not None else None
        self.identity = identity_of(self.stat) if self.stat is not None else None
        """The same for every name of one file; None when there is none. A commit sets that of the new file."""

    @property
    def is_file(self) -> bool:
        return self.stat is not None and stat.S_ISREG(self.stat.st_mode)

    @property
    def is_link(self) -> bool:
        return self.stat is not None and stat.S_ISLNK(self.stat.st_mode)

    @property
    def is_directory(self) -> bool:
        return self.stat is not None and stat.S_ISDIR(self.stat.st_mode)

    def look_again(self) -> bool:
        """Tell whether the name still leads to this object, and take its facts anew."""
        if self.fd is None or self.parent_fd is None:
            return True
        self.stat = os.fstat(self.fd)
        try:
            now = os.stat(self.name, dir_fd=self.parent_fd, follow_symlinks=False)
        except OSError:
            return False
        return identity_of(now) == self.identity

    def adopt_parent(self, fd: int) -> None:
        """Take over the descriptor of the parent directory once the missing ones were made."""
        assert self.parent_fd is not None  # noqa: S101 - only a root has none, and it is not missing
        os.close(self.parent_fd)
        self.parent_fd = fd
        self.missing = (self.name,)

    def close(self) -> None:
        for fd in (self.fd, self.parent_fd):
            if fd is not None:
                os.close(fd)
        self.fd = self.parent_fd = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def identity_of(status: os.stat_result) -> Identity:
    return Identity(status.st_dev, status.st_ino)


def require_existing(target: ConfinedPath) -> None:
    """Refuse a path that does not exist, offering the names in its directory that it may have meant.

    Raises:
        PathRefused: not_found.
    """
    if target.fd is None:
        raise PathRefused("not_found", target.given, similar=_similar(target), next_calls=(NextCall("list_roots"),))


def _similar(target: ConfinedPath) -> tuple[str, ...]:
    if target.parent_fd is None or len(target.missing) > 1:
        return ()
    return similar_names(target.parent_fd, target.name)
