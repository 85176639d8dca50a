"""Lenient arguments: what was meant is accepted, and what might have been meant otherwise never writes."""

from __future__ import annotations

import json
from typing import Annotated, Any

import pytest
from pydantic import Field

from readfirst.errors import ArgumentRefused
from readfirst.tools import ARGUMENT_NAMES
from readfirst.tools.aliases import Accepted, accept, wire_names
from readfirst.tools.edit import EditFileArgs, WriteFileArgs
from readfirst.tools.read import ReadFileArgs
from readfirst.tools.spec import Args

_EDIT = {"oldText": "a", "newText": "b"}


class _Names(Args):
    """What `read_multiple_files` will take: a list of texts."""

    paths: Annotated[list[str], Field(description="Files to read.")]
    file_path: Annotated[str, Field(alias="filePath")] = ""
    old_string: Annotated[str, Field(alias="oldString")] = ""


def _read(raw: dict[str, Any]) -> Accepted:
    return accept(ReadFileArgs, raw, changes_files=False, known=ARGUMENT_NAMES)


def _edit(raw: dict[str, Any]) -> Accepted:
    return accept(EditFileArgs, raw, changes_files=True, known=ARGUMENT_NAMES)


def _refused(raw: dict[str, Any], model: type[Args] = EditFileArgs, *, changes_files: bool = True) -> str:
    with pytest.raises(ArgumentRefused) as refused:
        accept(model, raw, changes_files=changes_files, known=ARGUMENT_NAMES)
    return refused.value.detail


@pytest.mark.parametrize(
    ("raw", "values"),
    [
        pytest.param({"path": "f"}, {"path": "f"}, id="as declared"),
        pytest.param({"file_path": "f"}, {"path": "f"}, id="file_path"),
        pytest.param({"filePath": "f"}, {"path": "f"}, id="filePath"),
        pytest.param({"file": "f"}, {"path": "f"}, id="file"),
        pytest.param({"path": "f", "file": "f"}, {"path": "f"}, id="the same twice"),
        pytest.param({"max_chars": 5}, {"maxChars": 5}, id="snake_case"),
        pytest.param({"line_numbers": False}, {"lineNumbers": False}, id="snake_case boolean"),
        pytest.param({"offset": "5"}, {"offset": 5}, id="number as text"),
        pytest.param({"offset": " 5 "}, {"offset": 5}, id="number as text with blanks"),
        pytest.param({"offset": "5.0"}, {"offset": 5}, id="whole float as text"),
        pytest.param({"offset": 5.0}, {"offset": 5}, id="whole float"),
        pytest.param({"offset": "+5"}, {"offset": 5}, id="number with its sign"),
        pytest.param({"offset": -5}, {"offset": -5}, id="negative: for the model to refuse"),
        pytest.param({"head": "3"}, {"head": 3}, id="optional number as text"),
        pytest.param({"head": None, "limit": None}, {}, id="null for an optional"),
        pytest.param({"lineNumbers": "false"}, {"lineNumbers": False}, id="boolean as text"),
        pytest.param({"lineNumbers": " TRUE "}, {"lineNumbers": True}, id="boolean as loud text"),
        pytest.param({"path": None}, {"path": None}, id="null for a required: for the model to refuse"),
        pytest.param({"path": "5"}, {"path": "5"}, id="text stays text"),
        pytest.param({"path": "true"}, {"path": "true"}, id="text stays text, a truth"),
    ],
)
def test_what_was_meant_is_accepted(raw: dict[str, Any], values: dict[str, Any]) -> None:
    """SPEC 5, HOSTILE 82."""
    accepted = _read(raw)
    assert (accepted.values, accepted.ignored) == (values, ())
    assert [type(value) for value in accepted.values.values()] == [type(value) for value in values.values()]


@pytest.mark.parametrize(
    ("edits", "values"),
    [
        pytest.param([_EDIT], [_EDIT], id="a list"),
        pytest.param(_EDIT, [_EDIT], id="one object"),
        pytest.param(json.dumps([_EDIT]), [_EDIT], id="a list as JSON text"),
        pytest.param(json.dumps(_EDIT), [_EDIT], id="one object as JSON text"),
        pytest.param([{"oldString": "a", "newString": "b"}], [_EDIT], id="oldString"),
        pytest.param([{"old_string": "a", "new_string": "b"}], [_EDIT], id="old_string"),
        pytest.param([{"old_str": "a", "new_str": "b"}], [_EDIT], id="old_str"),
        pytest.param([{"old_text": "a", "new_text": "b"}], [_EDIT], id="old_text"),
        pytest.param([_EDIT | {"replace_all": "true"}], [_EDIT | {"replaceAll": True}], id="replace_all"),
        pytest.param([_EDIT | {"replaceAll": None}], [_EDIT], id="null in an item"),
        pytest.param([], [], id="none: for the tool to refuse"),
    ],
)
def test_edits_are_accepted_in_every_spelling(edits: object, values: list[dict[str, Any]]) -> None:
    """SPEC 5: and text that looks like JSON stays text inside an edit."""
    assert _edit({"edits": edits}).values == {"edits": values}


@pytest.mark.parametrize("text", ["null", "[1]", '{"a": 1}', "5", "true", ""])
def test_text_that_looks_like_json_stays_text(text: str) -> None:
    """ARCHITECTURE: `content: "null"` must not arrive as nothing."""
    accepted = accept(WriteFileArgs, {"content": text}, changes_files=True, known=ARGUMENT_NAMES)
    assert accepted.values == {"content": text}
    assert _edit({"edits": [{"oldText": text, "newText": text}]}).values["edits"][0]["oldText"] == text


@pytest.mark.parametrize(
    ("paths", "values"),
    [
        pytest.param(["a", "b"], ["a", "b"], id="a list"),
        pytest.param("a", ["a"], id="one text"),
        pytest.param('["a", "b"]', ["a", "b"], id="a list as JSON text"),
        pytest.param("[a", ["[a"], id="a name that starts like a list"),
        pytest.param(None, [None], id="null: for the model to refuse"),
    ],
)
def test_a_list_of_texts_also_takes_one(paths: object, values: list[str]) -> None:
    """SPEC 3: a list parameter also takes one string."""
    accepted = accept(_Names, {"paths": paths}, changes_files=False, known=ARGUMENT_NAMES)
    assert accepted.values == {"paths": values}


def test_the_names_of_the_small_profile_take_those_of_the_large_one() -> None:
    """SPEC 5: `path` for `filePath`, `oldText` for `oldString`."""
    raw: dict[str, Any] = {"paths": [], "path": "f", "oldText": "a"}
    accepted = accept(_Names, raw, changes_files=False, known=ARGUMENT_NAMES)
    assert accepted.values == {"paths": [], "filePath": "f", "oldString": "a"}


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        pytest.param({"offset": True}, "`offset` must be a whole number, not true", id="boolean"),
        pytest.param({"head": False}, "`head` must be a whole number, not false", id="boolean for an optional"),
        pytest.param({"offset": 5.5}, "`offset` must be a whole number", id="fraction"),
        pytest.param({"offset": "5.5"}, "`offset` must be a whole number", id="fraction as text"),
        pytest.param({"offset": "1e3"}, "`offset` must be a whole number", id="exponent as text"),
        pytest.param({"offset": ""}, "`offset` must be a whole number", id="no text"),
        pytest.param({"offset": "five"}, "`offset` must be a whole number", id="word"),
        pytest.param({"offset": "9" * 5_000}, "`offset` must be a whole number", id="huge text"),
        pytest.param({"offset": float("inf")}, "`offset` must be a whole number", id="infinity"),
        pytest.param({"offset": float("nan")}, "`offset` must be a whole number", id="not a number"),
        pytest.param({"offset": [5]}, "`offset` must be a whole number", id="list"),
        pytest.param({"lineNumbers": 1}, "`lineNumbers` must be true or false", id="number for a boolean"),
        pytest.param({"lineNumbers": "yes"}, "`lineNumbers` must be true or false", id="word for a boolean"),
        pytest.param({"path": "\ud83d"}, "`path` holds half a character (a lone surrogate)", id="lone surrogate"),
        pytest.param({"path": "a", "file": "b"}, "`path` and `file` are the same argument: give one of them", id="two"),
        pytest.param({"offest": 3}, "unknown argument `offest`: the name is `offset`", id="slip"),
        pytest.param({"OFFSET": 3}, "unknown argument `OFFSET`: the name is `offset`", id="shouted"),
        pytest.param({"line_number": True}, "unknown argument `line_number`: the name is `lineNumbers`", id="singular"),
    ],
)
def test_what_cannot_be_meant_is_refused_even_by_a_tool_that_only_reads(raw: dict[str, Any], words: str) -> None:
    """SPEC 5, HOSTILE 29, 81-83."""
    assert _refused(raw, ReadFileArgs, changes_files=False) == words


def test_an_argument_of_another_tool_is_refused_with_those_of_this_one() -> None:
    """SPEC 5: it resembles an argument of any tool."""
    assert _refused({"dryrun": True}, ReadFileArgs, changes_files=False) == (
        "unknown argument `dryrun`: this tool has no `dryRun`, only "
        "`path`, `offset`, `limit`, `head`, `tail`, `column`, `maxChars`, `lineNumbers`"
    )


@pytest.mark.parametrize(
    "name", ["dryrun", "DryRun", "dry-run", "dryRunn", "drRun", "dry_runs", "isDryRun", "dry run", "dry"]
)
@pytest.mark.parametrize("value", [True, "true", 1, None], ids=repr)
def test_a_misspelt_dry_run_never_writes(name: str, value: object) -> None:
    """SPEC 5, HOSTILE 84: whatever its value."""
    for model in (EditFileArgs, WriteFileArgs):
        assert f"`{name}`" in _refused({name: value}, model)


@pytest.mark.parametrize("value", [True, 5, None, [], {}], ids=repr)
def test_a_tool_that_changes_files_takes_no_unknown_argument_that_is_not_text(value: object) -> None:
    """SPEC 5."""
    assert _refused({"force": value}) == (
        "unknown argument `force`: this tool takes `path`, `edits`, `dryRun`, `version`"
    )


@pytest.mark.parametrize("raw", [{"explanation": "because"}, {"purpose": "to see"}], ids=str)
def test_unknown_text_is_ignored_and_named(raw: dict[str, Any]) -> None:
    """SPEC 5: the reply says so."""
    assert _edit({"path": "f", **raw}) == Accepted({"path": "f"}, tuple(raw))
    assert _read(raw) == Accepted({}, tuple(raw))


@pytest.mark.parametrize("value", [5, True, None, ["x"]], ids=repr)
def test_a_tool_that_only_reads_ignores_any_unknown_value(value: object) -> None:
    """SPEC 5."""
    assert _read({"path": "f", "budget": value}) == Accepted({"path": "f"}, ("budget",))


def test_unknown_text_in_an_edit_is_ignored_and_named_too() -> None:
    """SPEC 5: otherwise it is ignored and the reply says so."""
    accepted = _edit({"edits": [_EDIT | {"explanation": "because"}]})
    assert accepted.values == {"edits": [_EDIT]}
    assert any("explanation" in name for name in accepted.ignored)


@pytest.mark.parametrize(
    ("edits", "words"),
    [
        pytest.param("not json", "`edits` is not a list: send a JSON list, not text", id="text"),
        pytest.param("[" * 100_000, "`edits` is not a list: send a JSON list, not text", id="deep text"),
        pytest.param(
            [_EDIT, {"oldtext": "a"}], "`edits[1]`: unknown argument `oldtext`: the name is `oldText`", id="in"
        ),
        pytest.param([_EDIT | {"replaceAll": 1}], "`edits[0]`: `replaceAll` must be true or false", id="value"),
        pytest.param([_EDIT | {"oldText": "\ude00"}], "`edits[0]`: `oldText` holds half a character", id="surrogate"),
    ],
)
def test_a_bad_edit_is_named_with_its_place(edits: object, words: str) -> None:
    """SPEC 5."""
    assert _refused({"edits": edits}).startswith(words)


@pytest.mark.parametrize("item", ["text", 5, None, [_EDIT]], ids=["text", "number", "null", "list"])
def test_an_edit_that_is_no_object_is_refused(item: object) -> None:
    """SPEC 5: with the names of an edit."""
    words = _refused({"edits": [item]})
    assert words.startswith("`edits[0]` is not an object with ")
    assert all(f"`{name}`" in words for name in ("oldText", "newText", "replaceAll"))


def test_a_misspelt_argument_inside_an_edit_never_writes() -> None:
    """SPEC 5: a dry run asked for in the wrong place is still one."""
    assert "`dry_run`" in _refused({"edits": [_EDIT | {"dry_run": "true"}]})


def test_the_names_of_a_model_include_those_of_its_items() -> None:
    """SPEC 5: unknown arguments are compared with all of them."""
    assert wire_names(EditFileArgs) == {"path", "edits", "oldText", "newText", "replaceAll", "dryRun", "version"}
    assert wire_names(_Names) == {"paths", "filePath", "oldString"}
