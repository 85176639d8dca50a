"""The stdio transport: one JSON-RPC message a line, strictly UTF-8, every request answered or told why not.

Written over the SDK's public `Server.run`, because the SDK's own stdio drops malformed lines without an answer, turns
bad bytes into U+FFFD (they would be written to files), loses the answers of calls that run when input ends, has no
limit on a line, and hops threads three times a message. A reader thread notes when each line came in (`intake`), a
writer thread writes, so that a client that does not read cannot stop the loop, and answers in flight are drained at the
end.
"""

from __future__ import annotations

import asyncio
import logging
import os
import queue
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any, Final, Self

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from pydantic import ValidationError

from readfirst.server.framing import Line, TooLong, lines_from, refusal_of
from readfirst.server.identity import Arrival
from readfirst.server.intake import Intake
from readfirst.server.roots import ClientRoots
from readfirst.workspace.context import Workspace

_log = logging.getLogger(__name__)

_DRAIN_S: Final = 30.0
_IN_FLIGHT: Final = 1_024
"""Requests read and not yet answered; beyond it reading waits, so that a flood cannot fill memory."""


async def serve(server: Server[Any], workspace: Workspace, roots: ClientRoots) -> bool:
    """Serve on the process's standard streams until input ends, or until it turns out that there is nothing to serve.

    False: a call was still running then, after 30 s.
    """
    source, sink = _claim_standard_streams()
    wire = _Wire(workspace, source, sink)
    roots.when_useless(wire.input_ended)
    wire.start()
    await server.run(wire.inbox, wire.outbox, server.create_initialization_options())
    return wire.finish()


def _claim_standard_streams() -> tuple[int, int]:
    """Move the wire to private descriptors: whatever else reads or prints cannot touch it."""
    source, sink = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return source, sink


class _Wire:
    """The two threads, and the requests between them."""

    def __init__(self, workspace: Workspace, source: int, sink: int) -> None:
        self._workspace = workspace
        self._source, self._sink = source, sink
        self._loop = asyncio.get_running_loop()
        self._feed, self.inbox = anyio.create_memory_object_stream[SessionMessage | Exception](float("inf"))
        self.outbox = _Outbox(self._answer)
        self._answers: queue.SimpleQueue[tuple[bytes, Arrival | None] | None] = queue.SimpleQueue()
        self._intake = Intake(source, workspace)
        self._slots = threading.Semaphore(_IN_FLIGHT)
        self._lock = threading.Lock()
        self._arrivals: dict[tuple[type, object], list[Arrival]] = {}
        self._in_flight = 0
        self._ended = False
        self._writer = threading.Thread(target=self._write, name="stdio-writer", daemon=True)

    def start(self) -> None:
        threading.Thread(target=self._read, name="stdio-reader", daemon=True).start()
        self._writer.start()

    def finish(self) -> bool:
        """Write what is queued; False: a request is still being worked on."""
        self._answers.put(None)
        self._writer.join(timeout=_DRAIN_S)
        return self._in_flight == 0

    # The reader thread.

    def _read(self) -> None:
        try:
            for line in lines_from(self._intake.read, self._workspace.settings.message_bytes):
                self._receive(line)
        except OSError:
            _log.exception("standard input cannot be read")
        self._on_loop(self.input_ended)

    def _receive(self, line: Line | TooLong) -> None:
        if isinstance(line, TooLong):
            self._answers.put((refusal_of(line), None))
            return
        try:
            message = types.jsonrpc_message_adapter.validate_json(line.data, by_name=False)
        except ValidationError:
            self._answers.put((refusal_of(line), None))
            return
        if not isinstance(message, types.JSONRPCRequest):
            self._on_loop(self._post, SessionMessage(message))
            return
        deliveries = self._workspace.deliveries
        deliveries.expect(line.began)
        arrival = Arrival(line.began, deliveries.settled)
        if not self._slots.acquire(blocking=False):
            with self._intake.held_up():
                self._slots.acquire()
        with self._lock:
            self._in_flight += 1
            self._arrivals.setdefault(_key(message.id), []).append(arrival)

        async def unanswered() -> None:
            self._settled(self._taken(message.id), None)

        metadata = ServerMessageMetadata(request_context=arrival, on_request_unanswered=unanswered)
        self._on_loop(self._post, SessionMessage(message, metadata))

    def _on_loop(self, call: Callable[..., object], *arguments: object) -> None:
        try:
            self._loop.call_soon_threadsafe(call, *arguments)
        except RuntimeError:
            _log.debug("the loop has ended")

    # The loop.

    def _post(self, message: SessionMessage) -> None:
        try:
            self._feed.send_nowait(message)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            _log.debug("a message came after the end")

    def input_ended(self) -> None:
        """Take no more requests; close once those in flight are answered."""
        self._ended = True
        self._loop.call_later(_DRAIN_S, self._feed.close)
        self._close_when_idle()

    def _close_when_idle(self) -> None:
        if self._ended and self._in_flight == 0:
            self._feed.close()

    def _answer(self, message: types.JSONRPCMessage) -> None:
        data = message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"
        arrival = self._taken(message.id) if isinstance(message, types.JSONRPCResponse | types.JSONRPCError) else None
        self._answers.put((data, arrival))

    def _taken(self, request_id: object) -> Arrival | None:
        with self._lock:
            waiting = self._arrivals.get(_key(request_id), [])
            arrival = waiting.pop(0) if waiting else None
            if not waiting:
                self._arrivals.pop(_key(request_id), None)
            return arrival

    # The writer thread.

    def _write(self) -> None:
        while (item := self._answers.get()) is not None:
            data, arrival = item
            # What an answer shows counts from before its first byte leaves: the next call may come at once.
            if arrival is not None:
                arrival.settle(self._intake.sent())
            try:
                rest = memoryview(data)
                while rest:
                    rest = rest[os.write(self._sink, rest) :]
            except OSError:
                _log.debug("the client closed its end")
                self._on_loop(self._feed.close)
            self._settled(arrival, None)

    def _settled(self, arrival: Arrival | None, sent: int | None) -> None:
        """A request needs no more work: it was answered, or it was cancelled and never will be."""
        if arrival is None:
            return
        arrival.settle(sent)
        with self._lock:
            self._in_flight -= 1
        self._slots.release()
        self._on_loop(self._close_when_idle)


class _Outbox:
    """The SDK's write stream, straight into the writer's queue."""

    def __init__(self, answer: Callable[[types.JSONRPCMessage], None]) -> None:
        self._answer = answer

    async def send(self, item: SessionMessage, /) -> None:
        self._answer(item.message)

    async def aclose(self) -> None:
        """Nothing is held open here."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc_val: BaseException | None, exc_tb: TracebackType | None
    ) -> bool | None:
        return None


def _key(request_id: object) -> tuple[type, object]:
    # 1 and "1" are two requests.
    return type(request_id), request_id
