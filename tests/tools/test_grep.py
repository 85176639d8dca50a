"""What `search_content` says."""

from __future__ import annotations

from pathlib import Path

import pytest

from readfirst.tools.grep import SEARCH_CONTENT, SearchContentArgs
from readfirst.workspace.context import Workspace


def _said(root: Path, **arguments: object) -> list[str]:
    with Workspace([str(root)]) as workspace:
        args = SearchContentArgs.model_validate({"path": str(root), **arguments})
        blocks = SEARCH_CONTENT.run(workspace.session(), args).blocks
    return [block.replace(str(root), "ROOT") for block in blocks]


@pytest.mark.parametrize(
    ("arguments", "blocks"),
    [
        pytest.param({"pattern": "b"}, ["ROOT/f:\n2\tb\n6\tb\n\nROOT/g:\n1\tb"], id="lines by file"),
        pytest.param(
            {"pattern": "b", "context": 1, "glob": "f"},
            ["ROOT/f:\n1-\ta\n2\tb\n3-\tc\n--\n5-\te\n6\tb"],
            id="context",
        ),
        pytest.param(
            {"pattern": "b", "maxMatches": 1},
            ["ROOT/f:\n2\tb", "[the first 1 line in 1 file; there are more: narrow `path`, `glob` or `pattern`]"],
            id="more",
        ),
        pytest.param({"pattern": "z"}, ["No matches found."], id="nothing"),
    ],
)
def test_a_search_is_answered_so(root: Path, arguments: dict[str, object], blocks: list[str]) -> None:
    """SPEC 3, `search_content`; G12."""
    (root / "f").write_text("a\nb\nc\nd\ne\nb\n")
    (root / "g").write_text("b\n")
    assert _said(root, **arguments) == blocks


def test_a_long_line_is_cut_and_says_so(root: Path) -> None:
    """G12."""
    (root / "f").write_text("b" * 2_000 + "\n")
    (block,) = _said(root, pattern="b")
    assert block == f"ROOT/f:\n1\t{'b' * 500}… [the line goes on]"
