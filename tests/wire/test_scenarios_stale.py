"""Scenarios of files that others change between the read and the change, on every store."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.wire.scenarios import (
    LONG,
    NEW,
    SMALL,
    Call,
    World,
    append,
    call,
    delete,
    edit,
    read,
    version_in,
    write,
)


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
