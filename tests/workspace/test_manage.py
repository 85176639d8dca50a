"""Changes that need no read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from readfirst import (
    Edit,
    LineRange,
    NotRead,
    ReadfirstError,
    ReadRequest,
    Session,
    Stale,
    Unseen,
    edit_file,
    read_page,
    write_file,
)
from readfirst.workspace.manage import append_file

_PAGE = ReadRequest()


@pytest.mark.parametrize(
    ("before", "text", "after"),
    [
        pytest.param(b"one\n", "two\nthree", b"one\ntwo\nthree", id="exactly as sent"),
        pytest.param(b"one", " more\n", b"one more\n", id="to an unfinished line"),
        pytest.param(b"", "x\n", b"x\n", id="to an empty file"),
        pytest.param(b"a\r\n", "b\n", b"a\r\nb\n", id="line endings are those of the text"),
        pytest.param(b"\xff\xfea\x00", "\u20ac", b"\xff\xfea\x00\xac\x20", id="in the file's encoding"),
        pytest.param(b"# coding: latin-1\n", "\u00e9", b"# coding: latin-1\n\xe9", id="in the declared encoding"),
        pytest.param(b"\xff\n", "ascii", b"\xff\nascii", id="ASCII to bytes of an unknown encoding"),
    ],
)
def test_text_is_added_as_given_and_needs_no_read(
    session: Session, root: Path, before: bytes, text: str, after: bytes
) -> None:
    """SPEC 3: `append_file`."""
    (root / "f").write_bytes(before)
    append_file(session, "f", text)
    assert (root / "f").read_bytes() == after
    assert os.listdir(root) == ["f"]


def test_a_missing_file_is_created_and_counts_as_written(session: Session, root: Path) -> None:
    """SPEC 3, G4."""
    result = append_file(session, "new/f", "one\n")
    assert (result.created, result.lines, result.total) == (True, LineRange(1, 1), 1)
    write_file(session, "new/f", "two\n")
    assert (root / "new" / "f").read_text() == "two\n"


@pytest.mark.guarantee("G1")
def test_an_append_does_not_make_the_file_read(session: Session, root: Path) -> None:
    """SPEC 2: it never creates a record."""
    (root / "f").write_text("line\n" * 50)
    append_file(session, "f", "more\n")
    with pytest.raises(NotRead):
        edit_file(session, "f", [Edit("more", "x")])


@pytest.mark.guarantee("G4")
def test_what_was_seen_stays_seen_and_what_was_sent_is(session: Session, root: Path) -> None:
    """SPEC 2: an append carries the record."""
    (root / "f").write_text("one\ntwo\n")
    read_page(session, "f", _PAGE)
    result = append_file(session, "f", "three\n")
    assert (result.lines, result.total) == (LineRange(3, 3), 3)
    write_file(session, "f", "all new\n")
    assert (root / "f").read_text() == "all new\n"


@pytest.mark.guarantee("G3")
def test_a_line_that_was_never_seen_is_not_seen_by_adding_to_it(session: Session, root: Path) -> None:
    """SPEC 2: an append never widens a record."""
    (root / "f").write_text("line\n" * 99 + "x" * 5_000)
    read_page(session, "f", ReadRequest(limit=99))
    append_file(session, "f", " more\n")
    with pytest.raises(Unseen) as refused:
        write_file(session, "f", "gone\n")
    assert refused.value.ranges == (LineRange(100, 100),)


@pytest.mark.guarantee("G2")
def test_an_append_to_a_file_that_changed_does_not_hide_the_change(session: Session, root: Path) -> None:
    """SPEC 2: a stale record stays stale."""
    (root / "f").write_text("line\n" * 50)
    read_page(session, "f", _PAGE)
    (root / "f").write_text("LINE\n" * 50)
    append_file(session, "f", "more\n")
    with pytest.raises(Stale):
        edit_file(session, "f", [Edit("more", "x")])


def test_nothing_to_add_touches_nothing(session: Session, root: Path) -> None:
    """HOSTILE 57."""
    (root / "f").write_text("one\n")
    before = os.stat(root / "f")
    result = append_file(session, "f", "")
    assert (result.lines, result.total) == (None, 1)
    assert (os.stat(root / "f").st_ino, os.stat(root / "f").st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


@pytest.mark.parametrize(
    ("before", "text", "newline"),
    [
        pytest.param(b"a\r\n", "b\n", "\r\n", id="LF to CRLF"),
        pytest.param(b"a\n", "b\r\n", "\n", id="CRLF to LF"),
        pytest.param(b"a\r\n", "b\r\n", "", id="the same"),
        pytest.param(b"a\r\nb\n", "c\n", "", id="to a mixed file"),
        pytest.param(b"a\n", "b", "", id="no line ending"),
    ],
)
def test_another_line_ending_than_that_of_the_file_is_told(
    session: Session, root: Path, before: bytes, text: str, newline: str
) -> None:
    """SPEC 3: warns when the line ending differs from the file's."""
    (root / "f").write_bytes(before)
    assert append_file(session, "f", text).other_newline == newline


@pytest.mark.parametrize(
    ("before", "text", "code"),
    [
        pytest.param(b"a\0b", "x", "not_text", id="a binary file"),
        pytest.param(b"\xff\n", "\u00e9", "not_encodable", id="a character the file cannot hold"),
        pytest.param(b"a", "\ud800", "not_encodable", id="half a character"),
        pytest.param(b"a", "x" * (16 * 1024 * 1024 + 1), "too_large", id="more than one call may write"),
    ],
)
def test_what_cannot_be_added_is_refused(session: Session, root: Path, before: bytes, text: str, code: str) -> None:
    """SPEC 4.10, SPEC 8."""
    (root / "f").write_bytes(before)
    with pytest.raises(ReadfirstError) as refused:
        append_file(session, "f", text)
    assert refused.value.code == code
    assert (root / "f").read_bytes() == before


def test_what_is_no_regular_file_is_refused(session: Session, root: Path) -> None:
    """SPEC 3: refuses what is not a regular file."""
    os.mkfifo(root / "pipe")
    (root / "dir").mkdir()
    for name in ("pipe", "dir"):
        with pytest.raises(ReadfirstError) as refused:
            append_file(session, name, "x")
        assert refused.value.code == "not_a_file"
