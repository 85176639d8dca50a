"""What every test may use: the real server over real stdio, driven by the SDK's own client."""

from __future__ import annotations

import os
import resource
import sys
import tempfile
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import AbstractAsyncContextManager, AbstractContextManager, asynccontextmanager, contextmanager
from pathlib import Path

import pytest
from hypothesis import settings
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types import CallToolResult, TextContent

from readfirst import Session
from tests.redis_server import RedisServer, redis_program

Unprivileged = Callable[[], AbstractContextManager[None]]
_NOBODY = 65534

Act = Callable[[Session], object]
"""What a session does in one row of a table."""

settings.register_profile("long", max_examples=5_000)
"""`pytest tests/rigs --hypothesis-profile long`: a hunt of half an hour, not for every change."""

Connect = Callable[[], AbstractAsyncContextManager["Caller"]]


class Caller:
    """An agent's view of one server: it calls tools by name and reads text."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def call(self, tool: str, **arguments: object) -> str:
        """Call a tool that must succeed."""
        result = await self.client.call_tool(tool, arguments)
        text = text_of(result)
        assert not result.is_error, text
        return text

    async def refused(self, code: str, tool: str, **arguments: object) -> str:
        """Call a tool that must be refused with a code."""
        result = await self.client.call_tool(tool, arguments)
        text = text_of(result)
        assert result.is_error, text
        assert facts_of(result)["code"] == code, text
        return text


def text_of(result: object) -> str:
    assert isinstance(result, CallToolResult)
    return "\n".join(block.text for block in result.content if isinstance(block, TextContent))


def facts_of(result: object) -> dict[str, object]:
    assert isinstance(result, CallToolResult)
    assert result.meta is not None
    facts: dict[str, object] = result.meta["readfirst"]
    return facts


@pytest.fixture(params=["asyncio"])
def anyio_backend(request: pytest.FixtureRequest) -> str:
    """Name the event loop for async tests."""
    backend: str = request.param
    return backend


@pytest.fixture(autouse=True, scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Generator[Path]:
    """Keep what the program keeps for its user, in this process and in servers, below a directory of the test run."""
    directory = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(directory))
        patch.delenv("XDG_STATE_HOME", raising=False)
        yield directory


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Make the allowed directory."""
    directory = tmp_path / "root"
    directory.mkdir()
    return directory


@pytest.fixture
def elsewhere(root: Path) -> Generator[Path]:
    """Make a directory on another filesystem than that of `root`, where the machine has one."""
    shared = Path("/dev/shm")  # noqa: S108 - the one other filesystem that most machines have
    if not shared.is_dir() or shared.stat().st_dev == root.stat().st_dev:
        pytest.skip("this machine has no second filesystem to move to")
    with tempfile.TemporaryDirectory(dir=shared) as name:
        yield Path(name)


@pytest.fixture
def unprivileged() -> Unprivileged:
    """Give a block in which permissions hold, even when the tests run as root."""

    @contextmanager
    def nobody() -> Generator[None]:
        before = os.geteuid()
        if before == 0:
            os.seteuid(_NOBODY)
        try:
            yield
        finally:
            os.seteuid(before)

    return nobody


@contextmanager
def file_size_limit(max_bytes: int) -> Generator[None]:
    """Let every longer write fail, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (max_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.fixture
def connect(root: Path) -> Connect:
    """Start the server on `root` and connect to it."""

    @asynccontextmanager
    async def connected() -> AsyncGenerator[Caller]:
        command = StdioServerParameters(command=sys.executable, args=["-m", "readfirst", str(root)])
        async with Client(stdio_client(command)) as client:
            yield Caller(client)

    return connected


@pytest.fixture(scope="session")
def shared_redis() -> Generator[RedisServer]:
    """Start a server that the tests share; it forgets nothing in between."""
    with RedisServer(redis_program()) as server:
        yield server


@pytest.fixture
def redis_server(shared_redis: RedisServer) -> RedisServer:
    """Give a server that runs and is empty."""
    shared_redis.ask("FLUSHALL")
    return shared_redis


@pytest.fixture
def own_redis() -> Generator[RedisServer]:
    """Start a server that the test may kill."""
    with RedisServer(redis_program()) as server:
        yield server
