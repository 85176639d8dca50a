"""What a session changed, so that it can be told and taken back.

Each file has its own history under the name that it has now. A change says which version it was made on and which it
left; the old bytes are kept elsewhere (`filesystem.undo`), and `kept` names them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final, Literal

from readfirst.content.digest import Digest
from readfirst.sessions.coverage import Coverage

Kind = Literal["edit", "write", "append", "create", "copy", "delete", "move"]

CHANGES_PER_FILE: Final = 100


@dataclass(frozen=True, slots=True)
class Change:
    """One change of one file. A digest of None means: there was, or is, no file with content."""

    kind: Kind
    before: Digest | None
    after: Digest | None
    kept: str = ""
    """Name of the kept bytes; empty: there are none, or they could not be kept."""
    seen: Coverage | None = None
    """What the session had seen of the version before; None: it had not read it."""
    source: str = ""
    """A move: the path that the file had."""
    carried: int = 0
    """A move: how many of the changes before it came along with the file."""
    forgotten: int = 0
    """A move: how many older ones than those came along that were no longer told."""


@dataclass(frozen=True, slots=True)
class FileHistory:
    """The changes of one file, the oldest first; `forgotten` older ones are no longer told."""

    changes: tuple[Change, ...] = ()
    forgotten: int = 0

    def added(self, change: Change) -> FileHistory:
        return bounded((*self.changes, change), self.forgotten)

    def without_last(self) -> FileHistory:
        return replace(self, changes=self.changes[:-1])

    def parted(self) -> tuple[FileHistory, FileHistory]:
        """Part what was done to files that are gone from this name, and what was done to the one that is there."""
        at = next((at for at in range(len(self.changes), 0, -1) if self.changes[at - 1].kind == "delete"), 0)
        gone = FileHistory(self.changes[:at], self.forgotten if at else 0)
        return gone, FileHistory(self.changes[at:], 0 if at else self.forgotten)

    def moved_onto(self, there: FileHistory, source: str, digest: Digest | None) -> FileHistory:
        """Give the history of a name that a file with this history was moved to."""
        carried, forgotten = len(self.changes), self.forgotten
        move = Change("move", digest, digest, source=source, carried=carried, forgotten=forgotten)
        return bounded((*there.changes, *self.changes, move), there.forgotten + forgotten)

    def behind(self, there: FileHistory) -> FileHistory:
        """Give this history, after what was done under the same name before the file came back to it."""
        return bounded((*there.changes, *self.changes), there.forgotten + self.forgotten)

    def moved_back(self) -> tuple[FileHistory, FileHistory]:
        """Part this history, whose last change is a move: what came along with the file, and what stays at the name."""
        move, rest = self.changes[-1], self.changes[:-1]
        at = max(len(rest) - move.carried, 0)
        came = FileHistory(rest[at:], move.forgotten + move.carried - (len(rest) - at))
        return came, FileHistory(rest[:at], self.forgotten - came.forgotten)

    def joints(self) -> Iterator[tuple[Change, Change]]:
        """Give each two changes of which the later was made on what the earlier left."""
        starts = {at - change.carried for at, change in enumerate(self.changes) if change.kind == "move"}
        for at, pair in enumerate(pairwise(self.changes), start=1):
            if at not in starts:
                yield pair


def bounded(changes: tuple[Change, ...], forgotten: int) -> FileHistory:
    over = max(len(changes) - CHANGES_PER_FILE, 0)
    return FileHistory(changes[over:], forgotten + over)
