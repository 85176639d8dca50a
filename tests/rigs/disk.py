"""The files of a test as they really are, and what programs other than the server do to them."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple


class Node(NamedTuple):
    """A file's bytes, what a link says, or a directory; `mode` are the permissions."""

    kind: str
    data: bytes
    mode: int


Tree = Mapping[str, Node]


class Disk:
    """All below one directory, by paths relative to it."""

    def __init__(self, root: Path) -> None:
        self.root = Path(os.path.realpath(root))
        self.linked = False
        """Two names have been one file: the session may know a file by its other name."""

    def tree(self) -> dict[str, Node]:
        """Look at everything, private names too."""
        found: dict[str, Node] = {}
        folders = [""]
        for folder in folders:
            with os.scandir(f"{self.root}/{folder}") as entries:
                for entry in entries:
                    found[folder + entry.name] = node = _node(entry)
                    if node.kind == "directory":
                        folders.append(f"{folder}{entry.name}/")
        return found

    def at(self, path: str) -> Path:
        return self.root / path

    def name(self, path: str, *, follow: bool) -> str:
        """Give the name that a path leads to, or at which it stands itself."""
        full = str(self.at(path))
        if follow:
            return os.path.relpath(os.path.realpath(full), self.root)
        parent, base = os.path.split(full)
        return os.path.relpath(os.path.join(os.path.realpath(parent), base), self.root)

    def data(self, name: str) -> bytes | None:
        """Give a regular file's bytes."""
        path = self.at(name)
        return path.read_bytes() if path.is_file() and not path.is_symlink() else None

    def names_of(self, name: str) -> list[str]:
        """Give every name of the file that has this one."""
        if not os.path.lexists(self.at(name)) or os.lstat(self.at(name)).st_nlink == 1:
            return [name]
        own = os.lstat(self.at(name)).st_ino
        return [name, *(other for other in self.tree() if other != name and os.lstat(self.at(other)).st_ino == own)]

    def overwrite(self, name: str, data: bytes) -> None:
        self.at(name).parent.mkdir(parents=True, exist_ok=True)
        self.at(name).write_bytes(data)

    def replace(self, name: str, data: bytes) -> None:
        """Write as editors do: a new file takes the name."""
        self.at(name).parent.mkdir(parents=True, exist_ok=True)
        new = self.root.parent / "new"
        new.write_bytes(data)
        os.rename(new, self.at(name))

    def writable(self, name: str) -> bool:
        """Tell whether a file can be written under this name: it has it, or it is free."""
        free = not os.path.lexists(self.at(name))
        return self.data(name) is not None or (free and not self.at(name).parent.is_symlink())

    def give_name(self, name: str, other: str, how: str) -> None:
        """Rename a file or directory, or give it a second name, if the other name is free."""
        source, target = self.at(name), self.at(other)
        inside = f"{other}/".startswith(f"{name}/")
        if not os.path.lexists(source) or os.path.lexists(target) or inside or target.parent.is_file():
            return
        if how == "rename":
            target.parent.mkdir(exist_ok=True)
            os.rename(source, target)
        elif target.parent.is_dir() and self.data(name) is not None:
            if how == "link":
                os.link(source, target)
                self.linked = True
            else:
                os.symlink(os.path.relpath(source, target.parent), target)


def _node(entry: os.DirEntry[str]) -> Node:
    mode = stat.S_IMODE(entry.stat(follow_symlinks=False).st_mode)
    if entry.is_symlink():
        return Node("link", os.readlink(entry.path).encode(), mode)
    if entry.is_dir():
        return Node("directory", b"", mode)
    with open(entry.path, "rb") as file:
        return Node("file", file.read(), mode)


def moved(name: str, old: str, new: str) -> str:
    """Give the name that a path has after `old` became `new`."""
    return new + name.removeprefix(old) if name == old or name.startswith(f"{old}/") else name
