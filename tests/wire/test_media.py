"""Whole files and resources over real stdio, in both eras: the lines as a client reads them."""

from __future__ import annotations

import base64
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from tests.wire.raw import RawClient, raw_client

_PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(20)
_WAV = b"RIFF\x24\0\0\0WAVEfmt " + bytes(28)
_MODERN = {
    "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
}


class _Wire:
    """Requests in one era."""

    def __init__(self, client: RawClient, envelope: dict[str, Any]) -> None:
        self._client, self._envelope = client, envelope
        self.modern = bool(envelope)

    def ask(self, method: str, **params: object) -> dict[str, Any]:
        self._client.post(method, {**params, **self._envelope})
        return self._client.answer()

    def call(self, tool: str, **arguments: object) -> dict[str, Any]:
        result: dict[str, Any] = self.ask("tools/call", name=tool, arguments=arguments)["result"]
        return result


@pytest.fixture(params=["2025", "2026"])
def wire(request: pytest.FixtureRequest, root: Path) -> Generator[_Wire]:
    """Start a server and speak to it in one era."""
    with raw_client(root, started=request.param == "2025") as client:
        yield _Wire(client, _MODERN if request.param == "2026" else {})


@pytest.mark.parametrize(
    ("name", "data", "block"),
    [
        pytest.param("a.png", _PNG, {"type": "image", "mimeType": "image/png"}, id="image"),
        pytest.param("a.wav", _WAV, {"type": "audio", "mimeType": "audio/wav"}, id="sound"),
    ],
)
def test_an_image_and_a_sound_come_as_such(
    wire: _Wire, root: Path, name: str, data: bytes, block: dict[str, str]
) -> None:
    """SPEC 3 (`read_media_file`); SPEC 5: facts in `_meta`, nothing twice."""
    (root / name).write_bytes(data)
    result = wire.call("read_media_file", path=str(root / name))
    shown, closing = result["content"]
    assert shown == {**block, "data": base64.b64encode(data).decode()}
    facts = result["_meta"]["readfirst"]
    assert facts["mediaType"] == block["mimeType"]
    assert closing["text"] == f"[{block['mimeType']}, {len(data)} bytes; version {facts['version']}]"
    assert "structuredContent" not in result
    assert not result.get("isError", False)


@pytest.mark.parametrize(
    ("data", "contents"),
    [
        pytest.param(b"one\n", {"mimeType": "text/plain", "text": "one\n"}, id="text"),
        pytest.param(b"\0\1", {"mimeType": "application/octet-stream", "blob": "AAE="}, id="bytes"),
    ],
)
def test_anything_else_comes_as_a_resource(wire: _Wire, root: Path, data: bytes, contents: dict[str, str]) -> None:
    """SPEC 3: embedded by the tool, and the same when its URI is read."""
    (root / "a b.xyz").write_bytes(data)
    block, _ = wire.call("read_media_file", path="a b.xyz")["content"]
    uri = f"file://{root}/a%20b.xyz"
    assert block == {"type": "resource", "resource": {"uri": uri, **contents}}
    result = wire.ask("resources/read", uri=uri)["result"]
    assert result["contents"] == [{"uri": uri, **contents}]


@pytest.mark.guarantee("G1")
def test_a_whole_file_was_read_and_can_be_deleted(wire: _Wire, root: Path) -> None:
    """SPEC 2: all of a file by `read_media_file`; a resource shows nothing."""
    path = root / "a.png"
    path.write_bytes(_PNG)
    wire.ask("resources/read", uri=path.as_uri())
    refused = wire.call("delete_file", path=str(path))
    assert refused["_meta"]["readfirst"]["code"] == "not_read"
    wire.call("read_media_file", path=str(path))
    assert not wire.call("delete_file", path=str(path)).get("isError", False)
    assert not path.exists()


def test_a_file_over_the_limit_is_refused(wire: _Wire, root: Path) -> None:
    """SPEC 8: media 20 MB; a sparse file is enough to show it."""
    with (root / "a.png").open("wb") as file:
        file.truncate(20 * 1024 * 1024 + 1)
    refused = wire.call("read_media_file", path="a.png")
    assert refused["isError"]
    assert refused["_meta"]["readfirst"]["code"] == "too_large"
    assert refused["content"][0]["text"] == '"a.png" has 20,971,521 bytes, more than the limit of 20,971,520.'


def test_the_resources_are_announced_and_may_not_be_cached(wire: _Wire, root: Path) -> None:
    """SPEC 3 (Resources): cache hint 0 / private, where the protocol has one."""
    (root / "a").write_text("x")
    listed = wire.ask("resources/list")["result"]
    templates = wire.ask("resources/templates/list")["result"]
    read = wire.ask("resources/read", uri=(root / "a").as_uri())["result"]
    assert listed["resources"] == []
    (template,) = templates["resourceTemplates"]
    assert (template["name"], template["uriTemplate"]) == ("file", "file://{+path}")
    hints = {(one.get("ttlMs"), one.get("cacheScope")) for one in (listed, templates, read)}
    assert hints == {(0, "private") if wire.modern else (None, None)}


@pytest.mark.parametrize("name", ["missing", "d", "link"])
def test_no_resource_is_an_error_with_the_uri(wire: _Wire, root: Path, name: str) -> None:
    """SPEC 3 (Resources): missing and denied alike; a directory is no resource."""
    (root / "d").mkdir()
    (root.parent / "outside").write_text("secret")
    (root / "link").symlink_to("../outside")
    uri = f"file://{root}/{name}"
    error = wire.ask("resources/read", uri=uri)["error"]
    message = "There is no such resource: it names no file in the allowed directories."
    assert error == {"code": -32602, "message": message, "data": {"uri": uri}}
