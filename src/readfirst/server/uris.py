"""`file://` URIs as paths, strictly: what is not plainly a path on this machine is refused."""

from __future__ import annotations

import os
import re
from typing import Final
from urllib.parse import unquote_to_bytes

_FILE: Final = re.compile(r"file:(?://(?P<host>[^/?#]*)|(?!//))(?P<path>/[^?#]*)", re.IGNORECASE)
_BAD_ESCAPE: Final = re.compile(r"%(?![0-9A-Fa-f]{2})")


def path_of(uri: str) -> str:
    """Give the path that a URI names: no host but this one, escapes decoded once.

    Raises:
        ValueError: it names none; the text says why.
    """
    parts = _FILE.fullmatch(uri)
    if parts is None:
        raise ValueError("it is no file:// URI of an absolute path")
    if (parts["host"] or "").lower() not in {"", "localhost"}:
        raise ValueError("it names another host")
    if _BAD_ESCAPE.search(parts["path"]):
        raise ValueError("it has a broken % escape")
    path = unquote_to_bytes(parts["path"])
    if b"\0" in path:
        raise ValueError("it holds a NUL")
    return os.fsdecode(path)
