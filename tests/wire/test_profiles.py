"""Which tools are offered, and that no reply speaks of another: `--read-only` and `--profile`, over real stdio."""

from __future__ import annotations

from pathlib import Path

import pytest

from readfirst.tools import EDITOR_TOOLS, TOOLS
from tests.conftest import Caller
from tests.wire.served import served

pytestmark = pytest.mark.anyio

_FULL = {tool.name for tool in TOOLS}
_WRITERS = sorted(tool.name for tool in TOOLS if not tool.read_only)
_SMALL = "".join(f"line {number}\n" for number in range(1, 301))


async def _names(agent: Caller) -> list[str]:
    return [tool.name for tool in (await agent.client.list_tools()).tools]


@pytest.fixture
def path(root: Path) -> Path:
    """Make a file too large for a refusal to show whole."""
    path = root / "long.txt"
    path.write_text(_SMALL)
    return path


async def test_a_read_only_server_knows_no_tool_that_writes(root: Path, path: Path, home: Path) -> None:
    """SPEC 3, `--read-only`; HOSTILE 96: neither listed nor run, and nothing is written anywhere."""
    before = sorted(home.rglob("*"))
    async with served("--read-only", root) as agent:
        names = await _names(agent)
        assert names == [tool.name for tool in TOOLS if tool.read_only]
        await agent.call("read_file", path=str(path))
        for name in _WRITERS:
            text = await agent.refused("unknown_tool", name, path=str(path), content="x", version="")
            assert text == f"There is no tool {name!r}. The tools are: {', '.join(names)}."
    assert path.read_text() == _SMALL
    assert (list(root.iterdir()), sorted(home.rglob("*"))) == ([path], before)


async def test_a_read_only_server_says_so(root: Path) -> None:
    """G12: no advice that cannot be followed."""
    async with served("--read-only", root) as agent:
        assert agent.client.instructions == ("Files can only be read here. A refusal names the call that works next.")


async def test_the_editor_profile_has_three_tools(root: Path) -> None:
    """SPEC 3, `--profile editor`."""
    async with served(root, "--profile", "editor") as agent:
        assert await _names(agent) == ["read", "edit", "write"] == [tool.name for tool in EDITOR_TOOLS]
        for name in sorted(_FULL):
            text = await agent.refused("unknown_tool", name, path="x")
            assert text == f"There is no tool {name!r}. The tools are: read, edit, write."


async def test_the_editor_profile_reads_edits_and_writes(root: Path, path: Path) -> None:
    """SPEC 3: the same promise under other names."""
    async with served("--profile", "editor", root) as agent:
        edit = {"filePath": str(path), "oldString": "line 7\n", "newString": "line seven\n"}
        text = await agent.refused("not_read", "edit", **edit)
        assert text.endswith(f'Read it first: read(path="{path}")')
        page = await agent.call("read", path=str(path))
        assert page.endswith(f'next: read(path="{path}", offset=101)]')
        assert "+line seven" in await agent.call("edit", **edit)
        text = await agent.refused("unseen", "write", filePath=str(path), content="new\n")
        assert text.endswith(f'Read them first: read(path="{path}", offset=101, limit=200)')
        await agent.call("read", path=str(path), offset=101, limit=200)
        assert "wrote" in await agent.call("write", filePath=str(path), content="new\n")
    assert path.read_text() == "new\n"


@pytest.mark.parametrize(
    ("code", "tool", "arguments", "words"),
    [
        pytest.param(
            "no_match",
            "edit",
            {"oldString": "nothing like it at all", "newString": "x"},
            "oldString was not found, and no similar lines were.",
            id="no match",
        ),
        pytest.param(
            "ambiguous",
            "edit",
            {"oldString": "line 11", "newString": "x"},
            "oldString stands in 11 places (lines 11, 110, 111, 112, 113, …). Add lines around the one you mean.",
            id="ambiguous",
        ),
        pytest.param(
            "no_change",
            "edit",
            {"oldString": "line 7\n", "newString": "line 7\n"},
            "oldString and newString are the same.",
            id="no change",
        ),
        pytest.param(
            "empty_old",
            "edit",
            {"oldString": "", "newString": "x"},
            "oldString is empty. Quote the text to replace; to write a whole file use write.",
            id="empty",
        ),
        pytest.param(
            "invalid_argument",
            "edit",
            {"oldString": "line 1", "newString": "x", "replaceAll": True},
            "this tool has no `replaceAll`, only `filePath`, `oldString`, `newString`",
            id="replaceAll",
        ),
        pytest.param(
            "invalid_argument",
            "write",
            {"content": "x", "dryRun": True},
            "this tool has no `dryRun`, only `filePath`, `content`",
            id="a dry run",
        ),
        pytest.param("past_end", "read", {"offset": 400}, "Its last lines: read(path=", id="past the end"),
    ],
)
async def test_a_refusal_of_the_editor_profile_speaks_its_words(
    root: Path, path: Path, code: str, tool: str, arguments: dict[str, object], words: str
) -> None:
    """SPEC 3: tool names and argument names of the profile in force."""
    async with served("--profile", "editor", root) as agent:
        await agent.call("read", path=str(path), limit=300)
        text = await agent.refused(code, tool, path=str(path), **arguments)
    assert words in text
    assert "Text" not in text.replace("Text is", "")
    assert not any(name in text for name in _FULL)
    assert path.read_text() == _SMALL


async def test_a_missing_file_is_refused_without_a_call_that_is_not_offered(root: Path) -> None:
    """SPEC 3: where no offered call helps, the refusal says so."""
    async with served("--profile", "editor", root) as agent:
        text = await agent.refused("not_found", "read", path=str(root / "none"))
    assert text == f'"{root}/none" does not exist. No call here lists what does: check the path.'
