"""The words of scenarios: a world of one directory, and calls that are refused and then fulfilled exactly as told.

What a refusal names is taken from its text and sent as it stands: a model has nothing else to go by.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from tests.redis_server import RedisServer
from tests.wire.raw import RawClient, open_client, text_of

SMALL: Final = "one\ntwo\nthree\n"
LONG: Final = "".join(f"line {number}\n" for number in range(1, 101))
"""Too large for a refusal to show whole."""
NEW: Final = "all new\n"

_CALL: Final = re.compile(r'(\w+)\(path=("(?:[^"\\]|\\.)*")((?:, \w+=\d+)*)\)')


class Call(NamedTuple):
    tool: str
    arguments: Mapping[str, object]


OnPath = Callable[[str], Call]
"""A call that only lacks its path: a row of a table."""


def call(tool: str, **arguments: object) -> Call:
    return Call(tool, arguments)


def read(path: str, **arguments: object) -> Call:
    return call("read_file", path=path, **arguments)


def edit(path: str, old: str, new: str, *, every: bool = False, **arguments: object) -> Call:
    one = {"oldText": old, "newText": new, "replaceAll": every}
    return call("edit_file", path=path, edits=[one], **arguments)


def write(path: str, content: str = NEW, **arguments: object) -> Call:
    return call("write_file", path=path, content=content, **arguments)


def append(path: str, content: str) -> Call:
    return call("append_file", path=path, content=content)


def copy(source: str, destination: str) -> Call:
    return call("copy_file", source=source, destination=destination)


def move(source: str, destination: str) -> Call:
    return call("move_file", source=source, destination=destination)


def delete(path: str, **arguments: object) -> Call:
    return call("delete_file", path=path, **arguments)


def undo(path: str) -> Call:
    return call("undo_edit", path=path)


def info(path: str) -> Call:
    return call("get_file_info", path=path)


def changes(path: str = "") -> Call:
    return call("session_changes", path=path)


def named_call(text: str) -> Call | None:
    """Give the call that a reply or a refusal names, if it names one; what it shows of a file is not searched."""
    words = "\n".join(line for line in text.splitlines() if "\t" not in line and line[:1] not in "+- ")
    found = _CALL.search(words)
    if found is None:
        return None
    numbers = {name: int(value) for name, value in re.findall(r"(\w+)=(\d+)", found[3])}
    return Call(found[1], {"path": json.loads(found[2]), **numbers})


@dataclass(frozen=True)
class Store:
    """Where a session is kept, and how many servers share it; `state` is None for the memory of the process."""

    state: Callable[[pytest.FixtureRequest], str] | None = None
    servers: int = 1


def _sqlite(request: pytest.FixtureRequest) -> str:
    factory: pytest.TempPathFactory = request.getfixturevalue("tmp_path_factory")
    return f"sqlite:{factory.mktemp('state') / 'state.db'}"


def _redis(request: pytest.FixtureRequest) -> str:
    server: RedisServer = request.getfixturevalue("shared_redis")
    return server.url


STORES: Final = {
    "memory": Store(),
    "sqlite": Store(_sqlite),
    "sqlite, two servers": Store(_sqlite, servers=2),
    "redis": Store(_redis),
    "redis, two servers": Store(_redis, servers=2),
}
LASTING: Final = tuple(name for name, store in STORES.items() if store.state is not None)


@dataclass
class Servers:
    """Server processes that serve one session: each call goes to the next of them."""

    top: Path
    options: tuple[str, ...] = ()
    count: int = 1
    _clients: list[RawClient] = field(default_factory=list[RawClient], init=False)
    _calls: int = field(default=0, init=False)

    def start(self) -> None:
        self._clients = [open_client(self.top, *self.options) for _ in range(self.count)]
        for client in self._clients:
            client.start()

    def next(self) -> RawClient:
        self._calls += 1
        return self._clients[self._calls % self.count]

    def crash(self) -> None:
        """Kill all of them and start them again."""
        for client in self._clients:
            client.kill()
        self.start()

    def end(self) -> None:
        for client in self._clients:
            client.end()
            client.kill()


@dataclass(frozen=True)
class World:
    """A directory, and an agent that works in it."""

    root: Path
    servers: Servers

    def path(self, name: str) -> str:
        return str(self.root / name)

    def file(self, name: str, content: str | bytes) -> str:
        """Write a file as any other program does; gives its path."""
        path = self.root / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return str(path)

    def text(self, name: str) -> str:
        """Give what a file holds, byte by byte."""
        return (self.root / name).read_bytes().decode()

    def names(self) -> list[str]:
        return sorted(str(path.relative_to(self.root)) for path in self.root.rglob("*"))

    def do(self, *calls: Call) -> str:
        """Make calls that succeed, one after the other; gives the last reply."""
        text = ""
        for tool, arguments in calls:
            result = self.servers.next().call(tool, **arguments)
            text = text_of(result)
            assert not result["isError"], text
        return text

    def refused(self, wanted: Call, code: str) -> str:
        """Make a call that is refused with a code, and changes nothing."""
        before = self._state()
        result = self.servers.next().call(wanted.tool, **wanted.arguments)
        text = text_of(result)
        assert result["isError"], text
        assert result["_meta"]["readfirst"]["code"] == code, text
        assert self._state() == before
        return text

    def taught(self, wanted: Call, *codes: str) -> str:
        """Make a call that is refused with these codes, and succeeds once each refusal was obeyed; gives the last."""
        text = ""
        for code in codes:
            text = self.refused(wanted, code)
            named = named_call(text)
            if named is not None:
                self.do(named)
            else:
                assert "send the call again" in text
        self.do(wanted)
        return text

    def at_once(self, *calls: Call) -> list[str]:
        """Send calls to one server before the first is answered; gives the code of each, empty for one that is done."""
        client = self.servers.next()
        first = 1_000_000
        lines = [
            RawClient.line(number, "tools/call", {"name": tool, "arguments": dict(arguments)})
            for number, (tool, arguments) in enumerate(calls, first)
        ]
        client.write(b"".join(lines))
        answers = client.answers(len(calls))
        return [_code(answers[number]["result"]) for number in range(first, first + len(calls))]

    def _state(self) -> dict[str, object]:
        return {name: _content(self.root / name) for name in self.names()}


def _code(result: dict[str, Any]) -> str:
    return str(result["_meta"]["readfirst"]["code"]) if result["isError"] else ""


def _content(path: Path) -> object:
    return path.readlink() if path.is_symlink() else path.read_bytes() if path.is_file() else None


def version_in(text: str) -> str:
    """Give the version token of a reply."""
    found = re.search(r"version ([a-z]{10})\b", text)
    assert found is not None, text
    return found[1]
