"""What a search by name and a walk that obeys ignore files cost, beside the barest walk that Python can do.

CPU time of this process, the least of several turns; ratios within one run are what counts.
"""

from __future__ import annotations

import argparse
import os
import re
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from readfirst import Settings, Workspace
from readfirst.filesystem.walk import Walk, Wanted
from readfirst.workspace.search import search_files

_PER_DIRECTORY = 20
_TURNS = 5
_IGNORED = ["__pycache__/", "*.py[cod]", "*.so", "build/", "dist/", "*.egg-info/", ".venv/", "node_modules/", "*.log"]
_MORE = ["/out", "docs/_build/", ".coverage*", "*.tmp", ".DS_Store", "!keep.log", "coverage/**", "**/cache/*.bin"]


def make_tree(top: Path, files: int, *, ignored: bool) -> None:
    """Make packages of 20 files three levels deep; with `ignored`, every tenth has an ignore file and build output."""
    for number in range(files // _PER_DIRECTORY):
        directory = top / f"part{number // 400}" / f"group{number // 20}" / f"package{number}"
        directory.mkdir(parents=True)
        for name in range(_PER_DIRECTORY):
            (directory / f"module_{name}.{'log' if ignored and name % 10 == 9 else 'py'}").touch()
        if number % 500 == 0:
            (directory / "needle.toml").touch()
        if ignored and number % 10 == 0:
            (directory / ".gitignore").write_text("generated/\n*.bak\n")
            (directory / "build").mkdir()
    if ignored:
        (top / ".gitignore").write_text("\n".join(_IGNORED + _MORE) + "\n")


def bare(top: str, pattern: str) -> int:
    """Count the names that match, in the plainest way."""
    matches, found, todo = re.compile(pattern).fullmatch, 0, [top]
    while todo:
        with os.scandir(todo.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    todo.append(entry.path)
                if matches(entry.name):
                    found += 1
    return found


def cpu_s(act: Callable[[], object]) -> float:
    """Give the least CPU time of several turns."""
    spent: list[float] = []
    for _ in range(_TURNS):
        start = time.process_time()
        act()
        spent.append(time.process_time() - start)
    return min(spent)


def ratios(top: Path, files: int) -> tuple[float, float, float]:
    """Give the bare walk's seconds, and how many times as long a search and a walk that obeys ignore files take."""
    settings = Settings(walk_entries=10 * files, walk_s=600)
    with Workspace([str(top)], settings=settings) as workspace, workspace.roots.confine(str(top)) as target:
        session = workspace.session()
        plain = cpu_s(lambda: bare(str(top), r".*\.toml"))
        searched = cpu_s(lambda: search_files(session, str(top), "**/*.toml"))
        wanted = Wanted(max_entries=10 * files, max_seconds=600, gitignore=True)
        obeyed = cpu_s(lambda: sum(len(folder.entries) for folder in Walk(target, wanted)))
    return plain, searched / plain, obeyed / plain


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, nargs="*", default=[50_000, 100_000])
    sizes: list[int] = parser.parse_args().files
    print("| files | ignore files | bare walk, ms | search, few hits | all entries, ignore rules obeyed |")
    print("| ---: | --- | ---: | ---: | ---: |")
    for files in sizes:
        for ignored in (False, True):
            with tempfile.TemporaryDirectory() as name:
                make_tree(Path(name), files, ignored=ignored)
                plain, searched, obeyed = ratios(Path(name), files)
            print(
                f"| {files:,} | {'yes' if ignored else 'no'} | {plain * 1000:.0f} | {searched:.2f}x | {obeyed:.2f}x |"
            )


if __name__ == "__main__":
    main()
