"""Scenarios of servers that are killed and started again: what was read lasts where the store does."""

from __future__ import annotations

import pytest

from tests.wire.scenarios import (
    LASTING,
    LONG,
    NEW,
    SMALL,
    World,
    changes,
    delete,
    edit,
    move,
    read,
    undo,
    version_in,
    write,
)

_lasting = pytest.mark.parametrize("servers", LASTING, indirect=True)
_in_memory = pytest.mark.parametrize("servers", ["memory"], indirect=True)


@_lasting
@pytest.mark.guarantee("G3")
def test_what_was_read_before_a_crash_licenses_a_change_after_it(world: World) -> None:
    """SPEC 2, stores; reports 17, 18."""
    path, part = world.file("a.txt", LONG), world.file("b.txt", LONG)
    world.do(read(path), read(part, limit=50))
    world.servers.crash()
    world.do(edit(path, "line 5\n", ""), write(path))
    assert world.taught(write(part), "unseen").startswith("Lines 51-100 of 100")


@_lasting
@pytest.mark.guarantee("G2")
def test_what_changed_during_the_crash_is_shown(world: World) -> None:
    """SPEC 2: enough of the content is kept to show a later difference; report 5."""
    path = world.file("a.txt", LONG)
    world.do(read(path), edit(path, "line 5\n", "five\n"))
    world.servers.crash()
    world.file("a.txt", LONG.replace("line 90\n", ""))
    assert "\n-line 90\n" in world.taught(edit(path, "line 1\n", ""), "stale")


@_lasting
def test_an_own_edit_that_was_taken_back_during_the_crash_is_told(world: World) -> None:
    """SPEC 2, refusals teach; report 32."""
    path = world.file("a.txt", LONG)
    world.do(read(path), edit(path, "line 5\n", "five\n"))
    world.servers.crash()
    world.file("a.txt", LONG)
    assert "your edit to line 5 is no longer in the file" in world.taught(edit(path, "line 1\n", ""), "stale")


@_lasting
def test_changes_are_told_and_taken_back_after_a_crash(world: World) -> None:
    """SPEC 3, `undo_edit`, `session_changes`; 6, undo bytes."""
    path, gone, old = world.file("a.txt", SMALL), world.file("b.txt", LONG), world.file("c.txt", SMALL)
    world.do(read(path), edit(path, "one", "1"), edit(path, "two", "2"), read(gone), delete(gone))
    world.do(move(old, world.path("d.txt")))
    world.servers.crash()
    assert "[3 files changed by this session]" in world.do(changes(str(world.root)))
    world.do(undo(path), undo(path), undo(gone), undo(old))
    assert [world.text(name) for name in world.names()] == [SMALL, LONG, SMALL]
    world.servers.crash()
    world.do(write(path), write(gone))


@_lasting
def test_a_crash_between_a_refusal_and_the_same_call_does_not_matter(world: World) -> None:
    """SPEC 2: what a refusal showed counts as seen."""
    path = world.file("small.txt", SMALL)
    world.refused(write(path), "not_read")
    world.servers.crash()
    world.do(write(path))


@_in_memory
@pytest.mark.guarantee("G1")
def test_without_a_store_a_crash_forgets_what_was_read_and_a_token_makes_up_for_it(world: World) -> None:
    """SPEC 2, version tokens; reports 17, 18."""
    path, whole = world.file("a.txt", LONG), world.file("b.txt", LONG)
    world.do(read(path, limit=10), read(whole))
    version, marked = version_in(world.do(read(path, limit=10))), version_in(world.do(read(whole)))
    world.servers.crash()
    world.refused(edit(path, "line 5\n", ""), "not_read")
    world.do(edit(path, "line 5\n", "", version=version), write(whole, NEW, version=marked))


@_in_memory
def test_without_a_store_a_crash_forgets_what_was_changed(world: World) -> None:
    """SPEC 2, stores."""
    path = world.file("small.txt", SMALL)
    world.do(read(path), edit(path, "two", "2"))
    world.servers.crash()
    assert world.do(changes()) == "[this session has changed nothing]"
    world.refused(undo(path), "nothing_to_undo")
    assert world.text("small.txt") == "one\n2\nthree\n"
