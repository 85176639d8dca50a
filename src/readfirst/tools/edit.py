"""Tools that change text."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from readfirst.edits.plan import Edit, PlacedEdit
from readfirst.errors import ArgumentRefused
from readfirst.tools.spec import Args, Json, Reply, ToolSpec
from readfirst.tools.words import (
    DIFF_CUT,
    DIFF_TO_READ,
    ENDINGS,
    NOT_DURABLE,
    NOT_UNDOABLE,
    Names,
    counted,
    lines_named,
    names_in_force,
    quoted,
)
from readfirst.workspace.context import Session
from readfirst.workspace.edit import ChangeResult, edit_file, write_file

_STEPS = {
    "exact": "exact",
    "trailing": "found with white space at line ends aside",
    "indentation": "found with indentation aside, written with that of the file",
}
_WARNINGS = {
    "less_indented": "later lines of {new} are less indented than the line it starts in",
    "joined": "{old} ends in a line break and {new} does not, so the next line was joined to it",
}


class EditArgs(Args):
    old_text: Annotated[str, Field(alias="oldText", description="Text as it stands in the file, unique.")]
    new_text: Annotated[str, Field(alias="newText", description="Text to put in its place.")]
    replace_all: Annotated[bool, Field(alias="replaceAll", description="Replace every occurrence.")] = False


class EditFileArgs(Args):
    path: Annotated[str, Field(description="File to edit.")]
    edits: Annotated[list[EditArgs], Field(description="Edits, each against the file as it is.")]
    dry_run: Annotated[bool, Field(alias="dryRun", description="Only show the diff.")] = False
    version: Annotated[str, Field(description="Version from a read; stands in for a read.")] = ""


class WriteFileArgs(Args):
    path: Annotated[str, Field(description="File to write; missing directories are made.")]
    content: Annotated[str, Field(description="The whole text.")]
    dry_run: Annotated[bool, Field(alias="dryRun", description="Only show the diff.")] = False
    line_endings: Annotated[
        Literal["keep", "asSent"], Field(alias="lineEndings", description="Keep the file's line endings or not.")
    ] = "keep"
    version: Annotated[str, Field(description="Version from a read; stands in for a read.")] = ""


def _edit_file(session: Session, args: EditFileArgs) -> Reply:
    limit = session.workspace.settings.edits_per_call
    if not 1 <= len(args.edits) <= limit:
        raise ArgumentRefused(path=args.path, detail=f"`edits` takes 1 to {limit} edits, not {len(args.edits)}")
    edits = tuple(Edit(one.old_text, one.new_text, one.replace_all) for one in args.edits)
    result = edit_file(session, args.path, edits, dry_run=args.dry_run, version=args.version)
    return edited_reply(result, names_in_force(session.workspace.settings))


def edited_reply(result: ChangeResult, names: Names) -> Reply:
    """Word an edit: how its texts were found, and what to look at twice."""
    steps = list(dict.fromkeys(placed.rung for placed in result.placed))
    done = counted(sum(placed.count for placed in result.placed), "replacement")
    warnings = [
        f"{_which(placed, result)}{_WARNINGS[one].format(old=names.old, new=names.new)}"
        for placed in result.placed
        for one in placed.warnings
    ]
    how = ", ".join(_STEPS[step] for step in steps)
    return _changed(result, f"{done} ({how})", {"steps": list[Json](steps)}, warnings)


def _which(placed: PlacedEdit, result: ChangeResult) -> str:
    return f"edits[{placed.index}]: " if len(result.placed) > 1 else ""


def _write_file(session: Session, args: WriteFileArgs) -> Reply:
    result = write_file(
        session,
        args.path,
        args.content,
        dry_run=args.dry_run,
        keep_newlines=args.line_endings == "keep",
        version=args.version,
    )
    return written_reply(result)


def written_reply(result: ChangeResult) -> Reply:
    """Word a write."""
    return _changed(result, "", {}, [])


def _changed(result: ChangeResult, done: str, facts: dict[str, Json], warnings: list[str]) -> Reply:
    parts = [_headline(result)]
    parts += [done] if done else []
    if result.lines:
        parts.append(f"now {lines_named(result.lines)}")
    if result.kept_newline:
        parts.append(f"line endings kept as {ENDINGS[result.kept_newline]}")
    if not result.durable:
        parts.append(NOT_DURABLE)
    if not result.undoable:
        parts.append(NOT_UNDOABLE)
    if result.version:
        parts.append(f"version {result.version}")
    closing = f"[{'; '.join(parts)}]"
    diff = result.diff
    blocks = [diff.text] if diff is not None and diff.text else []
    if diff is not None and not diff.complete:
        blocks.append(DIFF_CUT)
    elif diff is not None and not diff.applies:
        blocks.append(DIFF_TO_READ)
    blocks += [f"[note: {warning}]" for warning in warnings]
    known: dict[str, Json] = {
        "path": result.path,
        "dryRun": result.dry_run,
        "lines": [[lines.first, lines.last] for lines in result.lines],
        **({"version": result.version} if result.version else {}),
    }
    return Reply((*blocks, closing), known | facts)


def _headline(result: ChangeResult) -> str:
    path = quoted(result.path)
    if result.created:
        return f"would create {path}" if result.dry_run else f"created {path}"
    if result.diff is None:
        return f"{path} already holds exactly this text; nothing was written"
    return f"dry run, nothing was written to {path}" if result.dry_run else f"wrote {path}"


EDIT_FILE = ToolSpec(
    name="edit_file",
    title="Edit a file",
    description=(
        "Replace texts in a file that you have read. All edits apply or none; a text that is not found or not unique "
        "is refused with the closest lines or its places. Returns the diff."
    ),
    args=EditFileArgs,
    run=_edit_file,
    read_only=False,
    idempotent=False,
    destructive=True,
)

WRITE_FILE = ToolSpec(
    name="write_file",
    title="Write a file",
    description=(
        "Create a file, or replace the whole text of one of which every line was shown to you. Returns the diff. "
        "For changes in part use edit_file."
    ),
    args=WriteFileArgs,
    run=_write_file,
    read_only=False,
    idempotent=True,
    destructive=True,
)
