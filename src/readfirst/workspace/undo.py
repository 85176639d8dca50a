"""Take back the last change of a file, and only while the file still is what that change left.

What comes back is what the session had seen before; nothing that has a name is replaced. (A room beside `history`: that
one tells, this one acts.)
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace

from readfirst.content.codec import Document, decode, detect
from readfirst.content.diff import Diff, DiffLimit, unified_diff
from readfirst.content.digest import Digest, digest_of
from readfirst.content.lines import Lines
from readfirst.content.regions import Region, regions_between
from readfirst.errors import DiskRefused, NextCall, UndoRefused
from readfirst.filesystem.commit import create_file, remove_file, replace_file
from readfirst.filesystem.confined import ConfinedPath, require_existing
from readfirst.filesystem.entries import make_directory, make_link, move_entry, same_name
from readfirst.filesystem.files import open_file
from readfirst.filesystem.undo import Kept
from readfirst.sessions.coverage import Coverage
from readfirst.sessions.history import Change, FileHistory, Kind
from readfirst.sessions.ledger import FileRecord
from readfirst.workspace.changes import unnoted, unnoted_move
from readfirst.workspace.context import Session
from readfirst.workspace.version import digest_unless_large


@dataclass(frozen=True, slots=True)
class UndoResult:
    """What was taken back. `path` is where the file is now; `left` changes of it can still be taken back."""

    path: str
    kind: Kind
    left: int
    forgotten: int
    diff: Diff | None = None
    durable: bool = True
    parted: bool = False
    """It was one of several names of a file, and is a file of its own now."""


def undo_edit(session: Session, path: str) -> UndoResult:
    """Take back this session's last change of a file.

    Raises:
        UndoRefused: there is none, the file is no longer what it left, or what it replaced is no longer kept.
        ReadfirstError: the filesystem does not do it; nothing was changed.
    """
    key, history = _last_change(session, path)
    change = history.changes[-1]
    if change.kind == "move":
        with session.workspace.locked_pair(key, change.source, follow_source=False) as (here, back):
            _require_unchanged_history(session, key, history, path)
            return _moved_back(session, here, back, history)
    with session.workspace.locked(key, follow=False) as target:
        _require_unchanged_history(session, key, history, path)
        if change.kind in {"create", "copy"}:
            result = _uncreated(session, target, change)
        elif change.kind == "delete":
            result = _undeleted(session, target, change)
        else:
            result = _restored(session, target, change)
        unnoted(session, key, history)
        return replace(result, left=len(history.changes) - 1, forgotten=history.forgotten)


def _last_change(session: Session, path: str) -> tuple[str, FileHistory]:
    """Find the history of a path: as it is named, as the file it leads to, or as the place a file was moved from."""
    store, names = session.workspace.store, session.names_of(path)
    for name in names:
        history = store.history(session.id, name)
        if history.changes:
            return name, history
    away = [
        (name, history)
        for name, history in store.histories(session.id)
        if any(change.kind == "move" and change.source in names for change in history.changes)
    ]
    for name, history in away:
        if history.changes[-1].kind == "move" and history.changes[-1].source in names:
            return name, history
    if away:
        later = away[-1][0]
        raise UndoRefused("changed_since", path, later=later, next_calls=(NextCall("undo", later),))
    raise UndoRefused("nothing_to_undo", path, forgotten=store.history(session.id, names[0]).forgotten)


def _require_unchanged_history(session: Session, key: str, history: FileHistory, path: str) -> None:
    """A call that came in between may have changed the file, or have taken the change back already."""
    if session.workspace.store.history(session.id, key) != history:
        raise DiskRefused("busy", path)


def _restored(session: Session, target: ConfinedPath, change: Change) -> UndoResult:
    require_existing(target)
    kept = _kept(session, target, change)
    after = _require_as_left(session, target, change)
    assert change.after is not None  # noqa: S101 - only a deletion leaves no file
    record = session.record(target)
    committed = replace_file(target, kept.data, expected=change.after)
    documents = _documents(session, after, kept.data)
    regions = _regions(*documents) if documents is not None else ()
    seen = change.seen
    if record is not None and record.digest == change.after and documents is not None:
        moved = record.coverage.after(replace(region.change, sent=False) for region in regions)
        seen = moved if seen is None else seen.union(moved)
    diff = None
    if documents is not None:
        settings = session.workspace.settings
        diff = unified_diff(*documents, regions, target.relative, DiffLimit(settings.diff_lines, settings.diff_chars))
    _remember(session, target, kept.data, seen)
    if diff is not None and seen is not None:
        session.show(target, digest_of(kept.data), diff.shown_after, kept.data)
    return UndoResult(target.path, change.kind, 0, 0, diff, committed.durable)


def _documents(session: Session, after: bytes, before: bytes) -> tuple[Document, Document] | None:
    fallback = session.workspace.settings.fallback_encoding
    encodings = detect(after, fallback), detect(before, fallback)
    if encodings[0] is None or encodings[1] is None:
        return None
    return decode(after, encodings[0]), decode(before, encodings[1])


def _regions(old: Document, new: Document) -> tuple[Region, ...]:
    return regions_between(Lines(old.body, old.newline), Lines(new.body, new.newline))


def _uncreated(session: Session, target: ConfinedPath, change: Change) -> UndoResult:
    require_existing(target)
    _require_as_left(session, target, change)
    assert change.after is not None  # noqa: S101 - a copy too large to be hashed was refused just now
    durable = remove_file(target, expected=change.after)
    session.forgot(target)
    return UndoResult(target.path, change.kind, 0, 0, durable=durable)


def _undeleted(session: Session, target: ConfinedPath, change: Change) -> UndoResult:
    if target.fd is not None:
        raise DiskRefused("exists", target.path, detail="in the way")
    kept = _kept(session, target, change)
    durable, parted = True, False
    if kept.kind == "link":
        durable = make_link(target, os.fsdecode(kept.data))
    elif kept.kind == "directory":
        durable = make_directory(target, like=kept.metadata)
    else:
        durable = create_file(target, kept.data, like=kept.metadata).durable
        parted = kept.metadata is not None and kept.metadata.names > 1
        _remember(session, target, kept.data, change.seen)
    return UndoResult(target.path, change.kind, 0, 0, durable=durable, parted=parted)


def _moved_back(session: Session, here: ConfinedPath, back: ConfinedPath, history: FileHistory) -> UndoResult:
    require_existing(here)
    change = history.changes[-1]
    now = digest_unless_large(session, here) if here.is_file else None
    if now != change.after:
        raise _changed_since(here)
    if back.fd is not None and not same_name(here, back):
        raise DiskRefused("exists", back.given, detail="in the way")
    durable = move_entry(here, back)
    came, stay = history.moved_back()
    unnoted_move(session, here.path, back.path, came, stay)
    return UndoResult(back.path, "move", len(came.changes), came.forgotten, durable=durable)


def _kept(session: Session, target: ConfinedPath, change: Change) -> Kept:
    kept = session.workspace.undo.read(change.kept)
    if kept is None or (change.before is not None and digest_of(kept.data) != change.before):
        raise UndoRefused("not_kept", target.path)
    return kept


def _require_as_left(session: Session, target: ConfinedPath, change: Change) -> bytes:
    """Prove that the file is what the change left; gives its bytes."""
    if target.is_file:
        with open_file(target) as file:
            data = file.read_all(session.workspace.settings.edit_bytes)
        if digest_of(data) == change.after:
            return data
    raise _changed_since(target)


def _changed_since(target: ConfinedPath) -> UndoRefused:
    return UndoRefused("changed_since", target.path, next_calls=(NextCall("read", target.path),))


def _remember(session: Session, target: ConfinedPath, data: bytes, seen: Coverage | None) -> None:
    """Restore what the session had seen of the version that is back; it had read nothing if `seen` is None."""
    if seen is None:
        session.forgot(target)
        return
    digest: Digest = digest_of(data)
    session.wrote(target, FileRecord(digest, seen, session.kept(data)))
