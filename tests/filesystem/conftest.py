"""Allowed directories with something outside of them."""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path

import pytest

from readfirst.filesystem.roots import Roots


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


def open_descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))
