"""A workspace over one real directory, and a caller who waits for each result."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from types import ModuleType

import pytest

from readfirst import Settings
from readfirst.filesystem.syscalls import rename_no_replace
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


LostAtRename = Callable[[ModuleType], AbstractContextManager[None]]


@pytest.fixture
def lost_at_rename(outage: tuple[Session, Outage]) -> LostAtRename:
    """Give a block in which the store is lost at the moment before a module's first rename."""
    _, down = outage

    @contextmanager
    def losing(module: ModuleType) -> Generator[None]:
        with ExitStack() as lost, pytest.MonkeyPatch.context() as patch:

            def rename(from_fd: int, name: str, to_fd: int, new_name: str) -> None:
                patch.undo()
                lost.enter_context(down())
                rename_no_replace(from_fd, name, to_fd, new_name)

            patch.setattr(module, "rename_no_replace", rename)
            yield

    return losing


def numbered(first: int, last: int) -> str:
    """Give lines that say their number."""
    return "".join(f"line {number}\n" for number in range(first, last + 1))
