"""The bytes that come in, and when: so that it can be told which calls were written before an answer left.

What a client had written when an answer leaves was written blind, also what still lies unread in the pipe. So the
writer waits, before an answer counts, until the reader thread has handled all of that. A line that is longer than one
read began when its first bytes came in.

(A room beside `stdio`: it needs no loop and no thread of its own.)
"""

from __future__ import annotations

import fcntl
import os
import select
import struct
import termios
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from readfirst.workspace.context import Workspace

_BLOCK: Final = 256 * 1024
_COUNT: Final = struct.Struct("i")
_PATIENCE_S: Final = 0.1
"""How long an answer waits for the reader thread, which has only to parse what is there."""


class Intake:
    """One descriptor, read by one thread, and watched by another that writes answers."""

    def __init__(self, source: int, workspace: Workspace) -> None:
        self._source = source
        self._workspace = workspace
        self._changed = threading.Condition()
        self._bytes_read = self._bytes_handled = 0
        self._held_up = False
        self._open_line: int | None = None
        self._poll = select.poll()
        self._poll.register(source, select.POLLIN)

    def read(self, open_line: int | None) -> tuple[bytes, int]:
        """Give the next bytes and their tick; all before them were handled, but for a line that began at `open_line`.

        Raises:
            OSError: the descriptor cannot be read.
        """
        self._handled(open_line)
        self._poll.poll()
        # The lock is held while bytes change hands: the writer must see them in the pipe or here.
        with self._changed:
            block = os.read(self._source, _BLOCK)
            self._bytes_read += len(block)
            return block, self._workspace.tick()

    @contextmanager
    def held_up(self) -> Generator[None]:
        """Let the reader wait for answers to leave: no answer waits for the reader then."""
        self._hold(held_up=True)
        try:
            yield
        finally:
            self._hold(held_up=False)

    def _hold(self, *, held_up: bool) -> None:
        with self._changed:
            self._held_up = held_up
            self._changed.notify_all()

    def sent(self) -> int:
        """Give the tick at which an answer leaves: now that what the client had written before is known."""
        with self._changed:
            written = self._bytes_read + self._unread()
            self._changed.wait_for(lambda: self._held_up or self._bytes_handled >= written, _PATIENCE_S)
            return self._workspace.tick()

    def _handled(self, open_line: int | None) -> None:
        with self._changed:
            before, self._open_line = self._open_line, open_line
            if open_line is not None and open_line != before:
                self._workspace.deliveries.expect(open_line)
            if before is not None and open_line != before:
                self._workspace.deliveries.settled(before)
            self._bytes_handled = self._bytes_read
            self._changed.notify_all()

    def _unread(self) -> int:
        try:
            found = fcntl.ioctl(self._source, termios.FIONREAD, bytes(_COUNT.size))
        except OSError:
            return 0
        (count,) = _COUNT.unpack(found)
        return int(count)
