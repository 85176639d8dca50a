"""Look below a directory: its tree, and the paths that match a pattern. Names only; nothing here counts as reading."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from readfirst.filesystem.confined import require_existing
from readfirst.filesystem.entries import Kind
from readfirst.filesystem.globs import Glob, excluded_by, pattern_of
from readfirst.filesystem.names import escaped
from readfirst.filesystem.walk import Walk, Wanted
from readfirst.workspace.context import Session


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What a walk did not look at: what git ignores, what cannot be read, and the rest after a limit."""

    ignored: int
    unreadable: int
    visited: int
    stopped: Literal["", "entries", "time"]


@dataclass(slots=True)
class Node:
    """One name in a tree. `children` is None for what is no directory or was not read."""

    name: str
    kind: Kind
    children: list[Node] | None = None


@dataclass(frozen=True, slots=True)
class Tree:
    """What is in a directory."""

    path: str
    children: list[Node]
    left_out: LeftOut


@dataclass(frozen=True, slots=True)
class Matches:
    """Paths that match, sorted; of `count` matches no more than the reply can show."""

    path: str
    paths: list[str]
    count: int
    left_out: LeftOut


def directory_tree(
    session: Session, path: str, *, excludes: Sequence[str] = (), depth: int | None = None, gitignore: bool = True
) -> Tree:
    """Give all that is below a directory, down to `depth` levels, without what git ignores.

    Raises:
        ReadfirstError: it is no directory, or cannot be read.
    """
    with walked(session, path, Look(None, excludes, gitignore, depth)) as (real, walk):
        top = Node("", "directory")
        above: list[dict[str, Node]] = [{"": top}]
        for folder in walk:
            # Folders come parents first, so the parent is the last one that is less deep.
            del above[len(folder.parts) + 1 :]
            node = above[-1][folder.parts[-1] if folder.parts else ""]
            named = {entry.name: Node(escaped(entry.name), entry.kind) for entry in folder.entries}
            node.children = list(named.values())
            above.append(named)
        return Tree(real, top.children or [], left_out_by(walk))


def search_files(
    session: Session, path: str, pattern: str, *, excludes: Sequence[str] = (), gitignore: bool = False
) -> Matches:
    """Find the files and directories below a directory whose path from there matches a glob.

    Raises:
        ReadfirstError: the pattern or the path is refused, or the directory cannot be read.
    """
    room, count = session.workspace.settings.reply_chars, 0
    paths: list[str] = []
    with walked(session, path, Look(pattern_of(pattern), excludes, gitignore, None)) as (real, walk):
        for folder in walk:
            count += len(folder.entries)
            if room < 0 or not folder.entries:
                continue
            above = "/".join((real.rstrip("/"), *map(escaped, folder.parts)))
            for entry in folder.entries:
                paths.append(f"{above}/{escaped(entry.name)}")
                room -= len(paths[-1]) + 1
        return Matches(real, sorted(paths), count, left_out_by(walk))


@dataclass(frozen=True, slots=True)
class Look:
    """What a caller looks for and leaves out."""

    pattern: Glob | None
    excludes: Sequence[str]
    gitignore: bool
    depth: int | None


@contextmanager
def walked(session: Session, path: str, look: Look) -> Generator[tuple[str, Walk]]:
    """Prepare a walk within the limits of the workspace; give the real path it starts from, too."""
    settings, roots = session.workspace.settings, session.workspace.roots
    excludes = excluded_by(look.excludes)
    with roots.confine(path) as target:
        require_existing(target)
        wanted = Wanted(
            max_entries=settings.walk_entries,
            max_seconds=settings.walk_s,
            pattern=look.pattern,
            excludes=excludes,
            gitignore=look.gitignore,
            depth=look.depth,
            private=roots.private_below(target),
        )
        yield target.path, Walk(target, wanted)


def left_out_by(walk: Walk) -> LeftOut:
    return LeftOut(walk.ignored, walk.unreadable, walk.visited, walk.stopped)
