"""Replies and failures as tool results: every failure has words and a code, and nothing breaks the wire."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from pydantic import ValidationError

from readfirst.content.digest import digest_of
from readfirst.content.media import Media
from readfirst.edits.plan import Edit
from readfirst.errors import ArgumentRefused, DiskRefused, EditsRefused, PathRefused
from readfirst.server.results import failure_of, result_of, unknown_tool
from readfirst.settings import Settings
from readfirst.tools.edit import EditFileArgs
from readfirst.tools.read import ReadFileArgs
from readfirst.tools.spec import Args, Reply
from readfirst.tools.words import Names
from readfirst.workspace.context import Workspace
from readfirst.workspace.edit import edit_file
from readfirst.workspace.media import WholeFile
from readfirst.workspace.read import ReadRequest, read_page

_EDIT = {"oldText": "a", "newText": "b"}


def _texts(result: types.CallToolResult) -> list[str]:
    return [block.text for block in result.content if isinstance(block, types.TextContent)]


def _code(result: types.CallToolResult) -> object:
    assert result.is_error
    assert result.meta is not None
    assert set(result.meta["readfirst"]) == {"code"}
    return result.meta["readfirst"]["code"]


def _failed(error: Exception) -> types.CallToolResult:
    return failure_of(error, Names(), Settings())


def test_a_reply_is_its_blocks_and_its_facts() -> None:
    """SPEC 5: facts in `_meta`, and no structured content."""
    result = result_of(Reply(("text", "[closing]"), {"path": "f", "lines": [1, 2]}), ())
    assert (_texts(result), result.is_error) == (["text", "[closing]"], False)
    assert result.meta == {"readfirst": {"path": "f", "lines": [1, 2]}}
    assert result.structured_content is None


def test_ignored_arguments_are_named_in_a_block_of_their_own() -> None:
    """SPEC 5: the reply says so."""
    assert _texts(result_of(Reply(("text",), {}), ("a", "b"))) == ["text", "[ignored unknown arguments: a, b]"]


def test_no_half_character_leaves_in_a_text_or_in_a_fact() -> None:
    """HOSTILE 28: one of them ends a stdio server."""
    half = "x\ud83d"
    result = result_of(Reply((half,), {"path": half, "list": [half, {"deep": half}], "n": 1, "none": None}), (half,))
    sent = result.model_dump_json(by_alias=True)
    assert json.loads(sent)["_meta"]["readfirst"] == {
        "path": "x\\ud83d",
        "list": ["x\\ud83d", {"deep": "x\\ud83d"}],
        "n": 1,
        "none": None,
    }
    assert _texts(result) == ["x\\ud83d", "[ignored unknown arguments: x\\ud83d]"]


@pytest.mark.parametrize(
    ("media", "text", "block"),
    [
        (Media("image", "image/png"), None, {"type": "image", "data": "AP8=", "mimeType": "image/png"}),
        (Media("audio", "audio/wav"), None, {"type": "audio", "data": "AP8=", "mimeType": "audio/wav"}),
        (
            Media("other", "application/pdf"),
            None,
            {
                "type": "resource",
                "resource": {"uri": "file:///d%20%C3%A9/a%23%FF", "mimeType": "application/pdf", "blob": "AP8="},
            },
        ),
        (
            Media("text", "image/svg+xml"),
            "<svg/>",
            {
                "type": "resource",
                "resource": {"uri": "file:///d%20%C3%A9/a%23%FF", "mimeType": "image/svg+xml", "text": "<svg/>"},
            },
        ),
    ],
    ids=["image", "audio", "bytes", "text"],
)
def test_a_whole_file_goes_ahead_of_the_text(media: Media, text: str | None, block: dict[str, Any]) -> None:
    """SPEC 3 (`read_media_file`): anything but image and audio is an embedded resource with its media type."""
    data = b"\0\xff"
    file = WholeFile("/d \u00e9/a#\\udcff", media, data, text, None, digest_of(data))
    sent = json.loads(result_of(Reply(("[closing]",), {}, file), ()).model_dump_json(by_alias=True, exclude_none=True))
    assert sent["content"] == [block, {"type": "text", "text": "[closing]"}]


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (PathRefused("outside", "/x", roots=("/a",)), "outside", '"/x" is outside the allowed directories: "/a".'),
        (DiskRefused("busy", "f"), "busy", '"f": it keeps changing; try again. Nothing was written.'),
        (ArgumentRefused(path="", detail="no"), "invalid_argument", "No. Nothing was done."),
    ],
    ids=["path", "disk", "argument"],
)
def test_a_refusal_has_its_code_and_its_words(error: Exception, code: str, text: str) -> None:
    """SPEC 5."""
    result = _failed(error)
    assert (_code(result), _texts(result)) == (code, [text])


@pytest.mark.parametrize(
    ("model", "raw", "text"),
    [
        (ReadFileArgs, {}, "`path` is missing. Nothing was done."),
        (ReadFileArgs, {"path": 5}, "`path` must be text. Nothing was done."),
        (ReadFileArgs, {"path": None}, "`path` must be text. Nothing was done."),
        (
            ReadFileArgs,
            {"path": "f", "offset": 0},
            "`offset` should be greater than or equal to 1. Nothing was done.",
        ),
        (
            ReadFileArgs,
            {"path": "f", "head": 10**400},
            "`head` should be less than or equal to 9007199254740991. Nothing was done.",
        ),
        (
            EditFileArgs,
            {"path": "f"},
            '`edits` is missing: a list like [{"oldText": "…", "newText": "…"}]. Nothing was done.',
        ),
        (
            EditFileArgs,
            {"path": "f", "edits": [_EDIT, {"oldText": "a"}]},
            "`edits[1].newText` is missing. Nothing was done.",
        ),
        (
            EditFileArgs,
            {"path": "f", "edits": [{"oldText": 1, "newText": ""}]},
            "`edits[0].oldText` must be text. Nothing was done.",
        ),
    ],
    ids=["missing", "number", "null", "too small", "too large", "no list", "missing in an item", "number in an item"],
)
def test_arguments_that_do_not_fit_are_named(model: type[Args], raw: dict[str, Any], text: str) -> None:
    """SPEC 5, HOSTILE 81-83, 86: and the model's own message, with its link, does not show through."""
    with pytest.raises(ValidationError) as invalid:
        model.model_validate(raw)
    result = _failed(invalid.value)
    assert (_code(result), _texts(result)) == ("invalid_argument", [text])


def test_what_nobody_expected_is_logged_and_does_not_leak(caplog: pytest.LogCaptureFixture) -> None:
    """SPEC 5: no stack traces."""
    with caplog.at_level(logging.ERROR):
        result = _failed(RuntimeError("secret"))
    assert (_code(result), _texts(result)) == (
        "internal",
        ["An internal error; the server's log has its trace. Nothing more was done."],
    )
    assert [record.getMessage() for record in caplog.records] == ["unexpected RuntimeError"]


def test_no_error_text_is_longer_than_clients_show() -> None:
    """SPEC 8: 8,000 characters, and the text says that the rest is left out (G12)."""
    (text,) = _texts(_failed(PathRefused("outside", "/" + "x" * 20_000, roots=("/a",))))
    assert len(text) <= 8_000
    assert "left out" in text[-60:]


def test_an_error_text_of_just_the_limit_is_whole() -> None:
    """SPEC 8."""
    detail = "x" * (8_000 - len(". Nothing was done."))
    (text,) = _texts(_failed(ArgumentRefused(path="", detail=detail)))
    assert len(text) == 8_000
    assert text.endswith("x. Nothing was done.")


@pytest.mark.guarantee("G3")
@pytest.mark.parametrize("width", [20, 60, 150, 900])
def test_what_a_refusal_of_many_edits_shows_is_what_counts_as_seen(root: Path, width: int) -> None:
    """ARCHITECTURE: every cap is applied before coverage is recorded; nothing above it cuts."""
    lines = [f"value {number} = {'x' * width}" for number in range(1, 401)]
    (root / "f").write_text("".join(f"{line}\n" for line in lines))
    with Workspace([str(root)]) as workspace:
        session = workspace.session()
        read_page(session, "f", ReadRequest(limit=1))
        texts = ["\n".join(lines[at : at + 20]) for at in range(0, 400, 20)]
        with pytest.raises(EditsRefused) as refused:
            edit_file(session, "f", [Edit(f"{text[:-1]}y", "z") for text in texts])
        (text,) = _texts(_failed(refused.value))
        with workspace.roots.confine("f") as target:
            record = session.record(target)
    assert record is not None
    seen = [number for lines in record.coverage.ranges for number in range(lines.first, lines.last + 1)]
    shown = set(text.split("\n"))
    assert len(text) <= 8_000
    assert [number for number in seen[1:] if f"{number}\t{lines[number - 1]}" not in shown] == []


def test_an_unknown_tool_is_an_error_that_names_the_known_ones() -> None:
    """SPEC 3: a tool outside the profile is an unknown tool."""
    result = unknown_tool("raed_file" + "x" * 1_000, ["read_file", "edit_file"])
    assert _code(result) == "unknown_tool"
    (text,) = _texts(result)
    assert text.startswith("There is no tool 'raed_filexxx")
    assert text.endswith("The tools are: read_file, edit_file.")
    assert len(text) < 300
