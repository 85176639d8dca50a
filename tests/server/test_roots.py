"""The client's roots as the allowed directories, through the SDK's client in memory."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.client.session import ClientRequestContext
from mcp_types import ErrorData, ListRootsResult

from readfirst import Settings, Workspace
from readfirst.server.app import build
from readfirst.server.roots import ClientRoots
from tests.conftest import Caller

pytestmark = [pytest.mark.anyio, pytest.mark.filterwarnings("ignore:The roots capability is deprecated")]


class _Naming:
    """A client's answers to the question for its roots."""

    def __init__(self, named: tuple[str | Path, ...], *, held: bool, fails: bool) -> None:
        self.named = named
        self.fails = fails
        self.asked = 0
        self.released = anyio.Event()
        if not held:
            self.released.set()

    async def answer(self, context: ClientRequestContext) -> ListRootsResult | ErrorData:
        assert context
        self.asked += 1
        named = self.named
        await self.released.wait()
        if self.fails:
            return ErrorData(code=-32603, message="no")
        uris = [one.as_uri() if isinstance(one, Path) else one for one in named]
        return ListRootsResult.model_validate({"roots": [{"uri": uri} for uri in uris]})


class _Agent(Caller):
    """An agent whose client names roots."""

    def __init__(self, client: Client, naming: _Naming) -> None:
        super().__init__(client)
        self.naming = naming

    async def change(self, *named: str | Path) -> None:
        self.naming.named = named
        await self.client.send_roots_list_changed()  # pyright: ignore[reportDeprecated] - that era has it

    async def allowed(self) -> list[str]:
        first, *rest = (await self.call("list_allowed_directories")).splitlines()
        assert first.startswith(("Allowed directories:", "There are no allowed directories"))
        return rest


@asynccontextmanager
async def _agent(
    *named: str | Path,
    given: Sequence[Path] = (),
    held: bool = False,
    fails: bool = False,
    settings: Settings | None = None,
    **options: bool,
) -> AsyncGenerator[_Agent]:
    """Connect a client that names roots to a server that was given directories."""
    naming = _Naming(named, held=held, fails=fails)
    with Workspace(map(str, given), settings=settings) as workspace:
        server = build(workspace, roots=ClientRoots(workspace, **options))
        async with Client(server, mode="legacy", list_roots_callback=naming.answer) as client:
            yield _Agent(client, naming)


@pytest.fixture
def places(tmp_path: Path) -> Path:
    """Make directories that nest, a link to one, and a file."""
    for name in ("a/in", "b", "c d"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "link").symlink_to("b")
    (tmp_path / "file").write_text("")
    return tmp_path


@pytest.mark.parametrize(
    ("named", "allowed"),
    [
        pytest.param(["b"], ["b"], id="replaced"),
        pytest.param(["b", "c d"], ["b", "c d"], id="two, one with a blank"),
        pytest.param(["b", "b"], ["b"], id="twice"),
        pytest.param(["a", "a/in"], ["a", "a/in"], id="nested"),
        pytest.param(["link"], ["link", "b"], id="a link, in both forms"),
        pytest.param(["file", "missing", "b"], ["b"], id="no directories beside one"),
        pytest.param(["file"], ["a"], id="none is valid: the command line stays"),
        pytest.param([], ["a"], id="none at all: the command line stays"),
    ],
)
async def test_roots_replace_the_directories_of_the_command_line(
    places: Path, named: list[str], allowed: list[str]
) -> None:
    """SPEC 3, Roots; HOSTILE 18."""
    async with _agent(*(places / name for name in named), given=[places / "a"]) as agent:
        assert await agent.allowed() == [str(places / name) for name in allowed]


@pytest.mark.parametrize(
    ("named", "allowed", "ignored"),
    [
        pytest.param(["a/in"], ["a/in"], [], id="inside"),
        pytest.param(["a"], ["a"], [], id="the same"),
        pytest.param([""], ["a", "c d"], [], id="containing: narrowed"),
        pytest.param(["b"], ["a", "c d"], ["b"], id="outside"),
        pytest.param(["b", "a/in"], ["a/in"], ["b"], id="outside beside inside"),
        pytest.param(["link"], ["a", "c d"], ["link"], id="a link that leaves"),
        pytest.param(["inlink"], ["inlink", "a/in"], [], id="a link that leads inside"),
    ],
)
async def test_confined_roots_only_narrow(
    places: Path, caplog: pytest.LogCaptureFixture, named: list[str], allowed: list[str], ignored: list[str]
) -> None:
    """SPEC 3, `--confine-roots`; HOSTILE 95."""
    (places / "inlink").symlink_to("a/in")
    given = [places / "a", places / "c d"]
    async with _agent(*(places / name for name in named), given=given, confined=True) as agent:
        assert await agent.allowed() == [str(places / name) for name in allowed]
    told = [record.getMessage() for record in caplog.records if "lies outside" in record.getMessage()]
    assert told == [
        f"the root '{places / name}' lies outside the directories of the command line: ignored" for name in ignored
    ]


async def test_without_roots_the_client_is_never_asked(places: Path) -> None:
    """SPEC 3, `--no-roots`: not at the start, and not after a change."""
    async with _agent(places / "b", given=[places / "a"], asks=False) as agent:
        await agent.change(places / "b")
        assert await agent.allowed() == [str(places / "a")]
        assert agent.naming.asked == 0


async def test_a_change_is_fetched_and_a_call_after_it_sees_it(places: Path) -> None:
    """SPEC 3, Roots: again on notifications/roots/list_changed; relative paths follow."""
    (places / "b" / "f").write_text("in b\n")
    (places / "c d" / "f").write_text("in c\n")
    async with _agent(places / "b", given=[places / "a"]) as agent:
        assert "in b" in await agent.call("read_file", path="f")
        await agent.change(places / "c d")
        assert "in c" in await agent.call("read_file", path="f")
        await agent.refused("outside", "read_file", path=str(places / "b" / "f"))


async def test_an_update_without_a_valid_root_revokes_access(places: Path, caplog: pytest.LogCaptureFixture) -> None:
    """SPEC 3, Roots: once roots were in force; and a later update gives it back."""
    caplog.set_level(logging.INFO, "readfirst")
    async with _agent(places / "b", given=[places / "a"]) as agent:
        assert await agent.allowed() == [str(places / "b")]
        await agent.change(places / "missing")
        assert await agent.allowed() == []
        text = await agent.refused("outside", "read_file", path=str(places / "a" / "f"))
        assert text == f'"{places}/a/f" cannot be used: there are no allowed directories.'
        text = await agent.refused("outside", "read_file", path="f")
        assert text == '"f" cannot be used: there are no allowed directories.'
        await agent.change(places / "c d")
        assert await agent.allowed() == [str(places / "c d")]
    assert [record.getMessage() for record in caplog.records if record.name == "readfirst.server.roots"] == [
        f"allowed directories (from the client): '{places}/b'",
        f"the root '{places}/missing' is not a directory: ignored",
        "no allowed directories (from the client)",
        f"allowed directories (from the client): '{places}/c d'",
    ]


@pytest.mark.parametrize("uri", [pytest.param("file://elsewhere/x", id="host"), pytest.param("file:///a%00", id="NUL")])
async def test_a_root_that_is_no_path_here_is_ignored_and_the_others_are_taken(
    places: Path, caplog: pytest.LogCaptureFixture, uri: str
) -> None:
    """HOSTILE 95: one bad root does not spoil the others."""
    async with _agent(uri, places / "b", given=[places / "a"]) as agent:
        assert await agent.allowed() == [str(places / "b")]
    assert f"the root {uri!r} is ignored: it is no file:// URI of a path on this machine" in caplog.text


async def test_no_more_than_a_hundred_roots_are_taken(places: Path, caplog: pytest.LogCaptureFixture) -> None:
    """HOSTILE 95: 10,000 of them."""
    for number in range(120):
        (places / f"d{number:03}").mkdir()
    many = [places / f"d{number:03}" for number in range(120)] * 80
    async with _agent(*many, given=[places / "a"]) as agent:
        assert await agent.allowed() == [str(one) for one in many[:100]]
    assert "the client names 9600 roots: all but the first 100 are ignored" in caplog.text


async def test_calls_wait_while_roots_are_fetched(places: Path) -> None:
    """SPEC 3, Roots: a call is never answered from the directories that are about to be replaced."""
    answers: list[list[str]] = []
    async with _agent(places / "b", given=[places / "a"], held=True) as agent:

        async def call() -> None:
            answers.append(await agent.allowed())

        async with anyio.create_task_group() as tasks:
            for _ in range(3):
                tasks.start_soon(call)
            await anyio.wait_all_tasks_blocked()
            assert answers == []
            agent.naming.released.set()
    assert answers == [[str(places / "b")]] * 3


async def test_a_change_during_a_fetch_is_fetched_too(places: Path) -> None:
    """SPEC 3, Roots: the answer that was on its way may be the old one."""
    async with _agent(places / "b", given=[places / "a"], held=True) as agent:
        with anyio.fail_after(20):
            while agent.naming.asked == 0:
                await anyio.wait_all_tasks_blocked()
        await agent.change(places / "c d")
        await agent.change(places / "c d")
        agent.naming.released.set()
        assert await agent.allowed() == [str(places / "c d")]
        assert agent.naming.asked == 2


async def test_a_client_that_does_not_answer_is_waited_for_so_long(
    places: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """SPEC 3, Roots: bounded; then the old set stands."""
    async with _agent(places / "b", given=[places / "a"], held=True, settings=Settings(roots_s=0.2)) as agent:
        assert await agent.allowed() == [str(places / "a")]
    assert "the client did not name its roots (TimeoutError): nothing changes" in caplog.text


async def test_a_client_that_answers_with_an_error_changes_nothing(
    places: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """SPEC 3, Roots: also when roots were in force."""
    async with _agent(places / "b", given=[places / "a"], fails=True) as agent:
        assert await agent.allowed() == [str(places / "a")]
        agent.naming.fails = False
        await agent.change(places / "b")
        assert await agent.allowed() == [str(places / "b")]
        agent.naming.fails = True
        await agent.change(places / "c d")
        assert await agent.allowed() == [str(places / "b")]
    assert caplog.text.count("the client did not name its roots (MCPError): nothing changes") == 2


async def test_the_2026_protocol_has_no_roots(places: Path) -> None:
    """SPEC 3, Roots: never asked for; without directories of the command line each call errors."""

    async def roots(context: ClientRequestContext) -> ListRootsResult:
        raise AssertionError(context)

    for given in ([str(places / "a")], []):
        with Workspace(given) as workspace:
            server = build(workspace, roots=ClientRoots(workspace))
            async with Client(server, mode="2026-07-28", list_roots_callback=roots) as client:
                agent = Caller(client)
                if given:
                    assert str(places / "a") in await agent.call("list_allowed_directories")
                else:
                    for tool in ("list_allowed_directories", "session_changes"):
                        text = await agent.refused("outside", tool)
                        assert text == "Nothing can be done: there are no allowed directories."


async def test_a_directory_that_goes_while_it_is_opened_is_left_out(
    places: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """HOSTILE 95: roots change under the hand that opens them."""
    real = os.path.isdir
    left = {str(places / "gone"): 1, str(places / "never"): 9}

    def isdir(path: str) -> bool:
        left[path] = left.get(path, 0) - 1
        return left[path] >= 0 or real(path)

    monkeypatch.setattr(os.path, "isdir", isdir)
    async with _agent(places / "gone", places / "b", given=[places / "a"]) as agent:
        assert await agent.allowed() == [str(places / "b")]
        await agent.change(places / "never", places / "b")
        assert await agent.allowed() == []


async def test_a_root_that_leaves_while_it_is_opened_is_not_taken(
    places: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """G10: what counts is the directory that was opened, not the one that was looked at."""
    door = places / "a" / "door"
    door.symlink_to("in")
    opened = Workspace.open_roots

    def swapped(self: Workspace, directories: Any) -> Any:  # noqa: ANN401 - as it is
        if door.is_symlink() and str(door) in directories:
            door.unlink()
            door.symlink_to(places / "b")
        return opened(self, directories)

    async with _agent(door, given=[places / "a"], confined=True) as agent:
        await agent.allowed()
        door.unlink()
        door.symlink_to("in")
        monkeypatch.setattr(Workspace, "open_roots", swapped)
        await agent.change(door)
        assert await agent.allowed() == []


async def test_a_client_that_can_name_none_has_a_useless_connection(caplog: pytest.LogCaptureFixture) -> None:
    """SPEC 3 (start-up): what to do about it is the transport's; calls are refused meanwhile."""
    with Workspace([]) as workspace:
        roots = ClientRoots(workspace)
        async with Client(build(workspace, roots=roots), mode="legacy") as client:
            await Caller(client).refused("outside", "read_file", path="f")
    assert roots.useless
    assert "the client names no roots: there is nothing to serve" in caplog.text


async def test_a_root_on_a_filesystem_that_does_not_answer_is_not_waited_for(
    places: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SPEC 3, Roots: bounded; and the program is told that a thread of it hangs."""
    real, released = os.path.isdir, threading.Event()

    def isdir(path: str) -> bool:
        if path == str(places / "b"):
            released.wait(20)
        return real(path)

    monkeypatch.setattr(os.path, "isdir", isdir)
    naming = _Naming((places / "b",), held=False, fails=False)
    with Workspace([str(places / "a")], settings=Settings(roots_s=0.2)) as workspace:
        roots = ClientRoots(workspace)
        server = build(workspace, roots=roots)
        async with Client(server, mode="legacy", list_roots_callback=naming.answer) as client:
            assert await _Agent(client, naming).allowed() == [str(places / "a")]
            assert roots.stuck
            released.set()
