r"""Unified diffs that `git apply` takes, rendered around known regions and bounded.

Law: a diff that `applies`, applied to before, gives after. It does not apply when it was shortened, when a byte could
not be shown as it is, when git would not read the file as text, or when lines end in `\r` alone; it says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from readfirst.content.codec import Document
from readfirst.content.lines import Lines, split_lines
from readfirst.content.regions import Region, common_prefix
from readfirst.spans import LineRange, merged, range_of

CONTEXT_LINES: Final = 3
LONG_LINE: Final = 1_000
"""Characters; a longer line is shown in part."""
_LEAD_BYTES: Final = 200
"""Of a long line shown in part, how much before the change."""


@dataclass(frozen=True, slots=True)
class Diff:
    """A unified diff; `complete` says that nothing is left out.

    `shown_before` and `shown_after` are the lines of the old and of the new text that it shows whole.
    """

    text: str
    shown_before: tuple[LineRange, ...]
    shown_after: tuple[LineRange, ...]
    complete: bool
    applies: bool


@dataclass(frozen=True, slots=True)
class DiffLimit:
    lines: int
    chars: int


@dataclass(frozen=True, slots=True)
class _Row:
    mark: str
    text: str
    """The line without its line feed; a carriage return before it stays."""
    old_line: int | None
    new_line: int | None
    """Its numbers in the two texts."""
    whole: bool
    no_line_feed: bool


def unified_diff(before: Document, after: Document, regions: tuple[Region, ...], name: str, limit: DiffLimit) -> Diff:
    """Render the regions in which `before` became `after`, `name` being the path relative to its root."""
    old, new = Lines(before.body, before.newline), Lines(after.body, after.newline)
    plain = after.encoding.unit == 1 and b"\r" not in {old.newline, new.newline}
    # Of a file that holds but its byte order mark, git would leave nothing.
    plain = plain and bool(after.body or not after.encoding.bom)
    renderer = _Renderer(before, after, old, new)
    out = [f"--- {_quoted(f'a/{name}')}", f"+++ {_quoted(f'b/{name}')}"]
    shown_before: list[LineRange] = []
    shown_after: list[LineRange] = []
    room, rows_left = limit.chars, limit.lines
    complete = True
    for whole_hunk in _hunks(regions):
        if not complete:
            break
        hunk = _within(whole_hunk, rows_left)
        complete = len(hunk) == len(whole_hunk)
        if not hunk:
            break
        header, rows = renderer.hunk(hunk, whole_hunk[len(hunk) :])
        text = [header, *(_printed(rows))]
        size = sum(map(len, text)) + len(text)
        if len(rows) > rows_left or size > room:
            complete = False
            break
        out += text
        room, rows_left = room - size, rows_left - len(rows)
        complete = complete and all(row.whole for row in rows)
        shown_before += [LineRange(row.old_line, row.old_line) for row in rows if row.old_line and row.whole]
        shown_after += [LineRange(row.new_line, row.new_line) for row in rows if row.new_line and row.whole]
    applies = complete and plain and not renderer.replaced
    return Diff("\n".join(out), merged(shown_before), merged(shown_after), complete, applies)


def renamed(diff: Diff, *, old: str | None) -> Diff:
    """Give a diff whose first name is another one; None: there was no file."""
    _, _, rest = diff.text.partition("\n")
    name = "/dev/null" if old is None else _quoted(f"a/{old}")
    return replace(diff, text=f"--- {name}\n{rest}")


def _hunks(regions: tuple[Region, ...]) -> Iterator[tuple[Region, ...]]:
    """Group regions whose contexts touch."""
    group: list[Region] = []
    for region in regions:
        if group and region.old_line - (group[-1].old_line + group[-1].removed) > 2 * CONTEXT_LINES:
            yield tuple(group)
            group = []
        group.append(region)
    if group:
        yield tuple(group)


def _within(hunk: tuple[Region, ...], rows: int) -> tuple[Region, ...]:
    """Give as many of a hunk's first regions as may fit on this many rows, so that no more are rendered."""
    for at, region in enumerate(hunk):
        rows -= region.removed + region.added
        if rows < 0:
            return hunk[:at]
    return hunk


class _Renderer:
    """Turns groups of regions into rows; remembers whether any byte could not be shown as it is."""

    def __init__(self, before: Document, after: Document, old: Lines, new: Lines) -> None:
        self._before, self._after = before, after
        self._old, self._new = old, new
        self.replaced = False

    def hunk(self, regions: tuple[Region, ...], left_out: tuple[Region, ...]) -> tuple[str, list[_Row]]:
        """Render regions; the context ends where the first that is left out begins: its new lines are no context."""
        first = regions[0]
        stop = left_out[0].new[0] if left_out else len(self._new.body)
        lead = self._lines_before(first.new[0])
        old_start, new_start = first.old_line - len(lead), first.new_line - len(lead)
        rows = list(self._context(lead, old_start, new_start))
        for region, following in zip(regions, (*regions[1:], None), strict=True):
            rows += self._changed(region)
            end = region.new[1]
            between = self._lines_after(end, stop) if following is None else self._lines_until(end, following.new[0])
            rows += self._context(between, region.old_line + region.removed, region.new_line + region.added)
        removed = sum(row.old_line is not None for row in rows)
        added = sum(row.new_line is not None for row in rows)
        return f"@@ -{_place(old_start, removed)} +{_place(new_start, added)} @@", rows

    def _lines_until(self, start: int, end: int) -> list[bytes]:
        return split_lines(self._new.body[start:end], self._new.newline)

    def _lines_before(self, position: int) -> list[bytes]:
        start = position
        for _ in range(CONTEXT_LINES):
            if start > 0:
                start = self._new.start_at(start - 1)
        return split_lines(self._new.body[start:position], self._new.newline)

    def _lines_after(self, position: int, stop: int) -> list[bytes]:
        end = position
        for _ in range(CONTEXT_LINES):
            if end < stop:
                end = self._new.end_at(end)
        return split_lines(self._new.body[position:end], self._new.newline)

    def _context(self, lines: Iterable[bytes], old_line: int, new_line: int) -> Iterator[_Row]:
        for at, line in enumerate(lines):
            old, new = old_line + at, new_line + at
            if self._after.encoding.bom and (old == 1) != (new == 1):
                # The byte order mark stands before the first line, whichever that is: to git, this line changes.
                yield self._row("-", self._before, line, old, None)
                yield self._row("+", self._after, line, None, new)
            else:
                yield self._row(" ", self._after, line, old, new)

    def _changed(self, region: Region) -> Iterator[_Row]:
        old, new = self._old.body[slice(*region.old)], self._new.body[slice(*region.new)]
        # Of a line that is too long to show, the part around the change.
        focus = common_prefix(old, new) - _LEAD_BYTES if region.removed == region.added == 1 else 0
        for number, line in enumerate(split_lines(old, self._old.newline), region.old_line):
            yield self._row("-", self._before, line, number, None, focus)
        for number, line in enumerate(split_lines(new, self._new.newline), region.new_line):
            yield self._row("+", self._after, line, None, number, focus)

    def _row(
        self, mark: str, document: Document, line: bytes, old_line: int | None, new_line: int | None, focus: int = 0
    ) -> _Row:
        bare = line.removesuffix(document.newline)
        whole = len(bare) <= LONG_LINE or (len(bare) <= LONG_LINE * 4 and len(document.shown(bare)) <= LONG_LINE)
        text = document.shown(bare) if whole else _part(document, bare, max(focus, 0))
        if whole and not text.isascii():
            utf_8 = document.encoding.sure and not document.encoding.transcoded
            self.replaced = self.replaced or not utf_8 or text.encode() != bare
        if 1 in {old_line, new_line} and document.encoding.bom:
            text = "\ufeff" + text
        return _Row(mark, text, old_line, new_line, whole, bare == line)


def _part(document: Document, line: bytes, start: int) -> str:
    """Show a part of a long line from about byte `start` on."""
    while start and line[start] & 0xC0 == 0x80:  # noqa: PLR2004 - not the first byte of a character
        start -= 1
    text = document.shown(line[start : start + LONG_LINE * 4])
    before = "[...] " if start else ""
    return f"{before}{text[:LONG_LINE]} [... the line goes on]"


def _printed(rows: list[_Row]) -> Iterator[str]:
    for row in rows:
        yield row.mark + row.text
        if row.no_line_feed:
            yield "\\ No newline at end of file"


def _place(first: int, count: int) -> str:
    """Write a hunk's place: the line before it when it holds no lines, and no count when it holds one."""
    if count == 0:
        return f"{first - 1},0"
    return f"{first}" if count == 1 else f"{first},{count}"


_ESCAPES: Final = {"\a": "a", "\b": "b", "\t": "t", "\n": "n", "\v": "v", "\f": "f", "\r": "r", '"': '"', "\\": "\\"}


def _quoted(name: str) -> str:
    """Quote a file name as git does; a name with blanks ends in a tab, so that nothing after it is taken for it."""
    if any(char in _ESCAPES or char < " " for char in name):
        escaped = "".join(
            f"\\{_ESCAPES[char]}" if char in _ESCAPES else f"\\{ord(char):03o}" if char < " " else char for char in name
        )
        return f'"{escaped}"'
    return f"{name}\t" if " " in name else name


def lines_of(regions: Iterable[Region], line_count: int) -> tuple[LineRange, ...]:
    """Give the lines of the new text that changed; where lines only went, the lines around the gap."""
    ranges: list[LineRange] = []
    for region in regions:
        lines = region.new_lines or range_of(max(region.new_line - 1, 1), min(2, line_count))
        if lines is not None:
            ranges.append(LineRange(lines.first, max(lines.first, min(lines.last, max(line_count, 1)))))
    return merged(ranges)
