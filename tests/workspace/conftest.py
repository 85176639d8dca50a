"""A workspace over one real directory, and a caller who waits for each result."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from readfirst import Settings
from readfirst.sessions.sqlite import SQLiteStore
from readfirst.workspace.context import Session, Workspace


@pytest.fixture
def workspace(root: Path) -> Generator[Workspace]:
    """Open a workspace on `root`."""
    with Workspace([str(root)]) as opened:
        yield opened


@pytest.fixture
def session(workspace: Workspace) -> Session:
    """Open the session of a caller who waits for each result."""
    return workspace.session()


Outage = Callable[[], AbstractContextManager[None]]


@pytest.fixture
def outage(root: Path, tmp_path: Path) -> Generator[tuple[Session, Outage]]:
    """Open a session whose store can be lost: its database file is another thing for a while."""
    path = tmp_path / "sessions.db"
    store = SQLiteStore(str(path), Settings())

    @contextmanager
    def down() -> Generator[None]:
        store.close()
        path.rename(f"{path}.away")
        path.mkdir()
        try:
            yield
        finally:
            path.rmdir()
            os.rename(f"{path}.away", path)

    with Workspace([str(root)], store=store) as opened:
        yield opened.session(), down


def numbered(first: int, last: int) -> str:
    """Give lines that say their number."""
    return "".join(f"line {number}\n" for number in range(first, last + 1))
