"""Guarantees and tests belong together, in both directions."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.guarantees import GUARANTEES, readme_table

_HERE = Path(__file__).parent


def _carried() -> dict[str, int]:
    """Count the tests that carry each id: `@pytest.mark.guarantee("G1")` above a test function."""
    counts: dict[str, int] = {}
    for path in _HERE.rglob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
                for key in _ids(node):
                    counts[key] = counts.get(key, 0) + 1
    return counts


def _ids(test: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    marks = [mark for mark in test.decorator_list if isinstance(mark, ast.Call)]
    return [
        argument.value
        for mark in marks
        if ast.unparse(mark.func) == "pytest.mark.guarantee"
        for argument in mark.args
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    ]


def test_every_kept_guarantee_has_a_test_and_no_pending_one_claims_to() -> None:
    """Tests carry the ids of the guarantees that are kept, and no others."""
    assert sorted(_carried()) == sorted(key for key, one in GUARANTEES.items() if one.kept)


def test_the_readme_states_the_kept_guarantees_word_for_word() -> None:
    """The README section is generated: `python -m tests.guarantees` prints it."""
    readme = (_HERE.parent / "README.md").read_text(encoding="utf-8")
    assert readme_table() in readme
