"""Files as resources, through the SDK's client in memory, in both eras."""

from __future__ import annotations

import base64
import logging
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import BlobResourceContents, CallToolResult, TextResourceContents

from readfirst import Settings, Workspace
from readfirst.server import resources
from readfirst.server.app import build
from tests.conftest import Unprivileged, facts_of

pytestmark = pytest.mark.anyio

_ERAS = pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
_NO_SUCH = "There is no such resource: it names no file in the allowed directories."


@asynccontextmanager
async def _connected(root: Path, mode: str = "legacy", settings: Settings | None = None) -> AsyncGenerator[Client]:
    with Workspace([str(root)], settings=settings) as workspace:
        async with Client(build(workspace), mode=mode) as client:
            yield client


async def _refused(client: Client, uri: str) -> MCPError:
    with pytest.raises(MCPError) as refused:
        await client.read_resource(uri)
    assert refused.value.data == {"uri": uri}
    return refused.value


@_ERAS
async def test_no_resource_is_listed_and_one_template_is(root: Path, mode: str) -> None:
    """SPEC 3 (Resources): any file can be read by its URI, and no answer may be cached."""
    (root / "a").touch()
    async with _connected(root, mode) as client:
        listed = await client.list_resources()
        templates = await client.list_resource_templates()
    assert listed.resources == []
    assert [(one.name, one.uri_template) for one in templates.resource_templates] == [("file", "file://{+path}")]
    assert {(one.ttl_ms, one.cache_scope) for one in (listed, templates)} == {(0, "private")}


@_ERAS
@pytest.mark.parametrize(
    ("name", "uri_name", "data", "media_type", "text"),
    [
        pytest.param("a.py", "a.py", b"pass\r\n", "text/x-python", "pass\r\n", id="text as it is"),
        pytest.param("a.xyz", "a.xyz", "h\u00e9\n".encode(), "text/plain", "h\u00e9\n", id="unknown suffix, UTF-8"),
        pytest.param("a.svg", "a.svg", b"<svg/>", "image/svg+xml", "<svg/>", id="svg"),
        pytest.param("\u00e9 #", "%C3%A9%20%23", b"x", "text/plain", "x", id="name to be encoded"),
        pytest.param("\udcff", "%FF", b"x", "text/plain", "x", id="name that is no UTF-8"),
        pytest.param("a.xyz", "a.xyz", b"\0\1", "application/octet-stream", None, id="bytes"),
        pytest.param("a", "a", b"\x89PNG\r\n\x1a\n\0", "image/png", None, id="image"),
    ],
)
async def test_a_file_is_read_by_its_uri(  # noqa: PLR0913, PLR0917 - a row has five columns
    root: Path, mode: str, name: str, uri_name: str, data: bytes, media_type: str, text: str | None
) -> None:
    """SPEC 3 (Resources): text as text with a media type, else blob."""
    (root / name).write_bytes(data)
    uri = f"file://{root}/{uri_name}"
    async with _connected(root, mode) as client:
        result = await client.read_resource(uri)
    (contents,) = result.contents
    assert (contents.uri, contents.mime_type) == (uri, media_type)
    assert (result.ttl_ms, result.cache_scope) == (0, "private")
    if text is None:
        assert isinstance(contents, BlobResourceContents)
        assert base64.b64decode(contents.blob, validate=True) == data
    else:
        assert isinstance(contents, TextResourceContents)
        assert contents.text == text


@_ERAS
@pytest.mark.parametrize(
    "uri",
    [
        pytest.param("file://{root}/missing", id="missing"),
        pytest.param("file://{root}", id="directory"),
        pytest.param("file://{root}/pipe", id="pipe"),
        pytest.param("file://{root}/../secret", id="outside"),
        pytest.param("file://{root}/%2e%2e/secret", id="outside, encoded"),
        pytest.param("file://{root}/../nothing", id="outside and missing"),
        pytest.param("file://{root}/out", id="link that leaves"),
        pytest.param("file://{root}/out-nowhere", id="link that leaves to nothing"),
        pytest.param("file://{root}/a/b", id="below a file"),
        pytest.param("file://{root}/" + "x" * 300, id="name too long"),
        pytest.param("file://{root}/a%00", id="NUL"),
        pytest.param("file:///C:/a", id="a path of Windows"),
        pytest.param("file://a", id="relative"),
        pytest.param("http://{root}/a", id="other scheme"),
        pytest.param("", id="empty"),
    ],
)
async def test_what_names_no_file_inside_gets_one_answer(root: Path, uri: str, mode: str) -> None:
    """SPEC 3 (Resources): -32602 with the URI, and the same text whether or not something lies outside."""
    (root / "a").touch()
    os.mkfifo(root / "pipe")
    (root.parent / "secret").touch()
    (root / "out").symlink_to(root.parent / "secret")
    (root / "out-nowhere").symlink_to(root.parent / "nothing")
    async with _connected(root, mode) as client:
        refused = await _refused(client, uri.replace("{root}", str(root)))
    assert (refused.code, refused.message) == (-32602, _NO_SUCH)


async def test_a_file_that_cannot_be_sent_says_why(root: Path, unprivileged: Unprivileged) -> None:
    """G12: it is there, so the reason is of use."""
    (root / "large").write_bytes(bytes(11))
    (root / "closed").write_text("x")
    (root / "closed").chmod(0)
    async with _connected(root, settings=Settings(media_bytes=10)) as client:
        large = await _refused(client, f"file://{root}/large")
        with unprivileged():
            closed = await _refused(client, f"file://{root}/closed")
    assert (large.code, large.message) == (-32602, f'"{root}/large" has 11 bytes, more than the limit of 10.')
    assert closed.code == -32602
    assert "permission" in closed.message.lower()


@_ERAS
async def test_what_nobody_expected_is_logged_and_does_not_leak(
    root: Path, mode: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """SPEC 5: no stack traces."""

    def broken(*_: object) -> None:
        raise RuntimeError("secret")

    monkeypatch.setattr(resources, "read_resource", broken)
    async with _connected(root, mode) as client:
        with caplog.at_level(logging.ERROR):
            refused = await _refused(client, f"file://{root}/a")
    assert (refused.code, refused.message) == (-32603, "An internal error; the server's log has its trace.")
    assert "unexpected RuntimeError" in [record.getMessage() for record in caplog.records]


@pytest.mark.guarantee("G1")
@_ERAS
async def test_a_resource_licenses_nothing(root: Path, mode: str) -> None:
    """SPEC 2: listings, file names and resources show nothing."""
    path = root / "a"
    path.write_text("one\n" * 100)
    async with _connected(root, mode) as client:
        await client.read_resource(path.as_uri())
        refused = await client.call_tool("write_file", {"path": str(path), "content": ""})
    assert isinstance(refused, CallToolResult)
    assert facts_of(refused)["code"] == "not_read"
