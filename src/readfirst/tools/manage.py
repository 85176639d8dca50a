"""Tools that change files without having read them, since nothing that is there changes."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from readfirst.tools.spec import Args, Json, Reply, ToolSpec
from readfirst.tools.words import ENDINGS, lines_named, quoted
from readfirst.workspace.context import Session
from readfirst.workspace.manage import append_file


class AppendFileArgs(Args):
    path: Annotated[str, Field(description="File to add to; it is created if it is missing.")]
    content: Annotated[str, Field(description="Text to add, with its line breaks.")]


def _append_file(session: Session, args: AppendFileArgs) -> Reply:
    result = append_file(session, args.path, args.content)
    parts = [f"{'created' if result.created else 'appended to'} {quoted(result.path)}"]
    parts += [f"{lines_named([result.lines])} of {result.total:,}"] if result.lines else ["nothing was added"]
    if not result.durable:
        parts.append("written, but its durability could not be confirmed")
    closing = f"[{'; '.join(parts)}]"
    facts: dict[str, Json] = {"path": result.path, "totalLines": result.total}
    if result.lines:
        facts["lines"] = [[result.lines.first, result.lines.last]]
    if result.other_newline:
        own = ENDINGS[result.other_newline]
        return Reply((f"[note: the lines of this file end in {own}, those of the text do not all]", closing), facts)
    return Reply((closing,), facts)


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
