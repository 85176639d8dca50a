"""The tool that looks into files."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from readfirst.tools.search import closing_of, notes_of
from readfirst.tools.spec import Args, Json, Reply, ToolSpec
from readfirst.tools.words import counted, named
from readfirst.workspace.context import Session
from readfirst.workspace.grep import ContentQuery, FileHits, Row, search_content

_DEFAULTS = ContentQuery("")


class SearchContentArgs(Args):
    path: Annotated[str, Field(description="Directory to search.")]
    pattern: Annotated[str, Field(description="Text to find in a line.")]
    regex: Annotated[bool, Field(description="Take it as a regular expression (RE2).")] = False
    glob: Annotated[str, Field(description="Only files whose path matches, as *.py.")] = ""
    ignore_case: Annotated[bool, Field(alias="ignoreCase", description="Ignore case.")] = False
    context: Annotated[int, Field(ge=0, le=50, description="Lines to show around each match.")] = 0
    max_matches: Annotated[int, Field(alias="maxMatches", ge=1, le=10_000, description="Most lines to find.")] = (
        _DEFAULTS.max_matches
    )
    gitignore: Annotated[bool, Field(description="Leave out what git ignores.")] = True


def _search_content(session: Session, args: SearchContentArgs) -> Reply:
    query = ContentQuery(
        pattern=args.pattern,
        regex=args.regex,
        glob=args.glob,
        ignore_case=args.ignore_case,
        context=args.context,
        max_matches=args.max_matches,
        gitignore=args.gitignore,
    )
    found = search_content(session, args.path, query)
    blocks = [_file(one, marks=args.context > 0) for one in found.files]
    lines, files = counted(found.count, "line"), counted(len(found.files), "file")
    notes = [f"the first {lines} in {files}; there are more: narrow `path`, `glob` or `pattern`"] if found.more else []
    notes += notes_of(found.left_out)
    notes += [f"{counted(found.unread, 'file')} could not be read"] if found.unread else []
    facts: dict[str, Json] = {"matches": found.count, "files": len(found.files), "complete": not notes}
    return Reply(("\n\n".join(blocks) if blocks else "No matches found.", *closing_of(notes)), facts)


def _file(one: FileHits, *, marks: bool) -> str:
    rows: list[str] = []
    last = one.rows[0].number - 1
    for row in one.rows:
        rows += ["--"] if marks and row.number > last + 1 else []
        rows.append(_row(row))
        last = row.number
    return "\n".join([f"{named(one.path)}:", *rows])


def _row(row: Row) -> str:
    text = row.text if row.whole else f"{row.text}… [the line goes on]"
    return f"{row.number}{'' if row.hit else '-'}\t{text}"


SEARCH_CONTENT = ToolSpec(
    name="search_content",
    title="Search in files",
    description=(
        "Find lines in text files below a directory, by literal text or regular expression, with line numbers, by "
        "file. Lines shown count as read; 7- marks a line of context."
    ),
    args=SearchContentArgs,
    run=_search_content,
    read_only=True,
    idempotent=True,
    destructive=False,
)
