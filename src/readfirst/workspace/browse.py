"""Look at what is there, without its text: what a directory holds, and what a file is.

Nothing here counts as reading; only of a binary file the look at its facts is what a deletion needs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from readfirst.content.codec import text_decoder
from readfirst.content.encodings import Encoding
from readfirst.content.lines import LineIndex
from readfirst.errors import DiskRefused, ReadfirstError, StoreUnavailable
from readfirst.filesystem.confined import ConfinedPath, require_existing
from readfirst.filesystem.entries import Entry, Kind, entries_in, kind_of, link_target
from readfirst.filesystem.files import OpenFile, open_file
from readfirst.filesystem.names import escaped
from readfirst.filesystem.syscalls import birth_time_s
from readfirst.sessions.ledger import FileRecord
from readfirst.workspace.context import Session
from readfirst.workspace.read import indexed


@dataclass(frozen=True, slots=True)
class Content:
    """What a regular file holds; `encoding` is empty when it is no text."""

    encoding: str
    newline: str
    lines: int
    mixed: bool


@dataclass(frozen=True, slots=True)
class SessionView:
    """What this session has seen of a file."""

    state: Literal["unread", "fresh", "stale", "unknown", "unreadable"]
    seen: int = 0


@dataclass(frozen=True, slots=True)
class FileInfo:
    """Facts of one object; times in seconds since the epoch. `content` is None when it was not looked at."""

    path: str
    kind: Kind
    size: int
    created_s: float | None
    modified_s: float
    accessed_s: float
    mode: int
    hard_links: int
    link_target: str | None
    content: Content | None
    view: SessionView | None
    respelled: bool


def list_directory(session: Session, path: str, *, sized: bool = False) -> list[Entry]:
    """List a directory, sorted; a link says where it leads when that is inside. With `sized`, files have sizes.

    Raises:
        ReadfirstError: it is no directory, or cannot be read.
    """
    with session.workspace.roots.confine(path) as target:
        require_existing(target)
        below, is_private = target.path.rstrip("/"), session.workspace.roots.is_private
        named = [(f"{below}/{escaped(entry.name)}", entry) for entry in entries_in(target, sized=sized)]
        return [_told(session, path, entry, sized=sized) for path, entry in named if not is_private(path)]


def _told(session: Session, path: str, entry: Entry, *, sized: bool) -> Entry:
    if entry.kind != "link":
        return replace(entry, name=escaped(entry.name))
    try:
        with session.workspace.roots.confine(path) as found:
            size = found.stat.st_size if sized and found.stat is not None and found.is_file else None
            return Entry(escaped(entry.name), "link", escaped(entry.target), size)
    except ReadfirstError:
        return Entry(escaped(entry.name), "link")


def _inside(session: Session, path: str) -> bool:
    try:
        with session.workspace.roots.confine(path):
            return True
    except ReadfirstError:
        return False


def get_file_info(session: Session, path: str) -> FileInfo:
    """Tell what a path leads to, and what this session has seen of it.

    Raises:
        ReadfirstError: nothing is there, or it lies outside.
    """
    says = _link(session, path)
    with session.workspace.roots.confine(path) as found:
        dangling = found.fd is None and says is not None
    with session.workspace.roots.confine(path, follow=not dangling) as target:
        require_existing(target)
        status = target.stat
        assert status is not None and target.fd is not None  # noqa: PT018, S101 - it exists
        content, view = _content(session, target) if target.is_file else (None, None)
        return FileInfo(
            path=target.given,
            kind=kind_of(status.st_mode),
            size=status.st_size,
            created_s=birth_time_s(target.fd),
            modified_s=status.st_mtime,
            accessed_s=status.st_atime,
            mode=status.st_mode,
            hard_links=status.st_nlink,
            link_target=says,
            content=content,
            view=view,
            respelled=target.respelled,
        )


def _link(session: Session, path: str) -> str | None:
    """Give what a link says, if the path names one and that is inside."""
    with session.workspace.roots.confine(path, follow=False) as target:
        return escaped(link_target(target)) if target.is_link and _inside(session, path) else None


def _content(session: Session, target: ConfinedPath) -> tuple[Content | None, SessionView]:
    assert target.stat is not None  # noqa: S101 - it exists
    if target.stat.st_size > session.workspace.settings.edit_bytes:
        return None, SessionView("unknown")
    try:
        file = open_file(target)
    except DiskRefused:
        return None, SessionView("unreadable")
    with file:
        index, _, _ = indexed(session, target, file)
        content = _facts(index, file)
    try:
        record = session.record(target)
    except StoreUnavailable:
        return content, SessionView("unknown")
    if index.encoding is None:
        session.show(target, index.digest, (), None)
    return content, _view(record, index)


def _facts(index: LineIndex, file: OpenFile) -> Content:
    if index.encoding is None:
        return Content("", "", 0, mixed=False)
    name = index.encoding.name + (" with BOM" if index.encoding.bom else "")
    feeds, pairs = _breaks(index.encoding, file)
    newline = "\r\n" if pairs and pairs == feeds else "\n" if feeds else "\r" if index.newline == "\r" else ""
    return Content(name, newline, index.line_count, mixed=0 < pairs < feeds)


def _breaks(encoding: Encoding, file: OpenFile) -> tuple[int, int]:
    """Count the line feeds, and those after a carriage return."""
    decoder = text_decoder(encoding)
    feeds = pairs = 0
    last = ""
    for chunk in file.chunks():
        text = last + decoder.decode(chunk)
        feeds += text.count("\n", len(last))
        pairs += text.count("\r\n")
        last = "\r" if text.endswith("\r") else ""
    return feeds, pairs


def _view(record: FileRecord | None, index: LineIndex) -> SessionView:
    if record is None:
        return SessionView("unread")
    if record.digest != index.digest:
        return SessionView("stale")
    return SessionView("fresh", record.coverage.count)
