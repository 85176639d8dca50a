"""From a request to a tool and back: find the tool, make the arguments exact, take turns, run, word the outcome.

Handlers start in the order of arrival, but worker threads reorder. So calls that name one path wait for each other
here, first in, first out, in the order a client sent them. Safety does not rest on it: that is `filesystem.locks`.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server

from readfirst.errors import PathRefused
from readfirst.server.identity import Arrival, arrival_of, process_session
from readfirst.server.resources import Resources
from readfirst.server.results import failure_of, result_of, unknown_tool
from readfirst.server.roots import ClientRoots
from readfirst.server.schema import schema_of
from readfirst.tools import ARGUMENT_NAMES, offered
from readfirst.tools.aliases import accept
from readfirst.tools.spec import Args, ToolSpec
from readfirst.tools.words import names_in_force
from readfirst.workspace.context import Session, Workspace

_INSTRUCTIONS = (
    "Read a file before you change it; a page counts for its lines. Edits quote the present text. "
    "A refusal names the call that works next."
)
_READ_ONLY_INSTRUCTIONS = "Files can only be read here. A refusal names the call that works next."

Context = ServerRequestContext[Any, Any]


def build(workspace: Workspace, session: str = "", roots: ClientRoots | None = None) -> Server[Any]:
    """Make the protocol server of a workspace.

    `session` is the name of the process's session, if it has one; without `roots` a client's roots mean nothing.
    """
    app = _App(workspace, process_session(session), roots)
    resources = Resources(workspace, app.threads)
    server: Server[Any] = Server(
        "readfirst",
        version=version("readfirst"),
        instructions=_READ_ONLY_INSTRUCTIONS if workspace.settings.read_only else _INSTRUCTIONS,
        get_tool_input_schema=app.schemas.get,
        on_list_tools=app.list_tools,
        on_call_tool=app.call_tool,
        on_list_resources=resources.list,
        on_list_resource_templates=resources.list_templates,
        on_read_resource=resources.read,
    )
    if roots is not None:
        roots.attach(server)
    return server


class _App:
    def __init__(self, workspace: Workspace, session: str, roots: ClientRoots | None) -> None:
        self._workspace = workspace
        self._roots = roots
        self._session = session
        self._tools: dict[str, ToolSpec[Any]] = {tool.name: tool for tool in offered(workspace.settings)}
        self._names = names_in_force(workspace.settings)
        self._turns = _Turns()
        self._threads: anyio.CapacityLimiter | None = None
        self.schemas = {tool.name: schema_of(tool.args) for tool in self._tools.values()}

    async def list_tools(self, _ctx: Context, _params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[self._described(tool) for tool in self._tools.values()])

    async def call_tool(self, ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        tool = self._tools.get(params.name)
        if tool is None:
            return unknown_tool(params.name, list(self._tools))
        if self._roots is not None:
            try:
                await self._roots.ready(ctx)
            except PathRefused as error:
                return failure_of(error, self._names, self._workspace.settings)
        noted = arrival_of(ctx)
        arrival = noted or Arrival(self._workspace.tick())
        session = self._workspace.session(self._session, received=arrival.received)
        arrival.when_settled(session.end)
        try:
            result = await self._run(tool, params.arguments or {}, session)
        except BaseException:
            arrival.settle(None)
            raise
        if noted is None:
            arrival.settle(self._workspace.tick())
        return result

    async def _run(self, tool: ToolSpec[Any], raw: Mapping[str, Any], session: Session) -> types.CallToolResult:
        try:
            accepted = accept(tool.args, raw, changes_files=tool.changes_files, known=ARGUMENT_NAMES)
            args = tool.args.model_validate(accepted.values)
            async with self._turns.of(_paths(args)):
                reply = await anyio.to_thread.run_sync(tool.run, session, args, limiter=self.threads())
        except Exception as error:  # noqa: BLE001 - whatever it is, the caller gets an answer
            return failure_of(error, self._names, self._workspace.settings)
        return result_of(reply, accepted.ignored)

    def threads(self) -> anyio.CapacityLimiter:
        if self._threads is None:
            self._threads = anyio.CapacityLimiter(self._workspace.settings.worker_threads)
        return self._threads

    def _described(self, tool: ToolSpec[Any]) -> types.Tool:
        return types.Tool(
            name=tool.name,
            title=tool.title,
            description=tool.description,
            input_schema=self.schemas[tool.name],
            annotations=types.ToolAnnotations(
                read_only_hint=tool.read_only,
                idempotent_hint=tool.idempotent,
                destructive_hint=tool.destructive,
                open_world_hint=False,
            ),
        )


def _paths(args: Args) -> set[str]:
    """Give the paths that a call names, as it names them."""
    one = [getattr(args, name) for name in ("path", "source", "destination") if hasattr(args, name)]
    return {*one, *getattr(args, "paths", ())}


class _Turn:
    """The turn of one call at one path."""

    def __init__(self) -> None:
        self.ended = anyio.Event()
        self.heirs: list[_Turn] = []
        """Turns of calls that were cancelled while they waited for this one: they end with it, and not before."""


class _Turns:
    """First in, first out per path argument; a path that nobody waits for takes no memory."""

    def __init__(self) -> None:
        self._last: dict[str, _Turn] = {}

    @asynccontextmanager
    async def of(self, paths: set[str]) -> AsyncGenerator[None]:
        """Wait for every earlier call of any of these paths."""
        before = {path: self._last[path] for path in paths if path in self._last}
        turns = {path: _Turn() for path in paths}
        self._last.update(turns)
        try:
            for earlier in before.values():
                await earlier.ended.wait()
            yield
        finally:
            for path, turn in turns.items():
                earlier = before.get(path, turn)
                if earlier is turn or earlier.ended.is_set():
                    self._end(path, turn)
                else:
                    earlier.heirs.append(turn)

    def _end(self, path: str, first: _Turn) -> None:
        ended = [first]
        for turn in ended:
            turn.ended.set()
            if self._last.get(path) is turn:
                del self._last[path]
            ended += turn.heirs
