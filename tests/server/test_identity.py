"""Who is calling, and when its reply counts."""

from __future__ import annotations

from readfirst.server.identity import Arrival


def test_an_arrival_is_settled_once() -> None:
    """SPEC 2: a reply leaves once, with the tick at which it left, or never."""
    settled: list[int | None] = []
    arrival = Arrival(5)
    arrival.when_settled(settled.append)
    arrival.settle(7)
    arrival.settle(9)
    assert (arrival.received, settled) == (5, [7])


def test_an_arrival_that_nobody_waits_for_may_be_settled() -> None:
    """A request that is refused before a session is opened for it."""
    Arrival(5).settle(None)
