"""Whole files as they are, and what counts as read then."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from readfirst import Edit, LineRange, ReadfirstError, ReadRequest, Session, Settings, Workspace, edit_file, read_page
from readfirst.content.media import Media
from readfirst.sessions.ledger import FileRecord
from readfirst.workspace.browse import get_file_info
from readfirst.workspace.edit import write_file
from readfirst.workspace.manage import delete_file
from readfirst.workspace.media import WholeFile, read_media, read_resource
from tests.workspace.conftest import Outage

_PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(20)

Read = Callable[[Session, str], WholeFile]


def _by_tool(session: Session, path: str) -> WholeFile:
    return read_media(session, path).file


def _as_resource(session: Session, path: str) -> WholeFile:
    return read_resource(session.workspace, path)


_EITHER = pytest.mark.parametrize("read", [_by_tool, _as_resource], ids=["tool", "resource"])


def _record(session: Session, path: str) -> FileRecord | None:
    with session.workspace.roots.confine(path) as target:
        return session.record(target)


@_EITHER
@pytest.mark.parametrize(
    ("name", "data", "media", "text"),
    [
        pytest.param("a.png", _PNG, Media("image", "image/png"), None, id="image"),
        pytest.param("a.txt", b"one\r\ntwo", Media("text", "text/plain"), "one\r\ntwo", id="text as it is"),
        pytest.param("a.svg", b"<svg/>\n", Media("text", "image/svg+xml"), "<svg/>\n", id="svg"),
        pytest.param("a", "\ufeffh\u00e9".encode("utf-16-le"), Media("text", "text/plain"), "h\u00e9", id="utf-16"),
        pytest.param("a.txt", b"caf\xe9 cr\xe8me\n", Media("other", "text/plain"), None, id="text by a guess only"),
        pytest.param("a", b"", Media("text", "text/plain"), "", id="empty"),
        pytest.param("a.bin", b"\0\1", Media("other", "application/octet-stream"), None, id="bytes"),
    ],
)
def test_a_file_comes_whole(  # noqa: PLR0913, PLR0917 - a row has four columns
    session: Session, root: Path, read: Read, name: str, data: bytes, media: Media, text: str | None
) -> None:
    """SPEC 3 (`read_media_file`, Resources): text as text, else the bytes."""
    (root / name).write_bytes(data)
    file = read(session, name)
    assert (file.path, file.media, file.data, file.text) == (str(root / name), media, data, text)


@pytest.mark.guarantee("G3")
def test_all_lines_of_a_text_read_so_are_seen(session: Session, root: Path) -> None:
    """SPEC 2: all of a file by `read_media_file`; so it can be overwritten."""
    (root / "a.svg").write_text("<svg>\n" * 3_000)
    read_media(session, "a.svg")
    record = _record(session, "a.svg")
    assert record is not None
    assert record.coverage.ranges == (LineRange(1, 3_000),)
    write_file(session, "a.svg", "<svg/>\n")


@pytest.mark.guarantee("G1")
def test_a_binary_file_read_so_can_be_deleted(session: Session, root: Path) -> None:
    """SPEC 2: it was read; G2 holds for it."""
    (root / "a.png").write_bytes(_PNG)
    read_media(session, "a.png")
    (root / "a.png").write_bytes(_PNG + b"x")
    with pytest.raises(ReadfirstError, match="stale"):
        delete_file(session, "a.png")
    read_media(session, "a.png")
    view = get_file_info(session, "a.png").view
    assert view is not None
    assert view.state == "fresh"
    delete_file(session, "a.png")
    assert os.listdir(root) == []


def test_its_version_stands_in_for_a_read(session: Session, root: Path) -> None:
    """SPEC 2: the token is marked, since the whole file was shown."""
    (root / "a.bin").write_bytes(b"\0one")
    version = read_media(session, "a.bin").version
    assert version.startswith("w")
    delete_file(session.workspace.session("another"), "a.bin", version=version)


@pytest.mark.guarantee("G1")
@pytest.mark.parametrize("data", [b"one\n" * 100, b"\0one"], ids=["text", "binary"])
def test_a_resource_counts_as_nothing(session: Session, root: Path, data: bytes) -> None:
    """SPEC 2: a client application reads resources, perhaps not the model."""
    (root / "a").write_bytes(data)
    read_resource(session.workspace, "a")
    assert _record(session, "a") is None
    with pytest.raises(ReadfirstError, match="not_read"):
        delete_file(session, "a")


@_EITHER
@pytest.mark.parametrize(
    ("path", "code"),
    [
        pytest.param("missing", "not_found", id="missing"),
        pytest.param("d", "not_a_file", id="directory"),
        pytest.param("p", "not_a_file", id="pipe"),
        pytest.param("out", "outside", id="link that leaves"),
        pytest.param("large", "too_large", id="over the limit"),
    ],
)
def test_what_is_no_file_to_be_shown_is_refused(root: Path, read: Read, path: str, code: str) -> None:
    """SPEC 7 and 8; a file of just the limit is shown."""
    (root / "d").mkdir()
    os.mkfifo(root / "p")
    (root / "out").symlink_to("/etc/passwd")
    (root / "large").write_bytes(bytes(11))
    (root / "just").write_bytes(bytes(10))
    with Workspace([str(root)], settings=Settings(media_bytes=10)) as workspace:
        with pytest.raises(ReadfirstError) as refused:
            read(workspace.session(), path)
        assert refused.value.code == code
        assert len(read(workspace.session(), "just").data) == 10


def test_the_limit_is_the_published_one() -> None:
    """SPEC 8: media 20 MB."""
    assert Settings().media_bytes == 20 * 1024 * 1024


@pytest.mark.parametrize(("limit", "hinted"), [(4, True), (3, False)], ids=["small", "too large for that"])
def test_the_refusal_of_a_binary_file_names_the_call_that_shows_it(root: Path, limit: int, *, hinted: bool) -> None:
    """G12: or says nothing, when none will."""
    (root / "a").write_bytes(b"\0one")
    settings = Settings(media_bytes=limit)
    with Workspace([str(root)], settings=settings) as workspace, pytest.raises(ReadfirstError) as refused:
        read_page(workspace.session(), "a", ReadRequest())
    assert [call.action for call in refused.value.next_calls] == (["media"] if hinted else [])


def test_a_read_tells_what_happened_to_the_file(session: Session, root: Path) -> None:
    """SPEC 2: a changed file, and an own edit that is gone."""
    path = root / "a.txt"
    path.write_text("one\n")
    assert not read_media(session, "a.txt").changed
    path.write_text("two\n")
    assert read_media(session, "a.txt").changed
    edit_file(session, "a.txt", [Edit("two", "2")])
    path.write_text("two\n")
    assert read_media(session, "a.txt").undone == LineRange(1, 1)


def test_reading_goes_on_when_the_store_is_down(outage: tuple[Session, Outage], root: Path) -> None:
    """SPEC 2 (Stores): reads still work."""
    session, down = outage
    (root / "a.png").write_bytes(_PNG)
    read_media(session, "a.png")
    with down():
        assert read_media(session, "a.png").file.data == _PNG
