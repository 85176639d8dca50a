"""Which lines of a document hold a text, or match a regular expression.

A line is looked at by itself, without its line break, as `grep` does. Regular expressions are RE2's: their time is
linear in the text, whatever a model writes; Python's own could hang. The whole body is searched first, and each line
that may match is then looked at alone, since most lines do not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from readfirst.content.codec import Document


class BadPattern(Exception):
    """The regular expression is none that RE2 takes; the text says why."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """What to look for. `find` gives the offset of the next place at or after one in a body, or -1."""

    find: Callable[[bytes, int], int]
    matches: Callable[[bytes], bool]
    """Tell whether one line by itself, without its line break, is a hit."""


def pattern_of(text: str, *, regex: bool, ignore_case: bool) -> Pattern:
    """Prepare a search.

    Raises:
        BadPattern: it is no regular expression, or too large a one.
    """
    if not regex and not ignore_case:
        wanted = text.encode("utf-8", "surrogatepass")
        return Pattern(lambda body, at: body.find(wanted, at), lambda line: wanted in line)
    # Deferred: RE2 takes 15 ms to import, and most searches are literal. It has no types.
    re2: Any = import_module("re2")
    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = not ignore_case
    expression = text if regex else re2.escape(text)
    try:
        alone = re2.compile(expression.encode("utf-8", "surrogatepass"), options)
        anywhere = re2.compile(f"(?m:{expression})".encode("utf-8", "surrogatepass"), options)
    except re2.error as error:
        raise BadPattern(_reason(error)) from None

    def find(body: bytes, at: int) -> int:
        found = anywhere.search(body, at)
        return -1 if found is None else int(found.start())

    # These mean a line's own ends when it stands alone, so the whole body cannot be asked for them.
    ends = regex and ("\\A" in text or "\\z" in text or "(?" in text)
    return Pattern((lambda _, at: at) if ends else find, lambda line: alone.search(line) is not None)


def _reason(error: Exception) -> str:
    reason = error.args[0] if error.args else ""
    return reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)


def lines_matching(document: Document, pattern: Pattern) -> Iterator[int]:
    """Give the numbers of the lines that match, in order."""
    body, newline = document.body, document.newline
    if newline == b"\n" and b"\r\n" in body:
        body = body.replace(b"\r\n", b"\n")
    number, at = 1, 0
    while at < len(body):
        found = pattern.find(body, at)
        if not at <= found < len(body):
            return
        start = body.rfind(newline, at, found) + 1 or at
        number += body.count(newline, at, start)
        end = body.find(newline, start)
        end = len(body) if end < 0 else end
        if pattern.matches(body[start:end]):
            yield number
        number, at = number + 1, end + 1
