"""What was read outlives a restart, under one name and in one file; without the store, reading goes on."""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.conftest import Caller

pytestmark = pytest.mark.anyio

_TEXT = "line\n" * 50 + "two\n"
_EDIT = [{"oldText": "two", "newText": "2"}]


@asynccontextmanager
async def _server(root: Path, *arguments: str) -> AsyncGenerator[Caller]:
    command = StdioServerParameters(command=sys.executable, args=["-m", "readfirst", *arguments, str(root)])
    async with Client(stdio_client(command)) as client:
        yield Caller(client)


async def test_a_read_counts_after_a_restart_under_the_same_name_only(root: Path, tmp_path: Path) -> None:
    """SPEC 2: `--state sqlite:PATH` survives a restart under the same `--session`."""
    path = root / "a.txt"
    path.write_text(_TEXT)
    state = f"sqlite:{tmp_path / 'state.db'}"
    async with _server(root, "--state", state, "--session", "mine") as agent:
        await agent.call("read_file", path=str(path))
    for other in (("--session", "yours"), ()):
        async with _server(root, "--state", state, *other) as agent:
            await agent.refused("not_read", "edit_file", path=str(path), edits=_EDIT)
    async with _server(root, "--state", state, "--session", "mine") as agent:
        await agent.call("edit_file", path=str(path), edits=_EDIT)
    assert path.read_text() == _TEXT.replace("two", "2")


async def test_a_store_that_is_down_refuses_changes_and_lets_reads_go_on(root: Path, tmp_path: Path) -> None:
    """SPEC 2: `store_unavailable` for guarded calls; recovery without a restart."""
    path = root / "a.txt"
    path.write_text(_TEXT)
    database = tmp_path / "state.db"
    database.mkdir()
    async with _server(root, "--state", f"sqlite:{database}", "--session", "mine") as agent:
        await agent.call("read_file", path=str(path))
        text = await agent.refused("store_unavailable", "edit_file", path=str(path), edits=_EDIT)
        assert text == "The session store cannot be reached, so nothing was written. Reading works; try again later."
        await agent.call("write_file", path=str(root / "new.txt"), content="new\n")
        database.rmdir()
        await agent.refused("not_read", "edit_file", path=str(path), edits=_EDIT)
        await agent.call("read_file", path=str(path))
        await agent.call("edit_file", path=str(path), edits=_EDIT)
    assert path.read_text() == _TEXT.replace("two", "2")
    assert (root / "new.txt").read_text() == "new\n"
