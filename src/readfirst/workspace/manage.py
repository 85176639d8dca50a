"""Change files as wholes: append, copy, move, delete. What cannot lose anything needs no read; a delete does.

A record follows its file: it is shifted, carried along or forgotten, and never made or widened here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from readfirst.content.codec import decode, detect, encode
from readfirst.content.digest import Digest, digest_of
from readfirst.content.lines import Lines
from readfirst.content.regions import regions_of_splices
from readfirst.errors import ArgumentRefused, ContentRefused, DiskRefused, NextCall, NotRead, PathRefused, Stale
from readfirst.filesystem.commit import remove_file, remove_link, replace_file, require_writable
from readfirst.filesystem.confined import ConfinedPath, require_existing
from readfirst.filesystem.entries import (
    copy_entry,
    link_target,
    make_directory,
    move_entry,
    remove_directory,
    same_name,
)
from readfirst.filesystem.files import open_file
from readfirst.filesystem.metadata import metadata_of
from readfirst.filesystem.undo import Kept
from readfirst.sessions.coverage import Coverage
from readfirst.sessions.history import Change
from readfirst.sessions.ledger import FileRecord, after_edit, require_fresh
from readfirst.spans import LineRange, Splice
from readfirst.workspace.changes import noted, noted_move
from readfirst.workspace.context import Session
from readfirst.workspace.edit import create, uniform_newline, within_limit
from readfirst.workspace.version import Version, digest_unless_large, on_disk, require_read, version_of


@dataclass(frozen=True, slots=True)
class AppendResult:
    """What an append did. `lines` are those that hold the new text; None: it was empty."""

    path: str
    lines: LineRange | None
    total: int
    created: bool = False
    durable: bool = True
    other_newline: str = ""
    """The line ending of the file, when the text came with another one; it was written as it came."""
    undoable: bool = True


@dataclass(frozen=True, slots=True)
class MoveResult:
    """What a move or a copy did, in the paths as given."""

    source: str
    destination: str
    durable: bool
    undoable: bool


@dataclass(frozen=True, slots=True)
class DeleteResult:
    """What was deleted: `kind` is file, link or directory."""

    path: str
    kind: str
    durable: bool
    undoable: bool


@dataclass(frozen=True, slots=True)
class DirectoryResult:
    """A directory that is there now; `created`: it was not before."""

    path: str
    created: bool
    durable: bool


def create_directory(session: Session, path: str) -> DirectoryResult:
    """Make a directory with those above it, unless it exists.

    Raises:
        ReadfirstError: something else has the name, or it cannot be made.
    """
    with session.workspace.locked(path) as target:
        if target.is_directory:
            return DirectoryResult(target.given, created=False, durable=True)
        if target.fd is not None:
            raise DiskRefused("exists", target.given, detail="taken")
        try:
            durable = make_directory(target)
        except DiskRefused as refusal:
            if refusal.code != "exists":
                raise
            # Another program was faster; what it made may be a directory.
            with session.workspace.roots.confine(path) as now:
                if not now.is_directory:
                    raise
            return DirectoryResult(target.given, created=False, durable=True)
        return DirectoryResult(target.given, created=True, durable=durable)


def append_file(session: Session, path: str, text: str) -> AppendResult:
    """Add text at the end of a text file, exactly as given, or create the file.

    What the session had seen stays seen. A session that has not read the file has not read it afterwards either.

    Raises:
        ReadfirstError: the file is no text, has no such character, or cannot be written; nothing was.
    """
    within_limit(session, path, text)
    with session.workspace.locked(path) as target:
        if target.fd is None:
            made = create(session, target, text, dry_run=False, version="")
            lines = made.lines[0] if made.lines else None
            result = AppendResult(path, lines, lines.count if lines else 0, created=True)
            return replace(result, durable=made.durable, undoable=made.undoable)
        now = on_disk(session, target, "edit")
        try:
            added = now.document.to_body(text)
        except UnicodeEncodeError as error:
            raise ContentRefused("not_encodable", path, detail=text[error.start]) from None
        end = len(now.document.body)
        after = decode(encode(now.document, now.document.body + added), now.document.encoding)
        after_lines = Lines(after.body, after.newline)
        result = AppendResult(target.given, None, after_lines.count, other_newline=_other_newline(now, text))
        if not added:
            return result
        record = session.record(target)
        fresh = record if record is not None and record.digest == now.digest else None
        change = Change("append", now.digest, digest_of(after.data), seen=fresh.coverage if fresh else None)
        with noted(session, target, change, Kept(now.document.data)) as state:
            committed = replace_file(target, after.data, expected=now.digest)
        if fresh is not None:
            regions = regions_of_splices(now.lines, after_lines, [Splice(end, end, added)])
            sent = [(end, end + len(added))]
            changes = [replace(region.change, sent=region.new_within(sent)) for region in regions]
            session.wrote(target, after_edit(fresh, digest_of(after.data), changes, session.kept(after.data)))
        lines = after_lines.ranges_of(end, len(after.body))
        return replace(result, lines=lines, durable=committed.durable, undoable=state.undoable)


def copy_file(session: Session, source: str, destination: str) -> MoveResult:
    """Copy one regular file to a name that is free; the copy is as well known to the session as the file.

    Raises:
        ReadfirstError: the source is no regular file, or the name is taken; nothing was made.
    """
    with session.workspace.locked_pair(source, destination, follow_source=True) as (here, there):
        require_existing(here)
        _require_free(here, there)
        record, digest = session.record(here), digest_unless_large(session, here)
        with noted(session, there, Change("copy", None, digest), None) as state:
            committed = copy_entry(here, there)
        if record is not None and record.digest == digest:
            session.wrote(there, FileRecord(record.digest, record.coverage, record.content))
        # Nobody could tell whether a file too large to be hashed still is what was copied.
        return MoveResult(here.given, there.given, committed.durable, state.undoable and digest is not None)


def move_file(session: Session, source: str, destination: str) -> MoveResult:
    """Give a file, link or directory a name that is free; what the session knows of it goes along.

    Raises:
        ReadfirstError: the name is taken, or the source is an allowed directory or cannot be moved; nothing was.
    """
    with session.workspace.locked_pair(source, destination, follow_source=False) as (here, there):
        require_existing(here)
        if session.workspace.roots.holds_root(here):
            raise PathRefused("invalid_path", source, detail="root")
        if there.fd is None and session.workspace.roots.holds_root(there):
            raise PathRefused("denied", destination)
        if f"{there.path}/".startswith(f"{here.path}/") and here.path != there.path:
            raise PathRefused("invalid_path", destination, detail="inside itself")
        if not same_name(here, there):
            _require_free(here, there)
        digest = digest_unless_large(session, here) if here.is_file else None
        # Of several hard links one is moved; in other case it is the one name that the session knows.
        known = session.key_of(here) if here.stat is not None and here.stat.st_nlink == 1 else here.path
        durable = move_entry(here, there)
        undoable = noted_move(session, known, there.path, digest)
        return MoveResult(here.given, there.given, durable, undoable)


def delete_file(session: Session, path: str, *, version: str = "") -> DeleteResult:
    """Delete a file that this session has read, an empty directory, or a link itself.

    Raises:
        ReadfirstError: a guarantee forbids it, or its content cannot be kept for undo; nothing was deleted.
    """
    with session.workspace.locked(path, follow=False) as target:
        require_existing(target)
        if session.workspace.roots.holds_root(target):
            raise PathRefused("invalid_path", path, detail="root")
        if version and (target.is_link or target.is_directory):
            raise ArgumentRefused(path=path, detail="`version` is for files only")
        if target.is_link:
            kind, kept, change = (
                "link",
                Kept(link_target(target).encode(errors="surrogateescape"), "link"),
                _deleted(None),
            )
        elif target.is_directory:
            kind, kept, change = "directory", Kept(b"", "directory", metadata_of(target)), _deleted(None)
        else:
            kind, kept, change = "file", *_deletable(session, target, version)
        with noted(session, target, change, kept, sync=True) as state:
            if not state.undoable:
                raise DiskRefused("not_kept", path)
            durable = _remove(target, change)
        session.forgot(target)
        return DeleteResult(target.given, kind, durable, state.undoable)


def _deleted(digest: Digest | None, seen: Coverage | None = None) -> Change:
    return Change("delete", digest, None, seen=seen)


def _remove(target: ConfinedPath, change: Change) -> bool:
    if target.is_link:
        return remove_link(target)
    if change.before is None:
        return remove_directory(target)
    return remove_file(target, expected=change.before)


def _deletable(session: Session, target: ConfinedPath, version: str) -> tuple[Kept, Change]:
    """Prove that the session has seen the file; of a binary file, `get_file_info` is the look it needs."""
    if target.is_file:
        require_writable(target)
    with open_file(target) as file:
        data = file.read_all(session.workspace.settings.edit_bytes)
    encoding = detect(data, session.workspace.settings.fallback_encoding)
    if encoding is not None:
        proof = require_read(session, target, version_of(session, target, decode(data, encoding), "delete"), version)
    else:
        try:
            record = session.record(target)
            proof = require_fresh(record, digest_of(data), target.given, version=version, lines=LineRange(1, 1))
        except (NotRead, Stale) as refusal:
            refusal.next_calls = (NextCall("info", target.given),)
            raise
    return Kept(data, "file", metadata_of(target)), _deleted(proof.digest, proof.coverage)


def _require_free(here: ConfinedPath, there: ConfinedPath) -> None:
    if there.fd is not None:
        detail = "same" if here.path == there.path else "directory" if there.is_directory else "taken"
        raise DiskRefused("exists", there.given, detail=detail)
    if there.named_as_directory and not here.is_directory:
        raise PathRefused("not_a_file", there.given, detail="named as a directory")


def _other_newline(now: Version, text: str) -> str:
    own = uniform_newline(now.document)
    rest = text.replace(own, "") if own else ""
    return own if "\n" in rest or "\r" in rest else ""
