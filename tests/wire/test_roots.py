"""Roots and start-up over real stdio: with the SDK's client, and with one that says what no SDK would."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from mcp.client.session import ClientRequestContext
from mcp_types import ListRootsResult

from tests.wire.raw import RawClient, start_server, text_of
from tests.wire.served import served

_META: dict[str, Any] = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {"roots": {}},
}
_OFFERS: dict[str, Any] = {"roots": {"listChanged": True}}
_END_S = 20.0


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """Make a directory beside the allowed one, with a file."""
    directory = tmp_path / "other"
    directory.mkdir()
    (directory / "f").write_text("other\n")
    return directory


def _names(*uris: str) -> Any:  # noqa: ANN401 - a callback in the SDK's type
    async def answer(context: ClientRequestContext) -> ListRootsResult:
        assert context
        return ListRootsResult.model_validate({"roots": [{"uri": uri} for uri in uris]})

    return answer


@pytest.mark.anyio
@pytest.mark.parametrize("given", [True, False], ids=["with directories", "without"])
async def test_the_roots_of_a_client_replace_the_directories(
    root: Path, other: Path, tmp_path: Path, *, given: bool
) -> None:
    """SPEC 3, Roots: and what is allowed, and why, is logged at the start and at the change."""
    log = tmp_path / "log"
    async with served(*([root] if given else []), roots=_names(other.as_uri()), log=log) as agent:
        assert "1\tother" in await agent.call("read_file", path="f")
        text = await agent.refused("outside", "read_file", path=str(root / "f"))
        assert text == f'"{root}/f" is outside the allowed directories: "{other}".'
    first = f"INFO: allowed directories (from the command line): '{root}'"
    assert log.read_text().splitlines() == [
        f"readfirst: {first if given else 'WARNING: no allowed directories (from the command line)'}",
        f"readfirst: INFO: allowed directories (from the client): '{other}'",
    ]


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("option", "allowed"),
    [("--confine-roots", "{root}/in"), ("--no-roots", "{root}")],
    ids=["confined", "never asked"],
)
async def test_the_options_hold_roots_back(root: Path, other: Path, option: str, allowed: str) -> None:
    """SPEC 3, `--confine-roots` and `--no-roots`."""
    (root / "in").mkdir()
    roots = _names(other.as_uri(), (root / "in").as_uri())
    async with served(option, root, roots=roots) as agent:
        text = await agent.call("list_allowed_directories")
    assert text == f"Allowed directories:\n{allowed.format(root=root)}"


@pytest.mark.anyio
async def test_a_client_with_roots_of_which_none_is_valid_stays_without_access(tmp_path: Path) -> None:
    """SPEC 3 (start-up): the connection is kept."""
    async with served(roots=_names((tmp_path / "missing").as_uri())) as agent:
        text = await agent.call("list_allowed_directories")
        assert text == "There are no allowed directories, so no path can be used."
        await agent.refused("outside", "read_file", path="f")
        assert await agent.call("session_changes") == "[this session has changed nothing]"


@pytest.mark.anyio
async def test_a_client_of_2026_without_directories_gets_an_error_for_each_call(other: Path) -> None:
    """SPEC 3, Roots: never asked for."""
    async with served(mode="2026-07-28", roots=_names(other.as_uri())) as agent:
        for tool in ("list_allowed_directories", "session_changes"):
            text = await agent.refused("outside", tool)
            assert text == "Nothing can be done: there are no allowed directories."


def test_a_client_of_2025_that_has_no_roots_either_is_told_and_left() -> None:
    """SPEC 3 (start-up): the handshake is answered; then log the reason, close, exit 1, though input goes on."""
    server = start_server(stderr=subprocess.PIPE)
    client = RawClient(server)
    try:
        client.start()
        assert server.stderr is not None
        assert server.stderr.read().decode().splitlines() == [
            "readfirst: WARNING: no allowed directories (from the command line)",
            "readfirst: ERROR: no directory was given, and the client names no roots: there is nothing to serve",
        ]
        assert server.wait(timeout=_END_S) == 1
        server.stderr.close()
    finally:
        client.kill()


def test_a_root_that_is_no_uri_does_not_spoil_the_others(root: Path, other: Path) -> None:
    """HOSTILE 95: the SDK would refuse the whole answer; and a call sent before the answer waits for it."""
    client = RawClient(start_server(str(root)))
    try:
        client.start(_OFFERS)
        ask = client.answer()
        assert ask["method"] == "roots/list"
        call = client.post("tools/call", {"name": "list_allowed_directories", "arguments": {}})
        roots: list[object] = [{"uri": "https://example.org/"}, {"uri": str(root)}, 7, {"uri": other.as_uri()}]
        client.write(json.dumps({"jsonrpc": "2.0", "id": ask["id"], "result": {"roots": roots}}).encode() + b"\n")
        answer = client.answer()
        assert answer["id"] == call
        assert text_of(answer["result"]) == f"Allowed directories:\n{other}"
        for junk in ({}, {"roots": "x"}, {"roots": None}):
            client.write(b'{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}\n')
            ask = client.answer()
            assert ask["method"] == "roots/list"
            client.write(json.dumps({"jsonrpc": "2.0", "id": ask["id"], "result": junk}).encode() + b"\n")
            assert text_of(client.call("list_allowed_directories")) == f"Allowed directories:\n{other}"
    finally:
        client.kill()


def test_a_2026_request_that_offers_roots_is_not_asked(root: Path) -> None:
    """SPEC 3, Roots: the answer is the first line that comes."""
    client = RawClient(start_server(str(root)))
    try:
        call = client.post("tools/call", {"name": "list_allowed_directories", "arguments": {}, "_meta": _META})
        answer = client.answer()
        assert answer["id"] == call
        assert text_of(answer["result"]) == f"Allowed directories:\n{root}"
    finally:
        client.kill()
