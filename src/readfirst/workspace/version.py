"""The version of a text file that a change starts from, and the proof that the session may change it.

(A room of its own: every use case that changes or removes text starts here.)
"""

from __future__ import annotations

from dataclasses import dataclass

from readfirst.content.codec import Document, decode, detect
from readfirst.content.digest import Digest, digest_of
from readfirst.content.lines import Lines
from readfirst.errors import ContentRefused, NotRead, Stale
from readfirst.filesystem.confined import ConfinedPath
from readfirst.filesystem.files import open_file
from readfirst.sessions.ledger import FileRecord, require_fresh
from readfirst.workspace.context import Session
from readfirst.workspace.teaching import Teacher, Wants


@dataclass(frozen=True, slots=True)
class Version:
    """The file as it is on disk now."""

    document: Document
    digest: Digest
    lines: Lines
    teacher: Teacher


def on_disk(session: Session, target: ConfinedPath, wants: Wants) -> Version:
    """Read the text file that is to be changed.

    Raises:
        PathRefused: not_a_file.
        ContentRefused: not_text, too_large.
    """
    with open_file(target) as file:
        data = file.read_all(session.workspace.settings.edit_bytes)
    encoding = detect(data, session.workspace.settings.fallback_encoding)
    if encoding is None:
        raise ContentRefused("not_text", target.given)
    return version_of(session, target, decode(data, encoding), wants)


def version_of(session: Session, target: ConfinedPath, document: Document, wants: Wants) -> Version:
    digest = digest_of(document.data)
    teacher = Teacher(session, target, document, digest, wants)
    return Version(document, digest, Lines(document.body, document.newline), teacher)


def digest_unless_large(session: Session, target: ConfinedPath) -> Digest | None:
    """Hash a file; None: it is larger than what can be edited."""
    with open_file(target) as file:
        small = file.signature().size <= session.workspace.settings.edit_bytes
        return file.digest() if small else None


def require_read(session: Session, target: ConfinedPath, now: Version, version: str) -> FileRecord:
    """Prove that this session read the version on disk, or that the caller holds its token (G1, G2).

    Raises:
        NotRead: it did not; a small file is shown.
        Stale: it read another version; the difference is shown when it is small.
        StoreUnavailable: nobody can tell.
    """
    record = session.record(target)
    try:
        return require_fresh(record, now.digest, target.given, version=version, lines=now.lines.all)
    except NotRead as refusal:
        raise now.teacher.not_read(refusal) from None
    except Stale as refusal:
        raise now.teacher.stale(refusal, record) from None
