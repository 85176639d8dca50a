"""The ways in which models damage a quotation: those that must be applied all the same, and those that must not be."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from typing import Final

from benchmarks.edit_corpus import Block, Kind, joined, put, quoted

Made = tuple[bytes, str, str, bytes | None] | None


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t"))]


def _told_apart(block: Block) -> bool:
    """Tell whether each line can be followed from the old text to the new: none twice, none moved by another."""
    bare = [line.strip() for line in block.old]
    changed = [i for i, text in block.new if i is None or not block.unchanged(i, text)]
    gone = set(range(len(block.old))) - {i for i, _ in block.new}
    alone = None not in changed and not gone
    return len(set(bare)) == len(bare) and (alone or len(changed) + len(gone) == 1)


def _texts(block: Block) -> tuple[list[str], list[str]]:
    return block.old, [text for _, text in block.new]


def exact(chooser: random.Random, block: Block) -> Made:
    old, new = _texts(block)
    return (joined(block.lines), *quoted(old, new, chooser), joined(put(block)))


def _shifted(chooser: random.Random, block: Block, shift: str) -> Made:
    """Take away from every line the indentation they share (`all`) or one level of it, or add one."""
    old, new = _texts(block)
    levels = [_indent(line) for line in (*old, *new) if line.strip()]
    shared = min(levels, key=len)
    if any(not level.startswith(shared) for level in levels) or (shift != "deeper" and not shared):
        return None
    level = "\t" if "\t" in shared else " " * (4 if len(shared) % 4 == 0 else 2)
    cut = {"all": len(shared), "level": len(level), "deeper": 0}[shift]
    if len(shared) < cut or (shift == "level" and cut == len(shared)):
        return None
    add = level if shift == "deeper" else ""
    old, new = ([add + line[cut:] if line.strip() else line for line in lines] for lines in (old, new))
    text, replacement = quoted(old, new, chooser)
    if text.encode() in joined(block.lines):
        return None
    return joined(block.lines), text, replacement, joined(put(block))


def dedented(chooser: random.Random, block: Block) -> Made:
    return _shifted(chooser, block, "all")


def dedented_one_level(chooser: random.Random, block: Block) -> Made:
    return _shifted(chooser, block, "level")


def indented(chooser: random.Random, block: Block) -> Made:
    return _shifted(chooser, block, "deeper")


def first_line_bare(chooser: random.Random, block: Block) -> Made:
    """The first line of both texts lost its indentation, the others kept theirs."""
    old, new = _texts(block)
    if not _indent(old[0]) or block.new[0][0] != 0 or _indent(new[0]) != _indent(old[0]):
        return None
    if any(line.strip() and not _indent(line) for line in new[1:]):
        return None  # Of a second bare line nobody can tell where it belongs.
    bare_old, bare_new = ([lines[0].lstrip(" \t"), *lines[1:]] for lines in (old, new))
    return (joined(block.lines), *quoted(bare_old, bare_new, chooser), joined(put(block)))


def first_line_bare_and_trailing(chooser: random.Random, block: Block) -> Made:
    """The same where an exact search cannot succeed: a line of the file ends in blanks that were not quoted."""
    at = chooser.randrange(1, len(block.old))
    if not block.old[at].strip() or block.old[at] != block.old[at].rstrip() or not _told_apart(block):
        return None
    made = first_line_bare(chooser, block)
    if made is None:
        return None
    lines = [*block.lines]
    lines[block.first + at] += "  "
    new = [f"{text}  " if index == at and block.unchanged(index, text) else text for index, text in block.new]
    if made[1].encode() in joined(lines):
        return None
    return joined(lines), made[1], made[2], joined(put(block, lines, new))


def _unit(lines: list[str]) -> int:
    steps: Counter[int] = Counter()
    widths = [len(_indent(line)) for line in lines if line.strip() and "\t" not in _indent(line)]
    for a, b in pairwise(widths):
        if b - a in {2, 3, 4, 8}:
            steps[b - a] += 1
    return steps.most_common(1)[0][0] if steps else 0


def tabs_for_blanks(chooser: random.Random, block: Block) -> Made:
    """A file indented by blanks, quoted with tabs."""
    unit = _unit(block.lines)
    old, new = _texts(block)
    indents = [_indent(line) for line in (*old, *new) if line.strip()]
    if not unit or not any(indents) or any("\t" in one or len(one) % unit for one in indents):
        return None
    tab_old, tab_new = (
        ["\t" * (len(_indent(line)) // unit) + line.lstrip(" ") for line in lines] for lines in (old, new)
    )
    if tab_old == old:
        return None
    text, replacement = quoted(tab_old, tab_new, chooser)
    if text.encode() in joined(block.lines):
        return None
    return joined(block.lines), text, replacement, joined(put(block))


def blanks_for_tabs(chooser: random.Random, block: Block) -> Made:
    """A file indented by tabs (made from one indented by blanks), quoted with blanks."""
    unit = _unit(block.lines)
    indents = [_indent(line) for line in (*block.old, *(text for _, text in block.new)) if line.strip()]
    if not unit or any("\t" in one or len(one) % unit for one in indents):
        return None
    wide = chooser.choice([2, 4, 8])

    def tabbed(line: str) -> str:
        width = len(_indent(line)) if "\t" not in _indent(line) else 0
        return "\t" * (width // unit) + line[width // unit * unit :]

    def blank(line: str) -> str:
        return " " * (len(_indent(line)) // unit * wide) + line.lstrip(" ")

    lines, (old, new) = [tabbed(line) for line in block.lines], _texts(block)
    text, replacement = quoted([blank(line) for line in old], [blank(line) for line in new], chooser)
    before = joined(lines)
    if text.encode() in before or not any(indents):
        return None
    return before, text, replacement, joined(put(block, lines, [tabbed(line) for line in new]))


def trailing_lost(chooser: random.Random, block: Block) -> Made:
    """Lines of the file end in blanks that were not quoted; lines the edit keeps keep them."""
    if not _told_apart(block):
        return None
    ends = [chooser.choice(["", "", " ", "  ", "\t"]) for _ in block.old]
    lines = [*block.lines]
    for at, end in enumerate(ends):
        lines[block.first + at] = lines[block.first + at].rstrip(" \t") + end
    old = [line.rstrip(" \t") for line in block.old]
    new = [(index, text.rstrip(" \t")) for index, text in block.new]
    text, replacement = quoted(old, [one for _, one in new], chooser)
    before = joined(lines)
    if text.encode() in before or text == replacement:
        return None
    kept = [lines[block.first + i] if i is not None and one == old[i] else one for i, one in new]
    return before, text, replacement, joined(put(block, lines, kept))


def trailing_added(chooser: random.Random, block: Block) -> Made:
    """The quotation has blanks at line ends that the file has not; lines the edit keeps do not get them."""
    old, new = _texts(block)
    ends = [chooser.choice(["", " ", "  "]) for _ in old]
    if not any(ends) or any(line != line.rstrip() for line in old):
        return None
    said_old = [line + end for line, end in zip(old, ends, strict=True)]
    said_new = [text + ends[i] if i is not None and block.unchanged(i, text) else text for i, text in block.new]
    text, replacement = quoted(said_old, said_new, chooser)
    if text.encode() in joined(block.lines):
        return None
    return joined(block.lines), text, replacement, joined(put(block, new=new))


def crlf(chooser: random.Random, block: Block) -> Made:
    """A CRLF file, quoted with LF."""
    return (joined(block.lines, "\r\n"), *quoted(*_texts(block), chooser), joined(put(block), "\r\n"))


def crlf_dedented(chooser: random.Random, block: Block) -> Made:
    made = dedented(chooser, block)
    if made is None:
        return None
    return joined(block.lines, "\r\n"), made[1], made[2], joined(put(block), "\r\n")


def crlf_sent(chooser: random.Random, block: Block) -> Made:
    """An LF file, quoted with CRLF."""
    text, replacement = quoted(*_texts(block), chooser)
    return joined(block.lines), text.replace("\n", "\r\n"), replacement.replace("\n", "\r\n"), joined(put(block))


def mixed_endings(chooser: random.Random, block: Block) -> Made:
    """Lines end in either way; a changed line keeps its ending, an inserted one has that of the line before it."""
    if not _told_apart(block):
        return None
    ends = [chooser.choice(["\n", "\r\n"]) for _ in block.lines]
    kept: list[str] = []
    for index, _ in block.new:
        kept.append(ends[block.first + index] if index is not None else kept[-1])
    new_ends = [*ends[: block.first], *kept, *ends[block.last :]]
    before, after = (
        "".join(line + end for line, end in zip(lines, all_ends, strict=True)).encode()
        for lines, all_ends in ((block.lines, ends), (put(block), new_ends))
    )
    return (before, *quoted(*_texts(block), chooser), after)


# What must be refused.


def _refused(chooser: random.Random, block: Block, old: list[str]) -> Made:
    """Make a case of a quotation that stands nowhere in the file, white space at line ends aside."""
    bare, wanted = [line.strip() for line in block.lines], [line.strip() for line in old]
    text, replacement = quoted(old, [text for _, text in block.new], chooser)
    stands = any(bare[at : at + len(wanted)] == wanted for at in range(len(bare)))
    if stands or text.encode() in joined(block.lines) or text == replacement:
        return None
    return joined(block.lines), text, replacement, None


def _one_line_changed(chooser: random.Random, block: Block, pattern: str, change: Callable[[str], str]) -> Made:
    places = [at for at, line in enumerate(block.old) if re.search(pattern, line)]
    if not places:
        return None
    at = chooser.choice(places)
    found = chooser.choice(list(re.finditer(pattern, block.old[at])))
    line = block.old[at][: found.start()] + change(found[0]) + block.old[at][found.end() :]
    return _refused(chooser, block, [*block.old[:at], line, *block.old[at + 1 :]])


def typo(chooser: random.Random, block: Block) -> Made:
    return _one_line_changed(chooser, block, r"[a-z]{4,}", lambda word: word[1] + word[0] + word[2:])


def changed_number(chooser: random.Random, block: Block) -> Made:
    return _one_line_changed(chooser, block, r"\d+", lambda number: str(int(number[:9]) + 1))


def other_case(chooser: random.Random, block: Block) -> Made:
    return _one_line_changed(chooser, block, r"[a-z]{3,}", str.upper)


def inner_blanks(chooser: random.Random, block: Block) -> Made:
    return _one_line_changed(chooser, block, r"(?<=\S) (?=\S)", lambda _: "  ")


def curly_quotes(chooser: random.Random, block: Block) -> Made:
    return _one_line_changed(chooser, block, r"\"[^\"]+\"", lambda text: f"“{text[1:-1]}”")


def dropped_line(chooser: random.Random, block: Block) -> Made:
    places = [at for at in range(1, len(block.old) - 1) if block.old[at].strip()]
    if not places:
        return None
    at = chooser.choice(places)
    return _refused(chooser, block, [*block.old[:at], *block.old[at + 1 :]])


def invented_line(chooser: random.Random, block: Block) -> Made:
    at = chooser.randrange(1, len(block.old))
    return _refused(chooser, block, [*block.old[:at], f"{_indent(block.old[at])}check_all()", *block.old[at:]])


def elided_middle(chooser: random.Random, block: Block) -> Made:
    if len(block.old) < 5:
        return None
    return _refused(chooser, block, [*block.old[:2], f"{_indent(block.old[1])}...", block.old[-1]])


def line_numbers(chooser: random.Random, block: Block) -> Made:
    return _refused(chooser, block, [f"{block.first + at}\t{line}" for at, line in enumerate(block.old, 1)])


def one_line_deeper(chooser: random.Random, block: Block) -> Made:
    """One line in the middle stands a level deeper than it does in the file: another meaning, not another quotation."""
    places = [at for at in range(1, len(block.old)) if block.old[at].strip() and _indent(block.old[at])]
    same = [at for at in places if any(_indent(block.old[at]) == _indent(block.old[b]) for b in places if b != at)]
    if not same:
        return None
    at = chooser.choice(same)
    old = [*block.old[:at], f"    {block.old[at]}", *block.old[at + 1 :]]
    text, replacement = quoted(old, [text for _, text in block.new], chooser)
    if text.encode() in joined(block.lines):
        return None
    return joined(block.lines), text, replacement, None


def ambiguous(chooser: random.Random, block: Block) -> Made:
    """The block stands in the file twice."""
    at = chooser.choice([0, len(block.lines)])
    lines = [*block.lines[:at], *block.old, "", *block.lines[at:]]
    return (joined(lines), *quoted(*_texts(block), chooser), None)


def ambiguous_dedented(chooser: random.Random, block: Block) -> Made:
    """The block stands in the file twice, and is quoted without its indentation."""
    made = dedented(chooser, block)
    if made is None:
        return None
    return joined([*block.lines, "", *block.old]), made[1], made[2], None


MUST_APPLY: Final[dict[str, Kind]] = {
    kind.__name__: kind
    for kind in (
        exact,
        dedented,
        dedented_one_level,
        indented,
        first_line_bare,
        first_line_bare_and_trailing,
        tabs_for_blanks,
        blanks_for_tabs,
        trailing_lost,
        trailing_added,
        crlf,
        crlf_dedented,
        crlf_sent,
        mixed_endings,
    )
}
MUST_REFUSE: Final[dict[str, Kind]] = {
    kind.__name__: kind
    for kind in (
        typo,
        changed_number,
        other_case,
        inner_blanks,
        curly_quotes,
        dropped_line,
        invented_line,
        elided_middle,
        line_numbers,
        one_line_deeper,
        ambiguous,
        ambiguous_dedented,
    )
}
