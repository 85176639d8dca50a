"""Scenarios of own writes, appends, copies, moves, other names and deletions: the record goes where the file goes."""

from __future__ import annotations

import os

import pytest

from tests.wire.scenarios import (
    LONG,
    NEW,
    SMALL,
    World,
    append,
    call,
    copy,
    delete,
    edit,
    info,
    move,
    read,
    write,
)

_BINARY = b"\x89PNG\0\1\2\3"


@pytest.mark.guarantee("G4")
def test_what_the_session_wrote_needs_no_read(world: World) -> None:
    """SPEC 1, G4; report 43: most whole writes are of files that the agent made."""
    path = world.path("deep/new.txt")
    world.do(
        write(path, LONG), edit(path, "line 5\n", "five\n"), edit(path, "five", "5"), write(path), write(path, SMALL)
    )
    world.do(edit(path, "two", "2", every=True), delete(path))


@pytest.mark.guarantee("G1")
def test_an_append_to_a_file_that_was_not_read_licenses_nothing(world: World) -> None:
    """SPEC 2: an append never creates a record."""
    path = world.file("long.txt", LONG)
    world.do(append(path, "more\n"))
    assert world.text("long.txt") == LONG + "more\n"
    world.taught(edit(path, "more", "less"), "not_read")


@pytest.mark.guarantee("G4")
def test_an_append_to_a_file_that_was_read_keeps_what_was_seen(world: World) -> None:
    """SPEC 2: own writes shift a record; the last line had no end."""
    path = world.file("long.txt", LONG + "end")
    world.do(read(path), append(path, " of file\nmore\n"), write(path))
    assert world.text("long.txt") == NEW


@pytest.mark.guarantee("G3")
def test_an_append_does_not_widen_what_was_seen(world: World) -> None:
    """SPEC 2: only the lines that were sent are added."""
    path = world.file("long.txt", LONG)
    world.do(read(path, limit=50), append(path, "more\n"))
    assert world.taught(write(path), "unseen").startswith("Lines 51-100 of 101")


@pytest.mark.guarantee("G4")
def test_a_file_that_an_append_made_is_an_own_write(world: World) -> None:
    """SPEC 3, `append_file` creates the file."""
    path = world.path("log.txt")
    world.do(append(path, "one\n"), append(path, "two\n"), edit(path, "one", "1"), write(path))
    assert world.text("log.txt") == NEW


@pytest.mark.guarantee("G1")
def test_a_copy_is_as_well_known_as_the_file(world: World) -> None:
    """SPEC 2: a copy carries the record, and creates none."""
    known, unknown = world.file("a.txt", LONG), world.file("b.txt", LONG)
    world.do(read(known), copy(known, world.path("a2.txt")), copy(unknown, world.path("b2.txt")))
    world.do(write(world.path("a2.txt")))
    world.taught(write(world.path("b2.txt")), "not_read")
    world.do(edit(known, "line 5\n", ""))


@pytest.mark.guarantee("G2")
def test_a_copy_of_a_file_that_changed_is_not_known(world: World) -> None:
    """SPEC 2: a record never becomes more than it was."""
    path = world.file("a.txt", LONG)
    world.do(read(path))
    world.file("a.txt", LONG + "more\n")
    world.do(copy(path, world.path("b.txt")))
    world.refused(edit(world.path("b.txt"), "more", "less"), "not_read")


@pytest.mark.guarantee("G1")
def test_a_moved_file_is_known_by_its_new_name_only(world: World) -> None:
    """SPEC 2: a move carries the record."""
    old, new = world.file("a.txt", LONG), world.path("b.txt")
    world.do(read(old), move(old, new))
    world.file("a.txt", LONG)
    world.refused(edit(old, "line 5\n", ""), "not_read")
    world.do(edit(new, "line 5\n", ""), write(new))


@pytest.mark.guarantee("G1")
def test_the_files_below_a_moved_directory_stay_known(world: World) -> None:
    """SPEC 2: a directory's move, and a second one."""
    path = world.file("old/a.txt", LONG)
    world.do(read(path), move(world.path("old"), world.path("new")), move(world.path("new"), world.path("newest")))
    world.do(write(world.path("newest/a.txt")))
    world.file("old/a.txt", LONG)
    world.refused(edit(path, "line 5\n", ""), "not_read")


@pytest.mark.guarantee("G1")
def test_a_file_that_took_the_place_of_a_deleted_one_is_not_known(world: World) -> None:
    """SPEC 1, G1: the record went with the file."""
    path = world.file("a.txt", LONG)
    world.do(read(path), delete(path))
    world.file("a.txt", LONG)
    world.taught(write(path), "not_read")


@pytest.mark.guarantee("G4")
def test_a_file_that_was_deleted_and_written_again_is_an_own_write(world: World) -> None:
    """SPEC 1, G4."""
    path = world.file("small.txt", SMALL)
    world.do(read(path), delete(path), write(path, LONG), edit(path, "line 5\n", ""), write(path))


def test_nothing_is_copied_or_moved_onto_what_exists(world: World) -> None:
    """SPEC 3: never overwrites; the refusal says to choose another path."""
    paths = world.file("a.txt", SMALL), world.file("b.txt", LONG)
    world.do(*map(read, paths))
    for wanted in (copy(*paths), move(*paths)):
        assert "Choose a path that is free" in world.refused(wanted, "exists")


@pytest.mark.guarantee("G1")
@pytest.mark.parametrize("name", ["./x/../long.txt", "x/./../long.txt", "link.txt", "x/up/long.txt"])
def test_a_file_read_by_one_path_is_known_by_every_other(world: World, name: str) -> None:
    """SPEC 2, identity; report 12."""
    path = world.file("long.txt", LONG)
    world.file("x/other.txt", SMALL)
    (world.root / "link.txt").symlink_to("long.txt")
    (world.root / "x/up").symlink_to("..")
    alias = f"{world.root}/{name}"
    world.do(
        read(alias), edit(path, "line 5\n", "five\n"), edit(alias, "line 6\n", ""), write(path), write(alias, SMALL)
    )
    assert world.text("long.txt") == SMALL
    assert (world.root / "link.txt").is_symlink()


@pytest.mark.guarantee("G1")
def test_a_link_that_leads_elsewhere_now_leads_to_a_file_that_was_not_read(world: World) -> None:
    """SPEC 2: a record is of a file, not of a name; report 16."""
    world.file("a.txt", LONG)
    world.file("b.txt", LONG)
    link = world.root / "link.txt"
    link.symlink_to("a.txt")
    world.do(read(str(link)))
    link.unlink()
    link.symlink_to("b.txt")
    world.taught(edit(str(link), "line 5\n", ""), "not_read")
    assert world.text("a.txt") == LONG


@pytest.mark.guarantee("G1")
def test_a_hard_link_is_the_same_file(world: World) -> None:
    """SPEC 2, identity: any alias that reaches the same device and inode; report 12."""
    path, alias = world.file("a.txt", LONG), world.path("b.txt")
    os.link(path, alias)
    world.do(read(path), edit(alias, "line 5\n", "", dryRun=True), delete(alias))
    world.do(write(path))


@pytest.mark.guarantee("G2")
def test_a_hard_link_shows_what_changed_through_the_other_name(world: World) -> None:
    """SPEC 2, identity."""
    path, alias = world.file("a.txt", LONG), world.path("b.txt")
    os.link(path, alias)
    world.do(read(alias))
    world.file("a.txt", LONG + "more\n")
    world.taught(edit(path, "more\n", "", dryRun=True), "stale")


@pytest.mark.guarantee("G1")
def test_a_binary_file_is_deleted_after_a_look_at_its_facts(world: World) -> None:
    """SPEC 3, `delete_file`: `get_file_info` is the look it needs."""
    path = world.file("a.png", _BINARY)
    text = world.taught(delete(path), "not_read")
    assert text.endswith(f'Look at it first: get_file_info(path="{path}")')
    assert world.names() == []


@pytest.mark.guarantee("G2")
def test_a_binary_file_that_changed_since_the_look_is_looked_at_again(world: World) -> None:
    """SPEC 1, G2."""
    path = world.file("a.png", _BINARY)
    world.do(info(path))
    world.file("a.png", _BINARY + b"\0")
    assert "get_file_info(" in world.taught(delete(path), "stale")


@pytest.mark.guarantee("G1")
def test_a_look_at_the_facts_of_a_text_file_is_no_read(world: World) -> None:
    """SPEC 3: for a binary file only."""
    path = world.file("long.txt", LONG)
    world.do(info(path))
    world.taught(delete(path), "not_read")


def test_an_empty_directory_and_a_link_itself_need_no_read(world: World) -> None:
    """SPEC 3, `delete_file`."""
    world.file("a.txt", LONG)
    (world.root / "empty").mkdir()
    (world.root / "link").symlink_to("a.txt")
    (world.root / "dangling").symlink_to("nowhere")
    world.do(*(delete(world.path(name)) for name in ("empty", "link", "dangling")))
    assert world.names() == ["a.txt"]


def test_a_full_directory_and_an_allowed_one_are_never_deleted(world: World) -> None:
    """SPEC 3: never a root."""
    world.file("full/a.txt", SMALL)
    assert "not empty" in world.refused(delete(world.path("full")), "not_empty")
    assert "allowed directory" in world.refused(delete(str(world.servers.top)), "invalid_path")


def test_the_facts_of_a_file_say_what_this_session_has_seen_of_it(world: World, stranger: World) -> None:
    """SPEC 3, `get_file_info`: unread, fresh or stale, and lines seen."""
    path = world.file("long.txt", LONG)
    views = [world.do(info(path))]
    world.do(read(path, limit=10))
    views.append(world.do(info(path)))
    world.do(edit(path, "line 99\n", "a\nb\n"))
    views += [world.do(info(path)), stranger.do(info(path))]
    world.file("long.txt", LONG)
    views.append(world.do(info(path)))
    assert [view.rpartition("session: ")[2] for view in views] == [
        "unread",
        "fresh, 10 of 100 lines seen",
        "fresh, 16 of 101 lines seen",
        "unread",
        "stale: it changed after this session read it",
    ]


@pytest.mark.guarantee("G1")
def test_a_directory_that_was_listed_is_not_read(world: World) -> None:
    """SPEC 2: listings and file names show nothing."""
    path = world.file("small.txt", SMALL)
    world.do(call("list_directory", path=str(world.root)))
    world.taught(edit(path, "two", "2"), "not_read")
