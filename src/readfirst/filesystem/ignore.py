"""What git ignores, decided entry by entry while a walk descends, as git does it.

The deepest ignore file with an opinion decides, in it the last rule that fits the entry itself; what is below an
ignored directory is never looked at. Rules are read through descriptors, from the allowed directory down: an ignore
file that is a link or lies above the allowed directory does not count, nor does the user's own list of ignored names.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from readfirst.errors import ReadfirstError
from readfirst.filesystem.files import opened_at
from readfirst.filesystem.wildmatch import Rule, rule_of

MAX_BYTES: Final = 1024 * 1024
MAX_RULES: Final = 5_000
"""An ignore file that is larger, or has more rules, is not obeyed: the walk must not wait for it."""
IGNORE_FILE: Final = ".gitignore"
GIT: Final = ".git"
_BOM: Final = b"\xef\xbb\xbf"
_DIRECTORY: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class Rules:
    """The rules of one ignore file, indexed by the last name that they speak of."""

    def __init__(self, data: bytes) -> None:
        """Read the text of an ignore file."""
        self._by_name: dict[str, list[Rule]] = {}
        self._wild: list[Rule] = []
        for order, line in enumerate(data.removeprefix(_BOM).decode("latin-1").split("\n")):
            rule = rule_of(order, line)
            if rule is None:
                continue
            if rule.last.literal is not None:
                self._by_name.setdefault(rule.last.literal, []).append(rule)
            else:
                self._wild.append(rule)
        self.is_empty = not (self._by_name or self._wild)
        # Most are suffixes, and to look for those takes a tenth of the time.
        self._suffixes = tuple({rule.last.suffix for rule in self._wild if rule.last.suffix})
        wild = "|".join(dict.fromkeys(rule.last.regex for rule in self._wild if not rule.last.suffix))
        self._any_wild = re.compile(wild, re.DOTALL).fullmatch if wild else None

    def verdict(self, name: str, above: tuple[str, ...], *, is_directory: bool) -> bool | None:
        """Tell whether an entry is ignored; None: these rules say nothing about it."""
        rules = self._by_name.get(name)
        if name.endswith(self._suffixes) or (self._any_wild is not None and self._any_wild(name)):
            rules = sorted([*(rules or ()), *self._wild], key=lambda rule: rule.order)
        for rule in reversed(rules or ()):
            if rule.fits(name, above, is_directory=is_directory):
                return not rule.negated
        return None


class _Level(NamedTuple):
    """Rules in force, and the names from the directory of their file to the present one."""

    rules: Rules
    above: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ignores:
    """All rules in force in one directory, the strongest first."""

    levels: tuple[_Level, ...] = ()

    def hides(self, name: str, *, is_directory: bool) -> bool:
        """Tell whether git ignores an entry of this directory; its own `.git` it never shows."""
        if name == GIT:
            return True
        raw = _raw(name)
        for rules, above in self.levels:
            verdict = rules.verdict(raw, above, is_directory=is_directory)
            if verdict is not None:
                return verdict
        return False

    def below(self, name: str) -> Ignores:
        """Give the rules that a directory in this one is under, its own files apart."""
        return Ignores(tuple(_Level(rules, (*above, _raw(name))) for rules, above in self.levels))

    def inside(self, directory_fd: int, *, has_file: bool = True, has_git: bool = True) -> Ignores:
        """Add the rules of the directory's own files; where a repository begins, those from above end.

        `has_file` and `has_git` say whether the directory may hold `.gitignore` and `.git`.
        """
        levels = self.levels
        if has_git and _exists(directory_fd, GIT):
            levels = _level(_excludes(directory_fd))
        own = _rules_at(directory_fd, IGNORE_FILE) if has_file else None
        levels = (*_level(own), *levels)
        return Ignores(levels) if levels is not self.levels else self


def ignores_above(base_fd: int, parts: Sequence[str]) -> Ignores:
    """Give the rules that a directory `parts` below `base_fd` is under from the directories above it."""
    ignores = Ignores()
    with contextlib.ExitStack() as held, contextlib.suppress(OSError):
        fd = base_fd
        for name in parts:
            ignores = ignores.inside(fd).below(name)
            fd = os.open(name, _DIRECTORY, dir_fd=fd)
            held.callback(os.close, fd)
    return ignores


def _level(rules: Rules | None) -> tuple[_Level, ...]:
    return (_Level(rules, ()),) if rules is not None and not rules.is_empty else ()


def _exists(directory_fd: int, name: str) -> bool:
    try:
        os.stat(name, dir_fd=directory_fd, follow_symlinks=False)
    except OSError:
        return False
    return True


def _excludes(directory_fd: int) -> Rules | None:
    """Read `.git/info/exclude`; a `.git` that is a file leads elsewhere, and is not followed."""
    with contextlib.ExitStack() as held:
        try:
            fd = directory_fd
            for name in (GIT, "info"):
                fd = os.open(name, _DIRECTORY, dir_fd=fd)
                held.callback(os.close, fd)
        except OSError:
            return None
        return _rules_at(fd, "exclude")


def _rules_at(directory_fd: int, name: str) -> Rules | None:
    """Read an ignore file; a link is none, as for git, and neither is one that is unreadable or too large."""
    try:
        file = opened_at(directory_fd, name)
        if file is None:
            return None
        with file:
            data = file.read_all(MAX_BYTES)
    except (OSError, ReadfirstError):
        return None
    return Rules(data) if data.count(b"\n") <= MAX_RULES else None


def _raw(name: str) -> str:
    """Give a name with one character for each byte."""
    return name if name.isascii() else os.fsencode(name).decode("latin-1")
