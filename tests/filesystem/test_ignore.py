"""What git ignores: the rules themselves, and their agreement with git on random repositories."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

from readfirst.filesystem.ignore import MAX_BYTES, MAX_RULES, Ignores, Rules, ignores_above
from tests.filesystem.repositories import make_repository, seen_by_git, seen_here

_REPOSITORIES = int(os.environ.get("READFIRST_REPOSITORIES", "200"))
"""More of them: `READFIRST_REPOSITORIES=5000 python -m pytest tests/filesystem/test_ignore.py`."""
_BATCH = 50


def _hides(rules: str, path: str) -> bool | None:
    """Ask the rules of one file about an entry below it; one that ends in `/` is a directory."""
    *above, name = path.rstrip("/").split("/")
    return Rules(rules.encode()).verdict(name, tuple(above), is_directory=path.endswith("/"))


@pytest.mark.parametrize(
    ("rules", "path", "verdict"),
    [
        pytest.param("*.o", "a/x.o", True, id="a name at any depth"),
        pytest.param("*.o", "x.c", None, id="nothing said"),
        pytest.param("*.o\n!x.o", "x.o", False, id="the last rule decides"),
        pytest.param("!x.o\n*.o", "x.o", True, id="the last rule decides, again"),
        pytest.param("/x", "a/x", None, id="anchored by a slash in front"),
        pytest.param("a/x", "b/a/x", None, id="anchored by a slash inside"),
        pytest.param("a/x", "a/x", True, id="a path"),
        pytest.param("build/", "build", None, id="directories only"),
        pytest.param("build/", "a/build/", True, id="a directory"),
        pytest.param("**/a/b", "x/y/a/b", True, id="any depth"),
        pytest.param("a/**/b", "a/b", True, id="no directory between"),
        pytest.param("a/**/b", "a/x/y/b", True, id="two directories between"),
        pytest.param("a/**", "a/", None, id="all below, not itself"),
        pytest.param("a/**", "a/b/c", True, id="all below"),
        pytest.param("/**", "x", True, id="everything"),
        pytest.param("a**b", "axb", True, id="stars in a name"),
        pytest.param("# x", "# x", None, id="a comment"),
        pytest.param(r"\# x", "# x", True, id="no comment"),
        pytest.param("x  ", "x", True, id="blanks at the end"),
        pytest.param("x\\ ", "x ", True, id="an escaped blank at the end"),
        pytest.param("x\t", "x", None, id="a tab at the end counts"),
        pytest.param("\ufeffx\r\ny\r\n", "x", True, id="a byte order mark and carriage returns"),
        pytest.param("[[:digit:]]", "1", True, id="a named class"),
        pytest.param("[[:nonsense:]]", "n", None, id="a class that does not exist"),
        pytest.param("[z-a]x", "ax", None, id="a range of nothing"),
        pytest.param("[a", "[a", None, id="an open class"),
        pytest.param("[a\\", "a", None, id="an open class that ends in an escape"),
        pytest.param("x\\", "x", None, id="an escape of nothing"),
        pytest.param("[/]", "a", None, id="a class of the slash"),
        pytest.param("a[b/c]d", "acd", True, id="a slash in a class anchors and belongs to it"),
        pytest.param(r"a\/b", "a/b", True, id="an escaped slash"),
        pytest.param("/", "x", None, id="nothing but a slash"),
        pytest.param("!", "x", None, id="nothing but a mark"),
        pytest.param("?", "\u00c3", True, id="one byte"),
        pytest.param("*" * 5000, "x", None, id="a line that is too long"),
    ],
)
def test_a_rule_decides(rules: str, path: str, verdict: bool | None) -> None:
    """gitignore(5)."""
    assert _hides(rules, path) is verdict


@pytest.mark.parametrize("first", range(0, _REPOSITORIES, _BATCH))
def test_the_rules_are_those_of_git(tmp_path: Path, first: int) -> None:
    """Issue 5: agreement on every one of the random repositories."""
    for seed in range(first, min(first + _BATCH, _REPOSITORIES)):
        top = tmp_path / str(seed)
        make_repository(top, seed)
        assert (seed, seen_here(top)) == (seed, seen_by_git(top))


def test_git_says_the_same_of_single_paths(root: Path) -> None:
    """`git check-ignore` is another way to ask: it names what is ignored, directories too."""
    (root / ".gitignore").write_text("build/\n*.log\n!keep.log\n/top\n")
    for name in ("build", "src/build", "src/top", "top"):
        (root / name).mkdir(parents=True)
    paths = ["build", "src/build", "src/top", "top", "a.log", "keep.log", "src/a.log"]
    subprocess.run(["git", "init", "-q", "."], cwd=root, check=True, timeout=20)
    done = subprocess.run(
        ["git", "check-ignore", *paths], cwd=root, capture_output=True, text=True, timeout=20, check=True
    )
    rules = (root / ".gitignore").read_text()
    here = [path for path in paths if _hides(rules, f"{path}/" if (root / path).is_dir() else path)]
    assert done.stdout.split() == here


def test_the_rules_above_a_directory_count_from_the_top_of_its_repository(root: Path) -> None:
    """Issue 5: from there, or from the allowed directory."""
    (root / ".gitignore").write_text("outer\n")
    inner = root / "inner" / "deep"
    (inner / "src").mkdir(parents=True)
    (root / "inner" / ".git" / "info").mkdir(parents=True)
    (root / "inner" / ".git" / "info" / "exclude").write_text("excluded\n")
    (root / "inner" / ".gitignore").write_text("deep/src/x\n")
    fd = os.open(root, os.O_RDONLY)
    try:
        ignores = ignores_above(fd, ["inner", "deep", "src"])
        assert [name for name in ("x", "y", "outer", "excluded") if ignores.hides(name, is_directory=False)] == [
            "x",
            "excluded",
        ]
        ignores = ignores_above(fd, ["elsewhere"])
        assert ignores.hides("outer", is_directory=False)
        assert not ignores.hides("é", is_directory=False)
    finally:
        os.close(fd)


def test_what_leads_away_is_not_read(root: Path, tmp_path: Path) -> None:
    """G10: an ignore file that is a link, or a `.git` that is a file, would tell what is outside."""
    (tmp_path / "rules").write_text("x\n")
    (root / ".gitignore").symlink_to(tmp_path / "rules")
    (root / ".git").write_text(f"gitdir: {tmp_path}\n")
    fd = os.open(root, os.O_RDONLY)
    try:
        ignores = Ignores().inside(fd)
    finally:
        os.close(fd)
    assert not ignores.hides("x", is_directory=False)
    assert ignores.hides(".git", is_directory=False)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("x\n" * (MAX_RULES + 1), id="too many rules"),
        pytest.param("x\n" + "#" * MAX_BYTES, id="too large"),
    ],
)
def test_a_hostile_ignore_file_is_none(root: Path, text: str) -> None:
    """HOSTILE 80."""
    (root / ".gitignore").write_text(text)
    fd = os.open(root, os.O_RDONLY)
    try:
        assert not Ignores().inside(fd).hides("x", is_directory=False)
    finally:
        os.close(fd)


@pytest.mark.parametrize(
    ("rules", "path"),
    [
        pytest.param("*a" * 100 + "b", "a" * 255, id="stars"),
        pytest.param("**/a/" * 100 + "b", "a/" * 300 + "b", id="any depths"),
        pytest.param("".join(f"*{number}*x\n" for number in range(MAX_RULES)), "a" * 255, id="rules"),
        pytest.param(" " * 4000 + "x", "x", id="blanks"),
    ],
)
def test_no_rule_takes_long(rules: str, path: str) -> None:
    """HOSTILE 80: the repository may be anybody's."""
    start = time.process_time()
    _hides(rules, path)
    assert time.process_time() - start < 5
