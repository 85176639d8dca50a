"""Removing: only the version that was meant, and what is found instead is put back."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from readfirst.content.digest import digest_of
from readfirst.errors import DiskRefused, ReadfirstError, Stale
from readfirst.filesystem import commit
from readfirst.filesystem.commit import remove_file, remove_link, remove_verified, require_writable
from readfirst.filesystem.roots import Roots
from readfirst.filesystem.syscalls import rename_no_replace
from tests.conftest import Unprivileged
from tests.filesystem.conftest import open_descriptors

_OLD = b"old\n"


@pytest.fixture
def old(root: Path) -> Path:
    """Make a file to be removed."""
    (root / "f").write_bytes(_OLD)
    return root / "f"


def _remove(roots: Roots, expected: bytes = _OLD) -> bool:
    with roots.confine("f", follow=False) as target:
        return remove_link(target) if target.is_link else remove_file(target, expected=digest_of(expected))


def _refused(roots: Roots, expected: bytes = _OLD) -> ReadfirstError:
    with pytest.raises(ReadfirstError) as refused:
        _remove(roots, expected)
    return refused.value


def _act_at_renames(monkeypatch: pytest.MonkeyPatch, *acts: Callable[[], object]) -> None:
    """Let another program act at the moment before each rename."""
    pending = list(acts)

    def rename(from_fd: int, name: str, to_fd: int, new_name: str) -> None:
        if pending:
            pending.pop(0)()
        rename_no_replace(from_fd, name, to_fd, new_name)

    monkeypatch.setattr(commit, "rename_no_replace", rename)


@pytest.mark.usefixtures("old")
def test_the_file_that_was_meant_goes_and_nothing_else_is_left(roots: Roots, root: Path) -> None:
    """SPEC 6 (delete)."""
    before = open_descriptors()
    assert _remove(roots)
    assert (os.listdir(root), open_descriptors()) == ([], before)


def test_one_of_two_names_goes_and_the_other_stays(roots: Roots, root: Path, old: Path) -> None:
    """SPEC 7: other names are the same file."""
    os.link(old, root / "g")
    _remove(roots)
    assert (os.listdir(root), (root / "g").read_bytes()) == (["g"], _OLD)


@pytest.mark.guarantee("G2")
def test_another_version_is_put_back_as_it_was(roots: Roots, root: Path, old: Path) -> None:
    """SPEC 6 (delete): compared after the rename, so that no write before it is lost."""
    inode = old.stat().st_ino
    refusal = _refused(roots, b"older\n")
    assert isinstance(refusal, Stale)
    assert (refusal.during, os.listdir(root), old.stat().st_ino, old.read_bytes()) == (True, ["f"], inode, _OLD)


@pytest.mark.parametrize("theirs", ["bytes", "file", "directory", "link", "pipe", "nothing"])
def test_what_took_the_place_at_the_last_moment_is_put_back(
    roots: Roots, root: Path, old: Path, monkeypatch: pytest.MonkeyPatch, theirs: str
) -> None:
    """SPEC 6 (delete): between check and rename."""

    def act() -> None:
        if theirs == "bytes":
            old.write_bytes(b"new\n")
            return
        old.unlink()
        makers: dict[str, Callable[[], object]] = {
            "file": lambda: old.write_bytes(b"new\n"),
            "directory": lambda: (old / "d").mkdir(parents=True),
            "link": lambda: old.symlink_to("x"),
            "pipe": lambda: os.mkfifo(old),
            "nothing": lambda: None,
        }
        makers[theirs]()

    _act_at_renames(monkeypatch, act)
    refusal = _refused(roots)
    if theirs == "nothing":
        assert (refusal.code, os.listdir(root)) == ("not_found", [])
        return
    assert (type(refusal), os.listdir(root)) == (Stale, ["f"])
    assert theirs not in {"bytes", "file"} or old.read_bytes() == b"new\n"


def test_two_changes_by_others_are_both_kept_and_told(
    roots: Roots, root: Path, old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SPEC 6 (delete): without replacing anything; the refusal names where the other version is."""
    _act_at_renames(monkeypatch, lambda: old.write_bytes(b"one\n"), lambda: old.write_bytes(b"two\n"))
    refusal = _refused(roots)
    assert isinstance(refusal, DiskRefused)
    assert (refusal.code, refusal.path) == ("exists", "f")
    assert (old.read_bytes(), (root / refusal.detail).read_bytes()) == (b"two\n", b"one\n")
    assert sorted(os.listdir(root)) == sorted(["f", refusal.detail])


def test_a_link_goes_itself_and_its_target_stays(roots: Roots, root: Path, outside: Path) -> None:
    """SPEC 3 (`delete_file`): a link itself, also one that leads outside."""
    (root / "f").symlink_to(outside / "secret")
    assert _remove(roots)
    assert (os.listdir(root), os.listdir(outside)) == ([], ["secret"])


def test_a_link_that_was_replaced_is_put_back(roots: Roots, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SPEC 6 (delete): another link says something else, even if its inode number could be the same."""
    link = root / "f"
    link.symlink_to("one")

    def act() -> None:
        link.unlink()
        link.symlink_to("two")

    _act_at_renames(monkeypatch, act)
    assert isinstance(_refused(roots), Stale)
    assert (os.readlink(link), os.listdir(root)) == ("two", ["f"])


def test_what_cannot_be_looked_at_any_more_is_put_back(
    roots: Roots, root: Path, old: Path, unprivileged: Unprivileged, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SPEC 6 (delete): unknown is not the same."""
    if os.geteuid() != 0:
        pytest.skip("only root can take a file away from somebody")
    root.chmod(0o777)

    def act() -> None:
        os.seteuid(0)
        old.chmod(0)
        os.seteuid(65534)

    _act_at_renames(monkeypatch, act)
    with unprivileged():
        assert isinstance(_refused(roots), Stale)
    assert os.listdir(root) == ["f"]


def test_what_cannot_be_removed_is_put_back(roots: Roots, root: Path, old: Path) -> None:
    """SPEC 5: refused means that nothing was done; a directory that came under the private name cannot be unlinked."""

    def same(_: int, private: str) -> bool:
        (root / private).unlink()
        (root / private).mkdir()
        return True

    with roots.confine("f") as target, pytest.raises(ReadfirstError) as refused:
        remove_verified(target, same)
    assert (refused.value.code, os.listdir(root), old.is_dir()) == ("not_a_file", ["f"], True)


def test_a_directory_that_may_not_be_written_keeps_its_files(
    roots: Roots, root: Path, old: Path, unprivileged: Unprivileged
) -> None:
    """HOSTILE 41."""
    root.chmod(0o555)
    with unprivileged():
        code = _refused(roots).code
    root.chmod(0o755)
    assert (code, old.read_bytes()) == ("permission", _OLD)


@pytest.mark.parametrize("mode", [0o444, 0o400, 0o555], ids=oct)
def test_a_file_that_nobody_may_write_is_meant_to_stay(roots: Roots, old: Path, mode: int) -> None:
    """SPEC 6: also when it is root who asks."""
    old.chmod(mode)
    with roots.confine("f") as target, pytest.raises(DiskRefused) as refused:
        require_writable(target)
    assert refused.value.code == "permission"
