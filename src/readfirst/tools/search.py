"""Tools that look further than one directory, and say what they left out.

(A family of its own: `browse` looks at one object.)
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Final

from pydantic import Field

from readfirst.tools.spec import Args, Json, Reply, ToolSpec
from readfirst.tools.words import named
from readfirst.workspace.context import Session
from readfirst.workspace.search import LeftOut, Node, directory_tree, search_files

_CHARS_AROUND: Final = 500
"""Room for the closing notes."""

Excludes = Annotated[
    list[str],
    Field(
        alias="excludePatterns", default_factory=list[str], description="Globs to leave out, with all that is below."
    ),
]


class DirectoryTreeArgs(Args):
    path: Annotated[str, Field(description="Directory to show.")]
    exclude_patterns: Excludes
    depth: Annotated[Annotated[int, Field(ge=1, le=10_000)] | None, Field(description="Most levels to show.")] = None
    gitignore: Annotated[bool, Field(description="Leave out what git ignores.")] = True


class SearchFilesArgs(Args):
    path: Annotated[str, Field(description="Directory to search.")]
    pattern: Annotated[str, Field(description="Glob, as *.py, src/**/*.{ts,tsx}.")]
    exclude_patterns: Excludes
    gitignore: Annotated[bool, Field(description="Leave out what git ignores.")] = False


def _directory_tree(session: Session, args: DirectoryTreeArgs) -> Reply:
    tree = directory_tree(
        session, args.path, excludes=args.exclude_patterns, depth=args.depth, gitignore=args.gitignore
    )
    room = session.workspace.settings.reply_chars - _CHARS_AROUND
    text, cut = _fitted(tree.children, room)
    notes = [cut] if cut else []
    notes += notes_of(tree.left_out)
    facts: dict[str, Json] = {"path": tree.path, "entries": tree.left_out.visited, "complete": not notes}
    return Reply((text, *closing_of(notes)), facts)


def _search_files(session: Session, args: SearchFilesArgs) -> Reply:
    found = search_files(session, args.path, args.pattern, excludes=args.exclude_patterns, gitignore=args.gitignore)
    room = session.workspace.settings.reply_chars - _CHARS_AROUND
    rows: list[str] = []
    for path in found.paths:
        row = named(path)
        room -= len(row) + 1
        if room < 0:
            break
        rows.append(row)
    notes: list[str] = []
    if len(rows) < found.count:
        notes.append(f"{len(rows):,} of {found.count:,} matches are shown: narrow `path` or `pattern`")
    notes += notes_of(found.left_out)
    facts: dict[str, Json] = {"path": found.path, "matches": found.count, "complete": not notes}
    return Reply(("\n".join(rows) if rows else "No matches found.", *closing_of(notes)), facts)


def notes_of(left_out: LeftOut) -> list[str]:
    """Say what the server left out of its own accord, with the argument that shows it."""
    notes: list[str] = []
    if left_out.stopped == "entries":
        notes.append(f"stopped after {left_out.visited:,} entries: narrow `path`")
    if left_out.stopped == "time":
        notes.append(f"the time was over after {left_out.visited:,} entries: narrow `path`")
    if left_out.ignored:
        entries = "1 entry" if left_out.ignored == 1 else f"{left_out.ignored:,} entries"
        notes.append(f"{entries} ignored by git left out: gitignore=false shows them")
    if left_out.unreadable:
        folders = "1 directory" if left_out.unreadable == 1 else f"{left_out.unreadable:,} directories"
        notes.append(f"{folders} could not be read")
    return notes


def closing_of(notes: Sequence[str]) -> tuple[str, ...]:
    return (f"[{'; '.join(notes)}]",) if notes else ()


def _fitted(children: list[Node], room: int) -> tuple[str, str]:
    """Write a tree, as deep as it fits, and say what was cut."""
    text = tree_json(children, room, None)
    if text is not None:
        return text, ""
    depth, best = 0, "[]"
    while (deeper := tree_json(children, room, depth + 1)) is not None:
        depth, best = depth + 1, deeper
    if depth:
        return best, f"too long: levels below {depth} are left out; ask for a directory in it, or exclude more"
    shown = len(children)
    while (text := tree_json(children[:shown], room, 1)) is None:
        shown //= 2
    return text, f"too long: {shown:,} of {len(children):,} entries are shown, without what is in them"


def tree_json(children: list[Node], room: int, depth: int | None) -> str | None:
    """Write entries as JSON with two blanks a level, down to `depth` levels; None: it takes more than `room`.

    Without recursion, and it stops as soon as it is too long: trees may be deeper than the stack, or have a million
    lines.
    """
    rows, stack = ["["], [iter(children)]
    room -= len(rows[0])
    first = True
    while stack:
        node = next(stack[-1], None)
        inset = "    " * (len(stack) - 1)
        if node is None:
            stack.pop()
            row = "]" if first else f"\n{inset}]"
            if stack:
                row += f"\n{inset[2:]}}}"
            first = False
        else:
            kind = "file" if node.kind == "other" else node.kind
            row = f'{"" if first else ","}\n{inset}  {{\n{inset}    "name": {json.dumps(node.name, ensure_ascii=False)}'
            row += f',\n{inset}    "type": "{kind}"'
            first = node.children is not None and (depth is None or len(stack) < depth)
            if first:
                row += f',\n{inset}    "children": ['
                stack.append(iter(node.children or ()))
            else:
                row += f"\n{inset}  }}"
        rows.append(row)
        room -= len(row)
        if room < 0:
            return None
    return "".join(rows)


DIRECTORY_TREE = ToolSpec(
    name="directory_tree",
    title="Show a directory tree",
    description="Show what is below a directory as JSON: name, type, and children of directories that were read.",
    args=DirectoryTreeArgs,
    run=_directory_tree,
    read_only=True,
    idempotent=True,
    destructive=False,
)

SEARCH_FILES = ToolSpec(
    name="search_files",
    title="Find files by name",
    description=(
        "Find files and directories whose path below `path` matches a glob. A pattern without / is looked for at any "
        "depth. Returns sorted full paths."
    ),
    args=SearchFilesArgs,
    run=_search_files,
    read_only=True,
    idempotent=True,
    destructive=False,
)
