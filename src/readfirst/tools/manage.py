"""Tools that change files as wholes."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from readfirst.tools.spec import Args, Json, Reply, ToolSpec
from readfirst.tools.words import ENDINGS, NOT_DURABLE, NOT_UNDOABLE, lines_named, quoted
from readfirst.workspace.context import Session
from readfirst.workspace.manage import MoveResult, append_file, copy_file, create_directory, delete_file, move_file


class AppendFileArgs(Args):
    path: Annotated[str, Field(description="File to add to; it is created if it is missing.")]
    content: Annotated[str, Field(description="Text to add, with its line breaks.")]


class CreateDirectoryArgs(Args):
    path: Annotated[str, Field(description="Directory to make.")]


class CopyFileArgs(Args):
    source: Annotated[str, Field(description="File to copy.")]
    destination: Annotated[str, Field(description="Path of the copy; missing directories are made.")]


class MoveFileArgs(Args):
    source: Annotated[str, Field(description="File, link or directory to move.")]
    destination: Annotated[str, Field(description="New path; missing directories are made.")]


class DeleteFileArgs(Args):
    path: Annotated[str, Field(description="File, link or empty directory to delete.")]
    version: Annotated[str, Field(description="Version from a read; stands in for a read.")] = ""


def _append_file(session: Session, args: AppendFileArgs) -> Reply:
    result = append_file(session, args.path, args.content)
    parts = [f"{'created' if result.created else 'appended to'} {quoted(result.path)}"]
    parts += [f"{lines_named([result.lines])} of {result.total:,}"] if result.lines else ["nothing was added"]
    parts += _unsure(durable=result.durable, undoable=result.undoable)
    facts: dict[str, Json] = {"path": result.path, "totalLines": result.total}
    if result.lines:
        facts["lines"] = [[result.lines.first, result.lines.last]]
    closing = f"[{'; '.join(parts)}]"
    if result.other_newline:
        own = ENDINGS[result.other_newline]
        return Reply((f"[note: the lines of this file end in {own}, those of the text do not all]", closing), facts)
    return Reply((closing,), facts)


def _create_directory(session: Session, args: CreateDirectoryArgs) -> Reply:
    result = create_directory(session, args.path)
    parts = [f"created {quoted(result.path)}" if result.created else f"{quoted(result.path)} exists already"]
    parts += [] if result.durable else [NOT_DURABLE]
    return Reply((f"[{'; '.join(parts)}]",), {"path": result.path, "created": result.created})


def _copy_file(session: Session, args: CopyFileArgs) -> Reply:
    return _placed("copied", copy_file(session, args.source, args.destination))


def _move_file(session: Session, args: MoveFileArgs) -> Reply:
    return _placed("moved", move_file(session, args.source, args.destination))


def _placed(done: str, result: MoveResult) -> Reply:
    parts = [f"{done} {quoted(result.source)} to {quoted(result.destination)}"]
    parts += _unsure(durable=result.durable, undoable=result.undoable)
    return Reply((f"[{'; '.join(parts)}]",), {"source": result.source, "path": result.destination})


def _delete_file(session: Session, args: DeleteFileArgs) -> Reply:
    result = delete_file(session, args.path, version=args.version)
    kind = {"file": "", "link": "the link ", "directory": "the empty directory "}[result.kind]
    parts = [f"deleted {kind}{quoted(result.path)}", *_unsure(durable=result.durable, undoable=result.undoable)]
    return Reply((f"[{'; '.join(parts)}]",), {"path": result.path, "kind": result.kind})


def _unsure(*, durable: bool, undoable: bool) -> list[str]:
    return ([] if durable else [NOT_DURABLE]) + ([] if undoable else [NOT_UNDOABLE])


APPEND_FILE = ToolSpec(
    name="append_file",
    title="Append to a file",
    description="Add text at the end of a text file, exactly as given, without reading it; or create the file.",
    args=AppendFileArgs,
    run=_append_file,
    read_only=False,
    idempotent=False,
    destructive=False,
)

CREATE_DIRECTORY = ToolSpec(
    name="create_directory",
    title="Create a directory",
    description="Create a directory, with those above it that are missing. One that exists is fine.",
    args=CreateDirectoryArgs,
    run=_create_directory,
    read_only=False,
    idempotent=True,
    destructive=False,
)

COPY_FILE = ToolSpec(
    name="copy_file",
    title="Copy a file",
    description="Copy one file with its mode and times to a path that is free. Never overwrites.",
    args=CopyFileArgs,
    run=_copy_file,
    read_only=False,
    idempotent=False,
    destructive=False,
)

MOVE_FILE = ToolSpec(
    name="move_file",
    title="Move or rename",
    description="Move or rename a file, link or directory to a path that is free. Never overwrites.",
    args=MoveFileArgs,
    run=_move_file,
    read_only=False,
    idempotent=False,
    destructive=True,
)

DELETE_FILE = ToolSpec(
    name="delete_file",
    title="Delete a file",
    description=(
        "Delete a file that you have read, an empty directory or a link itself. Of a binary file, get_file_info is "
        "the look it needs. undo_edit brings it back."
    ),
    args=DeleteFileArgs,
    run=_delete_file,
    read_only=False,
    idempotent=False,
    destructive=True,
)
