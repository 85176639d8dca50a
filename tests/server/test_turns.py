"""Calls that name one path take turns in the order in which they arrived."""

from __future__ import annotations

import anyio
import anyio.lowlevel
import pytest

from readfirst.server.app import (
    _paths,  # pyright: ignore[reportPrivateUsage]
    _Turns,  # pyright: ignore[reportPrivateUsage]
)
from readfirst.tools import TOOLS

pytestmark = pytest.mark.anyio


class _Calls:
    """Calls that note when they start, and that end when they are let go."""

    def __init__(self) -> None:
        self.turns = _Turns()
        self.started: list[str] = []
        self.may_end: dict[str, anyio.Event] = {}

    async def run(self, name: str, paths: set[str], scope: anyio.CancelScope | None = None) -> None:
        self.may_end[name] = anyio.Event()
        with scope or anyio.CancelScope():
            async with self.turns.of(paths):
                self.started.append(name)
                await self.may_end[name].wait()

    async def settled(self) -> list[str]:
        """Let every task go as far as it can; give what has started."""
        for _ in range(20):
            await anyio.lowlevel.checkpoint()
        return self.started

    @property
    def waiting(self) -> object:
        return self.turns._last  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - must be empty in the end


async def test_calls_of_one_path_start_in_the_order_of_arrival() -> None:
    """SPEC 2: an edit sent after a write of the same file meets what the write left."""
    calls = _Calls()
    async with anyio.create_task_group() as tasks:
        for name in "abc":
            tasks.start_soon(calls.run, name, {"f"})
        for name in "abc":
            assert (await calls.settled())[-1] == name
            calls.may_end[name].set()
    assert (calls.started, calls.waiting) == (["a", "b", "c"], {})


async def test_calls_of_other_paths_do_not_wait() -> None:
    """`server.app`: only those of one path."""
    calls = _Calls()
    async with anyio.create_task_group() as tasks:
        for name, path in (("a", "f"), ("b", "g"), ("c", "f"), ("d", "h")):
            tasks.start_soon(calls.run, name, {path})
        assert await calls.settled() == ["a", "b", "d"]
        for event in calls.may_end.values():
            event.set()
    assert (calls.started[-1], calls.waiting) == ("c", {})


async def test_a_call_of_two_paths_waits_for_both_and_is_waited_for_by_both() -> None:
    """`move_file`, `copy_file` and `read_multiple_files` name several; crossing moves cannot block each other."""
    calls = _Calls()
    async with anyio.create_task_group() as tasks:
        for name, paths in (("f", {"f"}), ("g", {"g"}), ("fg", {"f", "g"}), ("gf", {"g", "f"}), ("f2", {"f"})):
            tasks.start_soon(calls.run, name, paths)
        assert await calls.settled() == ["f", "g"]
        calls.may_end["g"].set()
        assert (await calls.settled())[2:] == []
        for name, following in (("f", "fg"), ("fg", "gf"), ("gf", "f2")):
            calls.may_end[name].set()
            assert (await calls.settled())[-1] == following
        calls.may_end["f2"].set()
    assert (len(calls.started), calls.waiting) == (5, {})


async def test_a_waiter_that_is_cancelled_lets_nobody_pass_and_holds_nobody_up() -> None:
    """SPEC 2: a call that was cancelled counts for nothing; the order of the others stays."""
    calls, scope = _Calls(), anyio.CancelScope()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(calls.run, "a", {"f"})
        tasks.start_soon(calls.run, "b", {"f", "g"}, scope)
        tasks.start_soon(calls.run, "c", {"f"})
        tasks.start_soon(calls.run, "d", {"g"})
        assert await calls.settled() == ["a"]
        scope.cancel()
        assert await calls.settled() == ["a", "d"]
        calls.may_end["a"].set()
        assert await calls.settled() == ["a", "d", "c"]
        for name in "cd":
            calls.may_end[name].set()
    assert calls.waiting == {}


async def test_a_call_that_fails_ends_its_turn() -> None:
    """`server.app`: whatever happens, the next one starts."""
    turns = _Turns()
    with pytest.raises(RuntimeError, match="broken"):
        async with turns.of({"f"}):
            raise RuntimeError("broken")
    async with turns.of({"f"}):
        pass


def test_every_path_of_every_tool_has_its_turn() -> None:
    """`server.app`: a path parameter under another name would be passed by."""
    named = {"path", "paths", "source", "destination"}
    for tool in TOOLS:
        values = {name: ["p"] if name == "paths" else "p" for name in tool.args.model_fields if name in named}
        assert _paths(tool.args.model_construct(**values)) == ({"p"} if values else set()), tool.name
    assert {name for tool in TOOLS for name in tool.args.model_fields if name in named} == named
