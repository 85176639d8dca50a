"""The tree of failures. Each has a stable `code`, its facts, and the next call that would work.

    ReadfirstError
    |- PathRefused       invalid_path  outside  denied  not_found  not_a_file  not_a_directory  too_many_links
    |                    name_too_long
    |- ContentRefused    not_text  too_large  past_end  not_encodable
    |- GuardRefused
    |  |- NotRead        not_read
    |  |- Stale          stale
    |  `- Unseen         unseen
    |- UndoRefused       nothing_to_undo  changed_since  not_kept
    |- EditsRefused      no_match  ambiguous  no_change  empty_old  overlap (the code of its first failure)
    |- DiskRefused       permission  exists  busy  no_space  linked  not_empty  cross_device  io_error
    |- StoreUnavailable  store_unavailable
    `- ArgumentRefused   invalid_argument

No sentences stand here: `tools.refusals` words them in the names of the tools in force.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from readfirst.spans import LineRange

Code = Literal[
    "invalid_path",
    "outside",
    "denied",
    "not_found",
    "not_a_file",
    "not_a_directory",
    "too_many_links",
    "name_too_long",
    "not_text",
    "too_large",
    "past_end",
    "not_encodable",
    "not_read",
    "stale",
    "unseen",
    "nothing_to_undo",
    "changed_since",
    "not_kept",
    "no_match",
    "ambiguous",
    "no_change",
    "empty_old",
    "overlap",
    "permission",
    "exists",
    "busy",
    "no_space",
    "linked",
    "not_empty",
    "cross_device",
    "io_error",
    "store_unavailable",
    "invalid_argument",
]


@dataclass(frozen=True, slots=True)
class NextCall:
    """The call that would succeed where this one was refused; `tools` gives it the name in force."""

    action: Literal["read", "edit", "write", "delete", "undo", "info", "media", "list_roots"]
    path: str = ""
    lines: LineRange | None = None
    max_chars: int = 0
    """Characters that a read must ask for to show as much as it can of its first line; 0: the default will do."""
    column: int = 1
    """The character of its first line at which a read starts."""
    cut: bool = False
    """The first line is longer than any read shows: one read shows a part of it."""


@dataclass(eq=False)
class ReadfirstError(Exception):
    """What ends a request. `path` is the path as the caller gave it."""

    code: Code
    path: str
    next_calls: tuple[NextCall, ...] = field(default=(), kw_only=True)

    def __str__(self) -> str:
        return f"{self.code}: {self.path}"


@dataclass(eq=False)
class PathRefused(ReadfirstError):
    """The path names nothing that can be used. `similar` are names in the same directory that it may have meant."""

    similar: tuple[str, ...] = field(default=(), kw_only=True)
    roots: tuple[str, ...] = field(default=(), kw_only=True)
    detail: str = field(default="", kw_only=True)


@dataclass(eq=False)
class ContentRefused(ReadfirstError):
    """The file's content does not suit the call. `size` is in the unit the code speaks of: lines, bytes."""

    size: int = field(default=0, kw_only=True)
    limit: int = field(default=0, kw_only=True)
    detail: str = field(default="", kw_only=True)


class GuardRefused(ReadfirstError):
    """A guarantee forbids the change; nothing was written."""


@dataclass(eq=False)
class NotRead(GuardRefused):
    """G1: this session has not read the file. `shown` is the whole of a small file, which counts as read."""

    code: Code = field(default="not_read", init=False)
    shown: str | None = field(default=None, kw_only=True)


@dataclass(eq=False)
class Stale(GuardRefused):
    """G2: the bytes are not those the session read.

    `diff` shows what changed, when the whole of it fits; else `changed` are the lines to read, and when the old
    content is no longer kept it is empty: nobody knows.
    """

    code: Code = field(default="stale", init=False)
    diff: str | None = field(default=None, kw_only=True)
    changed: tuple[LineRange, ...] = field(default=(), kw_only=True)
    undone: LineRange | None = field(default=None, kw_only=True)
    """The session's last change, to these lines, was taken back: the file is what it was before."""
    by_version: bool = field(default=False, kw_only=True)
    during: bool = field(default=False, kw_only=True)


@dataclass(eq=False)
class Unseen(GuardRefused):
    """G3: these lines would change and were never shown to this session. `shown` holds them when they are few."""

    code: Code = field(default="unseen", init=False)
    ranges: tuple[LineRange, ...] = field(default=(), kw_only=True)
    total: int = field(default=0, kw_only=True)
    column: int = field(default=1, kw_only=True)
    """The first character of the first of them that was not shown: more than 1 when its start was."""
    shown: str | None = field(default=None, kw_only=True)


@dataclass(eq=False)
class UndoRefused(ReadfirstError):
    """The session's last change of a file cannot be taken back; nothing was written.

    `forgotten` changes of it are too old to be told; `later` is a path under which the file was changed after it.
    """

    forgotten: int = field(default=0, kw_only=True)
    later: str = field(default="", kw_only=True)


@dataclass(frozen=True, slots=True)
class ClosestLines:
    """The lines of the file most like a text that was not found.

    `first_difference` is (line of the file, that line, the line that was sent).
    """

    lines: LineRange
    text: tuple[str, ...]
    score: float
    first_difference: tuple[int, str, str] | None
    cause: str = ""
    whole: bool = True
    """False: a line was cut for length."""


@dataclass(frozen=True, slots=True)
class EditFailure:
    """Why one edit of a call cannot be done. `index` is 0-based; `places` are lines where its text stands."""

    index: int
    code: Code
    places: tuple[LineRange, ...] = ()
    place_count: int = 0
    other: int | None = None
    """The edit that it overlaps."""
    closest: ClosestLines | None = None
    detail: str = ""
    searched: bool = True
    """False: the refusal has no room left for the lines closest to this one."""


@dataclass(eq=False)
class EditsRefused(ReadfirstError):
    """At least one edit of the call cannot be done, so none was."""

    failures: tuple[EditFailure, ...] = field(default=(), kw_only=True)
    edit_count: int = field(default=1, kw_only=True)


@dataclass(eq=False)
class DiskRefused(ReadfirstError):
    """The filesystem does not do what was asked; the old content is intact."""

    detail: str = field(default="", kw_only=True)


@dataclass(eq=False)
class StoreUnavailable(ReadfirstError):
    """The records of the sessions cannot be reached, so no guard can prove anything. `path` names the store."""

    code: Code = field(default="store_unavailable", init=False)
    detail: str = field(default="", kw_only=True)


@dataclass(eq=False)
class ArgumentRefused(ReadfirstError):
    """The arguments do not fit. `detail` says which and how."""

    code: Code = field(default="invalid_argument", init=False)
    detail: str = field(default="", kw_only=True)
