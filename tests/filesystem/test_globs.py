"""Globs: which paths a pattern matches, and that no pattern takes long."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readfirst.errors import ArgumentRefused
from readfirst.filesystem.globs import Glob, Step, excluded_by, pattern_of


def _matches(glob: Glob, path: str) -> bool:
    """Match a path as a walk does; one that ends in `/` is a directory."""
    *above, name = path.rstrip("/").split("/")
    step: Step | None = glob.start
    for directory in above:
        if step is None:
            return False
        step = step.below(directory)
    return step is not None and step.matches(name, is_directory=path.endswith("/"))


def _left_out(glob: Glob, path: str) -> bool:
    """Tell whether a walk leaves a path out, itself or with a directory above it."""
    names = path.rstrip("/").split("/")
    above = ["/".join(names[:count]) + "/" for count in range(1, len(names))]
    return any(_matches(glob, one) for one in (*above, path))


@pytest.mark.parametrize(
    ("pattern", "matched", "others"),
    [
        pytest.param(
            "*.py", ["a.py", "x/y/a.py", ".py", ".a.py"], ["a.pyc", "a.py/x"], id="a bare suffix at any depth"
        ),
        pytest.param("notes.md", ["notes.md", "a/b/notes.md"], ["my-notes.md", "notes.md2"], id="a bare name"),
        pytest.param("./*.py", ["a.py"], ["x/a.py"], id="a leading dot anchors"),
        pytest.param("/*.py", ["a.py"], ["x/a.py"], id="a leading slash anchors"),
        pytest.param("src/*.ts", ["src/x.ts"], ["a/src/x.ts", "src/a/x.ts"], id="from the directory"),
        pytest.param("src//./x", ["src/x"], ["src", "x"], id="empty segments mean nothing"),
        pytest.param("**/x", ["x", "a/x", "a/b/x"], ["ax", "x/a"], id="any depth, none too"),
        pytest.param("a/**/z", ["a/z", "a/b/z", "a/b/c/z"], ["z", "b/a/z"], id="in the middle"),
        pytest.param("a/**", ["a/b", "a/b/c"], ["a", "a/", "b"], id="all below, not itself"),
        pytest.param("**", ["a", "a/b", ".x/y"], [], id="everything"),
        pytest.param("**/**/x", ["x", "a/x"], ["y"], id="twice is once"),
        pytest.param("**.py", ["a.py", "x/a.py"], ["a.pyc"], id="two stars in a name are one"),
        pytest.param("a**b", ["ab", "axb", "z/axb"], ["a/b"], id="two stars inside a name"),
        pytest.param("build/", ["build/", "a/build/"], ["build", "a/build"], id="a directory"),
        pytest.param("src/*/", ["src/a/"], ["src/a", "a/"], id="directories in one"),
        pytest.param("*.{ts,tsx}", ["a.ts", "b/c.tsx"], ["a.js", "a.{ts,tsx}"], id="braces"),
        pytest.param("{a,b/c}", ["a", "x/a", "b/c"], ["x/b/c", "c"], id="a slash in braces"),
        pytest.param("a{b", ["a{b"], ["ab"], id="an open brace is itself"),
        pytest.param("f{1..3}", ["f1", "f3"], ["f4"], id="a range of numbers"),
        pytest.param("file?.txt", ["file1.txt", "fileé.txt"], ["file10.txt", "file.txt"], id="one character"),
        pytest.param("[a-c]x", ["ax", "cx"], ["dx", "-x"], id="a class"),
        pytest.param("[!a-c]x", ["dx"], ["ax"], id="not of a class"),
        pytest.param("[]a]x", ["]x", "ax"], ["bx"], id="a bracket in a class"),
        pytest.param("[*]x", ["*x"], ["ax"], id="a star in a class"),
        pytest.param("[[:digit:]]", ["1"], ["a"], id="a named class"),
        pytest.param("[a", ["[a"], ["a"], id="an open class is itself"),
        pytest.param("[z-a]", [], ["z", "a"], id="a range of nothing"),
        pytest.param(r"a\*b", ["a*b"], ["axb"], id="an escaped star"),
        pytest.param("a+b.txt", ["a+b.txt"], ["aab.txt", "a+bxtxt"], id="marks of expressions are themselves"),
        pytest.param("!a", ["!a"], ["b"], id="no negation"),
        pytest.param("@(a|b)", ["@(a|b)"], ["a"], id="no extended globs"),
        pytest.param("#x", ["#x"], [], id="no comment"),
        pytest.param("README", ["README"], ["readme"], id="case counts"),
        pytest.param(".github/*/*.yml", [".github/w/ci.yml"], ["github/w/ci.yml"], id="dot directories"),
        pytest.param("*", ["a", ".a", "a\nb", "\udcff"], [], id="any name"),
        pytest.param("a*a*a", ["aaa", "axaxa"], ["aa", "aaab"], id="several stars"),
        pytest.param("*ab*", ["ab", "xabx"], ["ba"], id="inside"),
    ],
)
def test_a_pattern_matches(pattern: str, matched: list[str], others: list[str]) -> None:
    """SPEC 3, `search_files`."""
    glob = pattern_of(pattern)
    assert [path for path in matched if not _matches(glob, path)] == []
    assert [path for path in others if _matches(glob, path)] == []


@pytest.mark.parametrize(
    ("patterns", "left_out", "kept"),
    [
        pytest.param(["dist"], ["dist", "dist/a.txt", "a/dist/b"], ["distance.txt", "redist/b"], id="a bare name"),
        pytest.param(["**/node_modules/**"], ["node_modules/", "a/node_modules/m/x"], ["node_modules"], id="all below"),
        pytest.param(["node_modules/**"], ["node_modules/x"], ["a/node_modules/x"], id="all below one"),
        pytest.param(["src/gen"], ["src/gen", "src/gen/x"], ["gen", "a/src/gen"], id="from the directory"),
        pytest.param(["gen/"], ["gen/", "a/gen/x"], ["gen"], id="directories only"),
        pytest.param(["*.log", "tmp"], ["a.log", "b/tmp/x"], ["log"], id="several"),
        pytest.param(["**"], ["a", "a/b"], [], id="everything"),
        pytest.param(["*/**"], ["a/", "a/b"], ["a"], id="all directories"),
    ],
)
def test_an_exclusion_leaves_out(patterns: list[str], left_out: list[str], kept: list[str]) -> None:
    """SPEC 3: a bare name at any depth, and everything below a directory that matches."""
    glob = excluded_by(patterns)
    assert glob is not None
    assert [path for path in left_out if not _left_out(glob, path)] == []
    assert [path for path in kept if _left_out(glob, path)] == []


def test_no_exclusions_are_none() -> None:
    """A walk then has nothing to ask."""
    assert excluded_by([]) is None


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("", "names nothing"),
        ("./", "names nothing"),
        ("a\0", "no file name has"),
        ("../x", "cannot hold `..`"),
        ("a/../x", "cannot hold `..`"),
        ("a" * 1001, "1,001 characters"),
        ("{1..10000000}", "more than 256"),
        ("{a,b}" * 25, "more than 256"),
        ("{a," * 330, "more than 256"),
    ],
)
def test_a_pattern_is_refused(pattern: str, said: str) -> None:
    """SPEC 8 and HOSTILE 78."""
    with pytest.raises(ArgumentRefused) as refusal:
        pattern_of(pattern)
    assert said in refusal.value.detail


def test_exclusions_share_one_limit() -> None:
    """SPEC 8: 256 alternatives."""
    with pytest.raises(ArgumentRefused) as refusal:
        excluded_by(["{1..200}", "{1..57}"])
    assert "`excludePatterns` stands for more than 256" in refusal.value.detail
    with pytest.raises(ArgumentRefused):
        excluded_by(["{1..256}", "a"])


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        pytest.param("**/a/" * 190 + "b", "a/" * 500 + "c", id="many any-depths"),
        pytest.param("*a" * 400 + "b", "a" * 255, id="many stars in a name"),
        pytest.param("*?" * 400 + "b", "a" * 255, id="stars and question marks"),
        pytest.param("*[a-z]" * 150 + "1", "a" * 255, id="stars and classes"),
    ],
)
def test_no_pattern_takes_long(pattern: str, path: str) -> None:
    """HOSTILE 79: one that backtracks would take longer than the universe has."""
    glob = pattern_of(pattern)
    start = time.process_time()
    assert not _matches(glob, path)
    assert time.process_time() - start < 5


def test_a_directory_that_cannot_hold_a_match_is_not_entered() -> None:
    """The walk prunes by it."""
    start = pattern_of("src/*/x.py").start
    assert start.below("docs") is None
    inside = start.below("src")
    assert inside is not None
    deeper = inside.below("a")
    assert deeper is not None
    assert deeper.below("x.py") is None


def test_the_number_of_steps_kept_is_bounded() -> None:
    """A hostile tree may reach another set of places in every directory; the answers stay right."""
    glob = pattern_of("**/" + "/".join(["[ab]"] * 12) + "/z")
    for number in range(3000):
        path = "".join("ab/" if number >> bit & 1 else "a/" for bit in range(12))
        assert not _matches(glob, f"{path}y")
    assert _matches(glob, "a/" * 12 + "z")


def _model(pattern: Sequence[str], path: Sequence[str]) -> bool:
    """Match as the definition says: `**` is any number of names, at the end at least one."""
    if not pattern or not path:
        return not pattern and not path
    first, rest = pattern[0], pattern[1:]
    if first == "**":
        if not rest:
            return True
        return any(_model(rest, path[count:]) for count in range(len(path) + 1))
    regex = "".join({"*": ".*", "?": "."}.get(char, re.escape(char)) for char in first)
    return re.fullmatch(regex, path[0]) is not None and _model(rest, path[1:])


_NAMES = st.text("ab.", min_size=1, max_size=4).filter(lambda name: name not in {".", ".."})
_SEGMENTS = st.one_of(st.just("**"), st.text("ab*?", min_size=1, max_size=4).filter(lambda name: "**" not in name))


@given(st.lists(_SEGMENTS, min_size=2, max_size=6), st.lists(_NAMES, min_size=1, max_size=6))
def test_a_pattern_matches_what_the_definition_says(pattern: list[str], path: list[str]) -> None:
    """Law: the steps of the walk and the definition agree."""
    assert _matches(pattern_of("/".join(pattern)), "/".join(path)) == _model(pattern, path)
