"""When a reply counts. Numbers in the tests are ticks."""

from __future__ import annotations

import pytest

from readfirst.content.digest import digest_of
from readfirst.sessions.coverage import Coverage
from readfirst.sessions.delivery import Deliveries, Shown
from readfirst.sessions.ledger import FileRecord, Showing
from readfirst.sessions.memory import MemoryStore
from readfirst.sessions.store import SessionId
from readfirst.settings import Settings
from readfirst.spans import LineRange

S = SessionId("s")
OLD, NEW = digest_of(b"old"), digest_of(b"new")
TOP, END, ALL = Coverage((LineRange(1, 2),)), Coverage((LineRange(3, 4),)), Coverage((LineRange(1, 4),))


@pytest.fixture
def deliveries() -> Deliveries:
    return Deliveries(MemoryStore(Settings()))


def _old(seen_at: int, lines: Coverage = ALL, key: str = "f") -> Shown:
    return Shown(key, seen_at, Showing(OLD, lines))


def _new(seen_at: int, lines: Coverage = ALL) -> Shown:
    return Shown("f", seen_at, Showing(NEW, lines))


def test_a_showing_counts_for_a_call_received_after_it_was_sent(deliveries: Deliveries) -> None:
    """SPEC 2."""
    deliveries.begin(S, 1)
    deliveries.end(S, 1, 3, [_old(2)])
    deliveries.begin(S, 4)
    assert deliveries.record(S, "f", 4) == FileRecord(OLD, ALL)
    assert deliveries.record(S, "other", 4) is None


def test_a_showing_does_not_count_for_a_call_that_was_already_on_its_way(deliveries: Deliveries) -> None:
    """SPEC 2: a second edit already on its way was written blind."""
    deliveries.begin(S, 1)
    deliveries.begin(S, 2)
    deliveries.end(S, 1, 5, [_old(3)])
    assert deliveries.record(S, "f", 2) is None
    deliveries.begin(S, 6)
    assert deliveries.record(S, "f", 6) == FileRecord(OLD, ALL)
    assert deliveries.record(S, "f", 2) is None
    deliveries.end(S, 2, 7, [])
    assert deliveries.record(S, "f", 6) == FileRecord(OLD, ALL)


def test_a_call_received_as_the_reply_left_was_written_blind(deliveries: Deliveries) -> None:
    """SPEC 2: counts only for calls received *after* that reply was sent."""
    deliveries.begin(S, 1)
    deliveries.begin(S, 5)
    deliveries.end(S, 1, 5, [_old(3)])
    assert deliveries.record(S, "f", 5) is None


def test_a_reply_that_never_left_showed_nothing(deliveries: Deliveries) -> None:
    """SPEC 2: a read that was cancelled or timed out counts for nothing."""
    deliveries.begin(S, 1)
    deliveries.end(S, 1, None, [_old(2)])
    deliveries.begin(S, 3)
    assert deliveries.record(S, "f", 3) is None


def test_what_waits_counts_once_the_calls_before_it_have_ended(deliveries: Deliveries) -> None:
    """SPEC 2; a showing waits only while a call runs that was received before it was sent."""
    deliveries.begin(S, 1)
    deliveries.begin(S, 2)
    deliveries.begin(S, 3)
    deliveries.end(S, 3, 5, [_old(4, TOP)])
    deliveries.end(S, 2, 7, [_old(6, END)])
    deliveries.end(S, 1, None, [])
    deliveries.begin(S, 8)
    assert deliveries.record(S, "f", 8) == FileRecord(OLD, ALL)


def test_showings_of_several_files_keep_apart(deliveries: Deliveries) -> None:
    """SPEC 2: one record per file."""
    deliveries.begin(S, 1)
    deliveries.begin(S, 2)
    deliveries.end(S, 2, 5, [_old(3, TOP), _old(4, END, key="g")])
    deliveries.begin(S, 6)
    assert deliveries.record(S, "f", 6) == FileRecord(OLD, TOP)
    assert deliveries.record(S, "g", 6) == FileRecord(OLD, END)


def test_an_own_write_counts_at_once(deliveries: Deliveries) -> None:
    """SPEC 2: own writes count at once (G4)."""
    deliveries.begin(S, 1)
    deliveries.begin(S, 2)
    deliveries.wrote(S, "f", FileRecord(NEW, ALL), 3)
    assert deliveries.record(S, "f", 1) == FileRecord(NEW, ALL)


def test_an_older_showing_never_replaces_the_record_of_a_later_own_write(deliveries: Deliveries) -> None:
    """SPEC 2: what was looked at before an own write is past, whenever its reply leaves."""
    deliveries.begin(S, 1)
    deliveries.begin(S, 2)
    deliveries.wrote(S, "f", FileRecord(NEW, TOP), 4)
    deliveries.end(S, 2, 5, [])
    deliveries.end(S, 1, 6, [_old(3)])
    deliveries.begin(S, 7)
    assert deliveries.record(S, "f", 7) == FileRecord(NEW, TOP)


def test_an_older_showing_that_waits_never_hides_a_later_own_write(deliveries: Deliveries) -> None:
    """As above, while a call still runs for which the showing does not count."""
    deliveries.begin(S, 1)
    deliveries.begin(S, 2)
    deliveries.wrote(S, "f", FileRecord(NEW, TOP), 4)
    deliveries.end(S, 2, 5, [_old(3)])
    deliveries.begin(S, 6)
    assert deliveries.record(S, "f", 6) == FileRecord(NEW, TOP)


def test_a_look_after_an_own_write_replaces_its_record(deliveries: Deliveries) -> None:
    """SPEC 2, one version at a time: somebody else wrote, and the session saw it."""
    deliveries.begin(S, 1)
    deliveries.wrote(S, "f", FileRecord(NEW, ALL), 2)
    deliveries.end(S, 1, 4, [_old(3, TOP)])
    deliveries.begin(S, 5)
    assert deliveries.record(S, "f", 5) == FileRecord(OLD, TOP)


def test_an_older_look_at_the_version_written_adds_to_its_record(deliveries: Deliveries) -> None:
    """SPEC 2: lines of one and the same version, shown whenever."""
    deliveries.begin(S, 1)
    deliveries.wrote(S, "f", FileRecord(NEW, TOP), 3)
    deliveries.end(S, 1, 4, [_new(2, END)])
    deliveries.begin(S, 5)
    assert deliveries.record(S, "f", 5) == FileRecord(NEW, ALL)


def test_of_two_looks_the_later_one_counts_whichever_reply_left_last(deliveries: Deliveries) -> None:
    """SPEC 2, one version at a time: thread work reorders replies."""
    deliveries.begin(S, 1)
    deliveries.begin(S, 2)
    deliveries.end(S, 2, 5, [_new(4)])
    deliveries.end(S, 1, 6, [_old(3)])
    deliveries.begin(S, 7)
    assert deliveries.record(S, "f", 7) == FileRecord(NEW, ALL)


def test_of_two_looks_that_wait_the_later_one_counts_whichever_reply_left_last(deliveries: Deliveries) -> None:
    """As above, while an older call still runs, so that both replies wait."""
    for received in (1, 2, 3):
        deliveries.begin(S, received)
    deliveries.end(S, 3, 6, [_new(5)])
    deliveries.end(S, 2, 7, [_old(4)])
    deliveries.begin(S, 8)
    assert deliveries.record(S, "f", 8) == FileRecord(NEW, ALL)


def test_an_older_look_that_counts_later_never_replaces_a_newer_one(deliveries: Deliveries) -> None:
    """As above, while a call still runs that was received between the two replies."""
    for received in (1, 2):
        deliveries.begin(S, received)
    deliveries.end(S, 2, 5, [_new(4)])
    deliveries.begin(S, 6)
    deliveries.end(S, 1, 7, [_old(3)])
    deliveries.begin(S, 8)
    assert deliveries.record(S, "f", 6) == FileRecord(NEW, ALL)
    assert deliveries.record(S, "f", 8) == FileRecord(NEW, ALL)
    deliveries.end(S, 6, 9, [])
    assert deliveries.record(S, "f", 8) == FileRecord(NEW, ALL)


def test_sessions_share_no_showing(deliveries: Deliveries) -> None:
    """G1: this session has not read it."""
    other = SessionId("other")
    deliveries.begin(S, 1)
    deliveries.end(S, 1, 3, [_old(2)])
    deliveries.begin(other, 4)
    assert deliveries.record(other, "f", 4) is None


def test_a_showing_waits_for_a_request_of_which_nobody_knows_the_session_yet(deliveries: Deliveries) -> None:
    """SPEC 2: a call that came in before the reply left was written blind, though its work begins later."""
    deliveries.expect(1)
    deliveries.expect(2)
    deliveries.begin(S, 1)
    deliveries.end(S, 1, 4, [_old(3)])
    deliveries.settled(1)
    deliveries.begin(S, 2)
    assert deliveries.record(S, "f", 2) is None
    deliveries.end(S, 2, 6, [])
    deliveries.settled(2)
    deliveries.begin(S, 7)
    assert deliveries.record(S, "f", 7) == FileRecord(OLD, ALL)
