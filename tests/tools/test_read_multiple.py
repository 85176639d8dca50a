"""Several files in one reply."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from readfirst import NotRead, ReadfirstError, Session, Workspace, write_file
from readfirst.errors import ArgumentRefused
from readfirst.tools.read import READ_MULTIPLE_FILES, ReadMultipleFilesArgs


@pytest.fixture
def session(tmp_path: Path) -> Generator[Session]:
    """Open a workspace on `tmp_path`."""
    with Workspace([str(tmp_path)]) as workspace:
        yield workspace.session()


def _read(session: Session, *paths: str) -> tuple[str, ...]:
    return READ_MULTIPLE_FILES.run(session, ReadMultipleFilesArgs(paths=list(paths))).blocks


def test_each_file_stands_under_its_path_and_a_failure_in_its_place(session: Session, tmp_path: Path) -> None:
    """SPEC 3: a failure stops nothing."""
    (tmp_path / "a").write_text("one\n")
    (tmp_path / "c").write_text("")
    (tmp_path / "d").write_bytes(b"\0")
    blocks = _read(session, "a", "b", "c", "d")
    assert blocks[0] == "a:\none\n"
    assert blocks[1].startswith("[the only line; version w")
    assert blocks[2].startswith('b: "b" does not exist.')
    assert blocks[3].startswith("c: [0 lines: the file is empty; version w")
    assert blocks[4].startswith('d: "d" is a binary file; it cannot be read, edited or overwritten as text.')
    assert len(blocks) == 5


def test_what_was_shown_counts_as_seen_and_what_was_not_does_not(session: Session, tmp_path: Path) -> None:
    """SPEC 2."""
    (tmp_path / "a").write_text("one\n" * 50)
    (tmp_path / "b").write_text("two\n" * 50)
    _read(session, "a")
    write_file(session, "a", "new\n")
    with pytest.raises(NotRead):
        write_file(session, "b", "new\n")


def test_what_small_files_leave_over_goes_to_the_large_ones(session: Session, tmp_path: Path) -> None:
    """SPEC 3: one output budget, shared out fairly; what was cut says how to go on."""
    for name in ("large", "huge"):
        (tmp_path / name).write_text("123456789\n" * 10_000)
    (tmp_path / "small").write_text("x\n")
    blocks = _read(session, "large", "small", "huge")
    large, closing, small, _, huge, _ = blocks
    assert small == "small:\nx\n"
    assert abs(len(large) - len(huge)) <= 20
    assert 40_000 < sum(map(len, blocks)) <= 45_000
    shown = large.count("\n") - 1
    assert f'next: read_file(path="large", offset={shown + 1})' in closing


def test_a_file_named_twice_is_shown_twice(session: Session, tmp_path: Path) -> None:
    """The order and the number are those of the call."""
    (tmp_path / "a").write_text("one\n")
    assert [block for block in _read(session, "a", "a") if block.startswith("a:")] == ["a:\none\n"] * 2


@pytest.mark.parametrize(
    ("paths", "words"),
    [
        pytest.param([], "`paths` takes 1 to 200 paths, not 0", id="none"),
        pytest.param(["a"] * 201, "`paths` takes 1 to 200 paths, not 201", id="too many"),
        pytest.param(
            ["a" * 100] * 100, "`paths` names more files than one reply can show: ask for half of them", id="too long"
        ),
    ],
)
def test_a_list_that_cannot_be_shown_is_refused(session: Session, paths: list[str], words: str) -> None:
    """SPEC 8."""
    with pytest.raises(ReadfirstError) as refused:
        _read(session, *paths)
    assert isinstance(refused.value, ArgumentRefused)
    assert refused.value.detail == words


def test_a_path_outside_is_named_in_its_place(session: Session) -> None:
    """G10: and tells nothing about what is there."""
    (block,) = _read(session, "/etc/passwd")
    assert block.startswith('/etc/passwd: "/etc/passwd" is outside the allowed directories: ')
