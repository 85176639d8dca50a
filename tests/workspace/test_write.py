"""Writing whole files at library level: nothing unseen goes, and what a file was it stays."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from readfirst.content.digest import digest_of, version_token
from readfirst.edits.plan import Edit
from readfirst.errors import ContentRefused, NextCall, NotRead, PathRefused, ReadfirstError, Stale, Unseen
from readfirst.settings import Settings
from readfirst.spans import LineRange
from readfirst.workspace.context import Session, Workspace
from readfirst.workspace.edit import edit_file, write_file
from readfirst.workspace.read import ReadRequest, read_page
from tests.workspace.conftest import numbered

_WHOLE = ReadRequest()


def _token(data: bytes, *, whole: bool) -> str:
    return version_token(digest_of(data), whole=whole)


def test_a_new_file_is_exactly_what_was_sent(session: Session, root: Path) -> None:
    """SPEC 3 (write_file): parents too, nothing converted, and a marked version."""
    text = "\ufeffa\r\nb\nc\r"
    result = write_file(session, "x/y/new", text)
    assert (root / "x/y/new").read_bytes() == text.encode()
    assert (result.created, result.durable, result.diff) == (True, True, None)
    assert result.lines == (LineRange(1, 3),)
    assert result.version == _token(text.encode(), whole=True)


def test_a_new_empty_file_has_no_lines(session: Session, root: Path) -> None:
    """SPEC 3 (write_file)."""
    assert write_file(session, "new", "").lines == ()
    assert (root / "new").read_bytes() == b""


def test_a_dry_run_of_a_new_file_makes_nothing(session: Session, root: Path) -> None:
    """SPEC 3 (write_file)."""
    result = write_file(session, "x/new", "text\n", dry_run=True)
    assert (result.created, result.dry_run, result.version) == (True, True, "")
    assert os.listdir(root) == []


def test_a_version_of_a_file_that_is_gone_creates_nothing(session: Session, root: Path) -> None:
    """SPEC 2: the version must equal that on disk, and there is none."""
    with pytest.raises(PathRefused) as refused:
        write_file(session, "gone", "text\n", version=_token(b"", whole=True))
    assert refused.value.code == "not_found"
    assert os.listdir(root) == []


@pytest.mark.parametrize("path", ["new/", "new/.", "x/new/"])
def test_a_name_that_says_directory_makes_no_file(session: Session, root: Path, path: str) -> None:
    """HOSTILE 14-15."""
    with pytest.raises(PathRefused):
        write_file(session, path, "text\n")
    assert os.listdir(root) == []


@pytest.mark.guarantee("G1")
def test_a_file_never_read_is_not_overwritten(session: Session, root: Path) -> None:
    """G1."""
    (root / "f").write_text(numbered(1, 100))
    with pytest.raises(NotRead):
        write_file(session, "f", "new\n")
    assert (root / "f").read_text() == numbered(1, 100)


@pytest.mark.guarantee("G2")
def test_a_file_changed_since_the_read_is_not_overwritten(session: Session, root: Path) -> None:
    """G2, SPEC 2: coverage becomes the lines of the diff, so an overwrite needs the rest shown first."""
    (root / "f").write_text(numbered(1, 100))
    read_page(session, "f", _WHOLE)
    (root / "f").write_text(numbered(1, 99) + "theirs\n")
    with pytest.raises(Stale) as stale:
        write_file(session, "f", "new\n")
    assert stale.value.next_calls == (NextCall("read", "f"),)
    with pytest.raises(Unseen) as unseen:
        write_file(session, "f", "new\n")
    assert unseen.value.ranges == (LineRange(1, 96),)
    assert (root / "f").read_text() == numbered(1, 99) + "theirs\n"


@pytest.mark.guarantee("G2")
def test_a_small_file_whose_change_was_shown_whole_may_be_overwritten(session: Session, root: Path) -> None:
    """G2, SPEC 2: the diff showed every line there is."""
    (root / "f").write_text("one\ntwo\n")
    read_page(session, "f", _WHOLE)
    (root / "f").write_text("one\nzwei\n")
    with pytest.raises(Stale) as refused:
        write_file(session, "f", "new\n")
    assert refused.value.next_calls[0].action in {"edit", "write"}
    write_file(session, "f", "new\n")
    assert (root / "f").read_text() == "new\n"


@pytest.mark.guarantee("G3")
def test_an_overwrite_names_the_lines_that_were_never_shown(session: Session, root: Path) -> None:
    """G3: too many to be shown in the refusal, so the read of all of them is named."""
    (root / "f").write_text(numbered(1, 100))
    read_page(session, "f", ReadRequest(offset=10, limit=2))
    with pytest.raises(Unseen) as refused:
        write_file(session, "f", "new\n")
    assert (refused.value.ranges, refused.value.total) == ((LineRange(1, 9), LineRange(12, 100)), 100)
    assert refused.value.shown is None
    assert refused.value.next_calls == (NextCall("read", "f", LineRange(1, 100)),)
    assert (root / "f").read_text() == numbered(1, 100)


@pytest.mark.guarantee("G3")
def test_two_halves_that_were_shown_license_an_overwrite(session: Session, root: Path) -> None:
    """G3: coverage is a set of lines."""
    (root / "f").write_text(numbered(1, 100))
    read_page(session, "f", ReadRequest(limit=50))
    read_page(session, "f", ReadRequest(offset=51))
    write_file(session, "f", "new\n")
    assert (root / "f").read_text() == "new\n"


@pytest.mark.guarantee("G3")
def test_a_half_of_another_version_licenses_nothing(session: Session, root: Path) -> None:
    """SPEC 2: one version at a time; another digest resets the coverage to the lines just shown."""
    (root / "f").write_text(numbered(1, 100))
    read_page(session, "f", ReadRequest(limit=50))
    (root / "f").write_text(numbered(1, 99) + "theirs\n")
    assert read_page(session, "f", ReadRequest(offset=51)).changed
    with pytest.raises(Unseen) as refused:
        write_file(session, "f", "new\n")
    assert refused.value.ranges == (LineRange(1, 50),)


@pytest.mark.guarantee("G3")
def test_a_line_shown_in_part_is_not_seen(session: Session, root: Path) -> None:
    """SPEC 2: it records the version, so that an exact edit may follow, but no line."""
    (root / "f").write_text("x" * 9_000 + "end\n")
    read_page(session, "f", ReadRequest(max_chars=100))
    with pytest.raises(Unseen):
        write_file(session, "f", "new\n")
    edit_file(session, "f", [Edit("end", "END")])
    assert (root / "f").read_text().endswith("xEND\n")


@pytest.mark.guarantee("G4")
def test_what_was_written_may_be_overwritten(session: Session, root: Path) -> None:
    """G4."""
    write_file(session, "f", numbered(1, 100))
    write_file(session, "f", "new\n")
    assert (root / "f").read_text() == "new\n"


@pytest.mark.guarantee("G5")
@pytest.mark.parametrize(
    ("before", "sent", "keep", "after", "kept"),
    [
        pytest.param(b"a\r\nb\r\n", "1\n2\n", True, b"1\r\n2\r\n", "\r\n", id="CRLF kept"),
        pytest.param(b"a\r\nb\r\n", "1\r\n2\n", True, b"1\r\n2\r\n", "\r\n", id="CRLF kept, half sent"),
        pytest.param(b"a\r\nb\r\n", "1\r\n2\r\n", True, b"1\r\n2\r\n", "", id="CRLF as sent anyway"),
        pytest.param(b"a\nb\n", "1\r\n2\r\n", True, b"1\n2\n", "\n", id="LF kept"),
        pytest.param(b"a\rb\r", "1\n2\n", True, b"1\r2\r", "\r", id="CR kept"),
        pytest.param(b"a\r\nb\n", "1\n2\r\n", True, b"1\n2\r\n", "", id="mixed: as sent"),
        pytest.param(b"a", "1\r\n2\n", True, b"1\r\n2\n", "", id="no line ending: as sent"),
        pytest.param(b"a\r\nb\r\n", "1\n2\n", False, b"1\n2\n", "", id="as sent on request"),
        pytest.param(b"\xef\xbb\xbfa\n", "1\n", True, b"\xef\xbb\xbf1\n", "", id="BOM kept"),
        pytest.param(b"\xef\xbb\xbfa\n", "\ufeff1\n", True, b"\xef\xbb\xbf1\n", "", id="BOM sent too"),
        pytest.param(
            "\ufeffa\r\n".encode("utf-16-be"), "ß\n", True, "\ufeffß\r\n".encode("utf-16-be"), "\r\n", id="16"
        ),
        pytest.param(b"\xff\n", "ascii\n", True, b"ascii\n", "", id="unknown encoding, ASCII text"),
    ],
)
def test_an_overwrite_keeps_what_kind_of_text_the_file_is(  # noqa: PLR0913, PLR0917 - a table
    session: Session, root: Path, before: bytes, sent: str, keep: bool, after: bytes, kept: str
) -> None:
    """G5, SPEC 3 (write_file): BOM, encoding and a uniform line ending; the reply says when it changed the text."""
    (root / "f").write_bytes(before)
    read_page(session, "f", _WHOLE)
    result = write_file(session, "f", sent, keep_newlines=keep)
    assert (root / "f").read_bytes() == after
    assert (result.kept_newline, result.created) == (kept, False)
    assert result.version == _token(after, whole=True)


def test_a_character_that_the_encoding_has_not_is_refused(session: Session, root: Path) -> None:
    """SPEC 4.10."""
    (root / "f").write_bytes(b"caf\xe9\n")
    read_page(session, "f", _WHOLE)
    with pytest.raises(ContentRefused) as refused:
        write_file(session, "f", "café\n")
    assert (refused.value.code, refused.value.detail) == ("not_encodable", "é")
    assert (root / "f").read_bytes() == b"caf\xe9\n"


def test_half_a_character_is_refused_and_makes_no_file(session: Session, root: Path) -> None:
    """HOSTILE 29: also where the library is called with one."""
    with pytest.raises(ReadfirstError):
        write_file(session, "new", "half \ud83d\n")
    assert os.listdir(root) == []


def test_the_same_text_leaves_the_file_alone(session: Session, root: Path) -> None:
    """HOSTILE 57: neither its time nor its inode."""
    (root / "f").write_text("one\n")
    read_page(session, "f", _WHOLE)
    before = (root / "f").stat()
    assert write_file(session, "f", "one\n", dry_run=True).diff is None
    result = write_file(session, "f", "one\n")
    after = (root / "f").stat()
    assert (after.st_mtime_ns, after.st_ino) == (before.st_mtime_ns, before.st_ino)
    assert (result.diff, result.lines, result.version) == (None, (), _token(b"one\n", whole=True))


def test_a_dry_run_writes_nothing_and_licenses_the_real_one(session: Session, root: Path) -> None:
    """SPEC 4.8."""
    (root / "f").write_text("one\n")
    read_page(session, "f", _WHOLE)
    before = (root / "f").stat()
    result = write_file(session, "f", "two\n", dry_run=True)
    assert result.diff is not None
    assert result.diff.text == "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-one\n+two"
    assert (result.dry_run, result.version) == (True, _token(b"one\n", whole=False))
    after = (root / "f").stat()
    assert (after.st_mtime_ns, after.st_ino) == (before.st_mtime_ns, before.st_ino)
    write_file(session, "f", "two\n")
    assert (root / "f").read_text() == "two\n"


@pytest.mark.parametrize(("whole", "error"), [(True, None), (False, Unseen)], ids=["marked", "unmarked"])
def test_only_a_marked_version_stands_for_every_line(
    session: Session, root: Path, whole: bool, error: type[Exception] | None
) -> None:
    """SPEC 2 (version tokens)."""
    (root / "f").write_text(numbered(1, 100))
    token = _token(numbered(1, 100).encode(), whole=whole)
    if error is None:
        write_file(session, "f", "new\n", version=token)
        assert (root / "f").read_text() == "new\n"
    else:
        with pytest.raises(error):
            write_file(session, "f", "new\n", version=token)


@pytest.mark.parametrize(
    ("name", "code"), [("binary", "not_text"), ("dir", "not_a_file"), (".", "not_a_file"), ("../out", "outside")]
)
def test_what_cannot_be_overwritten_is_refused(session: Session, root: Path, name: str, code: str) -> None:
    """SPEC 4.10, 7, HOSTILE 39, 53."""
    (root / "binary").write_bytes(b"a\0b\n")
    (root / "dir").mkdir()
    with pytest.raises(ReadfirstError) as refused:
        write_file(session, name, "text\n")
    assert (refused.value.code, refused.value.path) == (code, name)
    assert sorted(os.listdir(root)) == ["binary", "dir"]


def test_more_text_than_one_call_may_write_is_refused(root: Path) -> None:
    """SPEC 8: counted in bytes, before anything is looked at."""
    with Workspace([str(root)], settings=Settings(write_bytes=3)) as workspace:
        write_file(workspace.session(), "new", "abc")
        with pytest.raises(ContentRefused) as refused:
            write_file(workspace.session(), "other", "éé")
    assert (refused.value.code, refused.value.size, refused.value.limit) == ("too_large", 4, 3)
    assert os.listdir(root) == ["new"]


def test_a_file_too_large_to_be_edited_is_refused(root: Path) -> None:
    """SPEC 8."""
    (root / "f").write_text("12345")
    with Workspace([str(root)], settings=Settings(edit_bytes=4)) as workspace, pytest.raises(ContentRefused) as refused:
        write_file(workspace.session(), "f", "x")
    assert (refused.value.code, refused.value.size, refused.value.limit) == ("too_large", 5, 4)
