"""Allowed directories with something outside of them, and a way to be somebody without rights."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from readfirst.filesystem.roots import Roots

Unprivileged = Callable[[], AbstractContextManager[None]]
_NOBODY = 65534


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """Make a directory that is not allowed, with a file in it."""
    directory = tmp_path / "outside"
    directory.mkdir()
    (directory / "secret").write_text("secret\n")
    return directory


@pytest.fixture
def roots(root: Path) -> Generator[Roots]:
    """Allow `root`."""
    opened = Roots([str(root)])
    yield opened
    opened.close()


@pytest.fixture
def unprivileged() -> Unprivileged:
    """Give a block in which permissions hold, even when the tests run as root."""

    @contextmanager
    def nobody() -> Generator[None]:
        before = os.geteuid()
        if before == 0:
            os.seteuid(_NOBODY)
        try:
            yield
        finally:
            os.seteuid(before)

    return nobody


def open_descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))
