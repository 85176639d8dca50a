"""The README's sentences survive being run."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from readfirst.tools import TOOLS

_TOP = Path(__file__).parents[2]
_README = (_TOP / "README.md").read_text(encoding="utf-8")


def test_the_example_does_the_main_job() -> None:
    """Issue 2: `examples/iterate.py` prints a transcript that a person can follow."""
    done = subprocess.run(
        [sys.executable, str(_TOP / "examples" / "iterate.py")], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stderr == ""
    out = done.stdout
    assert "# 3 pages." in out
    assert "dry run, nothing was written" in out
    assert "changed after you read it. Nothing was written." in out
    assert "+SUPPRESS = '==HIDDEN=='" in out
    assert "others changed it too" in out
    assert "took back the last edit of" in out
    assert "would change and were never shown in this session" in out
    assert out.endswith("nobody's work was lost.\n")


def test_ci_runs_the_test_command_of_the_readme() -> None:
    """Issue 2: `.ci/run` takes the command from the README, so it must be found there."""
    block = re.search(r"<!-- test -->\n```sh\n(.+)\n```", _README)
    assert block is not None
    assert block[1].endswith("-m pytest --cov")


def test_the_readme_lists_every_tool() -> None:
    """The table of tools names those that are there, and no others."""
    assert sorted(re.findall(r"^\| `(\w+)` \|", _README, re.MULTILINE)) == sorted(tool.name for tool in TOOLS)


def test_the_library_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The code block of the README, as it stands there."""
    block = re.search(r"```python\n(.+?)```", _README, re.DOTALL)
    assert block is not None
    (tmp_path / "notes.txt").write_text("teh cat\n")
    monkeypatch.chdir(tmp_path)
    subprocess.run([sys.executable, "-c", block[1]], check=True, capture_output=True, timeout=60)
    assert (tmp_path / "notes.txt").read_text() == "the cat\n"
