"""A scripted agent at work: it pages, previews, edits, is refused when the file changed, reads again and goes on.

It starts the real server over stdio and works on a copy of a large module of the standard library. Every line of the
transcript is a call that was made (`->`) or text that came back (`<-`).

Run it: `python examples/iterate.py`
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import tempfile
import textwrap
from pathlib import Path
from typing import Final

import anyio
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types import CallToolResult, TextContent

_NEXT_CALL: Final = re.compile(r'next: read_file\(path="[^"]*", offset=(\d+)\)')
_HUNK: Final = re.compile(r"^@@ -(\d+)", re.MULTILINE)
_SHOWN_LINES: Final = 14


class Agent:
    """Calls tools and prints what goes back and forth."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def call(self, tool: str, *, refused: bool = False, **arguments: object) -> str:
        """Call a tool and give its text; stop when the outcome is not the one expected."""
        words = ", ".join(f"{name}={_short(value)}" for name, value in arguments.items())
        print(f"-> {tool}({words})")
        result = await self._client.call_tool(tool, arguments)
        assert isinstance(result, CallToolResult)  # noqa: S101 - the tools of this server give nothing else
        text = "\n".join(block.text for block in result.content if isinstance(block, TextContent))
        print(textwrap.indent(_excerpt(text), "!< " if result.is_error else "<- ", lambda _: True), end="\n\n")
        if bool(result.is_error) != refused:
            sys.exit("That was not the expected outcome.")
        return text


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 90 else f"{text[:60]} … {text[-25:]}"  # noqa: PLR2004 - fits on a line


def _excerpt(text: str) -> str:
    lines = text.split("\n")
    if len(lines) <= _SHOWN_LINES:
        return text
    left_out = f"   … {len(lines) - 5} lines of this reply are not printed here …"
    return "\n".join([*lines[:2], left_out, *lines[-3:]])


async def page_through(agent: Agent, path: Path) -> int:
    """Read a whole file by the hint at the end of each page; give the number of pages."""
    pages = 1
    text = await agent.call("read_file", path=str(path))
    while hint := _NEXT_CALL.search(text):
        pages += 1
        text = await agent.call("read_file", path=str(path), offset=int(hint[1]))
    return pages


async def work(agent: Agent, path: Path, other: Path) -> None:
    """Do the main job on `path`, and be stopped before harm is done to `other`."""
    print("# Page through the file by the hints.")
    pages = await page_through(agent, path)
    print(f"# {pages} pages.\n")

    print("# Preview an edit, then make it.")
    line = next(line for line in path.read_text(encoding="utf-8").split("\n") if line.startswith("class HelpFormatter"))
    comment = [{"oldText": line, "newText": f"# Everything about the help text starts here.\n{line}"}]
    await agent.call("edit_file", path=str(path), edits=comment, dryRun=True)
    await agent.call("edit_file", path=str(path), edits=comment)

    print("# Another program changes the file. The next edit is refused and shows what changed.")
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("SUPPRESS = '==SUPPRESS=='", "SUPPRESS = '==HIDDEN=='"), encoding="utf-8")
    constant = [{"oldText": "OPTIONAL = '?'", "newText": "OPTIONAL = '?'  # at most one"}]
    refusal = await agent.call("edit_file", refused=True, path=str(path), edits=constant)

    print("# Look at that place again, then make the edit. The other program's change is still there.")
    hunk = _HUNK.search(refusal)
    assert hunk is not None  # noqa: S101 - a refusal that shows the change
    await agent.call("read_file", path=str(path), offset=int(hunk[1]), limit=10)
    await agent.call("edit_file", path=str(path), edits=constant)
    assert "==HIDDEN==" in path.read_text(encoding="utf-8")  # noqa: S101 - what the whole program is for

    print("# What has this session changed so far? Then take the last edit back; the other program's change stays.")
    await agent.call("session_changes")
    await agent.call("undo_edit", path=str(path))
    assert "==HIDDEN==" in path.read_text(encoding="utf-8")  # noqa: S101 - as above

    print("# Read the first lines of another file and overwrite it: refused, the rest was never shown.")
    before = other.read_bytes()
    await agent.call("read_file", path=str(other), limit=20)
    await agent.call("write_file", refused=True, path=str(other), content="# rewritten\n")
    assert other.read_bytes() == before  # noqa: S101 - as above


async def main() -> None:
    """Copy two modules of the standard library, start the server on them, and work."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "argparse.py")
        other = Path(directory, "textwrap.py")
        shutil.copyfile(argparse.__file__, path)
        shutil.copyfile(textwrap.__file__, other)
        command = StdioServerParameters(
            command=sys.executable, args=["-m", "readfirst", "--log-level", "warning", directory]
        )
        async with Client(stdio_client(command)) as client:
            await work(Agent(client), path, other)
    print("# Done: every change was seen before it was made, and nobody's work was lost.")


if __name__ == "__main__":
    anyio.run(main)
