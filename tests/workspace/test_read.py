"""Reading pages at library level: what is shown, what is remembered of it, and where reading makes no sense."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from readfirst.content.digest import digest_of, version_token
from readfirst.content.lines import index_of
from readfirst.errors import ContentRefused, DiskRefused, NextCall, PathRefused
from readfirst.filesystem.files import OpenFile, open_file
from readfirst.settings import Settings
from readfirst.spans import LineRange
from readfirst.workspace.context import Session, Workspace
from readfirst.workspace.read import (
    ReadRequest,
    indexed,
    read_page,
)
from tests.workspace.conftest import numbered


@pytest.mark.parametrize(
    ("request_", "text", "lines", "next_line"),
    [
        pytest.param(ReadRequest(), "1\ta\n2\tb\n3\tc", LineRange(1, 3), None, id="all"),
        pytest.param(ReadRequest(offset=2), "2\tb\n3\tc", LineRange(2, 3), None, id="offset"),
        pytest.param(ReadRequest(offset=2, limit=1), "2\tb", LineRange(2, 2), 3, id="offset and limit"),
        pytest.param(ReadRequest(limit=10**15), "1\ta\n2\tb\n3\tc", LineRange(1, 3), None, id="huge limit"),
        pytest.param(ReadRequest(head=2), "1\ta\n2\tb", LineRange(1, 2), 3, id="head"),
        pytest.param(ReadRequest(head=9), "1\ta\n2\tb\n3\tc", LineRange(1, 3), None, id="long head"),
        pytest.param(ReadRequest(head=0), "", None, None, id="no head"),
        pytest.param(ReadRequest(tail=2), "2\tb\n3\tc", LineRange(2, 3), None, id="tail"),
        pytest.param(ReadRequest(tail=9), "1\ta\n2\tb\n3\tc", LineRange(1, 3), None, id="long tail"),
        pytest.param(ReadRequest(tail=0), "", None, None, id="no tail"),
        pytest.param(ReadRequest(max_chars=7), "1\ta\n2\tb", LineRange(1, 2), 3, id="characters"),
        pytest.param(ReadRequest(numbered=False), "a\nb\nc\n", LineRange(1, 3), None, id="without numbers"),
    ],
)
def test_a_request_gives_its_lines(
    session: Session, root: Path, request_: ReadRequest, text: str, lines: LineRange | None, next_line: int | None
) -> None:
    """SPEC 3, 3.1."""
    (root / "f").write_text("a\nb\nc\n")
    result = read_page(session, "f", request_)
    assert (result.page.text, result.page.lines, result.page.next_line) == (text, lines, next_line)
    assert (result.path, result.total, result.encoding, result.sure) == ("f", 3, "utf-8", True)


@pytest.mark.parametrize(
    ("request_", "mark"),
    [
        pytest.param(ReadRequest(), True, id="all lines"),
        pytest.param(ReadRequest(limit=2), False, id="some lines"),
        pytest.param(ReadRequest(column=2), False, id="all but a character"),
        pytest.param(ReadRequest(tail=3), True, id="a tail of all lines"),
        pytest.param(ReadRequest(head=0), None, id="none"),
    ],
)
def test_the_version_is_marked_only_when_the_whole_file_was_shown(
    session: Session, root: Path, request_: ReadRequest, mark: bool | None
) -> None:
    """SPEC 2 (version tokens)."""
    (root / "f").write_text("aa\nb\nc\n")
    wanted = "" if mark is None else version_token(digest_of(b"aa\nb\nc\n"), whole=mark)
    result = read_page(session, "f", request_)
    assert (result.version, result.whole) == (wanted, mark is True)


def test_an_empty_file_is_read_whole(session: Session, root: Path) -> None:
    """SPEC 3.1: "0 lines"."""
    (root / "f").write_text("")
    result = read_page(session, "f", ReadRequest())
    assert (result.page.text, result.total, result.whole) == ("", 0, True)
    assert result.version == version_token(digest_of(b""), whole=True)


@pytest.mark.parametrize(
    ("data", "text", "encoding", "sure"),
    [
        pytest.param(b"\xef\xbb\xbfa\r\nb", "1\ta\n2\tb", "utf-8 with BOM", True, id="BOM, CRLF"),
        pytest.param("\ufeffä\nb\n".encode("utf-16-le"), "1\tä\n2\tb", "utf-16-le with BOM", True, id="UTF-16"),
        pytest.param(b"a\xffb\n", "1\ta\xffb", "cp1252", False, id="invalid bytes"),
        pytest.param(b"a\rb", "1\ta\n2\tb", "utf-8", True, id="CR alone"),
    ],
)
def test_every_encoding_is_shown_as_text(
    session: Session, root: Path, data: bytes, text: str, encoding: str, sure: bool
) -> None:
    """SPEC 4.10, HOSTILE 49-52."""
    (root / "f").write_bytes(data)
    result = read_page(session, "f", ReadRequest())
    assert (result.page.text, result.encoding, result.sure) == (text, encoding, sure)


@pytest.mark.parametrize("data", [b"a\0b\n", b"\xff\xfea\0\n"], ids=["NUL bytes", "broken UTF-16"])
def test_what_is_not_text_is_refused(session: Session, root: Path, data: bytes) -> None:
    """HOSTILE 53."""
    (root / "f").write_bytes(data)
    with pytest.raises(ContentRefused) as refused:
        read_page(session, "f", ReadRequest())
    assert (refused.value.code, refused.value.path) == ("not_text", "f")


@pytest.mark.parametrize(
    ("limit", "last"),
    [(0, LineRange(1, 100)), (10, LineRange(91, 100)), (1_000, LineRange(1, 100))],
    ids=["no limit", "a limit", "a limit longer than the file"],
)
def test_an_offset_past_the_end_names_the_last_lines(session: Session, root: Path, limit: int, last: LineRange) -> None:
    """SPEC 3.1: with the number of lines, and a next call that shows the end of the file."""
    (root / "f").write_text(numbered(1, 100))
    with pytest.raises(ContentRefused) as refused:
        read_page(session, "f", ReadRequest(offset=101, limit=limit))
    assert (refused.value.code, refused.value.size, refused.value.detail) == ("past_end", 100, "")
    assert refused.value.next_calls == (NextCall("read", "f", last),)


def test_an_offset_in_an_empty_file_is_past_its_end(session: Session, root: Path) -> None:
    """SPEC 3.1."""
    (root / "f").write_text("")
    with pytest.raises(ContentRefused) as refused:
        read_page(session, "f", ReadRequest(offset=2))
    assert (refused.value.code, refused.value.size) == ("past_end", 0)


def test_a_column_past_the_end_of_its_line_names_the_line(session: Session, root: Path) -> None:
    """SPEC 3.1, G12: the next call works on the last line too."""
    (root / "f").write_text("a\nbb")
    with pytest.raises(ContentRefused) as refused:
        read_page(session, "f", ReadRequest(offset=2, column=3))
    assert (refused.value.code, refused.value.size, refused.value.detail) == ("past_end", 2, "column")
    assert refused.value.next_calls == (NextCall("read", "f", LineRange(2, 2)),)


def test_a_line_longer_than_the_page_goes_on_at_a_column(session: Session, root: Path) -> None:
    """SPEC 3.1: cut at the budget, never in the middle."""
    (root / "f").write_text("abcdef\n")
    first = read_page(session, "f", ReadRequest(max_chars=5)).page
    assert (first.text, first.whole, first.next_line, first.next_column) == ("1\tabc", None, 1, 4)
    second = read_page(session, "f", ReadRequest(column=4)).page
    assert (second.text, second.next_line) == ("1\tdef", None)


def test_no_page_is_larger_than_the_largest(root: Path) -> None:
    """SPEC 3.1: whatever was asked."""
    (root / "f").write_text(numbered(1, 100))
    with Workspace([str(root)], settings=Settings(max_page_chars=50, page_chars=20)) as workspace:
        default = read_page(workspace.session(), "f", ReadRequest())
        asked = read_page(workspace.session(), "f", ReadRequest(max_chars=10**15))
    assert (len(default.page.text), len(asked.page.text)) == (17, 44)


def test_a_read_says_that_the_file_changed_since_the_last(session: Session, root: Path) -> None:
    """SPEC 2."""
    (root / "f").write_text("one\n")
    assert not read_page(session, "f", ReadRequest()).changed
    assert not read_page(session, "f", ReadRequest()).changed
    (root / "f").write_text("two\n")
    assert read_page(session, "f", ReadRequest()).changed
    assert not read_page(session, "f", ReadRequest()).changed


@pytest.mark.parametrize(("name", "code"), [("missing", "not_found"), ("dir", "not_a_file"), ("pipe", "not_a_file")])
def test_what_cannot_be_read_is_refused(session: Session, root: Path, name: str, code: str) -> None:
    """SPEC 7, HOSTILE 35, 39."""
    (root / "dir").mkdir()
    os.mkfifo(root / "pipe")
    with pytest.raises(PathRefused) as refused:
        read_page(session, name, ReadRequest())
    assert (refused.value.code, refused.value.path) == (code, name)


def _streaming(directory: str) -> Workspace:
    """Open a workspace that holds no file in memory."""
    return Workspace([directory], settings=Settings(kept_bytes_per_file=-1))


def test_a_large_file_is_streamed_and_shown_alike(root: Path) -> None:
    """ARCHITECTURE: reads stream; only the page is decoded."""
    (root / "f").write_text(numbered(1, 40_000))
    with _streaming(str(root)) as workspace, Workspace([str(root)]) as other:
        for request in (ReadRequest(), ReadRequest(offset=39_990), ReadRequest(tail=3)):
            assert read_page(workspace.session(), "f", request) == read_page(other.session(), "f", request)


def test_an_old_large_file_is_indexed_once_and_a_wrong_index_is_found_out() -> None:
    """SPEC 3.1, ARCHITECTURE: a page proves by its own bytes that it belongs to the version that was indexed."""
    stdlib = os.path.realpath(os.path.dirname(os.__file__))
    with _streaming(stdlib) as workspace:
        first = read_page(workspace.session(), "os.py", ReadRequest(limit=5))
        with workspace.roots.confine("os.py") as target, open_file(target) as file:
            signature, path = file.signature(), target.path
        known = workspace.indexes.get(path, signature)
        assert known is not None
        assert known.digest == digest_of(Path(path).read_bytes())
        assert read_page(workspace.session(), "os.py", ReadRequest(limit=5)).page == first.page
        assert workspace.indexes.get(path, signature) is known
        workspace.indexes.put(path, signature, index_of(b"other\n"))
        assert read_page(workspace.session(), "os.py", ReadRequest(limit=5)).page == first.page


def test_a_file_that_changes_at_every_look_is_busy() -> None:
    """SPEC 2: a page and its digest are one version, or there is no page."""
    with _streaming("/proc/sys/kernel/random") as workspace, pytest.raises(DiskRefused) as refused:
        read_page(workspace.session(), "uuid", ReadRequest())
    assert (refused.value.code, refused.value.path) == ("busy", "uuid")


class _Growing(OpenFile):
    """A file to which somebody appends while it is read."""

    def __init__(self, path: Path) -> None:
        super().__init__(os.open(path, os.O_RDONLY), str(path))
        self._grown = path

    def chunk(self, number: int) -> bytes:
        chunk = super().chunk(number)
        with self._grown.open("a") as file:
            file.write("more\n")
        return chunk


def test_the_index_of_a_file_that_changed_while_it_was_hashed_is_not_kept(root: Path) -> None:
    """SPEC 2: size, times and inode stand in for hashing only when they were the same before and after."""
    (root / "f").write_text("one\n")
    with _streaming(str(root)) as workspace, workspace.roots.confine("f") as target, _Growing(root / "f") as file:
        index, _, content = indexed(workspace.session(), target, file)
        assert (index.digest, content) == (digest_of(b"one\n"), None)
        assert workspace.indexes.get(target.path, file.signature()) is None
