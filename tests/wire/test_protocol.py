"""The server through the SDK's client in memory, in both eras: what a transport that notes no arrivals sees."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from mcp import Client
from mcp_types import CallToolResult, ListToolsResult

from readfirst import Workspace
from readfirst.server.app import build
from tests.conftest import facts_of, text_of

pytestmark = pytest.mark.anyio

_SNAPSHOT = Path(__file__).parents[1] / "tools" / "tools_list.json"
_ERAS = pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])


@_ERAS
async def test_the_list_of_tools_is_the_snapshot(root: Path, mode: str) -> None:
    """ARCHITECTURE: a tool is a value; what clients see is reviewed as text."""
    with Workspace([str(root)]) as workspace:
        async with Client(build(workspace), mode=mode) as client:
            listed = await client.list_tools()
    assert isinstance(listed, ListToolsResult)
    seen = {tool.name: (tool.description, tool.input_schema) for tool in listed.tools}
    known = {tool["name"]: (tool["description"], tool["inputSchema"]) for tool in json.loads(_SNAPSHOT.read_text())}
    assert seen == known
    hints = {tool.name: tool.annotations for tool in listed.tools}
    assert hints["edit_file"] is not None
    assert (hints["edit_file"].read_only_hint, hints["edit_file"].destructive_hint) == (False, True)
    assert all(hint is not None and hint.open_world_hint is False for hint in hints.values())
    assert all(tool.output_schema is None and tool.title for tool in listed.tools)


@_ERAS
async def test_a_read_licenses_the_edit_after_it(root: Path, mode: str) -> None:
    """SPEC 2: on stdio the process is the session, in both eras."""
    path = root / "a.txt"
    path.write_text("one\n" * 50 + "two\n")
    edit = {"path": str(path), "edits": [{"oldText": "two", "newText": "2"}]}
    with Workspace([str(root)]) as workspace:
        async with Client(build(workspace), mode=mode) as client:
            refused = await client.call_tool("edit_file", edit)
            await client.call_tool("read_file", {"path": str(path)})
            done = await client.call_tool("edit_file", edit)
    assert facts_of(refused)["code"] == "not_read"
    assert isinstance(done, CallToolResult)
    assert not done.is_error
    assert path.read_text().endswith("one\n2\n")


async def test_ignored_arguments_are_named(root: Path) -> None:
    """SPEC 5: otherwise it is ignored and the reply says so."""
    (root / "a.txt").write_text("one\n")
    with Workspace([str(root)]) as workspace:
        async with Client(build(workspace)) as client:
            result = await client.call_tool("read_file", {"path": "a.txt", "explanation": "to see"})
    assert text_of(result).endswith("[ignored unknown arguments: explanation]")
