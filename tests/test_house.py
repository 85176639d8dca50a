"""The house rules that a machine can hold: sizes, the public names, and what is imported when."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import readfirst

_SOURCE = Path(readfirst.__file__).parent
_MODULES = sorted(_SOURCE.rglob("*.py"))
_MOST_MODULE_LINES = 300
_MOST_FUNCTION_LINES = 40
_HEAVY = ("mcp", "mcp_types", "pydantic", "rapidfuzz", "anyio", "asyncio")


def _functions(path: Path) -> Iterator[tuple[str, int]]:
    """Give every function with its lines, decorators apart."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno is not None
            yield node.name, node.end_lineno - node.lineno + 1


@pytest.mark.parametrize("path", _MODULES, ids=lambda path: str(path.relative_to(_SOURCE)))
def test_a_module_is_no_longer_than_one_story(path: Path) -> None:
    """STYLE: split before 300 lines; a function has at most 40; a module opens with why it exists."""
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= _MOST_MODULE_LINES
    assert {name: lines for name, lines in _functions(path) if lines > _MOST_FUNCTION_LINES} == {}
    assert ast.get_docstring(ast.parse(text))


def test_there_are_modules_to_be_measured() -> None:
    """A rule over no modules holds always."""
    assert len(_MODULES) > 30


def test_the_public_library_has_few_names_and_all_of_them_exist() -> None:
    """ARCHITECTURE: at most 15."""
    assert len(readfirst.__all__) <= 15
    assert sorted(readfirst.__all__) == sorted(set(readfirst.__all__))
    assert [name for name in readfirst.__all__ if not hasattr(readfirst, name)] == []


@pytest.mark.parametrize("module", ["readfirst.cli", "readfirst.__main__"])
def test_the_command_line_imports_nothing_heavy(module: str) -> None:
    """ARCHITECTURE: `--help` and `--version` do not import the SDK."""
    code = f"import sys, {module}; print(*(name for name in {_HEAVY!r} if name in sys.modules))"
    # Without the site's own start-up files: a coverage tool may import what it likes there.
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == []


def test_the_library_does_not_import_the_protocol() -> None:
    """ARCHITECTURE: only the server speaks MCP, and rapidfuzz is imported when a text was not found."""
    code = f"import sys, readfirst; print(*(name for name in {_HEAVY!r} if name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == []


def test_the_version_is_the_same_everywhere() -> None:
    """The package's metadata and the library agree."""
    text = (_SOURCE.parent.parent / "pyproject.toml").read_text(encoding="utf-8")
    assert f'\nversion = "{readfirst.__version__}"\n' in text
