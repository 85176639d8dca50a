"""The profile `editor`: how much a page holds, and long lines without a column (SPEC 3.1)."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

from readfirst.errors import Unseen
from readfirst.settings import PROFILES
from readfirst.tools import EDITOR_TOOLS
from readfirst.tools.refusals import worded
from readfirst.tools.spec import Reply
from readfirst.tools.words import names_in_force
from readfirst.workspace.context import Workspace

Call = Callable[..., Reply]
_TOOLS = {tool.name: tool for tool in EDITOR_TOOLS}
_NAMES = names_in_force(PROFILES["editor"])


@pytest.fixture
def call(root: Path) -> Generator[Call]:
    """Run a tool of the profile for a caller who waits for each result."""
    with Workspace([str(root)], settings=PROFILES["editor"]) as workspace:
        session = workspace.session()

        def run(name: str, /, **arguments: Any) -> Reply:  # noqa: ANN401 - JSON
            tool = _TOOLS[name]
            return tool.run(session, tool.args.model_validate(arguments))

        yield run


def _closing(reply: Reply) -> str:
    return re.sub(r"version [a-z]{10}", "version V", reply.blocks[-1])


@pytest.mark.parametrize(
    ("width", "asked", "shown", "more"),
    [
        pytest.param(8, {}, 100, "", id="100 lines"),
        pytest.param(400, {}, 24, "", id="10,000 characters"),
        pytest.param(8, {"limit": 150}, 150, ", limit=150", id="limit"),
        pytest.param(94, {"limit": 150}, 150, ", limit=150", id="100 characters a line"),
        pytest.param(194, {"limit": 150}, 75, ", limit=150", id="no more than that"),
        pytest.param(400, {"limit": 30}, 24, ", limit=30", id="at least 10,000"),
        pytest.param(8, {"limit": 5_000}, 2_000, ", limit=2000", id="at most 2,000 lines"),
        pytest.param(94, {"limit": 1_900}, 1_011, ", limit=1900", id="at most 100,000 characters"),
        pytest.param(400, {"maxChars": 20_000}, 49, ", maxChars=20000", id="maxChars"),
        pytest.param(400, {"limit": 150, "maxChars": 5_000}, 12, ", limit=150, maxChars=5000", id="both"),
        pytest.param(4_000, {"maxChars": 200_000}, 24, ", maxChars=200000", id="maxChars at most 100,000"),
    ],
)
def test_a_page_ends_at_its_lines_or_characters(
    call: Call, root: Path, width: int, asked: dict[str, int], shown: int, more: str
) -> None:
    """SPEC 3.1: the caps of `read`, and a hint that asks for a page of the same size."""
    (root / "f").write_text(f"{'x' * width}\n" * 3_000)
    reply = call("read", path="f", **asked)
    assert _closing(reply) == (f'[lines 1-{shown} of 3,000; version V; next: read(path="f", offset={shown + 1}{more})]')


@pytest.mark.parametrize(
    ("chars", "asked", "hint"),
    [
        pytest.param(
            30_000, {}, '; to see more of line 1: read(path="f", offset=1, limit=1, maxChars=100000)', id="larger"
        ),
        pytest.param(
            300_000,
            {"maxChars": 100_000},
            '; no call shows more of line 1; next: read(path="f", offset=2, maxChars=100000)',
            id="none will do",
        ),
    ],
)
def test_an_over_long_line_needs_a_larger_page_or_none_will_do(
    call: Call, root: Path, chars: int, asked: dict[str, int], hint: str
) -> None:
    """SPEC 3.1: `editor` has no `column`."""
    (root / "f").write_text("x" * chars + "\nend\n")
    closing = _closing(call("read", path="f", **asked))
    assert closing.endswith(f"; version V{hint}]")
    assert "cut: characters 1 to" in closing


def test_the_last_line_that_no_call_shows_whole_has_no_next(call: Call, root: Path) -> None:
    """SPEC 3.1; G12."""
    (root / "f").write_text("x" * 300_000)
    assert _closing(call("read", path="f", maxChars=100_000)).endswith("; version V; no call shows more of line 1]")


def test_an_overwrite_that_no_read_can_license_says_so(call: Call, root: Path) -> None:
    """G12: a refusal names the next call that would succeed, or says that none will."""
    (root / "f").write_text("x" * 300_000)
    call("read", path="f")
    with pytest.raises(Unseen) as refused:
        call("write", filePath="f", content="y\n")
    assert worded(refused.value, _NAMES) == (
        'Line 1 of 1 in "f" would change and was never shown whole in this session. Nothing was written. No call shows '
        "such a long line whole, so no call can replace it; edit can change a part of it that is quoted exactly."
    )


def test_a_long_line_that_one_read_can_show_is_asked_for(call: Call, root: Path) -> None:
    """SPEC 2: whoever makes the calls that refusals name is refused no more in the end."""
    (root / "f").write_text("x" * 30_000 + "\n")
    call("read", path="f")
    with pytest.raises(Unseen) as refused:
        call("write", filePath="f", content="y\n")
    assert worded(refused.value, _NAMES).endswith('read(path="f", offset=1, limit=1, maxChars=100000)')
    call("read", path="f", offset=1, limit=1, maxChars=100_000)
    call("write", filePath="f", content="y\n")
    assert (root / "f").read_text() == "y\n"


def test_an_edit_says_how_its_text_was_found_in_the_words_of_the_profile(call: Call, root: Path) -> None:
    """SPEC 4: warnings name the arguments of the profile."""
    (root / "f").write_text("if x:\n    one()\n    two()\n")
    call("read", path="f")
    reply = call("edit", filePath="f", oldString="one()\n    two()", newString="one()\nthree()")
    assert any("newString" in block or "replacement" in block for block in reply.blocks)
    assert not any("newText" in block for block in reply.blocks)
