"""What a refusal says: the wrong, the place, and the one call that works next."""

from __future__ import annotations

from typing import get_args

import pytest

from readfirst.errors import (
    ArgumentRefused,
    ClosestLines,
    Code,
    ContentRefused,
    DiskRefused,
    EditFailure,
    EditsRefused,
    NextCall,
    NotRead,
    PathRefused,
    ReadfirstError,
    Stale,
    StoreUnavailable,
    UndoRefused,
    Unseen,
)
from readfirst.spans import LineRange
from readfirst.tools.refusals import worded
from readfirst.tools.words import Names

_READ = (NextCall("read", "f"),)
_CLOSEST = ClosestLines(LineRange(7, 8), ("one", "two\t"), 80.0, (8, "two\t", "two"), "white space")


def _edits(*failures: EditFailure, count: int = 1) -> EditsRefused:
    return EditsRefused(failures[0].code, "f", failures=failures, edit_count=count)


_BINARY = '"f" is a binary file; it cannot be read, edited or overwritten as text.'

_TEXTS: list[tuple[str, ReadfirstError, str]] = [
    ("binary", ContentRefused("not_text", "f"), _BINARY),
    (
        "binary, small enough to be shown",
        ContentRefused("not_text", "f", next_calls=(NextCall("media", "f"),)),
        f'{_BINARY} To look at it: read_media_file(path="f")',
    ),
    (
        "not read",
        NotRead(path="f", next_calls=_READ),
        '"f" has not been read in this session, so nothing was written. Read it first: read_file(path="f")',
    ),
    (
        "not read, shown",
        NotRead(path="f", shown="1\tone", next_calls=(NextCall("edit", "f"),)),
        (
            '"f" had not been read in this session, so nothing was written. This is the whole file; it counts as read '
            "now, so send the call again if it still fits:\n1\tone"
        ),
    ),
    (
        "stale",
        Stale(path="f", next_calls=_READ),
        '"f" changed after you read it. Nothing was written. Read it again: read_file(path="f")',
    ),
    (
        "stale by version",
        Stale(path="f", by_version=True, next_calls=_READ),
        (
            '"f" is not the version you gave. Nothing was written. Read it again: read_file(path="f"); then send the '
            "version that it gives."
        ),
    ),
    (
        "stale by version, a binary file",
        Stale(path="f", by_version=True, next_calls=(NextCall("info", "f"),)),
        (
            '"f" is not the version you gave. Nothing was written. Look at it again: get_file_info(path="f"); then '
            "leave `version` out."
        ),
    ),
    (
        "stale by version, diff",
        Stale(path="f", by_version=True, diff="@@ -1 +1 @@", next_calls=(NextCall("edit", "f"),)),
        (
            '"f" is not the version you gave. Nothing was written. This is all that changed, from what you read to '
            "what is there now. It counts as read: send the call again without `version` if it still fits.\n@@ -1 +1 @@"
        ),
    ),
    (
        "stale by version, diff, overwrite",
        Stale(path="f", by_version=True, diff="@@ -1 +1 @@", next_calls=_READ),
        (
            '"f" is not the version you gave. Nothing was written. This is all that changed, from what you read to '
            "what is there now. It counts as read: to replace the whole text, read the rest first, "
            'read_file(path="f"), and leave `version` out.\n@@ -1 +1 @@'
        ),
    ),
    (
        "stale, a binary file",
        Stale(path="f", next_calls=(NextCall("info", "f"),)),
        '"f" changed after you read it. Nothing was written. Look at it again: get_file_info(path="f")',
    ),
    (
        "stale, lines",
        Stale(
            path="f",
            changed=(LineRange(40, 52), LineRange(60, 60)),
            next_calls=(NextCall("read", "f", LineRange(40, 52)),),
        ),
        (
            '"f" changed after you read it, in lines 40-52, 60. Nothing was written. '
            'Read: read_file(path="f", offset=40, limit=13)'
        ),
    ),
    (
        "stale, diff",
        Stale(path="f", diff="@@ -1 +1 @@", next_calls=(NextCall("edit", "f"),)),
        (
            '"f" changed after you read it. Nothing was written. This is all that changed, from what you read to what '
            "is there now. It counts as read: send the call again if it still fits.\n@@ -1 +1 @@"
        ),
    ),
    (
        "stale, diff, overwrite",
        Stale(path="f", diff="@@ -1 +1 @@", next_calls=_READ),
        (
            '"f" changed after you read it. Nothing was written. This is all that changed, from what you read to what '
            "is there now. It counts as read: to replace the whole text, read the rest first, "
            'read_file(path="f").\n@@ -1 +1 @@'
        ),
    ),
    (
        "stale, at this moment",
        Stale(path="f", during=True),
        '"f" was changed by another program at this moment. Nothing was written. Read it again: read_file(path="f")',
    ),
    (
        "unseen",
        Unseen(
            path="f", ranges=(LineRange(3, 2_000),), total=2_000, next_calls=(NextCall("read", "f", LineRange(3, 9)),)
        ),
        (
            'Lines 3-2000 of 2,000 in "f" would change and were never shown in this session. Nothing was written. '
            'Read them first: read_file(path="f", offset=3, limit=7)'
        ),
    ),
    (
        "unseen, shown",
        Unseen(path="f", ranges=(LineRange(3, 3),), total=9, shown="3\tx", next_calls=(NextCall("write", "f"),)),
        (
            'Line 3 of 9 in "f" would change and was never shown in this session. Nothing was written. '
            "Here it is; send the call again if it still fits:\n3\tx"
        ),
    ),
    (
        "no match",
        _edits(EditFailure(0, "no_match", closest=_CLOSEST, detail="white space")),
        (
            'No edit was made in "f".\noldText was not found. Likely cause: white space. The closest lines are 7-8:\n'
            "7\tone\n8\ttwo\t\nFirst difference, line 8:\n  file  «two→»\n  sent  «two»"
        ),
    ),
    (
        "no match, nothing alike",
        _edits(EditFailure(0, "no_match")),
        (
            'No edit was made in "f".\noldText was not found, and no similar lines were.\n'
            'Look at the text first: read_file(path="f")'
        ),
    ),
    (
        "no match, another indentation",
        _edits(EditFailure(0, "no_match", places=(LineRange(3, 4),), detail="indentation", closest=_CLOSEST)),
        (
            'No edit was made in "f".\noldText stands on lines 3-4 with another indentation, and that of newText '
            "cannot be carried over. Quote the lines with the file's own indentation."
        ),
    ),
    (
        "ambiguous",
        _edits(EditFailure(0, "ambiguous", places=(LineRange(1, 1), LineRange(3, 3)), place_count=2)),
        (
            'No edit was made in "f".\noldText stands in 2 places (lines 1, 3). Add lines around the one you mean, or '
            "set replaceAll to change all of them."
        ),
    ),
    (
        "several",
        _edits(
            EditFailure(0, "no_change"),
            EditFailure(1, "overlap", other=2),
            EditFailure(3, "ambiguous", places=(LineRange(1, 1),) * 2, place_count=9_000),
            count=4,
        ),
        (
            'No edit was made in "f".\nedits[0]: oldText and newText are the same.\n'
            "edits[1]: it changes the same lines as edits[2]. Make the two one edit.\n"
            "edits[3]: oldText stands in 9,000 places (lines 1, 1, …). Add lines around the one you mean, or set "
            "replaceAll to change all of them."
        ),
    ),
    (
        "empty old",
        _edits(EditFailure(0, "empty_old")),
        'No edit was made in "f".\noldText is empty. Quote the text to replace; to write a whole file use write_file.',
    ),
    (
        "outside",
        PathRefused("outside", "/etc/passwd", roots=("/a", "/b c")),
        '"/etc/passwd" is outside the allowed directories: "/a", "/b c".',
    ),
    (
        "missing",
        PathRefused("not_found", "f"),
        '"f" does not exist. list_allowed_directories() shows where files can be.',
    ),
    (
        "missing, similar",
        PathRefused("not_found", "f", similar=("F", "f.py")),
        '"f" does not exist. In that directory: "F", "f.py".',
    ),
    (
        "missing, with a version",
        PathRefused("not_found", "f", detail="version"),
        '"f" does not exist, so it has no version. To create it, send the call again without `version`.',
    ),
    (
        "undo, changed after a move",
        UndoRefused("changed_since", "f", later="/a/g", next_calls=(NextCall("undo", "/a/g"),)),
        (
            '"f" was moved to "/a/g" and changed there since. Nothing was changed. Take that back first: '
            'undo_edit(path="/a/g")'
        ),
    ),
    (
        "undo, the name is taken",
        DiskRefused("exists", "f", detail="in the way"),
        (
            '"f" exists again, and nothing is undone over it. Nothing was changed. Move that to a path that is free, '
            "then send the call again."
        ),
    ),
    ("a pipe", PathRefused("not_a_file", "f", detail="a pipe"), '"f" is a pipe, not a file.'),
    ("empty path", PathRefused("invalid_path", "", detail="empty"), "Invalid path: the path is empty."),
    (
        "Windows path",
        PathRefused("invalid_path", "C:\\x", detail="windows"),
        'Invalid path: "C:\\\\x" is a Windows path; use / and a path below an allowed directory.',
    ),
    (
        "NUL in a path",
        PathRefused("invalid_path", "a\0b", detail="characters"),
        'Invalid path: "a\\u0000b" has characters that no file name has.',
    ),
    (
        "too large",
        ContentRefused("too_large", "f", size=20_000_000, limit=16_777_216),
        '"f" has 20,000,000 bytes, more than the limit of 16,777,216.',
    ),
    (
        "too much text",
        ContentRefused("too_large", "f", size=2_000, limit=1_000, detail="content"),
        "The text has 2,000 bytes, more than the limit of 1,000.",
    ),
    (
        "past the end",
        ContentRefused("past_end", "f", size=100, next_calls=(NextCall("read", "f", LineRange(91, 100)),)),
        '"f" has only 100 lines. Its last lines: read_file(path="f", offset=91, limit=10)',
    ),
    ("past the end of nothing", ContentRefused("past_end", "f", size=1), '"f" has only 1 line.'),
    (
        "past the end of a line",
        ContentRefused("past_end", "f", size=7, detail="column", next_calls=(NextCall("read", "f", LineRange(7, 7)),)),
        'Line 7 of "f" ends before that column. Read it: read_file(path="f", offset=7, limit=1)',
    ),
    (
        "two names",
        DiskRefused("linked", "f", detail="2"),
        '"f": it has 2 hard links, and replacing it would part them. Nothing was written.',
    ),
    (
        "owner",
        DiskRefused("permission", "f", detail="owner"),
        '"f": its owner could not be kept. Nothing was written.',
    ),
    (
        "disk",
        DiskRefused("io_error", "f", detail="Input/output error"),
        '"f": Input/output error. Nothing was written.',
    ),
    ("argument", ArgumentRefused(path="", detail="`edits` is missing"), "`edits` is missing. Nothing was done."),
]


@pytest.mark.parametrize(("error", "text"), [pytest.param(error, text, id=name) for name, error, text in _TEXTS])
def test_a_refusal_says_exactly_this(error: ReadfirstError, text: str) -> None:
    """SPEC 5, STYLE: what is wrong, where, and the one call that fixes it."""
    assert worded(error, Names()) == text


def test_a_profile_without_the_tool_for_binary_files_offers_none() -> None:
    """SPEC 3: hints use the names of the profile in force."""
    error = ContentRefused("not_text", "f", next_calls=(NextCall("media", "f"),))
    assert worded(error, Names(media="")) == _BINARY


_ONE_OF_EACH: dict[Code, ReadfirstError] = {
    "invalid_path": PathRefused("invalid_path", "f"),
    "outside": PathRefused("outside", "f"),
    "denied": PathRefused("denied", "f"),
    "not_found": PathRefused("not_found", "f"),
    "not_a_file": PathRefused("not_a_file", "f"),
    "not_a_directory": PathRefused("not_a_directory", "f"),
    "too_many_links": PathRefused("too_many_links", "f"),
    "name_too_long": PathRefused("name_too_long", "f" * 5_000),
    "not_text": ContentRefused("not_text", "f"),
    "too_large": ContentRefused("too_large", "f"),
    "past_end": ContentRefused("past_end", "f"),
    "not_encodable": ContentRefused("not_encodable", "f", detail="é"),
    "not_read": NotRead(path="f", next_calls=_READ),
    "stale": Stale(path="f", next_calls=_READ),
    "unseen": Unseen(path="f", ranges=(LineRange(1, 2),), total=2, next_calls=_READ),
    "nothing_to_undo": UndoRefused("nothing_to_undo", "f"),
    "changed_since": UndoRefused("changed_since", "f", next_calls=_READ),
    "not_kept": UndoRefused("not_kept", "f"),
    "no_match": _edits(EditFailure(0, "no_match")),
    "ambiguous": _edits(EditFailure(0, "ambiguous", places=(LineRange(1, 2),), place_count=2)),
    "no_change": _edits(EditFailure(0, "no_change")),
    "empty_old": _edits(EditFailure(0, "empty_old")),
    "overlap": _edits(EditFailure(0, "overlap", other=1)),
    "permission": DiskRefused("permission", "f"),
    "exists": DiskRefused("exists", "f"),
    "busy": DiskRefused("busy", "f"),
    "no_space": DiskRefused("no_space", "f"),
    "linked": DiskRefused("linked", "f", detail="2"),
    "not_empty": DiskRefused("not_empty", "f"),
    "cross_device": DiskRefused("cross_device", "f"),
    "io_error": DiskRefused("io_error", "f"),
    "store_unavailable": StoreUnavailable(path="state.db"),
    "invalid_argument": ArgumentRefused(path="f", detail="`x` is missing"),
}


@pytest.mark.parametrize("code", get_args(Code))
def test_every_code_has_words_that_are_not_the_code(code: Code) -> None:
    """STYLE: no bare code shows through, and the text is a sentence within the limit of SPEC 8."""
    text = worded(_ONE_OF_EACH[code], Names())
    assert _ONE_OF_EACH[code].code == code
    assert "_" not in code or code not in text
    assert f": {code}" not in text
    assert text[-1] in ".)"
    assert 10 < len(text) < 8_000


def test_a_character_that_one_edit_cannot_write_is_named() -> None:
    """SPEC 4.10."""
    text = worded(_edits(EditFailure(1, "not_encodable", detail="é"), count=2), Names())
    assert text.startswith('No edit was made in "f".\nedits[1]: the file\'s encoding has no "é"')


def test_a_mismatch_for_which_there_is_no_room_says_so_shortly() -> None:
    """SPEC 8: and the file is named as the next look."""
    taught = EditFailure(0, "no_match", closest=ClosestLines(LineRange(1, 1), ("one",), 80.0, None))
    text = worded(_edits(taught, EditFailure(1, "no_match", searched=False), count=2), Names())
    assert text == (
        'No edit was made in "f".\nedits[0]: oldText was not found. The closest line is 1:\n1\tone\n'
        'edits[1]: oldText was not found.\nLook at the text first: read_file(path="f")'
    )


def test_a_refusal_uses_the_names_in_force() -> None:
    """SPEC 3."""
    names = Names(read="read", edit="edit", write="write", list_roots="roots")
    assert worded(NotRead(path="f", next_calls=_READ), names).endswith('Read it first: read(path="f")')
    assert worded(PathRefused("not_found", "f"), names).endswith("roots() shows where files can be.")
    assert worded(_edits(EditFailure(0, "empty_old")), names).endswith("use write.")
    none = Names(list_roots="")
    assert worded(PathRefused("not_found", "f"), none).endswith("No call here lists what does: check the path.")


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("f", '"f" cannot be used: there are no allowed directories.'),
        ("", "Nothing can be done: there are no allowed directories."),
    ],
)
def test_where_nothing_is_allowed_the_refusal_says_so(path: str, text: str) -> None:
    """SPEC 3, Roots."""
    assert worded(PathRefused("outside", path), Names()) == text


@pytest.mark.parametrize(
    ("error", "text"),
    [
        pytest.param(
            Unseen(
                path="f",
                ranges=(LineRange(2, 2),),
                total=3,
                column=51,
                next_calls=(NextCall("read", "f", LineRange(2, 2), 100_000, 51),),
            ),
            'Line 2 of 3 in "f" would change and was never shown whole in this session. Nothing was written. '
            'Read it first: read_file(path="f", offset=2, column=51, limit=1, maxChars=100000)',
            id="a line that was shown in part",
        ),
        pytest.param(
            EditsRefused(
                "ambiguous",
                "f",
                failures=(EditFailure(0, "ambiguous", (LineRange(1, 1), LineRange(3, 3)), 2, detail="white space"),),
            ),
            'No edit was made in "f".\noldText, white space aside, stands in 2 places (lines 1, 3). '
            "Add lines around the one you mean.",
            id="two places with white space aside: replaceAll would not find them",
        ),
        pytest.param(
            EditsRefused(
                "no_change", "f", failures=(EditFailure(0, "no_change", (LineRange(2, 3),), detail="white space"),)
            ),
            'No edit was made in "f".\nthe file already holds newText on lines 2-3: only white space differs.',
            id="only white space differs",
        ),
    ],
)
def test_a_refusal_does_not_advise_what_cannot_help(error: ReadfirstError, text: str) -> None:
    """SPEC 1, G12."""
    assert worded(error, Names()) == text
