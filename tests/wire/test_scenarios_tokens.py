"""Scenarios of version tokens: they stand in for a read by a session that has none, and for nothing else."""

from __future__ import annotations

import re
from typing import Final

import pytest

from tests.wire.scenarios import (
    LONG,
    NEW,
    SMALL,
    OnPath,
    World,
    append,
    call,
    changes,
    copy,
    delete,
    edit,
    info,
    read,
    version_in,
    write,
)

_TOKENLESS: Final[dict[str, OnPath]] = {
    "list_directory": lambda path: call("list_directory", path=path.rpartition("/")[0]),
    "get_file_info": info,
    "session_changes": changes,
    "read_text_file of no lines": lambda path: call("read_text_file", path=path, head=0),
}


@pytest.mark.guarantee("G1")
def test_a_token_licenses_an_edit_by_a_session_that_read_nothing(world: World, stranger: World) -> None:
    """SPEC 2, version tokens; reports 17, 18, 22, 23: compaction, a restart, a sub-agent."""
    path = world.file("long.txt", LONG)
    version = version_in(world.do(read(path, limit=10)))
    stranger.refused(edit(path, "line 99\n", ""), "not_read")
    stranger.do(edit(path, "line 99\n", "", version=version))
    assert stranger.text("long.txt") == LONG.replace("line 99\n", "")


@pytest.mark.guarantee("G3")
@pytest.mark.parametrize("wanted", ["overwrite", "replaceAll"])
def test_a_token_of_a_part_does_not_stand_for_the_lines(world: World, stranger: World, wanted: str) -> None:
    """SPEC 2: only a marked one counts for G3."""
    path = world.file("long.txt", LONG)
    version = version_in(world.do(read(path, limit=99)))
    assert not version.startswith("w")
    many = edit(path, "line", "row", every=True, version=version)
    stranger.taught(write(path, version=version) if wanted == "overwrite" else many, "unseen")


@pytest.mark.guarantee("G3")
@pytest.mark.parametrize("wanted", ["overwrite", "replaceAll", "delete"])
def test_a_marked_token_stands_for_all_lines(world: World, stranger: World, wanted: str) -> None:
    """SPEC 2: a reply that showed the whole file gives a marked token."""
    path = world.file("long.txt", LONG)
    version = version_in(world.do(read(path)))
    assert version.startswith("w")
    calls = {
        "overwrite": write(path, version=version),
        "replaceAll": edit(path, "line", "row", every=True, version=version),
        "delete": delete(path, version=version),
    }
    stranger.do(calls[wanted])


@pytest.mark.guarantee("G3")
@pytest.mark.parametrize("made", ["created", "overwritten"])
def test_the_token_of_a_whole_write_is_marked(world: World, stranger: World, made: str) -> None:
    """SPEC 2: text that was sent counts as seen."""
    path = world.path("a.txt") if made == "created" else world.file("a.txt", "")
    version = version_in(world.do(write(path, LONG)))
    stranger.do(write(path, version=version))
    assert world.text("a.txt") == NEW


def test_the_token_of_an_edit_names_what_it_left(world: World, stranger: World) -> None:
    """SPEC 2: the closing line of every edit."""
    path = world.file("long.txt", LONG)
    first = version_in(world.do(read(path)))
    second = version_in(world.do(edit(path, "line 1\n", "")))
    stranger.refused(edit(path, "line 2\n", "", version=first), "stale")
    stranger.do(edit(path, "line 2\n", "", version=second))


def test_the_token_of_a_dry_run_is_the_version_on_disk(world: World, stranger: World) -> None:
    """SPEC 2: a dry run gives the version on disk, so that the edit can follow a session that was lost."""
    path = world.file("long.txt", LONG)
    world.do(read(path))
    version = version_in(world.do(edit(path, "line 5\n", "", dryRun=True)))
    stranger.do(edit(path, "line 5\n", "", version=version))


@pytest.mark.guarantee("G2")
@pytest.mark.parametrize("version", ["aaaaaaaaaa", "waaaaaaaaa", "latest", "1"])
def test_a_wrong_token_is_refused_though_the_file_was_read(world: World, version: str) -> None:
    """SPEC 2: if given, it must equal the version on disk."""
    path = world.file("long.txt", LONG)
    world.do(read(path))
    for wanted in (
        edit(path, "line 1\n", "", version=version),
        write(path, version=version),
        delete(path, version=version),
    ):
        text = world.refused(wanted, "stale")
        assert text.endswith(f'again: read_file(path="{path}"); then send the version that it gives.')


@pytest.mark.guarantee("G2")
def test_after_a_change_that_was_shown_the_same_edit_lands_without_its_token(world: World) -> None:
    """SPEC 1, G12: with the old token it would be refused for ever, and the refusal says so."""
    path = world.file("long.txt", LONG)
    version = version_in(world.do(read(path)))
    world.file("long.txt", LONG + "more\n")
    for _ in range(2):
        text = world.refused(edit(path, "line 5\n", "", version=version), "stale")
        assert "`version`" in text or text.endswith("then send the version that it gives.")
    world.do(edit(path, "line 5\n", ""))


@pytest.mark.guarantee("G2")
def test_the_read_named_for_a_wrong_token_gives_the_right_one(world: World, stranger: World) -> None:
    """SPEC 1, G12: the refusal names the next call."""
    path = world.file("long.txt", LONG)
    version = version_in(world.do(read(path)))
    world.do(edit(path, "line 1\n", ""))
    stranger.refused(write(path, version=version), "stale")
    stranger.do(write(path, version=version_in(stranger.do(read(path)))))
    assert world.text("long.txt") == NEW


def test_a_token_of_a_file_that_is_gone_creates_none(world: World) -> None:
    """SPEC 2: it must equal the version on disk, and there is none."""
    path = world.file("small.txt", SMALL)
    version = version_in(world.do(read(path)))
    world.do(delete(path))
    assert world.refused(write(path, version=version), "not_found").endswith("send the call again without `version`.")
    world.do(write(path))


@pytest.mark.guarantee("G1")
def test_no_token_is_none(world: World) -> None:
    """SPEC 5: `null` for an optional means absent."""
    path = world.file("long.txt", LONG)
    for version in ("", None):
        world.refused(edit(path, "line 5\n", "", version=version), "not_read")


@pytest.mark.guarantee("G4")
def test_after_a_change_by_token_own_writes_count(world: World, stranger: World) -> None:
    """SPEC 2: the change leaves a record of the session that made it."""
    path = world.file("long.txt", LONG)
    version = version_in(world.do(read(path)))
    stranger.do(edit(path, "line 1\n", "", version=version), edit(path, "line 2\n", ""), write(path))
    assert world.text("long.txt") == NEW


@pytest.mark.guarantee("G1")
def test_a_token_is_of_bytes_and_so_of_any_file_that_holds_them(world: World, stranger: World) -> None:
    """SPEC 2: derived from the digest."""
    source, path = world.file("a.txt", LONG), world.path("b.txt")
    version = version_in(world.do(read(source)))
    world.do(copy(source, path))
    stranger.do(edit(path, "line 5\n", "", version=version))


@pytest.mark.parametrize("tool", _TOKENLESS)
def test_what_shows_no_text_gives_no_token(world: World, tool: str) -> None:
    """SPEC 2: never in refusals, listings, searches or file info."""
    path = world.file("a.txt", LONG)
    world.do(read(path), edit(path, "line 5\n", ""))
    assert not re.search(r"\bversion [a-z]{10}\b", world.do(_TOKENLESS[tool](path)))


def test_no_refusal_gives_a_token(world: World) -> None:
    """SPEC 2: never in refusals."""
    path = world.file("small.txt", SMALL)
    texts = [world.refused(edit(path, "two", "2"), "not_read"), world.refused(edit(path, "none", "2"), "no_match")]
    world.file("small.txt", SMALL + "four\n")
    texts.append(world.refused(edit(path, "two", "2"), "stale"))
    assert "version" not in "".join(texts)


@pytest.mark.guarantee("G1")
def test_the_tokens_that_come_with_a_read_do_not_license_by_themselves(world: World, stranger: World) -> None:
    """SPEC 2: they have to be sent; an append that nobody read licenses nothing either."""
    path = world.file("long.txt", LONG)
    world.do(read(path))
    stranger.do(append(path, "more\n"))
    stranger.refused(edit(path, "line 5\n", ""), "not_read")
