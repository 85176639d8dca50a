"""Argument models as JSON schemas that every client understands."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from readfirst.server.schema import schema_of
from readfirst.tools.spec import Args

_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_MOST = 2**53 - 1


class _Item(Args):
    """One of a list; its docstring is for us."""

    old_text: Annotated[str, Field(alias="oldText", description="Old.")]
    title: Annotated[str, Field(description="An argument that is called so.")] = ""


class _Everything(Args):
    path: Annotated[str, Field(description="A path.")]
    items: Annotated[list[_Item], Field(description="Items.")]
    names: Annotated[list[str], Field(description="Names.")]
    head: Annotated[Annotated[int, Field(ge=0, le=_MOST)] | None, Field(description="Optional.")] = None
    limit: Annotated[int, Field(ge=1, le=_MOST, description="Bounded by what a number can be.")] = 5
    depth: Annotated[int, Field(ge=1, le=9, description="Really bounded.")] = 3
    kind: Annotated[Literal["a", "b"], Field(description="One of two.")] = "a"
    title: Annotated[bool, Field(description="A parameter that is called so.")] = False


class _Nothing(Args):
    pass


class _Nested(Args):
    item: _Item


def test_a_schema_is_flat_and_says_nothing_twice() -> None:
    """SPEC 5: no title, reference, union or additionalProperties; an optional argument is one that is not required."""
    assert schema_of(_Everything) == {
        "$schema": _DRAFT,
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "A path."},
            "items": {
                "type": "array",
                "description": "Items.",
                "items": {
                    "type": "object",
                    "description": "One of a list; its docstring is for us.",
                    "properties": {
                        "oldText": {"type": "string", "description": "Old."},
                        "title": {"type": "string", "default": "", "description": "An argument that is called so."},
                    },
                    "required": ["oldText"],
                },
            },
            "names": {"type": "array", "items": {"type": "string"}, "description": "Names."},
            "head": {"type": "integer", "minimum": 0, "description": "Optional."},
            "limit": {
                "type": "integer",
                "minimum": 1,
                "default": 5,
                "description": "Bounded by what a number can be.",
            },
            "depth": {"type": "integer", "minimum": 1, "maximum": 9, "default": 3, "description": "Really bounded."},
            "kind": {"type": "string", "enum": ["a", "b"], "default": "a", "description": "One of two."},
            "title": {"type": "boolean", "default": False, "description": "A parameter that is called so."},
        },
        "required": ["path", "items", "names"],
    }


def test_a_tool_without_arguments_has_an_empty_schema() -> None:
    """SPEC 5."""
    assert schema_of(_Nothing) == {"$schema": _DRAFT, "type": "object", "properties": {}}


def test_a_model_in_a_model_stands_where_it_is_used() -> None:
    """SPEC 5: no `$ref`."""
    properties = schema_of(_Nested)["properties"]
    assert isinstance(properties, dict)
    item = properties["item"]
    assert isinstance(item, dict)
    assert item["type"] == "object"
    assert "$ref" not in item
