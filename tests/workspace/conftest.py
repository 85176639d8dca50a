"""A workspace over one real directory, and a caller who waits for each result."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

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


def numbered(first: int, last: int) -> str:
    """Give lines that say their number."""
    return "".join(f"line {number}\n" for number in range(first, last + 1))
