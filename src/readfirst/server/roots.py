"""The client's roots as the allowed directories, and what is logged of these.

A client of the 2025 era that offers Roots is asked once it is initialized, and again whenever it says that they
changed; calls wait meanwhile, for a bounded time. Its roots replace the directories of the command line, or only narrow
them (`--confine-roots`). Once they were in force, an answer without a valid one takes all access away; an answer that
does not come changes nothing. A 2026-07-28 client is never asked.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar, Final, cast

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import BaseModel, Field, ValidationError

from readfirst.errors import PathRefused
from readfirst.filesystem.names import unescaped
from readfirst.filesystem.roots import Root, Roots
from readfirst.server.uris import path_of
from readfirst.workspace.context import Workspace

_log = logging.getLogger(__name__)

_TRIES: Final = 3
"""A directory that goes or moves while the set is opened is left out the next time."""

Context = ServerRequestContext[Any, Any]


class ClientRoots:
    """The one connection's roots. `confined`: they only narrow the directories that the workspace has now."""

    def __init__(self, workspace: Workspace, *, confined: bool = False, asks: bool = True) -> None:
        self._workspace = workspace
        self._given = tuple(workspace.roots.roots)
        self._confined = confined
        self._asks = asks
        self._in_force = False
        self._changes: int = 0
        """Changes that the client announced and that are not looked at yet."""
        self._settled = anyio.Event()
        self._on_useless: Callable[[], object] | None = None
        self.stuck = False
        """A thread may hang in the kernel, looking at a root."""
        self.useless = False
        """There are no allowed directories, and the client cannot name any."""

    def attach(self, server: Server[Any]) -> None:
        """Have the server tell when the client is there and when its roots changed."""
        for method in ("notifications/initialized", "notifications/roots/list_changed"):
            server.add_notification_handler(method, types.NotificationParams, self._changed)

    def when_useless(self, call: Callable[[], object]) -> None:
        """Have `call` done when it turns out that this connection can never do anything."""
        self._on_useless = call

    async def ready(self, ctx: Context) -> None:
        """Wait until it is known which directories are allowed.

        Raises:
            PathRefused: none are, and this client can never name any.
        """
        if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
            if not self._workspace.roots.roots:
                raise PathRefused("outside", "")
            return
        settled = self._settled
        if self._offers(ctx) and not settled.is_set():
            # Each answer is waited for that long; a client that goes on announcing changes is not waited for.
            with anyio.move_on_after(2 * self._workspace.settings.roots_s):
                await settled.wait()
            settled.set()

    def _offers(self, ctx: Context) -> bool:
        capabilities = ctx.session.client_capabilities
        return self._asks and capabilities is not None and capabilities.roots is not None

    async def _changed(self, ctx: Context, _: types.NotificationParams) -> None:
        if not self._offers(ctx):
            self._without_roots()
            return
        self._changes += 1
        if self._changes > 1:
            return
        if self._settled.is_set():
            self._settled = anyio.Event()
        try:
            # A change that is announced while the answer is on its way may not be in it.
            while self._changes:
                known = self._changes
                await self._fetch(ctx)
                self._changes -= known
        finally:
            self._changes = 0
            self._settled.set()

    def _without_roots(self) -> None:
        if not self._workspace.roots.roots:
            _log.error("no directory was given, and the client names no roots: there is nothing to serve")
            self.useless = True
            if self._on_useless is not None:
                self._on_useless()

    async def _fetch(self, ctx: Context) -> None:
        limit_s = self._workspace.settings.roots_s
        request = cast("types.ServerRequest", _Ask())
        try:
            with anyio.fail_after(limit_s):
                answer = await ctx.session.send_request(request, _Answer)
                # Abandoned when it takes too long: a directory may lie on a filesystem that does not answer.
                self.stuck = True
                roots = await anyio.to_thread.run_sync(self._opened, answer.roots, abandon_on_cancel=True)
                self.stuck = False
        except (MCPError, ValidationError, TimeoutError) as error:
            _log.warning("the client did not name its roots (%s): nothing changes", type(error).__name__)
            return
        self._adopt(roots)

    def _adopt(self, roots: Roots) -> None:
        if not roots.roots and not self._in_force:
            _log.warning("the client names no root that is valid: nothing changes")
            announce(self._workspace.roots, "from the command line")
            return
        self._in_force = True
        self._workspace.roots = roots
        announce(roots, "from the client, within those of the command line" if self._confined else "from the client")

    def _opened(self, named: Sequence[Any]) -> Roots:
        """Open what of the roots is valid."""
        most = self._workspace.settings.roots
        if len(named) > most:
            _log.warning("the client names %d roots: all but the first %d are ignored", len(named), most)
        paths = [path for one in named[:most] for path in _paths(one)]
        for _ in range(_TRIES):
            valid = [path for path in paths if _is_directory(path)]
            try:
                roots = self._workspace.open_roots(self._narrowed(valid) if self._confined else valid)
            except OSError:
                continue
            if not self._confined or all(self._holds(root.path) for root in roots.roots):
                return roots
            roots.close()
        return self._workspace.open_roots(())

    def _narrowed(self, paths: Iterable[str]) -> list[str]:
        kept: list[str] = []
        for path in paths:
            real = os.path.realpath(path)
            below = [path] if self._holds(real) else [root.given for root in self._given if _within(root.path, real)]
            if not below:
                _log.warning("the root %r lies outside the directories of the command line: ignored", path)
            kept += below
        return kept

    def _holds(self, real: str) -> bool:
        return any(_within(real, root.path) for root in self._given)


class _Ask(BaseModel):
    """`roots/list`, for an answer that is taken root by root.

    The SDK checks the answer to a request by its `method`, and would refuse all of it for one root that is no URL.
    """

    method: ClassVar[str] = ""
    asked: str = Field(default="roots/list", serialization_alias="method")


class _Answer(BaseModel):
    roots: list[Any]


def announce(roots: Roots, source: str) -> None:
    """Log which directories are allowed, and where they came from."""
    if not roots.roots:
        _log.warning("no allowed directories (%s)", source)
        return
    _log.info("allowed directories (%s): %s", source, ", ".join(map(_named, roots.roots)))
    for root in roots.roots:
        if root.path in {"/", os.path.realpath(os.path.expanduser("~"))}:
            what = "the whole filesystem" if root.path == "/" else "the home directory"
            _log.warning("%r is %s: agents can reach all that is in it", root.given, what)


def _named(root: Root) -> str:
    return repr(root.given) if root.given == root.path else f"{root.given!r} (really {root.path!r})"


def _paths(one: object) -> list[str]:
    """Give the path of a root, if it has one."""
    uri = cast("dict[str, object]", one).get("uri") if isinstance(one, dict) else None
    path = path_of(uri) if isinstance(uri, str) else None
    if path is None:
        _log.warning("the root %.200r is ignored: it is no file:// URI of a path on this machine", uri)
        return []
    return [unescaped(path)]


def _is_directory(path: str) -> bool:
    if os.path.isdir(path):
        return True
    _log.warning("the root %r is not a directory: ignored", path)
    return False


def _within(path: str, directory: str) -> bool:
    """Tell whether a real path is a real directory or lies below it."""
    return f"{path}/".startswith(f"{directory.rstrip('/')}/")
