"""Moving: nothing is replaced, nothing is half moved, and what changes meanwhile is kept."""

from __future__ import annotations

import os
import stat
import threading
import time
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from readfirst.errors import DiskRefused, ReadfirstError, Stale
from readfirst.filesystem import commit, entries
from readfirst.filesystem.confined import ConfinedPath
from readfirst.filesystem.entries import move_entry, same_name
from readfirst.filesystem.resolve import Base, Resolved
from readfirst.filesystem.roots import Roots
from readfirst.filesystem.syscalls import rename_no_replace
from tests.conftest import Unprivileged, file_size_limit
from tests.filesystem.conftest import open_descriptors

_TIB = 1 << 40


@pytest.fixture
def both(root: Path, elsewhere: Path) -> Generator[Roots]:
    """Allow directories on two filesystems."""
    opened = Roots([str(root), str(elsewhere)])
    yield opened
    opened.close()


def _move(roots: Roots, source: Path | str, destination: Path | str) -> bool:
    with (
        roots.confine(str(source), follow=False) as here,
        roots.confine(str(destination), follow=False) as there,
    ):
        return move_entry(here, there)


def _refused(roots: Roots, source: Path | str, destination: Path | str) -> ReadfirstError:
    with pytest.raises(ReadfirstError) as refused:
        _move(roots, source, destination)
    return refused.value


def _before_rename(monkeypatch: pytest.MonkeyPatch, module: object, act: Callable[[str], object]) -> None:
    """Let another program act at the moment before the next rename; it is told the new name."""
    pending = [act]

    def rename(from_fd: int, name: str, to_fd: int, new_name: str) -> None:
        if pending:
            pending.pop()(new_name)
        rename_no_replace(from_fd, name, to_fd, new_name)

    monkeypatch.setattr(module, "rename_no_replace", rename)


@pytest.mark.parametrize("kind", ["file", "full directory", "link out", "link to itself", "pipe", "read-only file"])
def test_anything_is_moved_as_it_is(roots: Roots, root: Path, kind: str) -> None:
    """SPEC 3 (`move_file`): a link is moved itself, wherever it leads."""
    makers: dict[str, Callable[[], object]] = {
        "file": lambda: (root / "a").write_text("x"),
        "full directory": lambda: (root / "a" / "b").mkdir(parents=True),
        "link out": lambda: (root / "a").symlink_to("/etc"),
        "link to itself": lambda: (root / "a").symlink_to("a"),
        "pipe": lambda: os.mkfifo(root / "a"),
        "read-only file": lambda: (root / "a").touch(0o444),
    }
    makers[kind]()
    before, descriptors = os.lstat(root / "a"), open_descriptors()
    assert _move(roots, "a", "new/dir/c")
    after = os.lstat(root / "new/dir/c")
    assert (after.st_ino, after.st_mode, after.st_mtime_ns) == (before.st_ino, before.st_mode, before.st_mtime_ns)
    assert (os.listdir(root), open_descriptors()) == (["new"], descriptors)


@pytest.mark.parametrize("theirs", ["file", "directory", "link"])
def test_a_name_taken_at_the_last_moment_is_not_replaced(
    roots: Roots, root: Path, monkeypatch: pytest.MonkeyPatch, theirs: str
) -> None:
    """SPEC 3 (`move_file`): fails if the destination exists, without a race."""
    makers: dict[str, Callable[[Path], object]] = {
        "file": Path.touch,
        "directory": Path.mkdir,
        "link": lambda path: path.symlink_to("nowhere"),
    }
    (root / "a").write_text("mine")
    _before_rename(monkeypatch, entries, lambda name: makers[theirs](root / name))
    refusal = _refused(roots, "a", "b")
    assert isinstance(refusal, DiskRefused)
    assert (refusal.code, refusal.path, refusal.detail) == ("exists", "b", "")
    assert ((root / "a").read_text(), sorted(os.listdir(root))) == ("mine", ["a", "b"])


def test_of_many_movers_to_one_name_one_wins_and_no_file_is_lost(roots: Roots, root: Path) -> None:
    """SPEC 3 (`move_file`): in real threads."""
    names = [f"f{number}" for number in range(8)]
    for name in names:
        (root / name).write_text(name)
    won: list[str] = []

    def move(name: str) -> None:
        try:
            _move(roots, name, "one")
        except DiskRefused:
            return
        won.append(name)

    movers = [threading.Thread(target=move, args=(name,)) for name in names]
    for mover in movers:
        mover.start()
    for mover in movers:
        mover.join()
    assert len(won) == 1
    assert (root / "one").read_text() == won[0]
    assert sorted(os.listdir(root)) == sorted([*(set(names) - set(won)), "one"])


def test_a_directory_made_for_a_move_that_fails_goes_again(
    roots: Roots, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SPEC 5: refused means that nothing else is done; but what somebody else put there stays."""
    for theirs, left in (("new/dir/c", ["a", "new"]), ("", ["a", "new"])):
        (root / "a").mkdir(exist_ok=True)

        def act(_: str, theirs: str = theirs) -> None:
            if theirs:
                (root / theirs).touch()
            else:
                (root / "a").rmdir()

        _before_rename(monkeypatch, entries, act)
        assert _refused(roots, "a", "new/dir/c" if theirs else "other/dir/c").code in {"exists", "not_found"}
        (root / "a").mkdir(exist_ok=True)
        assert sorted(os.listdir(root)) == left


def test_a_name_in_other_case_is_given_where_case_makes_no_difference(roots: Roots, root: Path) -> None:
    """HOSTILE 20: such a filesystem finds the file under the new name, which is no other file."""
    (root / "readme").write_text("x")
    fd = os.open(root, os.O_PATH)
    base = Base(fd, tuple(str(root).strip("/").split("/")))
    with roots.confine("readme") as here:
        found = Resolved(base, os.dup(fd), "README", ("README",), os.open(root / "readme", os.O_PATH), ())
        with ConfinedPath("README", found) as there:
            assert same_name(here, there)
            assert move_entry(here, there)
            os.link(root / "README", root / "readme")
            # Now they are two names of one file, and renaming one onto the other would do nothing.
            with roots.confine("readme") as linked:
                assert not same_name(linked, there)
    os.close(fd)


def test_a_file_moves_to_another_filesystem_with_all_it_has(both: Roots, root: Path, elsewhere: Path) -> None:
    """SPEC 3 (`move_file`): copied, synced, then removed; moving is not copying, so nothing is given up."""
    source, data = root / "f", os.urandom(3_000_000)
    source.write_bytes(data)
    if os.geteuid() == 0:
        os.chown(source, 65534, 65534)
    source.chmod(0o4555)
    os.utime(source, ns=(1_000_000_001, 2_000_000_002))
    before = source.stat()
    assert _move(both, source, elsewhere / "new" / "f")
    after = (elsewhere / "new" / "f").stat()
    assert (elsewhere / "new" / "f").read_bytes() == data
    for fact in ("st_uid", "st_gid", "st_mode", "st_mtime_ns", "st_size"):
        assert getattr(after, fact) == getattr(before, fact), fact
    assert (os.listdir(root), os.listdir(elsewhere / "new")) == ([], ["f"])


def test_holes_move_to_another_filesystem_at_once(both: Roots, root: Path, elsewhere: Path) -> None:
    """HOSTILE 38: 1 TiB with 4 bytes in it; neither copying nor checking scans it."""
    with open(root / "f", "wb") as file:
        file.truncate(_TIB)
        file.seek(_TIB - 7)
        file.write(b"kept")
    start = time.monotonic()
    assert _move(both, root / "f", elsewhere / "f")
    assert time.monotonic() - start < 10
    assert ((elsewhere / "f").stat().st_size, os.listdir(root)) == (_TIB, [])
    with open(elsewhere / "f", "rb") as file:
        file.seek(_TIB - 7)
        assert file.read() == b"kept\0\0\0"


@pytest.mark.parametrize("change", ["bytes", "another file", "a directory", "gone"])
def test_a_change_while_a_file_is_copied_across_is_kept(
    both: Roots, root: Path, elsewhere: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    """HOSTILE 68: never half; the copy goes, what is there now stays."""
    (root / "f").write_text("old")

    def act(_: str) -> None:
        if change == "bytes":
            (root / "f").write_text("theirs")
            return
        (root / "f").unlink()
        if change == "another file":
            (root / "f").write_text("theirs")
        elif change == "a directory":
            (root / "f").mkdir()

    _before_rename(monkeypatch, commit, act)
    refusal = _refused(both, root / "f", elsewhere / "new" / "f")
    assert os.listdir(elsewhere) == []
    if change == "gone":
        assert (refusal.code, os.listdir(root)) == ("not_found", [])
        return
    assert isinstance(refusal, Stale)
    assert (refusal.during, os.listdir(root)) == (True, ["f"])
    assert change == "a directory" or (root / "f").read_text() == "theirs"


@pytest.mark.parametrize("theirs", ["removed", "replaced"])
def test_a_copy_that_somebody_touched_is_left_to_them(
    both: Roots, root: Path, elsewhere: Path, monkeypatch: pytest.MonkeyPatch, theirs: str
) -> None:
    """HOSTILE 68: only the copy itself is removed when the move fails."""
    (root / "f").write_text("old")

    def act(_: str) -> None:
        (root / "f").write_text("changed")
        (elsewhere / "f").unlink()
        if theirs == "replaced":
            (elsewhere / "f").write_text("theirs")

    _before_rename(monkeypatch, commit, act)
    assert isinstance(_refused(both, root / "f", elsewhere / "f"), Stale)
    assert (root / "f").read_text() == "changed"
    assert os.listdir(elsewhere) == ([] if theirs == "removed" else ["f"])


@pytest.mark.parametrize("kind", ["directory", "link", "pipe"])
def test_only_a_regular_file_moves_to_another_filesystem(both: Roots, root: Path, elsewhere: Path, kind: str) -> None:
    """SPEC 3 (`move_file`): a directory is refused, and no directories are made for it."""
    makers: dict[str, Callable[[], object]] = {
        "directory": (root / "a").mkdir,
        "link": lambda: (root / "a").symlink_to("x"),
        "pipe": lambda: os.mkfifo(root / "a"),
    }
    makers[kind]()
    assert _refused(both, root / "a", elsewhere / "new" / "dir" / "a").code == "cross_device"
    assert (os.listdir(root), os.listdir(elsewhere)) == (["a"], [])


def test_a_full_disk_on_the_other_side_leaves_the_file_where_it_is(both: Roots, root: Path, elsewhere: Path) -> None:
    """SPEC 6: disk full; no litter on either side."""
    (root / "f").write_bytes(b"x" * 5000)
    descriptors = open_descriptors()
    with file_size_limit(1000):
        assert _refused(both, root / "f", elsewhere / "new" / "f").code == "no_space"
    assert (os.listdir(root), os.listdir(elsewhere), open_descriptors()) == (["f"], [], descriptors)


def test_a_file_that_may_not_be_removed_does_not_move_across(
    both: Roots, root: Path, elsewhere: Path, unprivileged: Unprivileged
) -> None:
    """SPEC 6: the copy goes again when the source cannot."""
    (root / "f").write_text("x")
    root.chmod(0o555)
    elsewhere.chmod(0o777)
    with unprivileged():
        code = _refused(both, root / "f", elsewhere / "f").code
    root.chmod(0o755)
    assert (code, os.listdir(root), os.listdir(elsewhere)) == ("permission", ["f"], [])


def test_a_sticky_directory_keeps_the_files_of_others(roots: Roots, root: Path, unprivileged: Unprivileged) -> None:
    """HOSTILE 32."""
    if os.geteuid() != 0:
        pytest.skip("only root can make a file of somebody else")
    (root / "f").write_text("theirs")
    root.chmod(0o1777)
    with unprivileged():
        assert _refused(roots, "f", "g").code == "permission"
    assert (os.listdir(root), stat.S_ISREG((root / "f").stat().st_mode)) == (["f"], True)
