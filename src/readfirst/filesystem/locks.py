"""One lock per real file in this process, so that check and write of one call are not parted by another."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

from readfirst.spans import Identity


@dataclass(slots=True)
class _Held:
    lock: threading.Lock = field(default_factory=threading.Lock)
    users: int = 0


class FileLocks:
    """Locks by resolved path or by identity; one that nobody holds or waits for takes no memory."""

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._held: dict[str | Identity, _Held] = {}

    @contextmanager
    def hold(self, name: str | Identity) -> Generator[None]:
        with self._mutex:
            held = self._held.setdefault(name, _Held())
            held.users += 1
        try:
            with held.lock:
                yield
        finally:
            with self._mutex:
                held.users -= 1
                if not held.users:
                    del self._held[name]
