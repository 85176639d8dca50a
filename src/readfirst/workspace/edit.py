"""Change a file: nothing that was not read, nothing that changed meanwhile, all or nothing, true on disk.

The order is the promise: path, lock, kind, digest, record, match, coverage, (a dry run stops here), commit, record,
reply.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from readfirst.content.codec import Document, decode, detect, encode
from readfirst.content.diff import Diff, DiffLimit, lines_of, unified_diff
from readfirst.content.digest import digest_of, version_token
from readfirst.content.encodings import UTF_8
from readfirst.content.lines import Lines
from readfirst.content.regions import Region, regions_between, regions_of_splices
from readfirst.edits.plan import Edit, EditPlan, NoPlan, PlacedEdit, plan
from readfirst.errors import ContentRefused, PathRefused, Unseen
from readfirst.filesystem.commit import create_file, replace_file
from readfirst.filesystem.confined import ConfinedPath, require_existing
from readfirst.filesystem.undo import Kept
from readfirst.sessions.history import Change
from readfirst.sessions.ledger import FileRecord, OwnChange, after_edit, after_write, require_seen
from readfirst.spans import LineRange
from readfirst.workspace.changes import noted
from readfirst.workspace.context import Session
from readfirst.workspace.version import Version, on_disk, require_read


@dataclass(frozen=True, slots=True)
class ChangeResult:
    """What a change did, or with `dry_run` would do. `lines` are those changed, in the text after it."""

    path: str
    diff: Diff | None
    lines: tuple[LineRange, ...]
    version: str
    dry_run: bool = False
    created: bool = False
    durable: bool = True
    placed: tuple[PlacedEdit, ...] = ()
    kept_newline: str = ""
    """The line ending that the text was given, when it came with another one."""
    undoable: bool = True


def edit_file(
    session: Session, path: str, edits: Sequence[Edit], *, dry_run: bool = False, version: str = ""
) -> ChangeResult:
    """Replace texts in a file that this session has read, all or none of them.

    Raises:
        ReadfirstError: a guarantee forbids it or a text has no one place; nothing was written.
    """
    with session.workspace.locked(path) as target:
        require_existing(target)
        now = on_disk(session, target, "edit")
        proof = require_read(session, target, now, version)
        planned = plan(now.document, edits)
        if isinstance(planned, NoPlan):
            raise now.teacher.edits_refused(planned.failures, tuple(edits))
        _seen(now, proof, target, [lines for placed in planned.placed for lines in placed.must_see])
        after = _after(now, planned)
        regions = _regions(now, planned, after)
        result = _result(session, target, now, after, regions)
        result = replace(result, placed=planned.placed, dry_run=dry_run)
        if dry_run:
            return _previewed(session, target, now, result)
        result = _replaced(session, target, now, after, result, Change("edit", now.digest, None, seen=proof.coverage))
        written = planned.written()
        changes = [replace(region.change, sent=region.new_within(written)) for region in regions]
        own = _own_change(now, after, result)
        record = after_edit(proof, digest_of(after.data), changes, session.kept(after.data), own)
        return _written(session, target, record, result, whole=False)


def write_file(
    session: Session, path: str, text: str, *, dry_run: bool = False, keep_newlines: bool = True, version: str = ""
) -> ChangeResult:
    """Create a file, or replace the whole text of one that this session has seen whole.

    Raises:
        ReadfirstError: a guarantee forbids it; nothing was written.
    """
    within_limit(session, path, text)
    with session.workspace.locked(path) as target:
        if target.fd is None:
            return create(session, target, text, dry_run=dry_run, version=version)
        now = on_disk(session, target, "write")
        proof = require_read(session, target, now, version)
        _seen(now, proof, target, [now.lines.all])
        after, kept = _overwritten(now, target, text, keep_newlines=keep_newlines)
        regions = regions_between(now.lines, Lines(after.body, after.newline))
        result = replace(_result(session, target, now, after, regions), kept_newline=kept, dry_run=dry_run)
        if dry_run:
            return _previewed(session, target, now, result)
        result = _replaced(session, target, now, after, result, Change("write", now.digest, None, seen=proof.coverage))
        lines, own = Lines(after.body, after.newline).all, _own_change(now, after, result)
        record = after_write(digest_of(after.data), lines, session.kept(after.data), own)
        return _written(session, target, record, result, whole=True)


def within_limit(session: Session, path: str, text: str) -> None:
    """Refuse a text that is too large for one call, or that no file can hold.

    Raises:
        ContentRefused: too_large, not_encodable.
    """
    try:
        size, limit = len(text.encode()), session.workspace.settings.write_bytes
    except UnicodeEncodeError as error:
        raise ContentRefused("not_encodable", path, detail=text[error.start]) from None
    if size > limit:
        raise ContentRefused("too_large", path, size=size, limit=limit, detail="content")


def _seen(now: Version, proof: FileRecord, target: ConfinedPath, wanted: Sequence[LineRange | None]) -> None:
    try:
        require_seen(proof, wanted, target.given, total=now.lines.count)
    except Unseen as refusal:
        raise now.teacher.unseen(refusal) from None


def _after(now: Version, planned: EditPlan) -> Document:
    return decode(encode(now.document, planned.body), now.document.encoding)


def _regions(now: Version, planned: EditPlan, after: Document) -> tuple[Region, ...]:
    lines = Lines(after.body, after.newline)
    if planned.splices is None:
        return regions_between(now.lines, lines)
    return regions_of_splices(now.lines, lines, planned.splices)


def _own_change(now: Version, after: Document, result: ChangeResult) -> OwnChange | None:
    if not result.lines or after.data == now.document.data:
        return None
    return OwnChange(now.digest, LineRange(result.lines[0].first, result.lines[-1].last))


def _replaced(
    session: Session, target: ConfinedPath, now: Version, after: Document, result: ChangeResult, change: Change
) -> ChangeResult:
    """Write the new bytes, unless they are the old ones; tell what is surely on disk and can be taken back."""
    if after.data == now.document.data:
        return result
    change = replace(change, after=digest_of(after.data))
    with noted(session, target, change, Kept(now.document.data)) as state:
        committed = replace_file(target, after.data, expected=now.digest)
    return replace(result, durable=committed.durable, undoable=state.undoable)


def _overwritten(now: Version, target: ConfinedPath, text: str, *, keep_newlines: bool) -> tuple[Document, str]:
    """Give the text in the file's encoding, with its BOM and, if wanted, the line ending it uses throughout."""
    document, kept = now.document, ""
    if document.encoding.bom:
        text = text.removeprefix("\ufeff")
    newline = uniform_newline(document) if keep_newlines else ""
    if newline:
        converted = text.replace("\r\n", "\n").replace("\n", newline)
        kept, text = (newline if converted != text else ""), converted
    try:
        body = document.to_body(text)
    except UnicodeEncodeError as error:
        raise ContentRefused("not_encodable", target.given, detail=text[error.start]) from None
    return decode(encode(document, body), document.encoding), kept


def uniform_newline(document: Document) -> str:
    """Give the line ending that a file uses throughout; empty when it has none, or several."""
    if document.newline == b"\r":
        return "\r"
    feeds, pairs = document.body.count(b"\n"), document.body.count(b"\r\n")
    if not feeds or 0 < pairs < feeds:
        return ""
    return "\r\n" if pairs else "\n"


def create(session: Session, target: ConfinedPath, text: str, *, dry_run: bool, version: str) -> ChangeResult:
    """Create a file that does not exist, exactly as sent.

    Raises:
        ReadfirstError: the path names a directory, or something took the name meanwhile.
    """
    if version:
        raise PathRefused("not_found", target.given, detail="version")
    if target.named_as_directory:
        raise PathRefused("not_a_file", target.given, detail="named as a directory")
    data = text.encode()
    document = decode(data, detect(data) or UTF_8)
    lines = Lines(document.body, document.newline)
    result = ChangeResult(target.given, None, (), "", dry_run=dry_run, created=True)
    if dry_run:
        return result
    with noted(session, target, Change("create", None, digest_of(data)), None) as state:
        committed = create_file(target, data)
    record = after_write(digest_of(data), lines.all, session.kept(data))
    result = replace(result, durable=committed.durable, undoable=state.undoable)
    changed = (lines.all,) if lines.all is not None else ()
    return _written(session, target, record, replace(result, lines=changed), whole=True)


def _result(
    session: Session, target: ConfinedPath, now: Version, after: Document, regions: tuple[Region, ...]
) -> ChangeResult:
    settings = session.workspace.settings
    limit = DiffLimit(settings.diff_lines, settings.diff_chars)
    diff = unified_diff(now.document, after, regions, target.relative, limit) if regions else None
    changed = lines_of(regions, Lines(after.body, after.newline).count)
    return ChangeResult(target.given, diff, changed, version_token(now.digest, whole=False))


def _previewed(session: Session, target: ConfinedPath, now: Version, result: ChangeResult) -> ChangeResult:
    """A dry run shows lines of the file as it is: those that would go, and those around them."""
    if result.diff is not None:
        session.show(target, now.digest, result.diff.shown_before, now.document.data)
    return result


def _written(
    session: Session, target: ConfinedPath, record: FileRecord, result: ChangeResult, *, whole: bool
) -> ChangeResult:
    session.wrote(target, record)
    shown = result.diff.shown_after if result.diff is not None else ()
    if any(record.coverage.missing(lines) for lines in shown):
        session.show(target, record.digest, shown, record.content)
    return replace(result, version=version_token(record.digest, whole=whole))
