"""Paths as `file://` URIs and back, strictly: what is no plain URI of a local file has no path.

Law: `path_of(uri_of(path)) == path` for the real path of any file. (A room of its own: replies name files by URI, and
resources are read by it.)
"""

from __future__ import annotations

import os
import re
from typing import Final
from urllib.parse import quote_from_bytes, unquote_to_bytes

from readfirst.filesystem.names import escaped, unescaped

_FILE: Final = re.compile(r"file://(?:localhost)?(/[^?#\0-\x1f\x7f]*)", re.IGNORECASE)
"""An empty host or this one; a file has neither query nor fragment, and control characters must be encoded."""
_BROKEN: Final = re.compile(r"%(?![0-9A-Fa-f]{2})")


def uri_of(path: str) -> str:
    """Write a real path, as answers show it, as a URI; every byte that is no plain character is percent-encoded."""
    return f"file://{quote_from_bytes(os.fsencode(unescaped(path)))}"


def path_of(uri: str) -> str | None:
    """Give the path that a URI names, decoded once; None: it is no URI of a local file."""
    found = _FILE.fullmatch(uri)
    if found is None or _BROKEN.search(found[1]):
        return None
    try:
        raw = unquote_to_bytes(found[1])
    except UnicodeEncodeError:
        return None
    return None if b"\0" in raw else escaped(os.fsdecode(raw))
