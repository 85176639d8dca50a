"""The servers of the scenarios: started once for each store, since a start takes the better part of a second."""

from __future__ import annotations

import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest

from tests.wire.scenarios import STORES, Servers, World


@pytest.fixture(scope="session")
def top(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make the allowed directory of every scenario; each works in one of its own below it."""
    return tmp_path_factory.mktemp("scenarios")


@pytest.fixture(scope="session", params=STORES)
def servers(request: pytest.FixtureRequest, top: Path, home: Path) -> Generator[Servers]:
    """Start the servers of one session on each store."""
    assert home.is_dir()
    store = STORES[request.param]
    options = ("--state", store.state(request), "--session", request.param) if store.state is not None else ()
    running = Servers(top, options, store.servers)
    running.start()
    yield running
    running.end()


@pytest.fixture(scope="session")
def other_server(top: Path, home: Path) -> Generator[Servers]:
    """Start a server that shares nothing with the others but the files."""
    assert home.is_dir()
    running = Servers(top)
    running.start()
    yield running
    running.end()


@pytest.fixture
def world(servers: Servers, top: Path) -> World:
    """Make a world for one scenario."""
    return World(Path(tempfile.mkdtemp(dir=top)), servers)


@pytest.fixture
def stranger(world: World, other_server: Servers) -> World:
    """Give the same world to an agent that has another session, and has read nothing."""
    return World(world.root, other_server)
