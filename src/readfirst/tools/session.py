"""Tools about the workspace and the session themselves."""

from __future__ import annotations

from readfirst.tools.spec import Args, Json, Reply, ToolSpec
from readfirst.tools.words import printable
from readfirst.workspace.context import Session


class NoArgs(Args):
    pass


def _list_allowed_directories(session: Session, _: NoArgs) -> Reply:
    directories = [printable(name) for name in session.workspace.roots.spellings]
    return Reply(("\n".join(["Allowed directories:", *directories]),), {"directories": list[Json](directories)})


LIST_ALLOWED_DIRECTORIES = ToolSpec(
    name="list_allowed_directories",
    title="List allowed directories",
    description="List the directories that paths may lie in.",
    args=NoArgs,
    run=_list_allowed_directories,
    read_only=True,
    idempotent=True,
    destructive=False,
)
