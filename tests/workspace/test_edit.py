"""Editing at library level: what was not read stays as it is, and what is changed is changed exactly."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from readfirst.content.digest import digest_of, version_token
from readfirst.edits.plan import Edit
from readfirst.errors import (
    ContentRefused,
    DiskRefused,
    EditsRefused,
    NextCall,
    NotRead,
    PathRefused,
    ReadfirstError,
    Stale,
    Unseen,
)
from readfirst.spans import LineRange
from readfirst.workspace.context import Session
from readfirst.workspace.edit import edit_file, write_file
from readfirst.workspace.read import ReadRequest, read_page
from tests.workspace.conftest import numbered

_WHOLE = ReadRequest()


def _token(data: bytes, *, whole: bool = False) -> str:
    return version_token(digest_of(data), whole=whole)


def _state(path: Path) -> tuple[bytes, int, int]:
    return path.read_bytes(), path.stat().st_mtime_ns, path.stat().st_ino


@pytest.mark.guarantee("G1")
def test_a_file_never_read_is_not_edited(session: Session, root: Path) -> None:
    """G1."""
    (root / "f").write_text(numbered(1, 100))
    before = _state(root / "f")
    with pytest.raises(NotRead) as refused:
        edit_file(session, "f", [Edit("line 7\n", "x\n")])
    assert refused.value.shown is None
    assert refused.value.next_calls == (NextCall("read", "f"),)
    assert _state(root / "f") == before


@pytest.mark.guarantee("G1")
def test_a_small_file_is_shown_in_the_refusal_and_may_then_be_edited(session: Session, root: Path) -> None:
    """G1, SPEC 2 (refusals teach)."""
    (root / "f").write_text("one\ntwo\n")
    with pytest.raises(NotRead) as refused:
        edit_file(session, "f", [Edit("two", "2")])
    assert refused.value.shown == "1\tone\n2\ttwo"
    edit_file(session, "f", [Edit("two", "2")])
    assert (root / "f").read_text() == "one\n2\n"


@pytest.mark.guarantee("G1")
def test_what_one_session_read_licenses_no_other(session: Session, root: Path) -> None:
    """G1, SPEC 2."""
    (root / "f").write_text(numbered(1, 100))
    read_page(session, "f", _WHOLE)
    with pytest.raises(NotRead):
        edit_file(session.workspace.session("other"), "f", [Edit("line 7\n", "x\n")])


@pytest.mark.guarantee("G1")
def test_a_read_that_shows_no_text_licenses_nothing(session: Session, root: Path) -> None:
    """SPEC 2: `head: 0` records nothing."""
    (root / "f").write_text(numbered(1, 100))
    for request in (ReadRequest(head=0), ReadRequest(tail=0)):
        assert read_page(session, "f", request).version == ""
        with pytest.raises(NotRead):
            edit_file(session, "f", [Edit("line 7\n", "x\n")])


def test_an_empty_file_needs_no_read(session: Session, root: Path) -> None:
    """SPEC 2; SPEC 4.4: an empty old text is allowed there."""
    (root / "f").write_text("")
    edit_file(session, "f", [Edit("", "text\n")])
    assert (root / "f").read_text() == "text\n"


@pytest.mark.guarantee("G2")
def test_a_file_changed_since_the_read_is_not_edited_until_the_change_was_shown(session: Session, root: Path) -> None:
    """G2: the refusal shows the whole difference, and the next edit succeeds without another call."""
    (root / "f").write_text("one\ntwo\n")
    read_page(session, "f", _WHOLE)
    (root / "f").write_text("one\nzwei\n")
    with pytest.raises(Stale) as refused:
        edit_file(session, "f", [Edit("one", "1")])
    assert refused.value.diff == "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n one\n-two\n+zwei"
    assert refused.value.next_calls == (NextCall("edit", "f"),)
    assert (root / "f").read_text() == "one\nzwei\n"
    edit_file(session, "f", [Edit("one", "1")])
    assert (root / "f").read_text() == "1\nzwei\n"


@pytest.mark.guarantee("G2")
def test_a_touch_and_a_change_there_and_back_are_no_changes(session: Session, root: Path) -> None:
    """G2."""
    (root / "f").write_text("one\n")
    read_page(session, "f", _WHOLE)
    os.utime(root / "f", (1, 1))
    (root / "f").unlink()
    (root / "f").write_text("one\n")
    edit_file(session, "f", [Edit("one", "1")])
    assert (root / "f").read_text() == "1\n"


@pytest.mark.guarantee("G2")
def test_the_same_size_and_the_same_times_do_not_hide_a_change(session: Session, root: Path) -> None:
    """G2: bytes decide, never times."""
    (root / "f").write_text("one\n")
    read_page(session, "f", _WHOLE)
    times = (root / "f").stat()
    (root / "f").write_text("uno\n")
    os.utime(root / "f", ns=(times.st_atime_ns, times.st_mtime_ns))
    with pytest.raises(Stale):
        edit_file(session, "f", [Edit("uno", "1")])


@pytest.mark.guarantee("G3")
def test_an_exact_unique_edit_needs_no_sight_of_its_lines(session: Session, root: Path) -> None:
    """G3: a fresh read of the file, no more."""
    (root / "f").write_text(numbered(1, 100))
    read_page(session, "f", ReadRequest(limit=2))
    edit_file(session, "f", [Edit("line 90\n", "x\n")])
    assert (root / "f").read_text() == numbered(1, 89) + "x\n" + numbered(91, 100)


@pytest.mark.guarantee("G3")
def test_replace_all_is_refused_over_lines_never_seen_and_shows_them(session: Session, root: Path) -> None:
    """G3: the refusal shows the lines, and the same call then succeeds."""
    (root / "f").write_text("a x\nb\nc x\n" + numbered(4, 100))
    read_page(session, "f", ReadRequest(limit=2))
    edit = Edit("x", "y", replace_all=True)
    with pytest.raises(Unseen) as refused:
        edit_file(session, "f", [edit])
    assert (refused.value.ranges, refused.value.total) == ((LineRange(3, 3),), 100)
    assert refused.value.shown == "3\tc x"
    assert refused.value.next_calls == (NextCall("edit", "f"),)
    edit_file(session, "f", [edit])
    assert (root / "f").read_text() == "a y\nb\nc y\n" + numbered(4, 100)


@pytest.mark.guarantee("G4")
def test_text_that_this_session_sent_counts_as_seen(session: Session, root: Path) -> None:
    """G4: after an own edit the file is fresh, the written line seen, and the rest as much as before."""
    (root / "f").write_text(numbered(1, 100))
    read_page(session, "f", ReadRequest(limit=2))
    edit_file(session, "f", [Edit("line 50\n", "mine mine\n")])
    edit_file(session, "f", [Edit("mine", "yours", replace_all=True)])
    assert (root / "f").read_text() == numbered(1, 49) + "yours yours\n" + numbered(51, 100)
    with pytest.raises(Unseen) as refused:
        write_file(session, "f", "new\n")
    assert refused.value.ranges == (LineRange(3, 46), LineRange(54, 100))


@pytest.mark.guarantee("G5")
@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        pytest.param(b"a\r\nb\r\n", "a\n", "1\n2\n", b"1\r\n2\r\nb\r\n", id="CRLF"),
        pytest.param(b"a\r\nb\nc\r\n", "b", "2", b"a\r\n2\nc\r\n", id="mixed line endings"),
        pytest.param(b"a\rb\r", "b", "2", b"a\r2\r", id="CR"),
        pytest.param(b"\xef\xbb\xbfa\n", "a", "1", b"\xef\xbb\xbf1\n", id="BOM"),
        pytest.param("\ufeffä\r\nb\r\n".encode("utf-16-le"), "b", "ß", "\ufeffä\r\nß\r\n".encode("utf-16-le"), id="16"),
        pytest.param(b"a\xff\xfe \n\xe9b\n", "b", "2", b"a\xff\xfe \n\xe92\n", id="undecodable bytes"),
        pytest.param(b"a \t\nb  ", "a", "1", b"1 \t\nb  ", id="trailing blanks, no final newline"),
        pytest.param("a\u2028b\x0cc\u0085\n".encode(), "b", "2", "a\u20282\x0cc\u0085\n".encode(), id="no line ends"),
    ],
)
def test_bytes_outside_the_edit_never_change(
    session: Session, root: Path, before: bytes, old: str, new: str, after: bytes
) -> None:
    """G5, HOSTILE 49-54."""
    (root / "f").write_bytes(before)
    read_page(session, "f", _WHOLE)
    edit_file(session, "f", [Edit(old, new)])
    assert (root / "f").read_bytes() == after


@pytest.mark.guarantee("G6")
def test_a_text_in_two_places_is_not_edited(session: Session, root: Path) -> None:
    """G6: the places are listed."""
    (root / "f").write_text("x\ny\nx\n")
    read_page(session, "f", _WHOLE)
    with pytest.raises(EditsRefused) as refused:
        edit_file(session, "f", [Edit("x", "z")])
    (failure,) = refused.value.failures
    assert (failure.code, failure.places) == ("ambiguous", (LineRange(1, 1), LineRange(3, 3)))
    assert (root / "f").read_text() == "x\ny\nx\n"


@pytest.mark.guarantee("G7")
def test_one_failing_edit_keeps_all_others_from_being_made(session: Session, root: Path) -> None:
    """G7: every failure is reported with its index, and the record stays."""
    (root / "f").write_text("one\ntwo\n")
    read_page(session, "f", _WHOLE)
    before = _state(root / "f")
    with pytest.raises(EditsRefused) as refused:
        edit_file(session, "f", [Edit("one", "1"), Edit("three", "3"), Edit("two", "two")])
    assert [(one.index, one.code) for one in refused.value.failures] == [(1, "no_match"), (2, "no_change")]
    assert (refused.value.code, refused.value.edit_count) == ("no_match", 3)
    assert _state(root / "f") == before
    edit_file(session, "f", [Edit("one", "1"), Edit("two", "2")])
    assert (root / "f").read_text() == "1\n2\n"


def test_a_dry_run_shows_the_diff_and_writes_nothing(session: Session, root: Path) -> None:
    """SPEC 4.8: with the version on disk, and no second read is needed before the real edit."""
    (root / "f").write_text("one\ntwo\n")
    read_page(session, "f", _WHOLE)
    before = _state(root / "f")
    result = edit_file(session, "f", [Edit("two", "2")], dry_run=True)
    assert _state(root / "f") == before
    assert result.diff is not None
    assert result.diff.text == "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n one\n-two\n+2"
    assert (result.dry_run, result.version) == (True, _token(b"one\ntwo\n"))
    done = edit_file(session, "f", [Edit("two", "2")])
    assert (done.dry_run, done.version, done.lines) == (False, _token(b"one\n2\n"), (LineRange(2, 2),))


def test_edits_that_undo_each_other_touch_nothing(session: Session, root: Path) -> None:
    """HOSTILE 57: a file that was not changed keeps its inode and times."""
    (root / "f").write_text("one\n")
    read_page(session, "f", _WHOLE)
    before = _state(root / "f")
    try:
        edit_file(session, "f", [Edit("one", "two"), Edit("two", "one")])
    except EditsRefused as refused:
        assert {failure.code for failure in refused.failures} == {"no_change"}  # noqa: PT017 - either answer is honest
    assert _state(root / "f") == before


@pytest.mark.parametrize("whole", [True, False], ids=["marked", "unmarked"])
def test_a_version_stands_in_for_a_read(session: Session, root: Path, whole: bool) -> None:
    """SPEC 2 (version tokens): marked or not, an exact edit needs no more."""
    (root / "f").write_text(numbered(1, 100))
    token = _token(numbered(1, 100).encode(), whole=whole)
    edit_file(session, "f", [Edit("line 7\n", "x\n")], version=token)
    assert (root / "f").read_text() == numbered(1, 6) + "x\n" + numbered(8, 100)


def test_an_unmarked_version_proves_no_line_seen(session: Session, root: Path) -> None:
    """SPEC 2: only a marked one also stands for G3."""
    (root / "f").write_text("x x\n" * 100)
    with pytest.raises(Unseen):
        edit_file(session, "f", [Edit("x", "y", replace_all=True)], version=_token(b"x x\n" * 100))
    edit_file(session, "f", [Edit("x", "y", replace_all=True)], version=_token(b"x x\n" * 100, whole=True))
    assert (root / "f").read_text() == "y y\n" * 100


@pytest.mark.parametrize("token", ["waaaaaaaaa", "nonsense", "w"])
def test_a_version_of_other_bytes_is_stale_even_after_a_read(session: Session, root: Path, token: str) -> None:
    """SPEC 2: if given, it must equal the version on disk."""
    (root / "f").write_text("one\n")
    read_page(session, "f", _WHOLE)
    with pytest.raises(Stale) as refused:
        edit_file(session, "f", [Edit("one", "1")], version=token)
    assert (refused.value.by_version, refused.value.diff) == (True, None)
    assert (root / "f").read_text() == "one\n"


@pytest.mark.parametrize(
    ("name", "kind", "code"),
    [
        ("binary", ContentRefused, "not_text"),
        ("missing", PathRefused, "not_found"),
        ("dir", PathRefused, "not_a_file"),
        ("pair", DiskRefused, "linked"),
    ],
)
def test_what_cannot_be_edited_is_refused(
    session: Session, root: Path, name: str, kind: type[Exception], code: str
) -> None:
    """SPEC 4.10, 5, HOSTILE 39, 53."""
    (root / "binary").write_bytes(b"a\0b\n")
    (root / "dir").mkdir()
    (root / "pair").write_text("a\n")
    os.link(root / "pair", root / "other")
    token = _token(b"a\n", whole=True) if name == "pair" else ""
    with pytest.raises(ReadfirstError) as refused:
        edit_file(session, name, [Edit("a", "1")], version=token)
    assert (type(refused.value), refused.value.code, refused.value.path) == (kind, code, name)
