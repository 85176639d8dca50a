"""Scenarios of files that others change, or only touch, between the read and the change, on every store."""

from __future__ import annotations

import mmap
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from tests.wire.scenarios import LONG, NEW, SMALL, Call, World, append, call, delete, edit, read, version_in, write


def _away_and_back(path: Path) -> None:
    path.rename(path.with_suffix(".away")).rename(path)


def _recreated(path: Path) -> None:
    data = path.read_bytes()
    path.unlink()
    path.write_bytes(data)


def _through_a_copy(path: Path) -> None:
    shutil.copy(path, path.with_suffix(".copy"))
    path.with_suffix(".copy").replace(path)


def _checked_out_and_back(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(b"another branch\n")
    path.write_bytes(data)


_NO_CHANGES: Final[dict[str, Callable[[Path], object]]] = {
    "touched": lambda path: os.utime(path, (2e9, 2e9)),
    "times set back": lambda path: os.utime(path, (1, 1)),
    "another mode": lambda path: path.chmod(0o600),
    "saved by a formatter that changes nothing": lambda path: path.write_bytes(path.read_bytes()),
    "renamed away and back": _away_and_back,
    "deleted and recreated": _recreated,
    "replaced by a copy": _through_a_copy,
    "checked out and back": _checked_out_and_back,
}


@pytest.mark.guarantee("G2")
@pytest.mark.parametrize("what", _NO_CHANGES)
def test_the_same_bytes_are_no_change(world: World, what: str) -> None:
    """SPEC 1, G2: bytes decide, never times; reports 1 to 4, 8 and notes 1.3."""
    path = world.file("long.txt", LONG)
    world.do(read(path))
    _NO_CHANGES[what](Path(path))
    world.do(edit(path, "line 5\n", ""))
    _NO_CHANGES[what](Path(path))
    world.do(write(path))


def _same_size_and_times(path: Path) -> None:
    status = path.stat()
    path.write_text(path.read_text().replace("line 9\n", "LINE 9\n"))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def _replaced_by_an_older_file(path: Path) -> None:
    backup = path.with_suffix(".old")
    backup.write_text(path.read_text().replace("line 9\n", "old line 9\n"))
    os.utime(backup, (1, 1))
    backup.replace(path)


def _mapped(path: Path) -> None:
    with path.open("r+b") as file, mmap.mmap(file.fileno(), 0) as memory:
        memory[:4] = b"LINE"


_REAL_CHANGES: Final[dict[str, Callable[[Path], object]]] = {
    "a line": lambda path: path.write_text(path.read_text().replace("line 9\n", "nine\n")),
    "same size, same times": _same_size_and_times,
    "replaced by an older file": _replaced_by_an_older_file,
    "written through a mapping": _mapped,
    "no final line break": lambda path: path.write_text(path.read_text().removesuffix("\n")),
}


@pytest.mark.guarantee("G2")
@pytest.mark.parametrize("what", _REAL_CHANGES)
def test_other_bytes_are_a_change_that_is_shown_and_the_same_edit_lands(world: World, what: str) -> None:
    """SPEC 2, refusals teach: the diff counts as read; reports 5, 6 and notes 1.3."""
    path = world.file("long.txt", LONG)
    world.do(read(path))
    _REAL_CHANGES[what](Path(path))
    changed = Path(path).read_bytes()
    text = world.taught(edit(path, "line 50\n", "fifty\n"), "stale")
    assert "send the call again if it still fits.\n--- " in text
    assert Path(path).read_bytes() == changed.replace(b"line 50\n", b"fifty\n")


@pytest.mark.guarantee("G2")
def test_other_line_endings_are_a_change(world: World) -> None:
    """SPEC 1, G2; notes 1.3: a hash of decoded text misses it."""
    path = world.file("small.txt", SMALL)
    world.do(read(path))
    world.file("small.txt", SMALL.replace("\n", "\r\n"))
    world.taught(edit(path, "two", "2"), "stale")
    assert world.text("small.txt") == "one\r\n2\r\nthree\r\n"


@pytest.mark.guarantee("G2")
def test_a_byte_order_mark_is_a_change(world: World) -> None:
    """SPEC 1, G2: bytes decide; G5: it is kept."""
    path = world.file("small.txt", SMALL)
    world.do(read(path))
    world.file("small.txt", "\ufeff" + SMALL)
    world.taught(edit(path, "two", "2"), "stale")
    assert world.text("small.txt") == "\ufeffone\n2\nthree\n"


@pytest.mark.guarantee("G2")
@pytest.mark.parametrize("wanted", [edit("", "line 1\n", ""), write(""), delete("")], ids=lambda call: call.tool)
def test_a_change_too_large_to_show_names_the_lines_to_read(world: World, wanted: Call) -> None:
    """SPEC 2: the diff is capped, else which lines to read."""
    path = world.file("long.txt", LONG)
    wanted = Call(wanted.tool, {**wanted.arguments, "path": path})
    world.do(read(path))
    world.file("long.txt", "".join(f"line {n}\n" if n <= 10 else f"row {n}\n" for n in range(1, 101)))
    codes = ("stale", "unseen") if wanted.tool == "write_file" else ("stale",)
    world.taught(wanted, *codes)


@pytest.mark.guarantee("G3")
def test_an_overwrite_after_a_change_needs_the_rest_shown(world: World) -> None:
    """SPEC 2: coverage becomes the lines of the diff; report 24."""
    path = world.file("long.txt", LONG)
    world.do(read(path))
    world.file("long.txt", LONG.replace("line 9\n", "nine\n"))
    text = world.taught(write(path), "stale")
    assert f'read the rest first, read_file(path="{path}").\n' in text
    assert world.text("long.txt") == NEW


@pytest.mark.guarantee("G3")
def test_an_overwrite_after_a_change_that_shows_the_whole_file_is_sent_again(world: World) -> None:
    """SPEC 2, refusals teach."""
    path = world.file("small.txt", SMALL)
    world.do(read(path))
    world.file("small.txt", SMALL.replace("two", "2"))
    world.taught(write(path), "stale")
    assert world.text("small.txt") == NEW


@pytest.mark.guarantee("G2")
def test_a_file_that_changed_is_not_deleted_before_the_change_was_shown(world: World) -> None:
    """SPEC 1, G2."""
    path = world.file("long.txt", LONG)
    world.do(read(path))
    world.file("long.txt", LONG + "more\n")
    text = world.taught(delete(path), "stale")
    assert text.endswith("\n+more")
    assert world.names() == []


@pytest.mark.guarantee("G2")
def test_a_change_by_another_session_is_shown_and_kept(world: World, stranger: World) -> None:
    """Reports 24 to 29: A reads, B edits, A writes."""
    path = world.file("long.txt", LONG)
    world.do(read(path))
    stranger.do(read(path), edit(path, "line 3\n", "by B\n"))
    assert "+by B\n" in world.taught(edit(path, "line 90\n", "by A\n"), "stale")
    assert "+by A\n" in stranger.taught(edit(path, "line 50\n", "B again\n"), "stale")
    assert "+B again\n" in world.refused(write(path), "stale")


@pytest.mark.guarantee("G2")
def test_a_formatter_after_an_own_write_is_told_by_its_difference(world: World) -> None:
    """Reports 4, 6, 7, 43: own writes license, and only what the formatter did is shown."""
    path = world.path("a.py")
    world.do(write(path, "a=1\n" + LONG))
    world.file("a.py", "a = 1\n" + LONG)
    text = world.taught(edit(path, "a = 1", "a = 2"), "stale")
    assert "\n-a=1\n+a = 1\n" in text


@pytest.mark.guarantee("G2")
def test_a_change_is_told_before_a_text_that_is_not_found(world: World) -> None:
    """SPEC 4.1: staleness is reported before a mismatch; notes 1.2."""
    path = world.file("small.txt", SMALL)
    world.do(read(path))
    world.file("small.txt", "other\n")
    world.refused(edit(path, "two", "2"), "stale")
    world.refused(edit(path, "two", "2"), "no_match")


@pytest.mark.guarantee("G2")
def test_a_dry_run_is_refused_as_stale_too(world: World) -> None:
    """SPEC 4.1: a dry run stops only before the commit."""
    path = world.file("small.txt", SMALL)
    world.do(read(path))
    world.file("small.txt", SMALL + "four\n")
    world.taught(edit(path, "two", "2", dryRun=True), "stale")
    world.do(edit(path, "two", "2"))
    assert world.text("small.txt") == "one\n2\nthree\nfour\n"


@pytest.mark.guarantee("G2")
def test_each_change_is_shown_before_the_call_lands(world: World) -> None:
    """SPEC 2: a refusal licenses the version that it showed, and no later one."""
    path = world.file("small.txt", SMALL)
    world.do(read(path))
    for number in range(3):
        world.file("small.txt", SMALL + f"{number}\n")
        assert world.refused(edit(path, "two", "2"), "stale").endswith(f"\n+{number}")
    world.do(edit(path, "two", "2"))


@pytest.mark.guarantee("G2")
def test_an_edit_on_its_way_when_the_change_was_shown_is_refused_too(world: World) -> None:
    """SPEC 2: it was written blind; reports 30, 31."""
    path = world.file("small.txt", SMALL)
    world.do(read(path))
    world.file("small.txt", SMALL + "four\n")
    assert world.at_once(edit(path, "one", "1"), edit(path, "two", "2")) == ["stale", "stale"]
    assert world.at_once(edit(path, "one", "1"), edit(path, "two", "2")) == ["", ""]


@pytest.mark.guarantee("G2")
def test_an_own_edit_that_somebody_took_back_is_told(world: World) -> None:
    """SPEC 2; report 32: an editor's autosave writes the old text."""
    path = world.file("long.txt", LONG)
    world.do(read(path), edit(path, "line 7\n", "seven\n7b\n"))
    world.file("long.txt", LONG)
    text = world.taught(edit(path, "line 50\n", ""), "stale")
    assert "changed: your edit to lines 7-8 is no longer in the file." in text
    world.file("long.txt", LONG)
    assert "; your edit to lines 49-50 is no longer in the file; " in world.do(read(path))


def test_a_read_after_a_change_says_so_and_shows_what_is_there_now(world: World) -> None:
    """SPEC 2; reports 19, 21: a read never answers "unchanged", nor from a cache."""
    path = world.file("small.txt", SMALL)
    assert world.do(read(path)).splitlines()[:3] == world.do(read(path)).splitlines()[:3]
    world.file("small.txt", "other\n")
    text = world.do(read(path))
    assert text.startswith("1\tother\n[the only line; the file changed since your last read; version w")


@pytest.mark.guarantee("G3")
def test_pages_of_two_versions_do_not_add_up(world: World) -> None:
    """SPEC 2: one version at a time."""
    path = world.file("long.txt", LONG)
    world.do(read(path, limit=50))
    world.file("long.txt", LONG.replace("line 9\n", "nine\n"))
    world.do(read(path, offset=51))
    assert world.taught(write(path), "unseen").startswith("Lines 1-50 of 100")


@pytest.mark.guarantee("G2")
def test_an_append_does_not_make_a_stale_record_fresh(world: World) -> None:
    """SPEC 2: an append never creates or widens a record."""
    path = world.file("small.txt", SMALL)
    world.do(read(path))
    world.file("small.txt", SMALL.replace("one", "1"))
    world.do(append(path, "four\n"))
    assert "\n-one\n+1\n" in world.taught(edit(path, "four", "4"), "stale")


@pytest.mark.guarantee("G2")
def test_a_file_that_was_deleted_is_missing_and_one_in_its_place_is_another_version(world: World) -> None:
    """SPEC 5: a missing file's error; G2."""
    path = world.file("small.txt", SMALL)
    world.do(read(path))
    Path(path).unlink()
    assert "does not exist" in world.refused(edit(path, "two", "2"), "not_found")
    world.file("small.txt", "another\n")
    world.taught(write(path), "stale")


@pytest.mark.guarantee("G2")
def test_a_change_of_a_file_too_large_to_be_kept_names_a_read(world: World) -> None:
    """SPEC 2: when nobody knows what changed, the lines around what was seen."""
    path = world.file("large.txt", LONG * 6_000)
    world.do(read(path, limit=5))
    world.file("large.txt", "first\n" + LONG * 6_000)
    text = world.taught(edit(path, "first\n", ""), "stale")
    assert text.endswith(f'Read it again: read_file(path="{path}", offset=1, limit=5)')


@pytest.mark.guarantee("G2")
@pytest.mark.parametrize(
    "content", [SMALL.encode("utf-16"), SMALL.encode("latin-1") + b"\xe9\n"], ids=["utf-16", "guess"]
)
def test_another_encoding_is_a_change(world: World, content: bytes) -> None:
    """SPEC 1, G2: bytes decide; G5."""
    path = world.file("small.txt", SMALL)
    world.do(read(path))
    world.file("small.txt", content)
    world.taught(edit(path, "two", "2"), "stale")


@pytest.mark.guarantee("G2")
@pytest.mark.parametrize("text", [SMALL, LONG], ids=["small", "long"])
def test_a_file_that_was_emptied_changed_and_one_that_was_filled_too(world: World, text: str) -> None:
    """SPEC 1, G2: an empty file needs no read, but one that became empty has changed."""
    path, filled = world.file("a.txt", text), world.file("b.txt", "")
    world.do(read(path), read(filled))
    world.file("a.txt", "")
    world.file("b.txt", text)
    world.taught(write(path), "stale")
    world.taught(write(filled), "stale")


@pytest.mark.guarantee("G2")
def test_a_text_that_became_binary_is_no_text_and_may_be_deleted(world: World) -> None:
    """SPEC 4.10; 3: `get_file_info` is then the look that a deletion needs."""
    path = world.file("small.txt", SMALL)
    world.do(read(path))
    world.file("small.txt", b"\0\1")
    world.refused(edit(path, "two", "2"), "not_text")
    assert world.taught(delete(path), "stale").endswith(f'Look at it again: get_file_info(path="{path}")')


@pytest.mark.guarantee("G2")
def test_a_marked_token_does_not_license_another_version(world: World) -> None:
    """SPEC 2, version tokens: if given, it must equal the version on disk."""
    path = world.file("long.txt", LONG)
    version = version_in(world.do(read(path)))
    world.file("long.txt", LONG.replace("line 9\n", "nine\n"))
    for wanted in (edit(path, "line 1\n", "", version=version), write(path, version=version)):
        text = world.refused(wanted, "stale")
        assert "is not the version you gave" in text


def test_listing_what_changed_counts_for_nothing(world: World) -> None:
    """SPEC 2: listings show nothing."""
    path = world.file("small.txt", SMALL)
    world.do(read(path))
    world.file("small.txt", SMALL + "four\n")
    world.do(call("list_directory", path=str(world.root)), call("get_file_info", path=path))
    world.refused(edit(path, "two", "2"), "stale")
