"""Names in a directory: those that are the same under Unicode normalisation, and those that are similar.

A name is bytes to the kernel. A person who types `é` may send one code point or two, and a listing shows no difference.
"""

from __future__ import annotations

import os
import re
import unicodedata
from typing import Final

_SIMILAR: Final = 3
_ESCAPED: Final = re.compile(r"\\udc([89a-f][0-9a-f])")


def names_in(directory_fd: int) -> list[str]:
    """List a directory by a descriptor that may be a mere path; in no order.

    Raises:
        OSError: it cannot be read.
    """
    fd = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=directory_fd)
    try:
        return os.listdir(fd)
    finally:
        os.close(fd)


def escaped(name: str) -> str:
    """Write a name as every answer shows it: a byte that is no UTF-8 as a backslash and `udcXX`."""
    return name.encode("utf-8", "backslashreplace").decode()


def unescaped(name: str) -> str:
    """Give the name that may have been escaped; a name that holds such text itself looks the same."""
    raw = _ESCAPED.sub(lambda found: chr(0xDC00 + int(found[1], 16)), name)
    return os.fsdecode(os.fsencode(raw))


def same_under_nfc(directory_fd: int, name: str) -> str | None:
    """Give the one entry that is the same name under NFC; None: there is none, or more than one."""
    if name.isascii():
        return None
    wanted = unicodedata.normalize("NFC", name)
    try:
        same = [one for one in names_in(directory_fd) if unicodedata.normalize("NFC", one) == wanted]
    except OSError:
        return None
    return same[0] if len(same) == 1 else None


def similar_names(directory_fd: int, name: str) -> tuple[str, ...]:
    """Give entries that a missing name may have meant: other case, a typing slip."""
    # Deferred: rapidfuzz takes 10 ms to import, and most names are right.
    from rapidfuzz import fuzz, process  # noqa: PLC0415

    try:
        names = names_in(directory_fd)
    except OSError:
        return ()
    close = process.extract(name, names, scorer=fuzz.ratio, processor=str.casefold, limit=_SIMILAR, score_cutoff=75)
    return tuple(escaped(name) for name, _, _ in close)
