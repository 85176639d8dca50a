"""readfirst: edit files that were read, and only those; nothing anyone else wrote is lost without a word.

The library behind the server: open a `Workspace`, take a `Session` from it, and call the use cases.
"""

from readfirst.edits.plan import Edit
from readfirst.errors import EditsRefused, NotRead, ReadfirstError, Stale, Unseen
from readfirst.settings import Settings
from readfirst.spans import LineRange
from readfirst.workspace.context import Session, Workspace
from readfirst.workspace.edit import edit_file, write_file
from readfirst.workspace.read import ReadRequest, read_page

__version__ = "0.1.0"

__all__ = [
    "Edit",
    "EditsRefused",
    "LineRange",
    "NotRead",
    "ReadRequest",
    "ReadfirstError",
    "Session",
    "Settings",
    "Stale",
    "Unseen",
    "Workspace",
    "__version__",
    "edit_file",
    "read_page",
    "write_file",
]
