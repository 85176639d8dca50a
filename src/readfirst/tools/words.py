"""Words shared by replies and refusals: calls in the names of the tools in force, quoted text, counted things."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from readfirst.errors import NextCall
from readfirst.settings import Settings
from readfirst.spans import LineRange

NOT_DURABLE: Final = "written, but its durability could not be confirmed"
NOT_UNDOABLE: Final = "this cannot be taken back: the old state could not be kept"
DIFF_CUT: Final = "[the diff is cut; it does not apply]"
DIFF_TO_READ: Final = "[the diff is for reading; git apply does not take it]"
ENDINGS: Final = {"\n": "LF", "\r\n": "CRLF", "\r": "CR"}
_VISIBLE: Final = {
    "\t": "→",
    "\u00a0": "⍽",
    "\r": "\\r",
    "\u200b": "\\u200b",
    "\u2018": "\\u2018",
    "\u2019": "\\u2019",
    "\u201c": "\\u201c",
    "\u201d": "\\u201d",
    "\u2013": "\\u2013",
    "\u2014": "\\u2014",
}


@dataclass(frozen=True, slots=True)
class Names:
    """The names under which the calls that hints speak of are offered; empty: there is no such call."""

    read: str = "read_file"
    edit: str = "edit_file"
    write: str = "write_file"
    delete: str = "delete_file"
    undo: str = "undo_edit"
    info: str = "get_file_info"
    media: str = "read_media_file"
    """Empty where the profile has none."""
    list_roots: str = "list_allowed_directories"
    changed_path: str = "path"
    """The argument that names the file to `edit` or `write`."""
    old: str = "oldText"
    new: str = "newText"
    replace_all: str = "replaceAll"
    column: str = "column"
    """The argument with which `read` goes on inside a line."""


_FULL: Final = Names()
_EDITOR: Final = Names(
    read="read",
    edit="edit",
    write="write",
    delete="",
    undo="",
    info="",
    media="",
    list_roots="",
    changed_path="filePath",
    old="oldString",
    new="newString",
    replace_all="",
    column="",
)


def names_in_force(settings: Settings) -> Names:
    """Give the names of the calls that a server with these settings offers."""
    names = _EDITOR if settings.profile == "editor" else _FULL
    return replace(names, edit="", write="", delete="", undo="") if settings.read_only else names


def call(names: Names, tool: str, path: str, **arguments: int) -> str:
    """Write a call as a model would make it."""
    rest = "".join(f", {name}={value}" for name, value in arguments.items())
    argument = names.changed_path if tool in {"edit", "write"} else "path"
    return f"{getattr(names, tool)}({argument}={quoted(path)}{rest})"


def next_call(names: Names, wanted: NextCall) -> str:
    if wanted.action == "list_roots":
        return f"{names.list_roots}()"
    if wanted.action == "read" and wanted.lines is not None:
        column = {names.column: wanted.column} if wanted.column > 1 else {}
        size = {"maxChars": wanted.max_chars} if wanted.max_chars else {}
        first, count = wanted.lines.first, wanted.lines.count
        return call(names, "read", wanted.path, offset=first, **column, limit=count, **size)
    return call(names, wanted.action, wanted.path)


def quoted(text: str) -> str:
    """Quote so that a control character cannot act and a half character cannot travel."""
    return printable(json.dumps(text, ensure_ascii=False))


def named(name: str) -> str:
    """Write a file name: as it is, or quoted when it holds what a line of a list cannot show."""
    return name if name.isprintable() and name == name.strip() else quoted(name)


def printable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def visible(line: str, limit: int = 200) -> str:
    """Quote a line so that tabs, trailing blanks, no-break spaces and curly quotes can be told apart."""
    cut = line if len(line) <= limit else f"{line[:limit]}…"
    shown = "".join(_VISIBLE.get(char, char) for char in cut)
    stripped = shown.rstrip(" ")
    return f"«{stripped}{'·' * (len(shown) - len(stripped))}»"


def counted(number: int, thing: str) -> str:
    """Write a number with its thing: 1 line, 2 lines."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def lines_named(ranges: Sequence[LineRange], limit: int = 8) -> str:
    """Write ranges of lines, the first few of them when there are many."""
    names = ", ".join(str(lines) for lines in ranges[:limit])
    more = f" and {len(ranges) - limit} more ranges" if len(ranges) > limit else ""
    one = len(ranges) == 1 and ranges[0].count == 1
    return f"line {names}" if one else f"lines {names}{more}"
