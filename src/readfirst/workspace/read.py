"""Show a page of a text file, and remember exactly what was shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from readfirst.content.digest import version_token
from readfirst.content.lines import ChunkReader, Indexer, LineIndex, VersionMoved, index_of, reader_of
from readfirst.content.pages import Page, PageRequest, page_of
from readfirst.errors import ContentRefused, DiskRefused, NextCall, ReadfirstError, StoreUnavailable
from readfirst.filesystem.confined import ConfinedPath, require_existing
from readfirst.filesystem.files import OpenFile, open_file
from readfirst.sessions.ledger import FileRecord
from readfirst.spans import LineRange, range_of
from readfirst.workspace.context import Session

_TRIES: Final = 3


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """What to show: lines from `offset` on, or the first `head`, or the last `tail` lines.

    0 for a limit means the default; `max_chars` counts characters as sent.
    """

    offset: int = 1
    limit: int = 0
    head: int | None = None
    tail: int | None = None
    column: int = 1
    max_chars: int = 0
    numbered: bool = True


@dataclass(frozen=True, slots=True)
class ReadResult:
    """A page, and what it is a page of. `version` is empty when no text was shown."""

    path: str
    page: Page
    total: int
    version: str
    whole: bool
    encoding: str
    sure: bool
    changed: bool
    """The file is another version than the one this session saw before."""
    undone: LineRange | None
    """The session's last change, to these lines, was taken back."""
    respelled: bool = False
    """The name was found under another Unicode spelling; `path` has the real one."""


def read_page(session: Session, path: str, request: ReadRequest) -> ReadResult:
    """Show a page of a text file.

    Raises:
        ReadfirstError: the path, the kind of file or the place in it does not suit.
    """
    with session.workspace.roots.confine(path) as target:
        require_existing(target)
        with open_file(target) as file:
            for _ in range(_TRIES):
                index, read, content = indexed(session, target, file)
                try:
                    page = _page(session, path, index, read, request)
                except VersionMoved:
                    session.workspace.indexes.drop(target.path)
                    continue
                return _remembered(session, target, index, page, content)
    raise DiskRefused("busy", path)


def read_pages(session: Session, paths: Sequence[str], max_chars: int) -> list[ReadResult | ReadfirstError]:
    """Show the first page of several files, as they are; a failure stands in the place of its file.

    `max_chars` characters of text are shared out: what small files leave over goes to the larger ones.
    """
    found: dict[int, ReadResult | ReadfirstError] = {}
    by_size = sorted(range(len(paths)), key=lambda at: _size(session, paths[at]))
    for done, at in enumerate(by_size):
        share = max(max_chars // (len(paths) - done), 1)
        try:
            result = read_page(session, paths[at], ReadRequest(max_chars=share, numbered=False))
        except ReadfirstError as error:
            found[at] = error
        else:
            found[at] = result
            max_chars -= len(result.page.text)
    return [found[at] for at in range(len(paths))]


def _size(session: Session, path: str) -> int:
    """Give a file's size in bytes, for the order in which files are read; 0 for what cannot be read."""
    try:
        with session.workspace.roots.confine(path) as target:
            return target.stat.st_size if target.stat is not None else 0
    except ReadfirstError:
        return 0


def indexed(session: Session, target: ConfinedPath, file: OpenFile) -> tuple[LineIndex, ChunkReader, bytes | None]:
    """Index the file in one pass; a small one is held in memory, of a large one the index may be known already."""
    settings, indexes = session.workspace.settings, session.workspace.indexes
    signature = file.signature()
    if signature.size <= settings.kept_bytes_per_file:
        data = file.read_all(settings.edit_bytes)
        return index_of(data, settings.fallback_encoding), reader_of(data), data
    index = indexes.get(target.path, signature)
    if index is None:
        indexer = Indexer(settings.fallback_encoding)
        for chunk in file.chunks():
            indexer.feed(chunk)
        index = indexer.index()
        if file.signature() == signature:
            indexes.put(target.path, signature, index)
    return index, file.chunk, None


def _page(session: Session, path: str, index: LineIndex, read: ChunkReader, request: ReadRequest) -> Page:
    if index.encoding is None:
        small = index.size <= session.workspace.settings.media_bytes
        raise ContentRefused("not_text", path, next_calls=(NextCall("media", path),) if small else ())
    first, limit = _lines(session, path, index.line_count, request)
    if limit == 0:
        return Page("", None, None, None, 1)
    settings = session.workspace.settings
    max_chars = min(request.max_chars or settings.page_chars, settings.max_page_chars)
    page = page_of(index, read, PageRequest(first, limit, max_chars, request.column, request.numbered))
    if page.past_line_end:
        line = range_of(first, 1)
        raise ContentRefused("past_end", path, size=first, detail="column", next_calls=(NextCall("read", path, line),))
    return page


def _lines(session: Session, path: str, total: int, request: ReadRequest) -> tuple[int, int]:
    """Give the first line and how many at most."""
    limit = request.limit or session.workspace.settings.page_lines
    if request.head is not None:
        return 1, min(request.head, total)
    if request.tail is not None:
        return max(total - request.tail + 1, 1), min(request.tail, total)
    if request.offset > max(total, 1):
        last = range_of(max(total - limit + 1, 1), min(limit, total))
        raise ContentRefused("past_end", path, size=total, next_calls=(NextCall("read", path, last),))
    return request.offset, min(limit, total)


def record_if_any(session: Session, target: ConfinedPath) -> FileRecord | None:
    """Reading goes on when the store is down; only the note that the file changed is missing then."""
    try:
        return session.record(target)
    except StoreUnavailable:
        return None


def _remembered(
    session: Session, target: ConfinedPath, index: LineIndex, page: Page, content: bytes | None
) -> ReadResult:
    """Note what was shown. A line is seen when all its parts were shown; a read that shows no text at all is none."""
    assert index.encoding is not None  # noqa: S101 - such a file was refused
    before = record_if_any(session, target)
    showed = bool(page.lines) or index.line_count == 0
    whole = page.whole == range_of(1, index.line_count)
    if showed:
        session.show(target, index.digest, [page.whole], content, page.part)
    return ReadResult(
        path=target.given,
        page=page,
        total=index.line_count,
        version=version_token(index.digest, whole=whole) if showed else "",
        whole=whole,
        encoding=index.encoding.name + (" with BOM" if index.encoding.bom else ""),
        sure=index.encoding.sure,
        changed=before is not None and before.digest != index.digest,
        undone=before.undone_by(index.digest) if before is not None else None,
        respelled=target.respelled,
    )
