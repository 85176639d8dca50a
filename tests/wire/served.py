"""The real server with options, driven by the SDK's own client; it can offer roots."""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from mcp import Client
from mcp.client.session import ListRootsFnT
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.conftest import Caller


@asynccontextmanager
async def served(
    *arguments: str | Path, roots: ListRootsFnT | None = None, mode: str = "legacy", log: Path | None = None
) -> AsyncGenerator[Caller]:
    """Start the server with arguments and connect to it; what it logs goes to a file, if one is given."""
    command = StdioServerParameters(command=sys.executable, args=["-m", "readfirst", *map(str, arguments)])
    with (log or Path("/dev/null")).open("w", encoding="utf-8") as errlog:
        transport = stdio_client(command, errlog=errlog)
        async with Client(transport, mode=mode, list_roots_callback=roots) as client:
            yield Caller(client)
