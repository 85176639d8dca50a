"""Find lines in the files below a directory. What is shown counts as seen, at the version that was searched."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from readfirst.content.codec import Document, decode, detect
from readfirst.content.digest import digest_of
from readfirst.content.grep import BadPattern, Pattern, lines_matching, pattern_of
from readfirst.content.lines import Lines
from readfirst.errors import ArgumentRefused, ReadfirstError
from readfirst.filesystem.files import OpenFile
from readfirst.filesystem.globs import pattern_of as glob_of
from readfirst.filesystem.names import escaped
from readfirst.filesystem.walk import Folder
from readfirst.spans import Identity, LineRange, merged
from readfirst.workspace.context import Session
from readfirst.workspace.search import LeftOut, Look, left_out_by, walked

LONG_LINE: Final = 500
"""Characters; of a longer line only that much is shown, and it does not count as seen."""
_MOST_CHARS: Final = 1_000


@dataclass(frozen=True, slots=True)
class ContentQuery:
    """What to look for: a literal text, or a regular expression, in files whose path matches `glob` if there is one."""

    pattern: str
    regex: bool = False
    glob: str = ""
    ignore_case: bool = False
    context: int = 0
    max_matches: int = 100
    gitignore: bool = True


@dataclass(frozen=True, slots=True)
class Row:
    """One line that is shown, its start if it is a long one; `hit` tells a match from what stands around it."""

    number: int
    text: str
    hit: bool
    whole: bool


@dataclass(frozen=True, slots=True)
class FileHits:
    path: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class ContentMatches:
    """Lines by file; `more`: there are more than were asked for or fit; `unread`: files that could not be read."""

    files: list[FileHits]
    count: int
    more: bool
    unread: int
    left_out: LeftOut


def search_content(session: Session, path: str, query: ContentQuery) -> ContentMatches:
    """Find lines; binary files are passed over.

    Raises:
        ReadfirstError: a pattern or the path is refused, or the directory cannot be read.
    """
    pattern = _pattern(path, query)
    glob = glob_of(query.glob) if query.glob else None
    found = _Found(session, query, session.workspace.settings.reply_chars)
    with walked(session, path, Look(glob, (), query.gitignore, None)) as (real, walk):
        for folder in walk:
            above = "/".join((real.rstrip("/"), *map(escaped, folder.parts)))
            for entry in folder.entries:
                if entry.kind == "file" and not found.more:
                    found.look(folder, entry.name, f"{above}/{escaped(entry.name)}", pattern)
            if found.more:
                break
        return ContentMatches(found.files, found.count, found.more, found.unread, left_out_by(walk))


def _pattern(path: str, query: ContentQuery) -> Pattern:
    if not 1 <= len(query.pattern) <= _MOST_CHARS:
        raise ArgumentRefused(path=path, detail=f"`pattern` takes 1 to {_MOST_CHARS} characters")
    try:
        return pattern_of(query.pattern, regex=query.regex, ignore_case=query.ignore_case)
    except BadPattern as error:
        raise ArgumentRefused(path=path, detail=f"`pattern` is no regular expression of RE2: {error}") from None


class _Found:
    """What was found so far, and the room that is left."""

    def __init__(self, session: Session, query: ContentQuery, room: int) -> None:
        self._session = session
        self._query = query
        self._room = room
        self.files: list[FileHits] = []
        self.count = self.unread = 0
        self.more = False

    def look(self, folder: Folder, name: str, path: str, pattern: Pattern) -> None:
        """Search one file."""
        try:
            file = folder.open(name)
            if file is None:
                return
            with file:
                self._search(file, path, pattern)
        except (OSError, ReadfirstError):
            self.unread += 1

    def _search(self, file: OpenFile, path: str, pattern: Pattern) -> None:
        settings = self._session.workspace.settings
        signature, data = file.signature(), file.read_all(settings.edit_bytes)
        encoding = detect(data, settings.fallback_encoding)
        if encoding is None:
            return
        document = decode(data, encoding)
        left = self._query.max_matches - self.count
        hits = list(islice(lines_matching(document, pattern), left + 1))
        self.more = len(hits) > left
        rows = tuple(_rows(document, hits[:left], self._query.context))
        self._room -= sum(len(row.text) + len(str(row.number)) + 2 for row in rows) + len(path) + 2
        if self._room < 0:
            self.more = True
        elif rows:
            self.count += sum(row.hit for row in rows)
            self.files.append(FileHits(path, rows))
            whole = [LineRange(row.number, row.number) for row in rows if row.whole]
            self._show(path, Identity(signature.device, signature.inode), data, merged(whole))

    def _show(self, path: str, identity: Identity, data: bytes, lines: Sequence[LineRange]) -> None:
        """Note the lines as seen, if the path still leads to the file that was searched."""
        with self._session.workspace.roots.confine(path, follow=False) as target:
            if target.identity == identity:
                self._session.show(target, digest_of(data), lines, data)


def _rows(document: Document, hits: list[int], context: int) -> Iterator[Row]:
    lines = Lines(document.body, document.newline)
    total = lines.count
    around = [LineRange(max(hit - context, 1), min(hit + context, total)) for hit in hits]
    wanted = set(hits)
    for shown in merged(around):
        for number in range(shown.first, shown.last + 1):
            text = document.shown(lines.slice(LineRange(number, number))).rstrip("\r\n")
            yield Row(number, text[:LONG_LINE], number in wanted, len(text) <= LONG_LINE)
