"""What the replies of trees, searches and listings say, and what they say that they left out."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from readfirst import Settings, Workspace
from readfirst.tools import TOOLS
from readfirst.tools.search import tree_json
from readfirst.tools.spec import Reply
from readfirst.workspace.search import Node
from tests.conftest import Connect, Unprivileged


def _call(root: Path, tool: str, settings: Settings | None = None, **arguments: object) -> Reply:
    with Workspace([str(root)], settings=settings) as workspace:
        return _run(workspace, tool, path=str(root), **arguments)


def _run(workspace: Workspace, tool: str, **arguments: object) -> Reply:
    (spec,) = (one for one in TOOLS if one.name == tool)
    reply: Reply = spec.run(workspace.session(), spec.args.model_validate(arguments))
    return reply


def _make(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("")


@pytest.mark.anyio
async def test_the_tools_work_over_the_wire(connect: Connect, root: Path) -> None:
    """ARCHITECTURE: every tool is called through the wire by some test; a list parameter takes one string."""
    async with connect() as caller:
        path = f"{root}/a/b"
        assert await caller.call("create_directory", path=path) == f'[created "{path}"]'
        assert await caller.call("create_directory", path=path) == f'["{path}" exists already]'
        (root / "a" / "x.py").write_text("12345")
        (root / "a" / "y.py").write_text("")
        found = await caller.call("search_files", path=str(root), pattern="*.py", exclude_patterns="y.*")
        assert found == f"{root}/a/x.py"
        tree = await caller.call("directory_tree", path=str(root), excludePatterns='["*.py"]')
        assert json.loads(tree) == [
            {"name": "a", "type": "directory", "children": [{"name": "b", "type": "directory", "children": []}]}
        ]
        sizes = await caller.call("list_directory_with_sizes", path=f"{root}/a", sortBy="size")
        assert sizes.splitlines()[-2:] == ["Total: 2 files, 1 directories", "Combined size: 5 B"]
        refusal = await caller.refused("invalid_argument", "search_files", path=str(root), pattern="{a,b}" * 20)
        assert "`pattern` stands for more than 256 patterns" in refusal


def test_a_tree_is_json_as_other_tools_write_it(root: Path) -> None:
    """SPEC 3: two blanks a level."""
    _make(root, "a/b/c", "a/d", 'e"\n')
    (root / "empty").mkdir()
    os.mkfifo(root / "pipe")
    (root / "way").symlink_to("a")
    (text,) = _call(root, "directory_tree").blocks
    assert text == json.dumps(json.loads(text), indent=2, ensure_ascii=False)
    kinds = {entry["name"]: entry["type"] for entry in json.loads(text)}
    assert kinds == {"a": "directory", 'e"\n': "file", "empty": "directory", "pipe": "file", "way": "link"}
    assert _call(root / "empty", "directory_tree").blocks == ("[]",)


@pytest.mark.parametrize("depth", range(1, 5))
def test_a_tree_that_is_too_long_loses_its_deepest_children(root: Path, depth: int) -> None:
    """SPEC 3: what is left stays valid JSON, and a second block says so."""
    _make(root, *(f"{'d/' * level}f{number}" for level in range(5) for number in range(4)))
    whole = _call(root, "directory_tree", depth=depth).blocks[0]
    settings = Settings(reply_chars=500 + len(whole))
    text, note = _call(root, "directory_tree", settings).blocks
    assert text == whole
    assert note == f"[too long: levels below {depth} are left out; ask for a directory in it, or exclude more]"


def test_a_tree_that_is_too_wide_shows_its_first_entries(root: Path) -> None:
    """Even the first level may be too long."""
    _make(root, *(f"f{number:03}" for number in range(200)))
    text, note = _call(root, "directory_tree", Settings(reply_chars=3000)).blocks
    assert json.loads(text)[0] == {"name": "f000", "type": "file"}
    assert note == "[too long: 50 of 200 entries are shown, without what is in them]"


def test_a_tree_may_be_deeper_than_the_stack() -> None:
    """HOSTILE 74: JSON is written without recursion."""
    node = Node("x", "file")
    for _ in range(2000):
        node = Node("d", "directory", [node])
    text = tree_json([node], 100_000_000, None)
    assert text is not None
    assert text.count("children") == 2000
    while node.children:
        # Taken apart from the top.
        (node,) = node.children


def test_a_search_says_what_it_left_out(root: Path, unprivileged: Unprivileged) -> None:
    """G12: counted, with the argument that shows it."""
    _make(root, "a.o", "b.o", "c", "locked/x", "locked2/x")
    (root / ".gitignore").write_text("*.o\n")
    (root / "locked").chmod(0)
    with Workspace([str(root)]) as workspace, unprivileged():
        first = _run(workspace, "search_files", path=".", pattern="x", gitignore=True)
    (root / "locked2").chmod(0)
    (root / "b.o").unlink()
    with Workspace([str(root)]) as workspace, unprivileged():
        second = _run(workspace, "search_files", path=".", pattern="x", gitignore=True)
    assert first.blocks == (
        f"{root}/locked2/x",
        "[2 entries ignored by git left out: gitignore=false shows them; 1 directory could not be read]",
    )
    assert second.blocks == (
        "No matches found.",
        "[1 entry ignored by git left out: gitignore=false shows them; 2 directories could not be read]",
    )
    (root / "locked").chmod(0o755)
    (root / "locked2").chmod(0o755)


@pytest.mark.parametrize(
    ("settings", "note"),
    [
        (Settings(walk_entries=2), "[stopped after 2 entries: narrow `path`]"),
        (Settings(walk_s=-1), "[the time was over after 0 entries: narrow `path`]"),
    ],
)
def test_a_search_says_that_it_stopped(root: Path, settings: Settings, note: str) -> None:
    """SPEC 3: and gives what was found so far."""
    _make(root, "a", "b", "c")
    assert _call(root, "search_files", settings, pattern="zzz").blocks == ("No matches found.", note)


def test_a_search_that_finds_too_much_is_cut(root: Path) -> None:
    """SPEC 8: 45,000 characters."""
    _make(root, *(f"f{number:03}" for number in range(100)))
    rows, note = _call(root, "search_files", Settings(reply_chars=500 + 10 * (len(str(root)) + 6)), pattern="*").blocks
    assert rows.splitlines() == [f"{root}/f{number:03}" for number in range(10)]
    assert note == "[10 of 100 matches are shown: narrow `path` or `pattern`]"


def test_names_that_are_no_text_are_shown_escaped(root: Path) -> None:
    """SPEC 7: no answer carries half a character, and no name can forge a line."""
    _make(root, "\udcff", "a\nb")
    (text,) = _call(root, "search_files", pattern="*").blocks
    assert sorted(text.splitlines()) == sorted([f"{root}/\\udcff", f'"{root}/a\\nb"'])
    assert [entry["name"] for entry in json.loads(_call(root, "directory_tree").blocks[0])] == ["a\nb", "\\udcff"]


def test_sizes_are_told_where_they_can_be(root: Path, tmp_path: Path) -> None:
    """SPEC 3: what leaves the allowed directories has no size here."""
    (tmp_path / "secret").write_text("x" * 5000)
    (root / "big").write_bytes(b"x" * (3 * 1024 * 1024))
    (root / "small").write_bytes(b"x" * 1536)
    (root / "sub").mkdir()
    (root / "out").symlink_to(tmp_path / "secret")
    (root / "in").symlink_to("small")
    os.mkfifo(root / "pipe")
    (text,) = _call(root, "list_directory_with_sizes").blocks
    assert text.splitlines() == [
        f"[FILE] {'big':<30} {'3.00 MB':>10}",
        f"[LINK] {'in':<30} {'1.50 KB':>10}",
        f"[LINK] {'out':<30} {'unknown':>10}",
        f"[FILE] {'pipe':<30} {'unknown':>10}",
        f"[FILE] {'small':<30} {'1.50 KB':>10}",
        "[DIR] sub",
        "",
        "Total: 5 files, 1 directories",
        "Combined size: 3.00 MB (2 unknown)",
    ]
    (text,) = _call(root, "list_directory_with_sizes", sortBy="size").blocks
    assert [row.split()[1] for row in text.splitlines()[:3]] == ["big", "in", "small"]


def test_a_size_may_be_enormous(root: Path) -> None:
    """A sparse file of some terabytes."""
    with (root / "sparse").open("wb") as file:
        file.truncate(3 * 1024**4)
    assert "3.00 TB" in _call(root, "list_directory_with_sizes").blocks[0]
