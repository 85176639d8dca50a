"""Note what a session changes, so that it can be told and taken back; old bytes are kept before it is visible."""

from __future__ import annotations

import logging
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from readfirst.content.digest import Digest
from readfirst.errors import StoreUnavailable
from readfirst.filesystem.confined import ConfinedPath
from readfirst.filesystem.undo import Kept
from readfirst.sessions.history import Change, FileHistory
from readfirst.workspace.context import Session

_OF_TEXT: Final = {"edit", "write", "append"}

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Noted:
    """Whether `undo_edit` can take the change back."""

    undoable: bool


@contextmanager
def noted(
    session: Session, target: ConfinedPath, change: Change, before: Kept | None, *, sync: bool = False
) -> Generator[Noted]:
    """Keep what the block changes, and add the change to the session's history once it is done.

    `before` is None when the block creates something: nothing has to be kept then.
    """
    undo = session.workspace.undo
    # Text is changed under all names of a file, a name comes or goes alone.
    key = session.key_of(target) if change.kind in _OF_TEXT else target.path
    kept = undo.keep(before, sync=sync) if before is not None else ""
    state = Noted(undoable=before is None or bool(kept))
    try:
        yield state
    except BaseException:
        undo.drop(kept)
        raise
    store = session.workspace.store
    try:
        whole = Change(change.kind, change.before, change.after, kept, change.seen)
        store.put_history(session.id, key, store.history(session.id, key).added(whole))
    except StoreUnavailable:
        _log.warning("a change was not noted for undo: the session store cannot be reached")
        state.undoable = False


def noted_move(session: Session, old: str, new: str, digest: Digest | None) -> bool:
    """Let records and history follow a file or directory to its new path; tell whether it can be moved back."""
    workspace = session.workspace
    try:
        workspace.deliveries.moved(session.id, old, new)
        gone, mine = workspace.store.history(session.id, old).parted()
        there = workspace.store.history(session.id, new)
        workspace.store.put_history(session.id, new, mine.moved_onto(there, old, digest))
        workspace.store.put_history(session.id, old, gone)
    except StoreUnavailable:
        _log.warning("a move was not noted: the session store cannot be reached")
        return False
    return True


def unnoted(session: Session, key: str, history: FileHistory) -> None:
    """Drop the last change of a history, which was taken back, and the bytes kept for it."""
    try:
        session.workspace.store.put_history(session.id, key, history.without_last())
    except StoreUnavailable:
        _log.warning("an undo was not noted: the session store cannot be reached")
    session.workspace.undo.drop(history.changes[-1].kept)


def unnoted_move(session: Session, old: str, new: str, came: FileHistory, stay: FileHistory) -> None:
    """Let records and history follow a file that was moved back from `old` to `new`."""
    workspace = session.workspace
    try:
        workspace.deliveries.moved(session.id, old, new)
        there = workspace.store.history(session.id, new)
        workspace.store.put_history(session.id, old, stay)
        workspace.store.put_history(session.id, new, came.behind(there))
    except StoreUnavailable:
        _log.warning("an undo was not noted: the session store cannot be reached")
