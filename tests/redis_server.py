"""A real Redis (or Valkey) server on a free port of this machine, for the tests of sharing records."""

from __future__ import annotations

import shutil
import socket
import subprocess
import tempfile
from types import TracebackType
from typing import Any, Final, Self, cast

import pytest
from redis import Redis

_PROGRAMS: Final = ("redis-server", "valkey-server")
_TRIES: Final = 5


class RedisServer:
    """One server that keeps nothing on disk; it can be killed, and started again on the same port."""

    def __init__(self, program: str, *options: str) -> None:
        self._program = program
        self._options = options
        self._directory = tempfile.TemporaryDirectory()
        self._process: subprocess.Popen[bytes] | None = None
        self.port = _free_port()
        self.socket = f"{self._directory.name}/redis.sock"

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        """Start it, and wait until it answers."""
        settings = {
            "--bind": "127.0.0.1",
            "--port": str(self.port),
            "--unixsocket": self.socket,
            "--dir": self._directory.name,
            "--save": "",
            "--appendonly": "no",
        }
        command = [self._program, *(word for pair in settings.items() for word in pair), *self._options]
        self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        assert self._process.stdout is not None
        said = b""
        for line in self._process.stdout:
            said += line
            if b"ready to accept connections at" in line:
                return
        raise AssertionError(said.decode())

    def ask(self, *words: str | int) -> Any:  # noqa: ANN401 - whatever the command gives
        """Run one command of the server, past any store."""
        with Redis(port=self.port, decode_responses=True) as client:
            return cast("Any", client).execute_command(*words)

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
        self._process = None

    def __enter__(self) -> Self:
        for _ in range(_TRIES):
            try:
                self.start()
            except AssertionError:
                # Another program took the port meanwhile.
                self.kill()
                self.port = _free_port()
            else:
                return self
        pytest.fail(f"{self._program} does not start")

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.kill()
        self._directory.cleanup()


def redis_program() -> str:
    """Give the server's program, or skip the test."""
    found = next(filter(None, map(shutil.which, _PROGRAMS)), None)
    if found is None:
        pytest.skip("needs redis-server or valkey-server on PATH (Debian: apt-get install redis-server)")
    return found


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
