"""Tell what a session changed: each file, what became of it, and one diff from before its first change to now."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from readfirst.content.codec import Document, decode, detect
from readfirst.content.diff import Diff, DiffLimit, renamed, unified_diff
from readfirst.content.digest import Digest, digest_of
from readfirst.content.encodings import UTF_8
from readfirst.content.lines import Lines
from readfirst.content.regions import Region, regions_between
from readfirst.errors import ReadfirstError
from readfirst.filesystem.files import open_file
from readfirst.filesystem.roots import ConfinedPath
from readfirst.sessions.history import Change, FileHistory
from readfirst.workspace.context import Session

Became = Literal["created", "changed", "deleted", "moved", "unchanged"]
_MOST_FILES = 200


@dataclass(frozen=True, slots=True)
class FileChanges:
    """What became of one file. Lines are counted from before the session's first change to what is there now."""

    path: str
    became: Became
    changes: int
    source: str = ""
    """Where it was before the session moved it."""
    added: int = 0
    removed: int = 0
    diff: Diff | None = None
    others: bool = False
    """Somebody else changed it too, so that the counts and the diff hold more than the session's changes."""
    partial: bool = False
    """What was there before the first change is no longer kept, or no text: the diff starts later, or is left out."""


def session_changes(session: Session, path: str = "", *, max_chars: int) -> tuple[list[FileChanges], int]:
    """Give what this session changed, at `path` or below it, and how many files more there are.

    Raises:
        StoreUnavailable: nobody can tell.
        PathRefused: the path leads outside.
    """
    names = _names(session, path) if path else ()
    found = [
        (key, history)
        for key, history in session.workspace.store.histories(session.id)
        if history.changes and (not names or any(_at_or_below(key, name) for name in names))
    ]
    told: list[FileChanges] = []
    for key, history in found[:_MOST_FILES]:
        one = _told(session, key, history, max_chars)
        max_chars -= len(one.diff.text) if one.diff is not None else 0
        told.append(one)
    return told, max(len(found) - _MOST_FILES, 0)


def _names(session: Session, path: str) -> tuple[str, ...]:
    names: list[str] = []
    for follow in (False, True):
        with session.workspace.roots.confine(path, follow=follow) as target:
            names += [target.path, session.key_of(target)]
    return tuple(dict.fromkeys(names))


def _at_or_below(key: str, name: str) -> bool:
    return key == name or key.startswith(f"{name}/")


def _told(session: Session, key: str, history: FileHistory, max_chars: int) -> FileChanges:
    changes = history.changes
    source = next((change.source for change in changes if change.kind == "move"), "")
    try:
        with session.workspace.roots.confine(key, follow=False) as target:
            return replace(_compared(session, target, history, max_chars), source=source)
    except ReadfirstError:
        return FileChanges(key, "changed", len(changes), source, partial=True)


def _compared(session: Session, target: ConfinedPath, history: FileHistory, max_chars: int) -> FileChanges:
    changes = history.changes
    now = _bytes_now(session, target)
    digest = digest_of(now) if now is not None else None
    found = FileChanges(target.path, _became(changes, target), len(changes), others=_others(changes, digest))
    if changes[0].before is None and changes[0].kind in {"create", "copy"}:
        before, known = b"", not history.forgotten
    else:
        kept = next((change.kept for change in changes if change.kind not in {"move", "create", "copy"}), None)
        old = session.workspace.undo.read(kept) if kept is not None else None
        before, known = (old.data if old is not None else b""), old is not None and not history.forgotten
        if kept is None:
            return found
        if old is None or old.kind != "file":
            return replace(found, partial=old is None)
    return _with_diff(session, target, replace(found, partial=not known), before, now or b"", max_chars)


def _with_diff(
    session: Session, target: ConfinedPath, found: FileChanges, before: bytes, now: bytes, max_chars: int
) -> FileChanges:
    documents = [_document(session, data) for data in (before, now)]
    if documents[0] is None or documents[1] is None:
        return replace(found, partial=True)
    old, new = documents[0], documents[1]
    regions = regions_between(Lines(old.body, old.newline), Lines(new.body, new.newline))
    added, removed = _counts(regions)
    settings = session.workspace.settings
    limit = DiffLimit(settings.diff_lines, min(settings.diff_chars, max(max_chars, 0)))
    diff = unified_diff(old, new, regions, target.relative, limit) if regions and found.became != "deleted" else None
    if diff is not None and found.became == "created":
        diff = renamed(diff, old=None)
    record = session.record(target)
    if diff is not None and record is not None and record.digest == digest_of(now):
        session.show(target, record.digest, diff.shown_after, now)
    return replace(found, added=added, removed=removed, diff=diff)


def _document(session: Session, data: bytes) -> Document | None:
    encoding = detect(data, session.workspace.settings.fallback_encoding) if data else UTF_8
    return decode(data, encoding) if encoding is not None else None


def _counts(regions: tuple[Region, ...]) -> tuple[int, int]:
    return sum(region.added for region in regions), sum(region.removed for region in regions)


def _bytes_now(session: Session, target: ConfinedPath) -> bytes | None:
    if not target.is_file:
        return None
    with open_file(target) as file:
        return file.read_all(session.workspace.settings.edit_bytes)


def _became(changes: tuple[Change, ...], target: ConfinedPath) -> Became:
    if target.fd is None:
        return "deleted"
    if changes[0].kind in {"create", "copy"}:
        return "created"
    return "moved" if all(change.kind == "move" for change in changes) else "changed"


def _others(changes: tuple[Change, ...], now: Digest | None) -> bool:
    """Tell whether a version came from nowhere: between two changes, or after the last."""
    return any(left != found for left, found in _joints(changes, now))


def _joints(changes: tuple[Change, ...], now: Digest | None) -> Iterator[tuple[Digest | None, Digest | None]]:
    for change, following in pairwise(changes):
        yield change.after, following.before
    if changes[-1].kind != "move" or changes[-1].after is not None:
        yield changes[-1].after, now
