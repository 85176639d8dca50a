"""What was read outlives a restart, under one name and in one file; without the store, reading goes on."""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TextIO

import anyio
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.conftest import Caller
from tests.redis_server import RedisServer, redis_program

pytestmark = pytest.mark.anyio

_TEXT = "line\n" * 50 + "two\n"
_EDIT = [{"oldText": "two", "newText": "2"}]


@asynccontextmanager
async def _server(root: Path, *arguments: str, errors: TextIO = sys.stderr) -> AsyncGenerator[Caller]:
    command = StdioServerParameters(command=sys.executable, args=["-m", "readfirst", *arguments, str(root)])
    async with Client(stdio_client(command, errlog=errors)) as client:
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


async def test_what_one_process_read_another_one_may_edit(root: Path, redis_server: RedisServer) -> None:
    """SPEC 2: `--state redis://…`, many server processes under one `--session`."""
    path = root / "a.txt"
    path.write_text(_TEXT)
    shared = ("--state", redis_server.url, "--session", "ours")
    async with (
        _server(root, *shared) as reader,
        _server(root, *shared) as writer,
        _server(root, "--state", redis_server.url, "--session", "theirs") as other,
    ):
        await reader.call("read_file", path=str(path))
        await other.refused("not_read", "edit_file", path=str(path), edits=_EDIT)
        await writer.call("edit_file", path=str(path), edits=_EDIT)
        await reader.call("edit_file", path=str(path), edits=[{"oldText": "2", "newText": "3"}])
    assert path.read_text() == _TEXT.replace("two", "3")


async def test_a_server_that_is_killed_refuses_changes_until_it_is_back(root: Path, own_redis: RedisServer) -> None:
    """SPEC 2: an unreachable store refuses guarded calls; reads still work; recovery without a restart."""
    path = root / "a.txt"
    path.write_text(_TEXT)
    async with _server(root, "--state", own_redis.url, "--session", "mine") as agent:
        await agent.call("read_file", path=str(path))
        own_redis.kill()
        for _ in range(3):
            await agent.refused("store_unavailable", "edit_file", path=str(path), edits=_EDIT)
            await agent.call("read_file", path=str(path))
        assert path.read_text() == _TEXT
        own_redis.start()
        with anyio.fail_after(30):
            # The store is tried again after a second, and by then it has forgotten what was read.
            while (await agent.client.call_tool("edit_file", {"path": str(path), "edits": _EDIT})).is_error:
                await agent.call("read_file", path=str(path))
    assert path.read_text() == _TEXT.replace("two", "2")


async def test_the_log_of_a_server_that_is_down_holds_no_password(root: Path, tmp_path: Path) -> None:
    """SPEC 9: neither that nor file content, at any level."""
    (root / "a.txt").write_text(_TEXT)
    with RedisServer(redis_program(), "--requirepass", "sesame") as server, (tmp_path / "log").open("w") as log:
        state = server.url.replace("//", "//:sesame@")
        async with _server(root, "--state", state, "--log-level", "debug", errors=log) as agent:
            await agent.call("read_file", path=str(root / "a.txt"))
            server.kill()
            await agent.call("read_file", path=str(root / "a.txt"))
            text = await agent.refused("store_unavailable", "edit_file", path=str(root / "a.txt"), edits=_EDIT)
    log_text = (tmp_path / "log").read_text()
    assert "the session store cannot be reached" in log_text
    assert ("sesame" in log_text, "sesame" in text) == (False, False)
