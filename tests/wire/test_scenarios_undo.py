"""Scenarios of changes taken back and of changes told, on every store."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import pytest

from tests.wire.scenarios import (
    LONG,
    NEW,
    SMALL,
    Call,
    OnPath,
    World,
    append,
    call,
    changes,
    copy,
    delete,
    edit,
    info,
    move,
    named_call,
    read,
    undo,
    write,
)


def _append(path: str) -> Call:
    return append(path, "four\n")


_BINARY: Final = b"\x89PNG\0\1\2\3"
_CHANGES: Final[dict[str, OnPath]] = {
    "edit": lambda path: edit(path, "two", "2"),
    "write": write,
    "append": _append,
    "delete": delete,
}


@pytest.mark.guarantee("G5")
@pytest.mark.parametrize("change", _CHANGES)
def test_what_is_taken_back_is_there_byte_by_byte_and_needs_no_read(world: World, change: str) -> None:
    """SPEC 3, `undo_edit`; 2: it restores the record; report 11."""
    before = "\ufeffone\r\ntwo \nthree"
    path = world.file("a.txt", before)
    Path(path).chmod(0o640)
    world.do(read(path), _CHANGES[change](path))
    world.do(undo(path))
    assert world.text("a.txt") == before
    assert Path(path).stat().st_mode & 0o777 == 0o640
    world.do(write(path, NEW))


@pytest.mark.parametrize("change", [write, _append], ids=["write", "append"])
def test_a_file_that_was_made_is_removed_again(world: World, change: OnPath) -> None:
    """SPEC 3, `undo_edit` of a creation."""
    path = world.path("new.txt")
    world.do(change(path))
    assert "removed again" in world.do(undo(path))
    assert world.names() == []
    world.do(change(path))


def test_a_copy_is_removed_again_and_the_file_stays(world: World) -> None:
    """SPEC 3, `undo_edit` of a copy."""
    path = world.file("a.txt", LONG)
    world.do(copy(path, world.path("b.txt")), undo(world.path("b.txt")))
    assert world.names() == ["a.txt"]


def test_whatever_was_deleted_is_brought_back(world: World) -> None:
    """SPEC 3: a file, a binary file, an empty directory, a link itself."""
    world.file("a.png", _BINARY)
    (world.root / "empty").mkdir()
    (world.root / "link").symlink_to("nowhere")
    world.do(info(world.path("a.png")))
    for name in ("a.png", "empty", "link"):
        world.do(delete(world.path(name)), undo(world.path(name)))
    assert (world.root / "a.png").read_bytes() == _BINARY
    assert (world.root / "empty").is_dir()
    assert os.readlink(world.root / "link") == "nowhere"


def test_a_deleted_name_of_a_file_with_two_is_brought_back(world: World) -> None:
    """SPEC 2, identity: the other name was read, and is not touched."""
    path, alias = world.file("a.txt", LONG), world.path("b.txt")
    os.link(path, alias)
    world.do(read(path), delete(alias), undo(alias))
    assert world.text("b.txt") == LONG
    world.refused(undo(path), "nothing_to_undo")


@pytest.mark.parametrize("name", ["old.txt", "new.txt"])
def test_a_move_is_taken_back_by_either_name(world: World, name: str) -> None:
    """SPEC 3, `undo_edit`: renames back; the record goes along."""
    old, new = world.file("old.txt", LONG), world.path("new.txt")
    world.do(read(old), move(old, new), undo(world.path(name)))
    assert world.names() == ["old.txt"]
    world.do(write(old))


def test_the_move_of_a_directory_is_taken_back_with_what_is_below(world: World) -> None:
    """SPEC 3, `undo_edit`."""
    path = world.file("old/a.txt", LONG)
    world.do(read(path), move(world.path("old"), world.path("new")), undo(world.path("new")))
    world.do(edit(path, "line 5\n", ""), undo(path))
    assert world.text("old/a.txt") == LONG


def test_every_change_is_taken_back_to_the_first_touch(world: World) -> None:
    """SPEC 3, `undo_edit`, repeatedly."""
    path = world.file("a.txt", SMALL)
    world.do(read(path), edit(path, "one", "1"), append(path, "four\n"), write(path), delete(path))
    seen: list[str] = []
    for _ in range(4):
        world.do(undo(path))
        seen.append(world.text("a.txt"))
    assert seen == [NEW, "1\ntwo\nthree\nfour\n", "1\ntwo\nthree\n", SMALL]
    world.refused(undo(path), "nothing_to_undo")
    world.do(edit(path, "one", "1"))


def test_changes_before_and_after_a_move_are_taken_back_under_the_name_of_each(world: World) -> None:
    """SPEC 3: by the old name, the refusal names the call that comes first."""
    old, new = world.file("old.txt", SMALL), world.path("new.txt")
    world.do(read(old), edit(old, "one", "1"), move(old, new), edit(new, "two", "2"))
    text = world.taught(undo(old), "changed_since")
    assert named_call(text) == undo(new)
    assert text.startswith(f'"{old}" was moved to "{new}" and changed there since.')
    assert world.text("old.txt") == "1\ntwo\nthree\n"
    world.do(undo(old))
    assert world.text("old.txt") == SMALL


@pytest.mark.parametrize("change", ["edit", "write", "append", "create", "copy", "move"])
def test_a_file_that_somebody_changed_since_is_not_taken_back(world: World, change: str) -> None:
    """SPEC 3: only if the file still is what the session left; report 48."""
    path, source = world.path("a.txt"), world.file("b.txt", SMALL)
    made = {"create": write(path), "copy": copy(source, path), "move": move(source, path)}
    if change in made:
        world.do(read(source), made[change])
    else:
        world.file("a.txt", SMALL)
        world.do(read(path), _CHANGES[change](path))
    theirs = world.text("a.txt") + "by somebody else\n"
    world.file("a.txt", theirs)
    text = world.refused(undo(path), "changed_since")
    assert named_call(text) == read(path)
    world.do(read(path), edit(path, "by somebody else\n", ""))


def test_a_change_that_somebody_made_and_took_back_does_not_matter(world: World) -> None:
    """SPEC 1, G2: bytes decide."""
    path = world.file("a.txt", SMALL)
    world.do(read(path), edit(path, "two", "2"))
    world.file("a.txt", "other\n")
    world.file("a.txt", "one\n2\nthree\n")
    world.do(undo(path))
    assert world.text("a.txt") == SMALL


def test_a_deleted_file_does_not_come_back_over_another(world: World) -> None:
    """SPEC 3: renames back without ever replacing anything."""
    path = world.file("a.txt", SMALL)
    world.do(read(path), delete(path))
    world.file("a.txt", "another\n")
    assert "Move that to a path that is free, then send the call again." in world.refused(undo(path), "exists")
    world.do(move(path, world.path("b.txt")), undo(path))
    assert world.text("a.txt") == SMALL


def test_a_file_moved_away_leaves_what_was_done_to_the_one_before_it(world: World) -> None:
    """SPEC 3, `undo_edit`: a deletion is taken back at the name where it was done."""
    path, new = world.file("a.txt", SMALL), world.path("b.txt")
    world.do(read(path), delete(path), write(path, LONG), edit(path, "line 5\n", ""), move(path, new), undo(path))
    assert (world.text("a.txt"), world.text("b.txt")) == (SMALL, LONG.replace("line 5\n", ""))
    world.refused(undo(new), "exists")
    world.do(delete(path), undo(new), undo(path), undo(path), undo(path))
    assert world.names() == ["a.txt"]
    assert world.text("a.txt") == SMALL


def test_a_moved_file_does_not_go_back_over_another(world: World) -> None:
    """SPEC 3: renames back without ever replacing anything."""
    old, new = world.file("a.txt", SMALL), world.path("b.txt")
    world.do(move(old, new))
    world.file("a.txt", "another\n")
    world.refused(undo(new), "exists")
    world.refused(undo(old), "exists")


def test_what_changed_nothing_leaves_nothing_to_take_back(world: World, stranger: World) -> None:
    """SPEC 3: this session's changes only; a dry run and a refused edit are none."""
    path = world.file("small.txt", SMALL)
    world.refused(edit(path, "two", "2"), "not_read")
    world.do(edit(path, "two", "2", dryRun=True))
    stranger.do(read(path), edit(path, "one", "1"))
    world.refused(undo(path), "nothing_to_undo")
    assert world.do(changes(path)) == f'[this session has changed nothing at "{path}"]'


@pytest.mark.guarantee("G1")
def test_an_append_taken_back_leaves_an_unread_file_unread(world: World) -> None:
    """SPEC 2: undo restores a record, and creates none."""
    path = world.file("long.txt", LONG)
    world.do(append(path, "more\n"), undo(path))
    assert world.text("long.txt") == LONG
    world.taught(edit(path, "line 5\n", ""), "not_read")


@pytest.mark.guarantee("G3")
def test_an_undo_does_not_widen_what_was_seen(world: World) -> None:
    """SPEC 2: undo restores a record."""
    path = world.file("long.txt", LONG)
    world.do(read(path, limit=10), edit(path, "line 5\n", "five\n"), undo(path))
    assert world.taught(write(path), "unseen").startswith("Lines 11-100 of 100")


def test_a_change_through_a_link_is_taken_back_by_either_name(world: World) -> None:
    """SPEC 2, identity; report 12."""
    path = world.file("a.txt", SMALL)
    link = world.root / "link.txt"
    link.symlink_to("a.txt")
    for name in (path, str(link)):
        world.do(read(path), edit(str(link), "two", "2"), undo(name))
        assert world.text("a.txt") == SMALL
    assert link.is_symlink()


def test_all_changes_are_told_with_one_diff_a_file(world: World) -> None:
    """SPEC 3, `session_changes`: files, counts, one cumulative diff for each."""
    paths = {name: world.file(name, SMALL) for name in ("a-edited.txt", "b-deleted.txt", "c-moved.txt", "d-read.txt")}
    world.do(*map(read, paths.values()))
    world.do(edit(paths["a-edited.txt"], "one", "1"), edit(paths["a-edited.txt"], "1", "I"))
    world.do(delete(paths["b-deleted.txt"]), move(paths["c-moved.txt"], world.path("e-new.txt")))
    world.do(write(world.path("f-made.txt")))
    told = world.do(changes(str(world.root)))
    shown = [line.replace(f"{world.root}/", "") for line in told.splitlines() if line.startswith("[")]
    assert shown == [
        '["a-edited.txt": changed; 2 changes; +1 -1 lines]',
        '["b-deleted.txt": deleted; 1 change; +0 -3 lines]',
        '["e-new.txt": moved from "c-moved.txt"; 1 change]',
        '["f-made.txt": created; 1 change; +1 -0 lines]',
        "[4 files changed by this session]",
    ]
    assert "\n-one\n+I\n two\n" in told


def test_what_others_changed_is_told_as_theirs_too(world: World) -> None:
    """SPEC 3, `session_changes`; 12: the diff holds more than the session's changes, and says so."""
    path = world.file("a.txt", SMALL)
    world.do(read(path), edit(path, "one", "1"))
    world.file("a.txt", world.text("a.txt") + "by somebody else\n")
    told = world.do(changes(path))
    assert "others changed it too" in told
    assert "\n-one\n+1\n two\n three\n+by somebody else" in told


def test_what_was_taken_back_is_no_longer_told(world: World) -> None:
    """SPEC 3, `session_changes`."""
    path = world.file("a.txt", SMALL)
    world.do(read(path), edit(path, "one", "1"), undo(path), edit(path, "two", "2"))
    assert "; 1 change; +1 -1 lines]" in world.do(changes(path))
    world.do(undo(path))
    assert "changed nothing" in world.do(changes(path))


@pytest.mark.guarantee("G3")
def test_a_diff_of_changes_counts_as_seen(world: World) -> None:
    """SPEC 2: a line shown in a diff is seen."""
    path = world.file("long.txt", LONG)
    world.do(read(path, limit=90), edit(path, "line 94\n", "94\n"), call("session_changes"), changes(path))
    assert world.taught(write(path), "unseen").startswith("Lines 98-100 of 100")
