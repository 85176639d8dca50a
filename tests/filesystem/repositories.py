"""Random repositories with random ignore files, and what git says of them."""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path

from readfirst.filesystem.ignore import Ignores

_NAMES = [
    "a",
    "b",
    "ab",
    "foo",
    "foo.o",
    "bar",
    "lib",
    "y.log",
    "x.tmp",
    "é",
    "a b",
    "[x]",
    "#a",
    "!a",
    "A1",
    ".env",
    "c\\d",
]
_WORDS = [
    *[
        "a",
        "b",
        "foo",
        "lib",
        "y.log",
        "*.o",
        "*.log",
        "*.tmp",
        "f*",
        "*o*",
        "?",
        "??",
        "a?",
        "*",
        "**",
        "é",
        "?b",
        ".*",
    ],
    *[
        "[a-f]*",
        "[!a]*",
        "[^b]",
        "[]x]",
        "[[:alpha:]]*",
        "*[[:digit:]]",
        "[[:space:]",
        "[z-a]",
        "[a",
        "[[:foo:]]",
        "a\\ b",
    ],
    *[
        "\\#a",
        "\\!a",
        "\\[x\\]",
        "[[]x]",
        "c\\\\d",
        "*.l[o]g",
        "a*b*",
        "[a/b]",
        "[[:upper:]][0-9]",
        "[a-]*",
        "***",
        "b\\",
    ],
    *["[\\]]*", "[\\a-\\f]oo", "[--a]", "*\\.o", "a**", "[!]]*", "[[:alpha:][:digit:]]*", "[[:]x]", "[[::]]"],
]
_ENDS = ["", "", "", "", "/", " ", "  ", "\t", "\r", "\\ "]
_ENVIRONMENT = {
    "PATH": os.environ.get("PATH", ""),
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "HOME": os.devnull,
    "LC_ALL": "C",
}


def _line(draw: random.Random) -> str:
    segments = [draw.choice(_WORDS) for _ in range(draw.choice([1, 1, 1, 1, 2, 2, 3]))]
    # git takes `**` after a literal beginning (`a**/b`) for more than one name; see `filesystem.wildmatch`.
    segments = ["a*" if segment == "a**" and len(segments) > 1 else segment for segment in segments]
    return f"{draw.choice(['', '', '!'])}{draw.choice(['', '', '/'])}{'/'.join(segments)}{draw.choice(_ENDS)}"


def make_repository(top: Path, seed: int) -> None:
    """Make one of some twenty directories, with ignore files in about every third."""
    draw = random.Random(seed)  # noqa: S311 - nothing secret is drawn
    top.mkdir()
    subprocess.run(["git", "init", "-q", "."], cwd=top, env=_ENVIRONMENT, check=True, timeout=20)
    directories = [top]
    for _ in range(draw.randrange(4, 20)):
        one = draw.choice(directories) / draw.choice(_NAMES)
        one.mkdir(exist_ok=True)
        directories.append(one)
    for directory in dict.fromkeys(directories):
        for name in draw.sample(_NAMES, draw.randrange(1, 7)):
            if not (directory / name).exists():
                (directory / name).write_text("")
        if directory == top or draw.random() < 0.3:
            lines = [_line(draw) for _ in range(draw.randrange(1, 6))]
            bom = draw.choice(["", "", "", "\ufeff"])
            (directory / ".gitignore").write_text(bom + draw.choice(["\n", "\n", "\r\n"]).join([*lines, ""]))
    if draw.random() < 0.5:
        (top / ".git" / "info").mkdir(exist_ok=True)
        (top / ".git" / "info" / "exclude").write_text(_line(draw) + "\n")
    if draw.random() < 0.3:
        (top / draw.choice(_NAMES[5:])).with_suffix(".link").symlink_to(directories[-1])


def seen_by_git(top: Path) -> list[str]:
    """List what git neither tracks nor ignores."""
    command = ["git", "ls-files", "--others", "--exclude-standard", "-z"]
    done = subprocess.run(command, cwd=top, env=_ENVIRONMENT, check=True, capture_output=True, timeout=20)
    return sorted(os.fsdecode(name) for name in done.stdout.split(b"\0") if name)


def seen_here(top: Path) -> list[str]:
    """List the same by the rules of this program, walking in the plainest way."""
    found: list[str] = []
    todo = [(top, Ignores())]
    while todo:
        directory, above = todo.pop()
        fd = os.open(directory, os.O_RDONLY)
        ignores = above.inside(fd)
        os.close(fd)
        for entry in os.scandir(directory):
            is_directory = entry.is_dir(follow_symlinks=False)
            if ignores.hides(entry.name, is_directory=is_directory):
                continue
            if is_directory:
                todo.append((directory / entry.name, ignores.below(entry.name)))
            else:
                found.append(os.path.relpath(entry.path, top))
    return sorted(found)
