"""What the model sees: names, words, argument models and replies. `TOOLS` is the one ordered list."""

from __future__ import annotations

from typing import Any, Final

from readfirst.settings import Settings
from readfirst.tools.aliases import wire_names
from readfirst.tools.browse import GET_FILE_INFO, LIST_DIRECTORY, LIST_DIRECTORY_WITH_SIZES
from readfirst.tools.edit import EDIT_FILE, WRITE_FILE
from readfirst.tools.editor import EDIT, READ, WRITE
from readfirst.tools.grep import SEARCH_CONTENT
from readfirst.tools.manage import APPEND_FILE, COPY_FILE, CREATE_DIRECTORY, DELETE_FILE, MOVE_FILE
from readfirst.tools.read import READ_FILE, READ_MEDIA_FILE, READ_MULTIPLE_FILES, READ_TEXT_FILE
from readfirst.tools.search import DIRECTORY_TREE, SEARCH_FILES
from readfirst.tools.session import LIST_ALLOWED_DIRECTORIES, SESSION_CHANGES, UNDO_EDIT
from readfirst.tools.spec import ToolSpec

TOOLS: Final[tuple[ToolSpec[Any], ...]] = (
    READ_FILE,
    READ_TEXT_FILE,
    READ_MULTIPLE_FILES,
    READ_MEDIA_FILE,
    WRITE_FILE,
    APPEND_FILE,
    EDIT_FILE,
    CREATE_DIRECTORY,
    LIST_DIRECTORY,
    LIST_DIRECTORY_WITH_SIZES,
    DIRECTORY_TREE,
    SEARCH_FILES,
    SEARCH_CONTENT,
    GET_FILE_INFO,
    LIST_ALLOWED_DIRECTORIES,
    MOVE_FILE,
    COPY_FILE,
    DELETE_FILE,
    UNDO_EDIT,
    SESSION_CHANGES,
)

EDITOR_TOOLS: Final[tuple[ToolSpec[Any], ...]] = (READ, EDIT, WRITE)
"""The three tools of the profile `editor`, instead of all the others."""


def offered(settings: Settings) -> tuple[ToolSpec[Any], ...]:
    """Give the tools in force; any other is unknown."""
    listed = EDITOR_TOOLS if settings.profile == "editor" else TOOLS
    return tuple(tool for tool in listed if tool.read_only or not settings.read_only)


ARGUMENT_NAMES: Final = frozenset(name for tool in TOOLS + EDITOR_TOOLS for name in wire_names(tool.args))
"""The argument names of all tools: an unknown argument that resembles one of them is a slip."""
