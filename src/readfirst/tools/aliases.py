"""Lenient arguments, in one place: what a caller meant becomes what the tool declares, or a clear refusal.

Strict where a slip would write: an unknown argument that resembles a known one is always an error, and to a tool that
changes files any unknown argument whose value is not plain text is one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Union, cast, get_args, get_origin

from pydantic.fields import FieldInfo

from readfirst.errors import ArgumentRefused
from readfirst.tools.spec import Args

_PATHS: Final = ("path", "filePath", "file")
_SAME: Final[Mapping[str, tuple[str, ...]]] = {
    "path": _PATHS,
    "filePath": _PATHS,
    "oldText": ("oldString", "oldStr"),
    "newText": ("newString", "newStr"),
    "oldString": ("oldText", "oldStr"),
    "newString": ("newText", "newStr"),
}
_RESEMBLES: Final = 75
"""Percent of likeness from which an unknown name is taken for a slip."""
_SHORTEST: Final = 3
"""Letters from which the beginning of a name is taken for the name."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """Arguments in the declared names and types, and the names that were ignored."""

    values: dict[str, Any]
    ignored: tuple[str, ...]


def accept(model: type[Args], raw: Mapping[str, Any], *, changes_files: bool, known: frozenset[str]) -> Accepted:
    """Translate raw arguments; `known` are the argument names of all tools.

    Raises:
        ArgumentRefused: an unknown or ambiguous argument, or a value that is not of the declared type.
    """
    values: dict[str, Any] = {}
    given_as: dict[str, str] = {}
    ignored: list[str] = []
    names = _accepted_names(model)
    for given, value in raw.items():
        name = names.get(_camel(given))
        if name is None:
            _refuse_slip(given, value, names, changes_files=changes_files, known=known)
            ignored.append(given)
        elif name in given_as and values.get(name) != value:
            raise _refused(f"`{given_as[name]}` and `{given}` are the same argument: give one of them")
        else:
            given_as[name] = given
            values[name] = value
    declared = {_wire_name(name, field): field for name, field in model.model_fields.items()}
    exact: dict[str, Any] = {}
    for name, value in values.items():
        if value is not None or declared[name].is_required():
            reader = _Reader(name, changes_files, known, ignored)
            exact[name] = reader.exact(value, declared[name])
    return Accepted(exact, tuple(ignored))


def wire_names(model: type[Args]) -> frozenset[str]:
    """Give the argument names that a model declares, those of its list items included."""
    found: set[str] = set()
    for name, field in model.model_fields.items():
        found.add(_wire_name(name, field))
        item = _item_model(field)
        if item is not None:
            found |= wire_names(item)
    return frozenset(found)


def _accepted_names(model: type[Args]) -> dict[str, str]:
    """Map every accepted spelling, in camelCase, to the declared name."""
    declared = [_wire_name(name, field) for name, field in model.model_fields.items()]
    names = {alias: name for name in declared for alias in _SAME.get(name, ())}
    return names | {name: name for name in declared}


def _wire_name(name: str, field: FieldInfo) -> str:
    return field.alias or name


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part[:1].upper() + part[1:] for part in rest)


def _refuse_slip(
    given: str, value: object, names: Mapping[str, str], *, changes_files: bool, known: frozenset[str]
) -> None:
    # Deferred: rapidfuzz takes 10 ms to import, and most names are right.
    from rapidfuzz import fuzz, process  # noqa: PLC0415

    choices = sorted(known | names.keys())
    name = _camel(given).lower()
    hit = process.extractOne(name, choices, scorer=fuzz.ratio, processor=str.lower, score_cutoff=_RESEMBLES)
    meant = hit[0] if hit is not None else _abbreviated(name, choices)
    if meant is not None and meant in names:
        raise _refused(f"unknown argument `{given}`: the name is `{names[meant]}`")
    if meant is not None:
        raise _refused(f"unknown argument `{given}`: this tool has no `{meant}`, only {_listed(names)}")
    if changes_files and not isinstance(value, str):
        raise _refused(f"unknown argument `{given}`: this tool takes {_listed(names)}")


def _abbreviated(name: str, choices: list[str]) -> str | None:
    long_enough = len(name) >= _SHORTEST
    return next((known for known in choices if long_enough and known.lower().startswith(name)), None)


def _listed(names: Mapping[str, str]) -> str:
    return ", ".join(f"`{name}`" for name in dict.fromkeys(names.values()))


def _whole(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _kind(annotation: object) -> object:
    """Give the type behind `X | None` and behind `Annotated[X, ...]`."""
    if isinstance(annotation, UnionType) or get_origin(annotation) is Union:
        annotation = next(kind for kind in get_args(annotation) if kind is not NoneType)
    return get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation


def _item_model(field: FieldInfo) -> type[Args] | None:
    if get_origin(field.annotation) is not list:
        return None
    (item,) = get_args(field.annotation)
    return item if isinstance(item, type) and issubclass(item, Args) else None


@dataclass(frozen=True, slots=True)
class _Reader:
    """Makes one value the declared type, where that cannot change its meaning."""

    name: str
    changes_files: bool
    known: frozenset[str]
    ignored: list[str]

    def exact(self, value: object, field: FieldInfo) -> object:
        if get_origin(field.annotation) is list:
            return self._list(value, _item_model(field))
        if isinstance(value, str) and not _whole(value):
            raise _refused(f"`{self.name}` holds half a character (a lone surrogate)")
        convert = _CONVERTERS.get(_kind(field.annotation))
        return convert(self.name, value) if convert is not None else value

    def _list(self, value: object, item: type[Args] | None) -> list[Any]:
        if isinstance(value, str) and (item is not None or value.lstrip().startswith("[")):
            try:
                value = json.loads(value)
            except (ValueError, RecursionError):
                if item is not None:
                    raise _refused(f"`{self.name}` is not a list: send a JSON list, not text") from None
        items = cast("list[object]", value) if isinstance(value, list) else [value]
        if item is None:
            return items
        return [self._item(f"{self.name}[{at}]", one, item) for at, one in enumerate(items)]

    def _item(self, name: str, value: object, item: type[Args]) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise _refused(f"`{name}` is not an object with {_listed({n: n for n in sorted(wire_names(item))})}")
        raw = cast("dict[str, object]", value)
        try:
            accepted = accept(item, raw, changes_files=self.changes_files, known=self.known)
        except ArgumentRefused as refusal:
            refusal.detail = f"`{name}`: {refusal.detail}"
            raise
        self.ignored.extend(f"{name}.{one}" for one in accepted.ignored)
        return accepted.values


def _number(name: str, value: object) -> object:
    if isinstance(value, bool):
        raise _refused(f"`{name}` must be a whole number, not {str(value).lower()}")
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and re.fullmatch(r"\s*[+-]?\d{1,18}(?:\.0*)?\s*", value):
        return int(float(value)) if "." in value else int(value)
    if isinstance(value, int):
        return value
    raise _refused(f"`{name}` must be a whole number")


def _truth(name: str, value: object) -> object:
    if isinstance(value, bool):
        return value
    words = {"true": True, "false": False}
    if isinstance(value, str) and value.strip().lower() in words:
        return words[value.strip().lower()]
    raise _refused(f"`{name}` must be true or false")


_CONVERTERS: Final[Mapping[object, Callable[[str, object], object]]] = {bool: _truth, int: _number}


def _refused(detail: str) -> ArgumentRefused:
    return ArgumentRefused(path="", detail=detail)
