"""A client that writes raw bytes to a real server and reads raw lines: for what no SDK would send."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

_ANSWER_S: Final = 20.0
_HELLO: Final = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "raw", "version": "1"},
}


class RawClient:
    """Lines in, answers out. An answer that does not come within 20 s fails the test."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self._answers: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._next_id = 0

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._answers.put(json.loads(line))
        self._answers.put(None)

    def write(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def post(self, method: str, params: dict[str, Any]) -> int:
        self._next_id += 1
        self.write(self.line(self._next_id, method, params))
        return self._next_id

    @staticmethod
    def line(request_id: int, method: str, params: dict[str, Any]) -> bytes:
        message = {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}
        return json.dumps(message).encode() + b"\n"

    def answer(self) -> dict[str, Any]:
        answer = self._answers.get(timeout=_ANSWER_S)
        assert answer is not None, "the server ended"
        return answer

    def answers(self, count: int) -> dict[int, dict[str, Any]]:
        """Give `count` answers by id, in whatever order they come."""
        return {answer["id"]: answer for answer in (self.answer() for _ in range(count))}

    def start(self, capabilities: dict[str, Any] | None = None) -> None:
        self.post("initialize", {**_HELLO, "capabilities": capabilities or {}})
        assert "result" in self.answer()
        self.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')

    def call(self, tool: str, **arguments: object) -> dict[str, Any]:
        self.post("tools/call", {"name": tool, "arguments": arguments})
        answer = self.answer()
        assert "result" in answer, answer
        result: dict[str, Any] = answer["result"]
        return result

    def kill(self) -> None:
        """End the server as a power cut would: without a word."""
        self.process.kill()
        self.process.wait()
        self._reader.join()
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            pipe.close()

    def alive(self) -> bool:
        self.post("ping", {})
        return self.answer().get("result") == {}

    def end(self) -> list[dict[str, Any]]:
        """Close input, wait for the end, and give the answers that were still to come."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        assert self.process.wait(timeout=_ANSWER_S) == 0
        rest: list[dict[str, Any]] = []
        while (answer := self._answers.get(timeout=_ANSWER_S)) is not None:
            rest.append(answer)
        self._reader.join()
        return rest


def open_client(root: Path, *options: str) -> RawClient:
    return RawClient(start_server(*options, str(root)))


def start_server(*arguments: str, stderr: int | None = None) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "readfirst", *arguments]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr)


@contextmanager
def raw_client(root: Path, *, started: bool = True) -> Generator[RawClient]:
    client = open_client(root)
    try:
        if started:
            client.start()
        yield client
    finally:
        client.kill()


def text_of(result: dict[str, Any]) -> str:
    return "\n".join(block["text"] for block in result["content"])
