"""Argument models as JSON schemas that every client understands: flat, and with nothing said twice.

No `title`, no `$ref`, no `anyOf`, no `additionalProperties`: clients mis-handle the first three, and which unknown
arguments are tolerated is decided in `tools.aliases`. An optional argument is one that is not required.
"""

from __future__ import annotations

from typing import Final

from readfirst.tools.spec import Args, Json

_DROPPED: Final = frozenset({"title", "additionalProperties", "$defs"})
_UNBOUNDED: Final = 2**53 - 1


def schema_of(model: type[Args]) -> dict[str, Json]:
    raw: dict[str, Json] = model.model_json_schema(by_alias=True)
    definitions = raw.get("$defs", {})
    assert isinstance(definitions, dict)  # noqa: S101 - that is what JSON Schema says
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **_flat_object(raw, definitions)}


def _flat(node: Json, definitions: dict[str, Json]) -> Json:
    if isinstance(node, list):
        return [_flat(item, definitions) for item in node]
    return _flat_object(node, definitions) if isinstance(node, dict) else node


def _flat_object(node: dict[str, Json], definitions: dict[str, Json]) -> dict[str, Json]:
    match node:
        case {"$ref": str(reference)}:
            node = _object(definitions[reference.rsplit("/", 1)[-1]])
        case {"anyOf": list(options)}:
            (value,) = (_object(option) for option in options if option != {"type": "null"})
            node = value | {name: part for name, part in node.items() if name not in {"anyOf", "default"}}
        case _:
            pass
    flat = {name: _flat(part, definitions) for name, part in node.items() if name not in _DROPPED}
    if "properties" in node:
        # Here names are arguments, one of which may be called `title`.
        properties = _object(node["properties"])
        flat["properties"] = {name: _flat(part, definitions) for name, part in properties.items()}
    if flat.get("maximum") == _UNBOUNDED:
        del flat["maximum"]
    return flat


def _object(node: Json) -> dict[str, Json]:
    assert isinstance(node, dict)  # noqa: S101 - pydantic makes nothing else here
    return node
