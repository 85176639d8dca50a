"""Who is calling, and when: the only place that asks the transport.

On stdio the process is the session, so that sub-agents behind one client share it. A transport that knows when a line
came in and when an answer went out hands an `Arrival` along with the request; elsewhere the handler's start and end
stand for both.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

from mcp.server.context import ServerRequestContext


class Arrival:
    """One request on its way through the transport: the tick at which it came in, and what to do once it is settled."""

    def __init__(self, received: int, on_end: Callable[[int], None] | None = None) -> None:
        """Note a request; `on_end` is done once, with the tick, after all else when it is settled."""
        self.received = received
        self._on_end = on_end
        self._on_settled: Callable[[int | None], None] | None = None

    def when_settled(self, call: Callable[[int | None], None]) -> None:
        """Have `call` done once, with the tick at which the answer left, or None when there will be none."""
        self._on_settled = call

    def settle(self, sent: int | None) -> None:
        call, self._on_settled = self._on_settled, None
        if call is not None:
            call(sent)
        end, self._on_end = self._on_end, None
        if end is not None:
            end(self.received)


def arrival_of(ctx: ServerRequestContext[Any, Any]) -> Arrival | None:
    """Give the arrival that the transport noted, if it notes any."""
    return ctx.request if isinstance(ctx.request, Arrival) else None


def process_session(name: str = "") -> str:
    """Name the session of every request on stdio: as the operator does, else like no other process.

    A store that outlives the process must not license one by what another has read, unless both were given one name.
    """
    return f"name:{name}" if name else f"process:{uuid.uuid4().hex}"
