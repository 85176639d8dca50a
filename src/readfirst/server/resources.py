"""Files as resources: any file below the allowed directories by its `file://` URI, and no list of them.

A client application reads resources, perhaps not the model, so nothing counts as read. What is missing and what is not
allowed get one answer, so that nobody learns from it what lies outside.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, Final

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

from readfirst.errors import PathRefused, ReadfirstError
from readfirst.server.results import contents_of
from readfirst.server.uris import path_of
from readfirst.tools.refusals import worded
from readfirst.tools.words import Names, printable
from readfirst.workspace.context import Workspace
from readfirst.workspace.media import read_resource

_TEMPLATE: Final = types.ResourceTemplate(
    name="file",
    title="File",
    uri_template="file://{+path}",
    description="A file in the allowed directories, by its absolute path. Reading it does not allow editing it.",
)
_NO_SUCH: Final = "There is no such resource: it names no file in the allowed directories."
_INTERNAL: Final = "An internal error; the server's log has its trace."

_log = logging.getLogger(__name__)

Context = ServerRequestContext[Any, Any]


class Resources:
    """The three requests about resources. Caching is not allowed: the disk is the truth, and it changes."""

    def __init__(self, workspace: Workspace, threads: Callable[[], anyio.CapacityLimiter]) -> None:
        self._workspace = workspace
        self._threads = threads

    async def list(self, _ctx: Context, _params: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        return types.ListResourcesResult(resources=[], ttl_ms=0, cache_scope="private")

    async def list_templates(
        self, _ctx: Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(resource_templates=[_TEMPLATE], ttl_ms=0, cache_scope="private")

    async def read(self, _ctx: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        try:
            contents = await anyio.to_thread.run_sync(self._read, params.uri, limiter=self._threads())
        except MCPError:
            raise
        except Exception as error:  # noqa: BLE001 - escaping, it would leak its text to a client of 2025
            _log.exception("unexpected %s", type(error).__name__)
            raise _failure(types.INTERNAL_ERROR, _INTERNAL, params.uri) from None
        return types.ReadResourceResult(contents=[contents], ttl_ms=0, cache_scope="private")

    def _read(self, uri: str) -> types.TextResourceContents | types.BlobResourceContents:
        path = path_of(uri)
        if path is None:
            raise _failure(types.INVALID_PARAMS, _NO_SUCH, uri)
        try:
            return contents_of(read_resource(self._workspace, path), uri)
        except PathRefused:
            raise _failure(types.INVALID_PARAMS, _NO_SUCH, uri) from None
        except ReadfirstError as error:
            raise _failure(types.INVALID_PARAMS, worded(error, Names()), uri) from None


def _failure(code: int, message: str, uri: str) -> MCPError:
    return MCPError(code=code, message=printable(message), data={"uri": printable(uri)})
