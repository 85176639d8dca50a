"""Which step of the matching ladder found a text, over real stdio: replies name it, and G3 asks for more than exact."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Connect, facts_of, text_of

pytestmark = pytest.mark.anyio

_INDENTED = "found with indentation aside, written with that of the file"
_TRAILING = "found with white space at line ends aside"


@pytest.fixture
def path(root: Path) -> Path:
    """Make a file of indented lines, too large for a refusal to show whole."""
    path = root / "long.py"
    path.write_text("".join(f"    line {number}\n" for number in range(1, 101)))
    return path


async def test_a_reply_names_the_step_and_says_exact_only_when_it_was(connect: Connect, root: Path) -> None:
    """SPEC 4.8, G12."""
    (root / "f").write_text("a = 1\nb = 2  \nc = 3\n    d = 4\n    e = 5\n")
    cases = (
        ("a = 1", "a = 9", ["exact"], "exact"),
        ("b = 2\nc = 3", "b = 2\nc = 9", ["trailing"], _TRAILING),
        ("d = 4\ne = 5", "d = 4\ne = 9", ["indentation"], _INDENTED),
    )
    async with connect() as agent:
        await agent.call("read_file", path="f")
        for old, new, steps, words in cases:
            edits = [{"oldText": old, "newText": new}]
            result = await agent.client.call_tool("edit_file", {"path": "f", "edits": edits})
            assert facts_of(result)["steps"] == steps
            assert f"1 replacement ({words})" in text_of(result)
            assert ("exact" in text_of(result)) == (steps == ["exact"])
    assert (root / "f").read_text() == "a = 9\nb = 2  \nc = 9\n    d = 4\n    e = 9\n"


@pytest.mark.guarantee("G3")
async def test_a_match_with_indentation_aside_needs_its_lines_seen(connect: Connect, path: Path) -> None:
    """SPEC 4.2: they are shown, and the edit is refused this once."""
    before = path.read_text()
    edits = [{"oldText": "\tline 50\n", "newText": "\tline fifty\n"}]
    async with connect() as agent:
        await agent.call("read_file", path=str(path), limit=2)
        text = await agent.refused("unseen", "edit_file", path=str(path), edits=edits)
        assert "Line 50 of 100" in text
        assert "50\t    line 50" in text
        assert path.read_text() == before
        text = await agent.call("edit_file", path=str(path), edits=edits)
    assert _INDENTED in text
    assert path.read_text() == before.replace("line 50\n", "line fifty\n")


@pytest.mark.guarantee("G3")
async def test_a_dry_run_of_a_match_with_white_space_aside_needs_its_lines_seen_too(
    connect: Connect, path: Path
) -> None:
    """SPEC 4.1: coverage comes before the dry run stops; the refusal is the one look it needs."""
    edits = [{"oldText": "    line 50 \n    line 51\n", "newText": "    line 50 \n    x\n"}]
    before = path.read_text()
    async with connect() as agent:
        await agent.call("read_file", path=str(path), limit=2)
        text = await agent.refused("unseen", "edit_file", path=str(path), edits=edits, dryRun=True)
        assert "50\t    line 50\n51\t    line 51" in text
        text = await agent.call("edit_file", path=str(path), edits=edits, dryRun=True)
        assert f"({_TRAILING})" in text
        assert path.read_text() == before
        await agent.call("edit_file", path=str(path), edits=edits)
    assert path.read_text() == before.replace("    line 51\n", "    x\n")


async def test_warnings_stand_in_the_reply_as_notes(connect: Connect, path: Path) -> None:
    """SPEC 4.9; with several edits, each note says which."""
    less = {"oldText": "line 7\n", "newText": "if x:\nline 7\n"}
    joined = {"oldText": "    line 20\n", "newText": "    x = "}
    async with connect() as agent:
        await agent.call("read_file", path=str(path))
        text = await agent.call("edit_file", path=str(path), edits=[less])
        assert "[note: later lines of newText are less indented than the line it starts in]" in text
        text = await agent.call("edit_file", path=str(path), edits=[{"oldText": "line 9\n", "newText": "y\n"}, joined])
        join = "oldText ends in a line break and newText does not, so the next line was joined to it"
        assert f"[note: edits[1]: {join}]" in text
        assert text.count("[note: ") == 1
    assert "    if x:\nline 7\n" in path.read_text()
    assert "    x =     line 21\n" in path.read_text()


async def test_an_indentation_that_cannot_be_carried_over_is_told_with_its_place(connect: Connect, path: Path) -> None:
    """SPEC 4.2.3, G12: not a word of a text that was not found."""
    before = path.read_text()
    edits = [{"oldText": f"{' ' * 8}line 5\n{' ' * 8}line 6\n", "newText": f"{' ' * 8}line 5\nline 6\n"}]
    async with connect() as agent:
        await agent.call("read_file", path=str(path))
        text = await agent.refused("no_match", "edit_file", path=str(path), edits=edits)
    assert "oldText stands on lines 5-6 with another indentation" in text
    assert "not found" not in text
    assert path.read_text() == before
