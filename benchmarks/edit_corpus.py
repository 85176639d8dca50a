"""Edits with one known outcome, made from files found on this machine; deterministic by seed.

A true edit changes a block of lines in a file. A perturbation then damages the quotation as models do (indentation
lost, tabs for blanks, trailing blanks dropped, line endings changed), and the right bytes follow from the perturbation
itself. Or it damages the quotation beyond what may be applied, and the only right answer is a refusal. Nothing of the
engine is imported here.
"""

from __future__ import annotations

import random
import re
import sysconfig
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

_CODE: Final = {".py", ".pyi", ".h", ".c", ".hpp", ".cpp", ".js", ".ts", ".sh", ".java", ".go", ".rs"}
_TEXT: Final = {".css", ".html", ".md", ".rst", ".txt", ".toml", ".json", ".yaml", ".yml", ".cfg", ".xml", ".svg"}
_MAX_FILES: Final = 4_000
_TRIES: Final = 400
_WORD: Final = re.compile(r"[A-Za-z_]\w{2,}")


@dataclass(frozen=True)
class Case:
    """`after` is None where the edit must be refused."""

    kind: str
    before: bytes
    old: str
    new: str
    after: bytes | None


@dataclass
class Block:
    """Lines `first` to `last` (0-based, last not included) of a file, and what the true edit makes of them.

    `new` holds pairs: the index of the old line that is kept or replaced (None: an inserted line), and the text.
    """

    lines: list[str]
    first: int
    last: int
    new: list[tuple[int | None, str]] = field(default_factory=list[tuple[int | None, str]])

    @property
    def old(self) -> list[str]:
        return self.lines[self.first : self.last]

    def unchanged(self, index: int | None, text: str) -> bool:
        return index is not None and self.old[index] == text


def source_files(seed: int) -> list[Path]:
    """Find text files of several languages in the folders of this Python."""
    folders = {sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib", "include")}
    found = sorted({path for folder in folders for path in Path(folder).rglob("*") if path.suffix in _CODE | _TEXT})
    chooser = random.Random(seed)
    by_suffix: dict[str, list[Path]] = {}
    for path in found:
        by_suffix.setdefault(path.suffix, []).append(path)
    share = _MAX_FILES // max(len(by_suffix), 1)
    return [path for paths in by_suffix.values() for path in chooser.sample(paths, min(share, len(paths)))]


def cases(kinds: dict[str, Kind], files: list[Path], per_kind: int, seed: int) -> Iterator[Case]:
    """Give `per_kind` cases of each kind, as far as the files have them."""
    texts = [lines for path in files if (lines := _lines(path)) is not None]
    for name, kind in kinds.items():
        chooser = random.Random(f"{seed} {name}")
        made = 0
        for _ in range(per_kind * _TRIES):
            if made == per_kind:
                break
            block = _block(chooser, chooser.choice(texts))
            case = kind(chooser, block) if block is not None else None
            if case is not None:
                made += 1
                yield Case(name, *case)


def _lines(path: Path) -> list[str] | None:
    data = path.read_bytes()
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    if "\r" in text or "\0" in text or "\ufeff" in text or not text.endswith("\n"):
        return None
    lines = text[:-1].split("\n")
    return lines if 20 <= len(lines) <= 3_000 and max(map(len, lines)) < 400 else None


def _block(chooser: random.Random, lines: list[str]) -> Block | None:
    """Choose a block that stands in its file once even with all white space at line ends aside, and a true edit."""
    size = chooser.randint(2, 12)
    first = chooser.randrange(max(len(lines) - size, 1))
    block = Block(lines, first, first + size)
    bare = [line.strip() for line in lines]
    wanted = bare[first : first + size]
    if not wanted[0] or not wanted[-1] or sum(map(len, wanted)) < 20:
        return None
    if sum(bare[at : at + size] == wanted for at in range(len(bare) - size + 1)) != 1:
        return None
    block.new = _true_edit(chooser, block)
    texts = [text for _, text in block.new]
    return block if texts != block.old and any(text.strip() for text in texts) else None


def _true_edit(chooser: random.Random, block: Block) -> list[tuple[int | None, str]]:
    """Rename in a line or two, insert lines at a level the block has, or drop a line."""
    new: list[tuple[int | None, str]] = list(enumerate(block.old))
    written = [at for at, (_, text) in enumerate(new) if _WORD.search(text)]
    for at in chooser.sample(written, min(len(written), chooser.randint(1, 2))):
        new[at] = (new[at][0], _renamed(chooser, new[at][1]))
    how = chooser.random()
    if how < 0.35 and written:
        at = chooser.choice(written)
        new.insert(at + 1, (None, _renamed(chooser, block.old[at])))
    elif how < 0.5 and len(new) > 2:
        del new[chooser.randrange(1, len(new) - 1)]
    return new


def _renamed(chooser: random.Random, line: str) -> str:
    word = chooser.choice(list(_WORD.finditer(line)))
    return f"{line[: word.start()]}{word[0]}_{chooser.choice('abcdefgh')}{chooser.randint(2, 99)}{line[word.end() :]}"


Kind = Callable[[random.Random, Block], tuple[bytes, str, str, bytes | None] | None]


def joined(lines: list[str], newline: str = "\n") -> bytes:
    return "".join(line + newline for line in lines).encode()


def put(block: Block, lines: list[str] | None = None, new: list[str] | None = None) -> list[str]:
    """Give the file's lines with the block replaced."""
    lines = block.lines if lines is None else lines
    new = [text for _, text in block.new] if new is None else new
    return [*lines[: block.first], *new, *lines[block.last :]]


def quoted(old: list[str], new: list[str], chooser: random.Random) -> tuple[str, str]:
    """Write both texts as a model does: with or without a last line break, the same for both."""
    end = "\n" if chooser.random() < 0.5 else ""
    return "\n".join(old) + end, "\n".join(new) + end
