"""The allowed directories, and paths confined to them (G10).

A `ConfinedPath` is a handle: descriptors of the object and of its parent directory. Nothing reopens its string.
"""

from __future__ import annotations

import os
import re
import weakref
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from readfirst.errors import PathRefused
from readfirst.filesystem.confined import ConfinedPath
from readfirst.filesystem.names import escaped, unescaped
from readfirst.filesystem.oserrors import translated
from readfirst.filesystem.resolve import Base, Locate, Walk, ends_as_directory, split

_WINDOWS: Final = re.compile(r"[A-Za-z]:[\\/]|\\\\")


@dataclass(frozen=True, slots=True)
class _How:
    """How a path is resolved."""

    follow: bool
    must_be_directory: bool


@dataclass(frozen=True, slots=True)
class Root:
    """One allowed directory, as given and as it really is."""

    given: str
    path: str
    fd: int

    @property
    def base(self) -> Base:
        return Base(self.fd, tuple(split(self.path)))


class Roots:
    """The allowed directories of one workspace.

    Their descriptors stay open until `close`, or as long as anybody uses them: a set that was replaced is not closed
    under the calls that began with it.
    """

    def __init__(self, directories: Iterable[str], *, private: Iterable[str] = ()) -> None:
        """Open directories; `private` paths, the program's own, are refused wherever they lie.

        Raises:
            OSError: one of them is missing or no directory.
        """
        self.roots: list[Root] = []
        self._fds: list[int] = []
        self._closing = weakref.finalize(self, _close, self._fds)
        self._private = tuple(escaped(os.path.realpath(path)) for path in private)
        try:
            for given in directories:
                self._open(given)
        except BaseException:
            self.close()
            raise
        self._spellings = [
            (tuple(split(spelling)), root)
            for root in self.roots
            for spelling in dict.fromkeys((root.path, root.given, escaped(root.path), escaped(root.given)))
        ]
        self._spellings.sort(key=lambda pair: -len(pair[0]))
        self._working_directory = _working_directory()

    def _open(self, given: str) -> None:
        path = os.path.realpath(given, strict=True)
        # Made absolute by its letters, `link/..` would be another directory than the one it is.
        spelling = os.path.abspath(given)
        if os.path.realpath(spelling) != path:
            spelling = path
        if any((root.path, root.given) == (path, spelling) for root in self.roots):
            return
        fd = os.open(path, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        self._fds.append(fd)
        self.roots.append(Root(spelling, path, fd))

    def close(self) -> None:
        self._closing()
        self.roots = []

    @property
    def spellings(self) -> tuple[str, ...]:
        """Every allowed directory, as given and, where that differs, as it really is."""
        return tuple(dict.fromkeys(name for root in self.roots for name in (root.given, root.path)))

    def confine(self, path: str, *, follow: bool = True) -> ConfinedPath:
        """Resolve a path as given by a caller; the result may not exist yet.

        Without `follow`, a link that the path names is itself the result, wherever it leads.

        Raises:
            PathRefused: it is malformed, leads outside, or passes through what is no directory.
            DiskRefused: a directory on the way cannot be entered.
        """
        self._check(path)
        expanded = os.path.expanduser(path) if path == "~" or path.startswith("~/") else path
        how = _How(follow=follow, must_be_directory=ends_as_directory(expanded))
        with translated(path):
            if expanded.startswith("/"):
                return self._resolve(path, self._locate_for(path)(split(expanded)), how)
            return self._relative(path, split(expanded), how)

    @staticmethod
    def _check(path: str) -> None:
        if not path or "\0" in path or any("\ud800" <= char <= "\udfff" for char in path):
            raise PathRefused("invalid_path", path, detail="empty" if not path else "characters")
        if _WINDOWS.match(path):
            raise PathRefused("invalid_path", path, detail="windows")

    def _relative(self, path: str, components: list[str], how: _How) -> ConfinedPath:
        """Try the working directory if it is allowed, then each allowed directory; the first that has the name wins."""
        places: list[tuple[Base, list[str]]] = []
        inside = self._find(split(self._working_directory)) if self._working_directory else None
        if inside is not None:
            places.append((inside[0], [*inside[1], *components]))
        places += [(root.base, components) for root in self.roots]
        first: ConfinedPath | None = None
        refused: PathRefused | None = None
        for place in places:
            try:
                found = self._resolve(path, place, how)
            except PathRefused as error:
                if error.detail == "link":
                    # The name is there; where it leads to is not allowed.
                    raise refused or error from None
                refused = refused or error
                continue
            if found.fd is not None:
                if first is not None:
                    first.close()
                return found
            if first is None:
                first = found
            else:
                found.close()
        if first is not None:
            return first
        raise refused or self._outside(path)

    def _resolve(self, path: str, place: tuple[Base, list[str]], how: _How) -> ConfinedPath:
        base, components = place
        walk = Walk(path, self._locate_for(path), follow=how.follow)
        try:
            found = walk.resolve(base, components, must_be_directory=how.must_be_directory)
            target = ConfinedPath(path, found, respelled=walk.respelled)
        except PathRefused as error:
            error.detail = error.detail or ("link" if error.code == "outside" and walk.links else "")
            raise
        if self.is_private(target.path):
            target.close()
            raise PathRefused("denied", path)
        return target

    def is_private(self, path: str) -> bool:
        """Tell whether a real path is the program's own."""
        return any(f"{path}/".startswith(f"{own}/") for own in self._private)

    def private_below(self, target: ConfinedPath) -> frozenset[tuple[str, ...]]:
        """Give what is the program's own below a directory, as the names that lead there."""
        start = [*split(target.path)]
        own = [
            [unescaped(name) for name in split(path)]
            for path in self._private
            if f"{path}/".startswith(target.path.rstrip("/") + "/")
        ]
        return frozenset(tuple(names[len(start) :]) for names in own)

    def holds_root(self, target: ConfinedPath) -> bool:
        """Tell whether an allowed directory, or what is private, is this object or lies below it."""
        below = target.path.rstrip("/") + "/"
        fixed = [*(escaped(root.path) for root in self.roots), *self._private]
        return target.parent_fd is None or any(f"{path}/".startswith(below) for path in fixed)

    def _locate_for(self, path: str) -> Locate:
        def locate(parts: Sequence[str]) -> tuple[Base, list[str]]:
            found = self._find(parts)
            if found is None:
                raise self._outside(path)
            return found

        return locate

    def _find(self, parts: Sequence[str]) -> tuple[Base, list[str]] | None:
        for spelling, root in self._spellings:
            if tuple(parts[: len(spelling)]) == spelling:
                return root.base, list(parts[len(spelling) :])
        return None

    def _outside(self, path: str) -> PathRefused:
        return PathRefused("outside", path, roots=self.spellings)


def _close(fds: list[int]) -> None:
    for fd in fds:
        os.close(fd)


def _working_directory() -> str:
    try:
        return os.getcwd()
    except FileNotFoundError:
        # It was removed under the process; relative paths then mean the allowed directories.
        return ""
