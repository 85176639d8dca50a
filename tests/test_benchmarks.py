"""The edit corpus as a test: a few edits of each kind, none of them wrong."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.edit_kinds import MUST_APPLY, MUST_REFUSE
from benchmarks.session_cost import bytes_per_record

_ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def run() -> subprocess.CompletedProcess[str]:
    """Run the benchmark with five edits of each kind."""
    command = [sys.executable, "benchmarks/edits_bench.py", "--per-kind", "5"]
    return subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, timeout=110, check=False)


def _rows(table: str) -> dict[str, list[int]]:
    """Give edits, right, missed and wrong of each kind."""
    words = [line.split() for line in table.splitlines()]
    return {row[0]: [int(number) for number in row[1:]] for row in words if row and row[0] in MUST_APPLY | MUST_REFUSE}


@pytest.mark.guarantee("G6")
def test_no_edit_of_the_corpus_is_wrong(run: subprocess.CompletedProcess[str]) -> None:
    """SPEC 4.2: applied rightly or refused, and the exit status says so."""
    assert (run.returncode, run.stderr) == (0, "")
    assert {kind: row[-1] for kind, row in _rows(run.stdout).items()} == dict.fromkeys(MUST_APPLY | MUST_REFUSE, 0)


def test_every_kind_of_damage_made_an_edit(run: subprocess.CompletedProcess[str]) -> None:
    """A benchmark over no cases is always right."""
    rows = _rows(run.stdout)
    assert [kind for kind in MUST_APPLY | MUST_REFUSE if rows[kind][0] == 0] == []
    assert all(edits == right + missed + wrong for edits, right, missed, wrong in rows.values())


def test_the_adapter_of_another_engine_is_a_page_of_code() -> None:
    """Other corpora score this engine by a function of at most 15 lines."""
    tree = ast.parse((_ROOT / "benchmarks" / "edit_adapter.py").read_text(encoding="utf-8"))
    (function,) = (node for node in tree.body if isinstance(node, ast.FunctionDef))
    body = function.body[1:] if ast.get_docstring(function) else function.body
    code = {line for node in body for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)}
    assert 0 < len(code) + 1 <= 15


def test_a_record_costs_less_than_a_kilobyte_beyond_its_content(tmp_path: Path) -> None:
    """Issue 4: of 10,000 files; `benchmarks/session_cost.py` reads them all."""
    assert 0 < bytes_per_record(tmp_path, 500) < 1_000


def test_the_guard_neither_cries_wolf_nor_misses_a_change() -> None:
    """Issue 4: ten things that change nothing, eight real changes."""
    done = subprocess.run(
        [sys.executable, str(_ROOT / "benchmarks" / "detectors.py")],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stdout == "false refusals: 0 of 10\nmissed changes: 0 of 8\n"
    assert done.returncode == 0
