"""Argument models as JSON schemas that every client understands: flat, and with nothing said twice.

No `title`, no `$ref`, no `anyOf`, no `additionalProperties`: clients mis-handle the first three, and which unknown
arguments are tolerated is decided in `tools.aliases`. An optional argument is one that is not required.
"""

from __future__ import annotations

from typing import Any

from readfirst.tools.spec import Args

_DROPPED = frozenset({"title", "additionalProperties", "$defs"})


def schema_of(model: type[Args]) -> dict[str, Any]:
    raw = model.model_json_schema(by_alias=True)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **_flat(raw, raw.get("$defs", {}))}


def _flat(node: Any, definitions: dict[str, Any]) -> Any:  # noqa: ANN401 - JSON
    if isinstance(node, list):
        return [_flat(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return _flat(definitions[node["$ref"].rsplit("/", 1)[-1]], definitions)
    if "anyOf" in node:
        (value,) = [option for option in node["anyOf"] if option.get("type") != "null"]
        rest = {name: part for name, part in node.items() if name not in {"anyOf", "default"}}
        return _flat({**value, **rest}, definitions)
    flat = {name: _flat(part, definitions) for name, part in node.items() if name not in _DROPPED}
    if "properties" in node:
        flat["properties"] = {name: _flat(part, definitions) for name, part in node["properties"].items()}
    if flat.get("maximum") == 2**53 - 1:
        del flat["maximum"]
    return flat
