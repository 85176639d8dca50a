"""What every test may use: the real server over real stdio, driven by the SDK's own client."""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest
from hypothesis import settings
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types import CallToolResult, TextContent

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
def connect(root: Path) -> Connect:
    """Start the server on `root` and connect to it."""

    @asynccontextmanager
    async def connected() -> AsyncGenerator[Caller]:
        command = StdioServerParameters(command=sys.executable, args=["-m", "readfirst", str(root)])
        async with Client(stdio_client(command)) as client:
            yield Caller(client)

    return connected
