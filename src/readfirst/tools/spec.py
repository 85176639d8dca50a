"""What a tool is: one value that declares its name, words, arguments and hints, and runs a use case.

Nothing here knows the protocol; `server` turns these values into it. `TOOLS` in `readfirst.tools` is the one list.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict

from readfirst.workspace.context import Session
from readfirst.workspace.media import WholeFile


class Args(BaseModel):
    """Arguments of one tool. `tools.aliases` has made them exact: nothing is converted or dropped here."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, validate_by_name=True, validate_by_alias=True)


A = TypeVar("A", bound=Args)

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"


@dataclass(frozen=True, slots=True)
class Reply:
    """Text blocks for the model, and facts for programs; `file` is a whole file that goes ahead of the text."""

    blocks: tuple[str, ...]
    facts: Mapping[str, Json]
    file: WholeFile | None = None


@dataclass(frozen=True, slots=True)
class ToolSpec(Generic[A]):
    """One tool. `changes_files` makes unknown arguments errors: a misspelt dry run must never write."""

    name: str
    title: str
    description: str
    args: type[A]
    run: Callable[[Session, A], Reply]
    read_only: bool
    idempotent: bool
    destructive: bool

    @property
    def changes_files(self) -> bool:
        return not self.read_only
