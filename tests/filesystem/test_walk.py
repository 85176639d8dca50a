"""The walk: its order, what it leaves out and says so, its bounds, and trees that are hostile or change meanwhile."""

from __future__ import annotations

import os
import shutil
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

import pytest

from readfirst.errors import DiskRefused, PathRefused
from readfirst.filesystem import walk as walking
from readfirst.filesystem.confined import ConfinedPath, identity_of
from readfirst.filesystem.globs import excluded_by, pattern_of
from readfirst.filesystem.roots import Roots
from readfirst.filesystem.walk import Walk, Wanted
from readfirst.spans import Identity
from tests.conftest import Unprivileged

_ALL = Wanted(max_entries=100_000, max_seconds=60)


@pytest.fixture
def start(roots: Roots, root: Path) -> Generator[ConfinedPath]:
    """Resolve the allowed directory."""
    with roots.confine(str(root)) as target:
        yield target


def _paths(walk: Walk) -> list[str]:
    return ["/".join((*folder.parts, entry.name)) for folder in walk for entry in folder.entries]


def _make(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        if path.endswith("/"):
            (root / path).mkdir(exist_ok=True)
        else:
            (root / path).write_text(f"{path}\n")


def _directories_above(walk: Walk) -> set[Identity]:
    """Give a private set of a walk: a test cannot mount."""
    found: set[Identity] = getattr(walk, "_ids")  # noqa: B009 - it is private
    return found


def _open_descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def test_directories_come_in_order_parents_first(root: Path, start: ConfinedPath) -> None:
    """Issue 5: sorted by name, each directory before what is in it."""
    _make(root, "b/y", "b/x", "a/z/q", "c", "a/m")
    (root / "link").symlink_to("a")
    os.mkfifo(root / "pipe")
    folders = [(folder.parts, [(entry.name, entry.kind) for entry in folder.entries]) for folder in Walk(start, _ALL)]
    assert folders == [
        (
            (),
            [("a", "directory"), ("b", "directory"), ("c", "file"), ("link", "link"), ("pipe", "other")],
        ),
        (("a",), [("m", "file"), ("z", "directory")]),
        (("a", "z"), [("q", "file")]),
        (("b",), [("x", "file"), ("y", "file")]),
    ]


def test_a_file_is_opened_while_the_walk_stands_there(root: Path, start: ConfinedPath) -> None:
    """Content search reads through the descriptor of the directory."""
    _make(root, "a/x")
    (root / "a" / "link").symlink_to("x")
    texts: list[bytes] = []
    for folder in Walk(start, _ALL):
        for entry in folder.entries:
            file = folder.open(entry.name)
            if file is not None:
                with file:
                    texts.append(file.read_all(100))
    assert texts == [b"a/x\n"]


def test_the_start_must_be_a_directory_that_can_be_read(
    root: Path, roots: Roots, start: ConfinedPath, unprivileged: Unprivileged
) -> None:
    """Nothing was found, so there is nothing to answer with."""
    _make(root, "x")
    with roots.confine(str(root / "x")) as target, pytest.raises(PathRefused):
        Walk(target, _ALL)
    root.chmod(0o311)
    with unprivileged(), pytest.raises(DiskRefused):
        list(Walk(start, _ALL))
    root.chmod(0o755)


def test_a_pattern_prunes_what_cannot_match(root: Path, start: ConfinedPath) -> None:
    """A directory that can hold no match is not read."""
    _make(root, "src/a/x.py", "src/x.py", "docs/deep/er/x.py")
    walk = Walk(start, replace(_ALL, pattern=pattern_of("src/*/x.py")))
    assert _paths(walk) == ["src/a/x.py"]
    assert walk.visited == 5


def test_what_is_excluded_does_not_count(root: Path, start: ConfinedPath) -> None:
    """SPEC 3: excluded entries do not count for the cap, and are not reported."""
    _make(root, *(f"node_modules/m{number}/x" for number in range(50)), "a/node_modules/x", "b", "a/b/c")
    walk = Walk(start, replace(_ALL, max_entries=4, excludes=excluded_by(["node_modules", "a/b/c"])))
    assert _paths(walk) == ["a", "b", "a/b"]
    assert (walk.visited, walk.ignored, walk.stopped) == (3, 0, "")


def test_what_git_ignores_is_left_out_and_counted(root: Path, start: ConfinedPath, roots: Roots) -> None:
    """G12: and with the rules of the directories above, when the walk starts further down."""
    _make(root, ".git/config", "build/x", "a/build/y", "a/b/x.o", "a/b/keep.o", "a/b/z")
    (root / ".gitignore").write_text("build/\n*.o\n")
    (root / "a" / "b" / ".gitignore").write_text("!keep.o\n")
    walk = Walk(start, replace(_ALL, gitignore=True))
    assert _paths(walk) == [".gitignore", "a", "a/b", "a/b/.gitignore", "a/b/keep.o", "a/b/z"]
    assert walk.ignored == 4
    with roots.confine(str(root / "a" / "b")) as target:
        walk = Walk(target, replace(_ALL, gitignore=True))
        assert (_paths(walk), walk.ignored) == ([".gitignore", "keep.o", "z"], 1)
    assert ".git/config" in _paths(Walk(start, _ALL))


def test_the_rules_of_a_large_directory_are_found(root: Path, start: ConfinedPath) -> None:
    """They need not be among the first names."""
    (root / ".gitignore").write_text("f*\n")
    for number in range(3000):
        (root / f"f{number}").touch()
    walk = Walk(start, replace(_ALL, gitignore=True))
    assert (_paths(walk), walk.ignored) == ([".gitignore"], 3000)


def test_below_the_depth_nothing_is_read(root: Path, start: ConfinedPath) -> None:
    """SPEC 3, `directory_tree`."""
    _make(root, "a/b/c/d")
    walk = Walk(start, replace(_ALL, depth=2))
    assert [folder.parts for folder in walk] == [(), ("a",)]
    assert walk.visited == 2


def test_the_cap_gives_what_was_found_so_far(root: Path, start: ConfinedPath) -> None:
    """SPEC 3: and says that it stopped; exactly as many as the cap are not too many."""
    _make(root, "a/x", "a/y", "b/x")
    walk = Walk(start, replace(_ALL, max_entries=5))
    assert (len(_paths(walk)), walk.stopped) == (5, "")
    walk = Walk(start, replace(_ALL, max_entries=3))
    assert (len(_paths(walk)), walk.visited, walk.stopped) == (3, 3, "entries")


def test_the_time_limit_gives_what_was_found_so_far(root: Path, start: ConfinedPath) -> None:
    """SPEC 8: one call takes 15 seconds."""
    _make(root, "a/x")
    walk = Walk(start, replace(_ALL, max_seconds=-1))
    assert (_paths(walk), walk.stopped) == ([], "time")


def test_what_is_private_is_not_there(root: Path) -> None:
    """SPEC 7: the program's own state may lie in an allowed directory."""
    _make(root, "a/state/x", "state/y")
    roots = Roots([str(root)], private=[str(root / "a" / "state"), "/elsewhere"])
    with roots.confine(str(root)) as target:
        assert _paths(Walk(target, replace(_ALL, private=roots.private_below(target)))) == ["a", "state", "state/y"]
    with roots.confine(str(root / "a")) as target:
        assert _paths(Walk(target, replace(_ALL, private=roots.private_below(target)))) == []
    roots.close()


def test_an_unreadable_directory_is_passed_over(root: Path, start: ConfinedPath, unprivileged: Unprivileged) -> None:
    """G12: it is counted."""
    _make(root, "a/x", "b/x")
    (root / "a").chmod(0)
    walk = Walk(start, _ALL)
    with unprivileged():
        assert _paths(walk) == ["a", "b", "b/x"]
    assert walk.unreadable == 1
    (root / "a").chmod(0o755)


@pytest.mark.parametrize("becomes", ["nothing", "a link out", "a file"])
def test_a_directory_that_changes_meanwhile_is_passed_over(
    root: Path, start: ConfinedPath, outside: Path, becomes: str
) -> None:
    """HOSTILE 65: nothing outside is read, and the rest is."""
    _make(root, "a/x", "b/x")
    walk = Walk(start, _ALL)
    found: list[str] = []
    for folder in walk:
        if not folder.parts:
            shutil.rmtree(root / "a")
            if becomes == "a link out":
                (root / "a").symlink_to(outside)
            elif becomes == "a file":
                (root / "a").write_text("")
        found += ["/".join((*folder.parts, entry.name)) for entry in folder.entries]
    assert found == ["a", "b", "b/x"]
    assert walk.unreadable == 1


def test_a_directory_that_fails_half_way_keeps_what_was_read(
    root: Path, start: ConfinedPath, monkeypatch: pytest.MonkeyPatch
) -> None:
    """HOSTILE 65: EIO."""
    _make(root, "x", "a/y")

    def broken(_entry: object) -> str:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(walking, "_kind", broken)
    walk = Walk(start, _ALL)
    assert [path for path in _paths(walk) if "/" in path] == []
    assert walk.unreadable >= 1


def test_a_directory_inside_itself_is_not_entered(root: Path, start: ConfinedPath) -> None:
    """HOSTILE 66: a bind mount can make one; here the identity of the one above is given to it."""
    _make(root, "a/b/x")
    walk = Walk(start, _ALL)
    found: list[tuple[str, ...]] = []
    for folder in walk:
        found.append(folder.parts)
        if folder.parts == ("a",):
            status = os.stat(root / "a" / "b")
            _directories_above(walk).add(identity_of(status))
    assert found == [(), ("a",)]


def _deep(root: Path, levels: int, *, aside: bool) -> None:
    """Make `d/d/d/…`; with a file-holding directory `z` beside each when `aside`."""
    fd = os.open(root, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir("d", dir_fd=fd)
        if aside:
            os.mkdir("z", dir_fd=fd)
        below = os.open("d", os.O_RDONLY, dir_fd=fd)
        os.close(fd)
        fd = below
    os.close(fd)


def _remove(root: Path, levels: int) -> None:
    """Remove what `_deep` made, from below: the longest path has more characters than a path may have."""
    fd = os.open(root, os.O_RDONLY)
    for _ in range(levels):
        below = os.open("d", os.O_RDONLY, dir_fd=fd)
        os.close(fd)
        fd = below
    for _ in range(levels):
        above = os.open("..", os.O_RDONLY, dir_fd=fd)
        os.rmdir("d", dir_fd=above)
        if os.access("z", os.F_OK, dir_fd=above):
            os.rmdir("z", dir_fd=above)
        os.close(fd)
        fd = above
    os.close(fd)


@pytest.mark.parametrize("aside", [False, True], ids=["a chain", "a comb"])
def test_a_deep_tree_takes_few_descriptors(root: Path, start: ConfinedPath, aside: bool) -> None:
    """HOSTILE 74: More levels than a process may have descriptors, walked to the end and back."""
    _deep(root, 1_500, aside=aside)
    try:
        walk, most, before = Walk(start, _ALL), 0, _open_descriptors()
        for count, _ in enumerate(walk):
            if count % 500 == 0:
                most = max(most, _open_descriptors() - before)
        assert (walk.visited, walk.unreadable, walk.stopped) == (3_000 if aside else 1_500, 0, "")
        assert most <= 40
        assert _open_descriptors() == before
    finally:
        _remove(root, 1_500)


def test_a_directory_that_was_moved_away_is_not_returned_through(
    root: Path, start: ConfinedPath, tmp_path: Path
) -> None:
    """G10: `..` of it is another directory now, and that one is not read."""
    _deep(root, 50, aside=True)
    walk = Walk(start, _ALL)
    deepest = 0
    for folder in walk:
        deepest = max(deepest, len(folder.parts))
        if folder.parts == ("d",) * 50:
            (root / "d/d/d/d/d").rename(tmp_path / "moved")
        assert all(name in {"d", "z"} for name in folder.parts)
    assert deepest == 50
    # Five are left above the place, of which the walk returns to the start alone.
    assert walk.unreadable >= 1


def test_a_walk_that_is_given_up_leaves_no_descriptor_open(root: Path, start: ConfinedPath) -> None:
    """A caller may stop at any directory."""
    _deep(root, 40, aside=True)
    before = _open_descriptors()
    walk = iter(Walk(start, _ALL))
    for _ in range(36):
        next(walk)
    assert _open_descriptors() > before
    del walk
    assert _open_descriptors() == before
