"""One walk below a confined directory, for every tool that looks further than one directory: ordered, pruned, bounded.

Every directory is opened by its name below the descriptor of the one above, without following a link, so nothing that
is swapped meanwhile leads astray. What is left out is decided before anything below it is read, and takes no part in
the bounds. The walk keeps a few descriptors however deep it is: it returns through `..`, and goes on only where that
is the very directory it came from.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import Final, Literal

from readfirst.errors import PathRefused
from readfirst.filesystem.confined import ConfinedPath, identity_of
from readfirst.filesystem.entries import Kind
from readfirst.filesystem.files import OpenFile, opened_at
from readfirst.filesystem.globs import Glob, Step
from readfirst.filesystem.ignore import GIT, IGNORE_FILE, Ignores, ignores_above
from readfirst.filesystem.oserrors import translated
from readfirst.spans import Identity

_OPEN: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_KEPT: Final = 32
"""Descriptors of directories above the present one that stay open."""
_BLOCK: Final = 1024
"""Entries between two looks at the clock."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a walk looks for; `pattern` None: every entry. `private` are names below the start that nobody is shown."""

    max_entries: int
    max_seconds: float
    pattern: Glob | None = None
    excludes: Glob | None = None
    gitignore: bool = False
    depth: int | None = None
    private: frozenset[tuple[str, ...]] = frozenset()


@dataclass(frozen=True, slots=True)
class Found:
    """One entry that is looked for; links are reported and never followed."""

    name: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class Folder:
    """One directory that was read: the names that lead to it from the start, and what is looked for in it, by name."""

    parts: tuple[str, ...]
    entries: tuple[Found, ...]
    fd: int
    """Open until the walk goes on."""

    def open(self, name: str) -> OpenFile | None:
        """Open a file of this directory while the walk stands here; None: it is no regular file any more.

        Raises:
            OSError: it cannot be opened.
        """
        return opened_at(self.fd, name)


@dataclass(slots=True)
class _Frame:
    """A directory on the way to the present one. Its descriptor may be closed while the walk is far below."""

    fd: int | None
    identity: Identity
    name: str
    pattern: Step | None
    excludes: Step | None
    ignores: Ignores
    todo: list[str] = field(default_factory=list[str])
    """Directories that have not been entered, the next one last."""


class Walk:
    """An iteration over `Folder`s, parents first, and what it left out so far."""

    def __init__(self, target: ConfinedPath, wanted: Wanted) -> None:
        """Prepare a walk below a directory.

        Raises:
            PathRefused: not_a_directory.
        """
        if not target.is_directory:
            raise PathRefused("not_a_directory", target.given, detail="itself")
        self._target = target
        self._wanted = wanted
        self._stack: list[_Frame] = []
        self._ids: set[Identity] = set()
        self.visited = 0
        """Entries seen, without those left out."""
        self.ignored = 0
        """Entries left out as git does, each directory once."""
        self.unreadable = 0
        """Directories that could not be read, or not to the end, or that went away meanwhile."""
        self.stopped: Literal["", "entries", "time"] = ""
        """The limit that ended the walk, if one did."""

    def __iter__(self) -> Iterator[Folder]:
        """Walk.

        Raises:
            DiskRefused: the start cannot be read.
        """
        self._deadline = time.monotonic() + self._wanted.max_seconds
        try:
            yield self._start()
            while self._stack and not self.stopped:
                frame = self._stack[-1]
                if not frame.todo:
                    self._leave()
                elif (folder := self._enter(frame, frame.todo.pop())) is not None:
                    yield folder
        finally:
            for frame in self._stack:
                if frame.fd is not None:
                    os.close(frame.fd)
            self._stack = []

    def _start(self) -> Folder:
        wanted, target = self._wanted, self._target
        with translated(target.given):
            fd = os.open(f"/proc/self/fd/{target.fd}", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        pattern = wanted.pattern.start if wanted.pattern is not None else None
        excludes = wanted.excludes.start if wanted.excludes is not None else None
        ignores = ignores_above(target.base_fd, target.parts) if wanted.gitignore else Ignores()
        return self._push(_Frame(fd, identity_of(os.fstat(fd)), "", pattern, excludes, ignores))

    def _enter(self, above: _Frame, name: str) -> Folder | None:
        """Go down into a directory, if anything below it can be looked for and it is not above itself."""
        pattern = above.pattern.below(name) if above.pattern is not None else None
        if self._wanted.pattern is not None and pattern is None:
            return None
        try:
            fd = os.open(name, _OPEN, dir_fd=above.fd)
        except OSError:
            self.unreadable += 1
            return None
        identity = identity_of(os.fstat(fd))
        if identity in self._ids:
            os.close(fd)
            return None
        excludes = above.excludes.below(name) if above.excludes is not None else None
        return self._push(
            _Frame(fd, identity, name, pattern, excludes, above.ignores.below(name)),
        )

    def _push(self, frame: _Frame) -> Folder:
        self._stack.append(frame)
        self._ids.add(frame.identity)
        # The start stays open: to it the walk can always return.
        if len(self._stack) > _KEPT + 1:
            far = self._stack[-_KEPT - 1]
            if far.fd is not None:
                os.close(far.fd)
                far.fd = None
        assert frame.fd is not None  # noqa: S101 - it was opened for this
        # Built anew for each: kept in every frame, the names of a deep tree would fill the memory.
        parts = tuple(one.name for one in self._stack[1:])
        entries: list[Found] = []
        try:
            self._scan(frame, parts, entries)
        except OSError:
            self.unreadable += 1
        entries.sort(key=lambda entry: entry.name)
        frame.todo.sort(reverse=True)
        return Folder(parts, tuple(entries), frame.fd)

    def _leave(self) -> None:
        """Go back up, through `..` where the descriptor above was closed."""
        frame = self._stack.pop()
        self._ids.discard(frame.identity)
        assert frame.fd is not None  # noqa: S101 - the last of the stack is open
        if self._stack and self._stack[-1].fd is None:
            with suppress(OSError):
                fd = os.open("..", _OPEN, dir_fd=frame.fd)
                if identity_of(os.fstat(fd)) == self._stack[-1].identity:
                    self._stack[-1].fd = fd
                else:
                    os.close(fd)
        os.close(frame.fd)
        while self._stack and self._stack[-1].fd is None:
            # It was moved away; what was not yet seen between here and there is lost.
            lost = self._stack.pop()
            self._ids.discard(lost.identity)
            self.unreadable += bool(lost.todo)

    def _scan(self, frame: _Frame, parts: tuple[str, ...], entries: list[Found]) -> None:
        """Read one directory, leaving out what is left out, as far as the bounds allow."""
        wanted, excludes, pattern = self._wanted, frame.excludes, frame.pattern
        deeper = wanted.depth is None or len(parts) + 1 < wanted.depth
        private = {names[-1] for names in wanted.private if names[:-1] == parts}
        fd = frame.fd
        assert fd is not None  # noqa: S101 - it was opened for this
        with os.scandir(fd) as found:
            ignores = None
            while block := self._block(found):
                if wanted.gitignore and ignores is None:
                    ignores = frame.ignores = _ignores(frame.ignores, fd, block)
                for one in block:
                    name, is_directory = one.name, one.is_dir(follow_symlinks=False)
                    if name in private or (excludes is not None and excludes.matches(name, is_directory=is_directory)):
                        continue
                    if ignores is not None and ignores.hides(name, is_directory=is_directory):
                        self.ignored += 1
                        continue
                    if self.visited >= wanted.max_entries:
                        self.stopped = "entries"
                        return
                    self.visited += 1
                    if is_directory and deeper:
                        frame.todo.append(name)
                    if pattern is None or pattern.matches(name, is_directory=is_directory):
                        entries.append(Found(name, "directory" if is_directory else _kind(one)))

    def _block(self, found: Iterator[os.DirEntry[str]]) -> list[os.DirEntry[str]]:
        """Take the next entries of a directory; none at its end, or when the time is over."""
        if time.monotonic() > self._deadline:
            self.stopped = "time"
            return []
        return list(islice(found, _BLOCK))


def _ignores(above: Ignores, fd: int, block: list[os.DirEntry[str]]) -> Ignores:
    """Add a directory's own rules. Most have none, and a look that fails costs more than the names at hand."""
    names = {one.name for one in block}
    unsure = len(block) == _BLOCK
    return above.inside(fd, has_file=unsure or IGNORE_FILE in names, has_git=unsure or GIT in names)


def _kind(entry: os.DirEntry[str]) -> Kind:
    if entry.is_symlink():
        return "link"
    return "file" if entry.is_file(follow_symlinks=False) else "other"
