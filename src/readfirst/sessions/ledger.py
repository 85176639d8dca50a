"""What a session has seen of a file, and the guards G1 to G4. No guard stands anywhere else.

The disk is the truth; a record only proves what the session saw. A lost, old or raced record can cause a refusal, never
a wrong write. A check returns what it proved.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from readfirst.content.digest import WHOLE, Digest, token_names
from readfirst.errors import NotRead, Stale, Unseen
from readfirst.sessions.coverage import Coverage
from readfirst.spans import Identity, LineChange, LineRange


@dataclass(frozen=True, slots=True)
class OwnChange:
    """The last change that the session made: the version it changed, and the lines it wrote or around which it cut."""

    before: Digest
    lines: LineRange


@dataclass(frozen=True, slots=True)
class FileRecord:
    """One version of one file as a session saw it; stored as one value.

    `content` is the version itself, kept to show a later difference; None when it is too large or was dropped.
    `own` is set while the version is the one that the session's last change left. `identity` finds the record of a file
    that is asked for by another of its names.
    """

    digest: Digest
    coverage: Coverage
    content: bytes | None = None
    own: OwnChange | None = None
    identity: Identity | None = None

    def of(self, identity: Identity | None) -> FileRecord:
        """Give this record as that of another inode: the version was written to a new file."""
        return FileRecord(self.digest, self.coverage, self.content, self.own, identity)

    def undone_by(self, digest: Digest) -> LineRange | None:
        """Give the lines of the session's last change if this version is the one before it: somebody took it back."""
        return self.own.lines if self.own is not None and self.own.before == digest else None


@dataclass(frozen=True, slots=True)
class Showing:
    """Lines of one version that a reply shows. They count when the reply has left."""

    digest: Digest
    lines: Coverage
    content: bytes | None = None
    identity: Identity | None = None


def after_showing(record: FileRecord | None, showing: Showing) -> FileRecord:
    """Add what a reply showed; of another version, it replaces what was seen before."""
    if record is None or record.digest != showing.digest:
        return FileRecord(showing.digest, showing.lines, showing.content, identity=showing.identity)
    content = record.content if record.content is not None else showing.content
    coverage = record.coverage.union(showing.lines)
    identity = showing.identity or record.identity
    if coverage is record.coverage and content is record.content and identity == record.identity:
        return record
    return FileRecord(record.digest, coverage, content, record.own, identity)


def after_edit(
    proof: FileRecord,
    digest: Digest,
    changes: Iterable[LineChange],
    content: bytes | None,
    own: OwnChange | None = None,
) -> FileRecord:
    """Move what was seen along with an own edit: untouched seen lines stay seen, written lines are seen (G4)."""
    return FileRecord(digest, proof.coverage.after(changes), content, own)


def after_write(
    digest: Digest, lines: LineRange | None, content: bytes | None, own: OwnChange | None = None
) -> FileRecord:
    """Record a whole text that the session sent (G4)."""
    return FileRecord(digest, Coverage.of([lines]), content, own)


def require_fresh(
    record: FileRecord | None, digest: Digest, path: str, *, version: str = "", lines: LineRange | None
) -> FileRecord:
    """Prove that the session saw the version on disk (G1, G2), or that the caller holds its version token.

    An empty file (`lines` is None) needs no read. A marked token also proves that every line was seen.

    Raises:
        NotRead: this session has not read the file.
        Stale: what it read, or what the token stands for, is another version.
    """
    if version:
        if not token_names(version, digest):
            raise Stale(path=path, by_version=True)
        seen = record.coverage if record is not None and record.digest == digest else Coverage()
        if version.startswith(WHOLE):
            seen = Coverage.of([lines])
        return FileRecord(digest, seen)
    if record is None:
        if lines is None:
            return FileRecord(digest, Coverage())
        raise NotRead(path=path)
    if record.digest != digest:
        raise Stale(path=path)
    return record


def require_seen(proof: FileRecord, wanted: Sequence[LineRange | None], path: str, *, total: int) -> Coverage:
    """Prove that every one of these lines was shown to the session (G3).

    Raises:
        Unseen: with the lines that were not.
    """
    missing = [gap for lines in wanted if lines is not None for gap in proof.coverage.missing(lines)]
    if missing:
        ranges = Coverage.of(missing).ranges
        raise Unseen(path=path, ranges=ranges, total=total, column=proof.coverage.next_column(ranges[0].first))
    return proof.coverage
