"""What a client had written before an answer left is known before the answer counts."""

from __future__ import annotations

import os
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from readfirst.server.intake import Intake
from readfirst.workspace.context import Workspace


@pytest.fixture
def workspace(root: Path) -> Generator[Workspace]:
    with Workspace([str(root)]) as workspace:
        yield workspace


@contextmanager
def _pipe() -> Generator[tuple[int, int]]:
    source, sink = os.pipe()
    try:
        yield source, sink
    finally:
        os.close(source)
        os.close(sink)


def test_an_answer_waits_until_what_lies_in_the_pipe_was_handled(workspace: Workspace) -> None:
    """SPEC 2: a second edit already on its way was written blind, however late it is read."""
    with _pipe() as (source, sink):
        intake = Intake(source, workspace)
        os.write(sink, b"1\n")
        sent: list[int] = []
        writer = threading.Thread(target=lambda: sent.append(intake.sent()))
        writer.start()
        block, received = intake.read(None)
        assert (block, sent) == (b"1\n", [])
        os.write(sink, b"2\n")
        _, later = intake.read(None)
        writer.join()
    assert received < sent[0]
    assert received < later


def test_an_answer_does_not_wait_where_nothing_lies(workspace: Workspace) -> None:
    """The usual case: a client that waits for each answer."""
    with _pipe() as (source, sink):
        intake = Intake(source, workspace)
        os.write(sink, b"1\n")
        _, received = intake.read(None)
        intake._handled(None)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - what the next read begins with
        assert received < intake.sent()


def test_an_answer_waits_for_no_reader_that_waits_for_answers(workspace: Workspace) -> None:
    """SPEC 8: at the limit of requests in flight, answers have to leave first."""
    with _pipe() as (source, sink):
        intake = Intake(source, workspace)
        os.write(sink, b"1\n")
        with intake.held_up():
            assert intake.sent() > 0


def test_a_line_of_which_the_beginning_came_in_holds_back_what_is_shown_meanwhile(workspace: Workspace) -> None:
    """SPEC 2: its call was written blind, though its end comes later."""
    with _pipe() as (source, sink):
        intake = Intake(source, workspace)
        for piece in (b'{"half', b' of it"}\n', b"next\n"):
            os.write(sink, piece)
        _, began = intake.read(None)
        os.write(sink, b"more")
        intake.read(began)
        assert workspace.deliveries._expected == [began]  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
        os.write(sink, b"\n")
        intake.read(None)
        assert workspace.deliveries._expected == []  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]


def test_a_descriptor_that_tells_no_count_holds_nothing_back(workspace: Workspace) -> None:
    """Standard input may be anything."""
    source = os.open(os.devnull, os.O_RDONLY)
    intake = Intake(source, workspace)
    assert intake.read(None)[0] == b""
    assert intake.sent() > 0
    os.close(source)
