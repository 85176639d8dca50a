"""What `tools/list` says, byte for byte, and how large it is.

After a change that is meant, `READFIRST_SNAPSHOT=write python -m pytest tests/tools/test_declarations.py` writes
`tools_list.json` anew; the diff belongs into the same commit.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from readfirst.server.schema import schema_of
from readfirst.settings import Profile, Settings
from readfirst.tools import ARGUMENT_NAMES, EDITOR_TOOLS, TOOLS, offered
from readfirst.tools.spec import Json, ToolSpec
from readfirst.tools.words import Names, names_in_force

_SNAPSHOT = Path(__file__).parent / "tools_list.json"
_EDITOR_SNAPSHOT = Path(__file__).parent / "tools_list_editor.json"
_UNWANTED = {"$ref", "$defs", "anyOf", "oneOf", "allOf", "title", "additionalProperties"}

EveryTool = pytest.mark.parametrize("tool", TOOLS + EDITOR_TOOLS, ids=lambda tool: tool.name)


def _declared(tool: ToolSpec[Any]) -> dict[str, Json]:
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": schema_of(tool.args),
        "annotations": {
            "readOnlyHint": tool.read_only,
            "idempotentHint": tool.idempotent,
            "destructiveHint": tool.destructive,
        },
    }


def _objects(node: Json) -> Iterator[dict[str, Json]]:
    """Give every schema in a schema; names of arguments are none."""
    if not isinstance(node, dict):
        return
    yield node
    for name, part in node.items():
        if name == "properties" and isinstance(part, dict):
            for schema in part.values():
                yield from _objects(schema)
        else:
            yield from _objects(part)


def _parameters(tool: ToolSpec[Any]) -> dict[str, dict[str, Json]]:
    found: dict[str, dict[str, Json]] = {}
    for node in _objects(schema_of(tool.args)):
        properties = node.get("properties", {})
        assert isinstance(properties, dict)
        found |= {name: schema for name, schema in properties.items() if isinstance(schema, dict)}
    return found


@pytest.mark.parametrize(
    ("tools", "path"), [(TOOLS, _SNAPSHOT), (EDITOR_TOOLS, _EDITOR_SNAPSHOT)], ids=["full", "editor"]
)
def test_the_list_of_tools_is_the_one_that_was_agreed_upon(tools: Sequence[ToolSpec[Any]], path: Path) -> None:
    """ARCHITECTURE: the snapshot of `tools/list` is a test."""
    text = json.dumps([_declared(tool) for tool in tools], indent=2, ensure_ascii=False) + "\n"
    if os.environ.get("READFIRST_SNAPSHOT") == "write":
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text


@pytest.mark.parametrize(("tools", "most"), [(TOOLS, 3_400), (EDITOR_TOOLS, 560)], ids=["full", "editor"])
def test_the_list_of_tools_costs_no_more_than_its_budget(tools: Sequence[ToolSpec[Any]], most: int) -> None:
    """ARCHITECTURE: tokens, as bytes/4; of the full profile these are the first."""
    size = len(json.dumps([_declared(tool) for tool in tools], ensure_ascii=False).encode())
    assert size / 4 <= most


@EveryTool
def test_a_description_is_short(tool: ToolSpec[Any]) -> None:
    """STYLE: a tool at most 40 words, a parameter at most 12, and every one is described."""
    assert 3 <= len(tool.description.split()) <= 40
    words = {name: str(schema.get("description", "")).split() for name, schema in _parameters(tool).items()}
    assert {name: len(text) for name, text in words.items() if not 1 <= len(text) <= 12} == {}


@EveryTool
def test_a_schema_is_flat(tool: ToolSpec[Any]) -> None:
    """SPEC 5: clients mis-handle references, unions and titles; leniency is decided elsewhere."""
    for node in _objects(schema_of(tool.args)):
        assert _UNWANTED.isdisjoint(node)
        assert "null" not in json.dumps(node.get("type"))


@EveryTool
def test_a_declaration_is_complete(tool: ToolSpec[Any]) -> None:
    """SPEC 3: a title, text without loud words, and arguments in camelCase."""
    assert tool.title
    assert tool.description.endswith(".")
    assert "!" not in tool.description
    assert tool.description.upper() != tool.description
    assert all(name.isalnum() and name[0].islower() for name in _parameters(tool))


@pytest.mark.parametrize(
    ("name", "hints"),
    [
        ("read_file", (True, True, False)),
        ("read_text_file", (True, True, False)),
        ("read_multiple_files", (True, True, False)),
        ("read_media_file", (True, True, False)),
        ("write_file", (False, True, True)),
        ("append_file", (False, False, False)),
        ("edit_file", (False, False, True)),
        ("create_directory", (False, True, False)),
        ("list_directory", (True, True, False)),
        ("list_directory_with_sizes", (True, True, False)),
        ("directory_tree", (True, True, False)),
        ("search_files", (True, True, False)),
        ("search_content", (True, True, False)),
        ("get_file_info", (True, True, False)),
        ("list_allowed_directories", (True, True, False)),
        ("move_file", (False, False, True)),
        ("copy_file", (False, False, False)),
        ("delete_file", (False, False, True)),
        ("undo_edit", (False, False, True)),
        ("session_changes", (True, True, False)),
        ("read", (True, True, False)),
        ("edit", (False, False, True)),
        ("write", (False, True, True)),
    ],
)
def test_the_hints_are_those_of_the_table(name: str, hints: tuple[bool, bool, bool]) -> None:
    """SPEC 3: read only, idempotent, destructive; what is not read only changes files."""
    (tool,) = (tool for tool in TOOLS + EDITOR_TOOLS if tool.name == name)
    assert (tool.read_only, tool.idempotent, tool.destructive) == hints
    assert tool.changes_files != tool.read_only


def test_every_name_is_used_once() -> None:
    """ARCHITECTURE: `TOOLS` is the one ordered list."""
    names = [tool.name for tool in TOOLS]
    assert names == [
        "read_file",
        "read_text_file",
        "read_multiple_files",
        "read_media_file",
        "write_file",
        "append_file",
        "edit_file",
        "create_directory",
        "list_directory",
        "list_directory_with_sizes",
        "directory_tree",
        "search_files",
        "search_content",
        "get_file_info",
        "list_allowed_directories",
        "move_file",
        "copy_file",
        "delete_file",
        "undo_edit",
        "session_changes",
    ]


def test_the_argument_names_of_all_tools_are_known() -> None:
    """SPEC 5: an unknown argument is compared with those of any tool."""
    assert {name for tool in TOOLS + EDITOR_TOOLS for name in _parameters(tool)} == ARGUMENT_NAMES


@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize("profile", ["full", "editor"])
def test_a_hint_can_only_name_a_tool_that_is_offered(profile: Profile, *, read_only: bool) -> None:
    """SPEC 3: hints use the names of the profile in force, and none that is not there."""
    settings = Settings(profile=profile, read_only=read_only)
    tools = {tool.name: tool for tool in offered(settings)}
    names = names_in_force(settings)
    calls = {one: getattr(names, one) for one in ("read", "edit", "write", "delete", "undo", "info", "list_roots")}
    assert {name for name in calls.values() if name} <= set(tools)
    assert {one for one, name in calls.items() if not name} == _absent(profile, read_only=read_only)
    assert (names.column in _parameters(tools[names.read])) == bool(names.column)
    if not read_only:
        arguments = _parameters(tools[names.edit])
        assert {names.changed_path, names.old, names.new} <= set(arguments)
        assert names.changed_path in _parameters(tools[names.write])
        assert ("replaceAll" in arguments) == bool(names.replace_all)


def _absent(profile: Profile, *, read_only: bool) -> set[str]:
    absent = {"delete", "undo", "info", "list_roots"} if profile == "editor" else set[str]()
    return absent | ({"edit", "write", "delete", "undo"} if read_only else set())


def test_a_read_only_server_offers_what_is_annotated_so() -> None:
    """SPEC 3; HOSTILE 96."""
    listed = offered(Settings(read_only=True))
    assert [tool.name for tool in listed] == [tool.name for tool in TOOLS if tool.read_only]
    assert [tool.name for tool in offered(Settings(profile="editor", read_only=True))] == ["read"]


def test_by_default_every_tool_of_the_full_profile_is_offered() -> None:
    """SPEC 3."""
    assert offered(Settings()) == TOOLS
    assert names_in_force(Settings()) == Names()
