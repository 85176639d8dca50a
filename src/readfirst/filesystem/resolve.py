"""From path components to an object, one component at a time, never leaving the allowed directories.

Every step opens one name below a descriptor without following links (`O_PATH | O_NOFOLLOW`); `..` pops the stack of
descriptors; the target of a link is mapped onto an allowed directory or refused. Nothing outside is opened, looked at
or read as a link, so a refusal tells nothing about what is there, and no swapped link can lead a later step astray.
"""

from __future__ import annotations

import os
import stat
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from readfirst.errors import PathRefused
from readfirst.filesystem.names import same_under_nfc, unescaped

MAX_LINKS: Final = 40
MAX_DEPTH: Final = 512
MAX_NAME: Final = 255
"""Bytes of one component; checked before the first missing directory is made."""
_LOOK: Final = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Base:
    """A directory to start from: its descriptor and the components of its real path."""

    fd: int
    parts: tuple[str, ...]


Locate = Callable[[Sequence[str]], tuple[Base, list[str]]]
"""Maps absolute components onto an allowed directory and the rest below it; raises `PathRefused` (outside)."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """Where a path leads. The caller closes `parent_fd` and `fd`.

    `missing` are the components that do not exist, the last one being `name`; `fd` is None then.
    """

    base: Base
    parent_fd: int | None
    name: str
    parts: tuple[str, ...]
    fd: int | None
    missing: tuple[str, ...]
    named_as_directory: bool = False
    """It does not exist, and the path says that it is a directory."""


class Walk:
    """One resolution. It owns the descriptors of its stack until it hands the last two over."""

    def __init__(self, path: str, locate: Locate, *, follow: bool = True) -> None:
        """Prepare a resolution; without `follow`, a link that is the last component is itself what is found."""
        self._path = path
        self._locate = locate
        self._follows = follow
        self.links = 0
        self.respelled = False
        self._fds: list[int] = []
        self._names: list[str] = []
        self._todo: deque[str] = deque()

    def resolve(self, base: Base, components: Sequence[str], *, must_be_directory: bool) -> Resolved:
        """Follow the components from `base`.

        Raises:
            PathRefused: outside, not_a_directory, not_found, too_many_links, invalid_path.
            OSError: a component cannot be looked at.
        """
        self._must_be_directory = must_be_directory
        try:
            self._restart(base, components)
            while self._todo:
                found = self._step(self._todo.popleft())
                if found is not None:
                    return found
            return self._directory()
        finally:
            for fd in self._fds:
                os.close(fd)

    def _restart(self, base: Base, components: Sequence[str]) -> None:
        for fd in self._fds:
            os.close(fd)
        self._base = base
        self._fds = [os.dup(base.fd)]
        self._names = []
        self._todo = deque(components)

    def _step(self, name: str) -> Resolved | None:
        if name == "..":
            self._up()
            return None
        if len(self._names) > MAX_DEPTH:
            raise PathRefused("name_too_long", self._path)
        try:
            fd = os.open(name, _LOOK, dir_fd=self._fds[-1])
        except FileNotFoundError:
            return self._respelled(name)
        self._fds.append(fd)
        mode = os.fstat(fd).st_mode
        if stat.S_ISLNK(mode) and (self._todo or self._follows or self._must_be_directory):
            self._follow(fd)
            return None
        if (self._todo or self._must_be_directory) and not stat.S_ISDIR(mode):
            raise PathRefused("not_a_directory", self._path)
        self._names.append(name)
        if self._todo:
            return None
        return self._found()

    def _respelled(self, name: str) -> Resolved | None:
        """Look for an entry that the name may stand for: the escaped one, or the same under another spelling."""
        spelling: str | None = unescaped(name)
        if spelling == name:
            spelling = same_under_nfc(self._fds[-1], name)
        if spelling is None or spelling == name:
            return self._missing(name)
        self.respelled = True
        self._todo.appendleft(spelling)
        return None

    def _up(self) -> None:
        if self._names:
            self._names.pop()
            os.close(self._fds.pop())
            return
        # Above the base: its real path says which directory that is; it counts only if it is allowed itself.
        parts = list(self._base.parts[:-1])
        while self._todo and self._todo[0] == "..":
            self._todo.popleft()
            parts = parts[:-1]
        self._restart(*self._locate([*parts, *self._todo]))

    def _follow(self, fd: int) -> None:
        self.links += 1
        if self.links > MAX_LINKS:
            raise PathRefused("too_many_links", self._path)
        target = os.readlink("", dir_fd=fd)
        os.close(self._fds.pop())
        components = split(target)
        if not self._todo and ends_as_directory(target):
            self._must_be_directory = True
        if target.startswith("/"):
            self._restart(*self._locate([*components, *self._todo]))
        else:
            self._todo.extendleft(reversed(components))

    def _missing(self, name: str) -> Resolved:
        rest = (name, *self._todo)
        if ".." in rest:
            raise PathRefused("not_found", self._path)
        if any(len(os.fsencode(part)) > MAX_NAME for part in rest):
            raise PathRefused("name_too_long", self._path)
        parent, parts = self._fds.pop(), (*self._names, *rest)
        return Resolved(self._base, parent, rest[-1], parts, None, rest, self._must_be_directory)

    def _found(self) -> Resolved:
        fd, parent = self._fds.pop(), self._fds.pop()
        return Resolved(self._base, parent, self._names[-1], tuple(self._names), fd, ())

    def _directory(self) -> Resolved:
        """Give the directory on top of the stack: the base itself, or where `..` ended."""
        fd = self._fds.pop()
        parent = self._fds.pop() if self._names else None
        return Resolved(self._base, parent, self._names[-1] if self._names else "", tuple(self._names), fd, ())


def split(path: str) -> list[str]:
    """Split into components; empty ones and `.` mean nothing."""
    return [part for part in path.split("/") if part not in {"", "."}]


def ends_as_directory(path: str) -> bool:
    return path.endswith(("/", "/.", "/..")) or path in {".", ".."}
