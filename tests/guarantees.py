"""The guarantees, each with its sentence. Tests carry the id; `tests/test_guarantees.py` checks both directions."""

from __future__ import annotations

from typing import Final, NamedTuple


class Guarantee(NamedTuple):
    """`kept` says that the code keeps it and tests show it; else it is still to come."""

    name: str
    sentence: str
    kept: bool


GUARANTEES: Final = {
    "G1": Guarantee(
        "never-read",
        "An edit, overwrite or delete of an existing file that this session has not read is refused; nothing changes.",
        kept=True,
    ),
    "G2": Guarantee(
        "stale",
        "If the bytes on disk differ from those the session read, the change is refused, and the refusal shows what "
        "changed. Bytes decide, never times.",
        kept=True,
    ),
    "G3": Guarantee(
        "unseen",
        "An overwrite needs every line to have been shown to this session; a `replaceAll` needs every line it changes. "
        "An exact, unique edit needs a fresh read of the file, no more.",
        kept=True,
    ),
    "G4": Guarantee("own-writes", "Text this session sent counts as seen.", kept=True),
    "G5": Guarantee(
        "exact-bytes",
        "Bytes outside the edited span never change: line endings, byte order mark, encoding, trailing blanks, final "
        "newline, undecodable bytes.",
        kept=True,
    ),
    "G6": Guarantee(
        "one-place", "Without `replaceAll`, text that stands in more than one place is never edited.", kept=True
    ),
    "G7": Guarantee("all-or-nothing", "A call with several edits applies all of them or none.", kept=True),
    "G8": Guarantee(
        "no-lost-update", "A change by another program between check and write is detected and kept.", kept=False
    ),
    "G9": Guarantee("whole-file", "At any moment, also after a power cut, a file is old or new.", kept=False),
    "G10": Guarantee("confined", "No path, link, race or name reaches outside the allowed directories.", kept=False),
    "G11": Guarantee(
        "metadata", "Mode, owner, extended attributes, hard links and symbolic links survive an edit.", kept=False
    ),
    "G12": Guarantee(
        "honest", "Every answer says what it left out, and a refusal names the next call that works.", kept=False
    ),
}


def readme_table() -> str:
    """Give the section of the README between its two markers."""
    rows = ["| id | guarantee |", "| --- | --- |"]
    rows += [f"| {key} {one.name} | {one.sentence} |" for key, one in GUARANTEES.items() if one.kept]
    return "\n".join(rows)


if __name__ == "__main__":
    print(readme_table())  # noqa: T201
