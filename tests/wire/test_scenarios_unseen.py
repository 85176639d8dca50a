"""Scenarios of what was never read and never shown: refused, taught, and then done, on every store."""

from __future__ import annotations

from typing import Final

import pytest

from tests.wire.scenarios import LONG, NEW, SMALL, Call, OnPath, World, append, call, delete, edit, info, read, write

_CHANGES: Final[dict[str, OnPath]] = {
    "edit": lambda path: edit(path, "two" if path.endswith("small.txt") else "line 99\n", "2"),
    "overwrite": write,
    "delete": delete,
}
_LOOKS: Final[dict[str, OnPath]] = {
    "list_directory": lambda path: call("list_directory", path=path.rpartition("/")[0]),
    "get_file_info": info,
    "read_text_file of no lines": lambda path: call("read_text_file", path=path, head=0),
    "a read past the end": lambda path: read(path, tail=0),
}
_READS: Final[dict[str, OnPath]] = {
    "read_file": read,
    "read_text_file": lambda path: call("read_text_file", path=path),
    "read_multiple_files": lambda path: call("read_multiple_files", paths=[path]),
}


@pytest.mark.guarantee("G1")
@pytest.mark.parametrize("change", _CHANGES)
def test_a_small_file_that_was_never_read_is_shown_and_the_same_call_lands(world: World, change: str) -> None:
    """SPEC 2, refusals teach; reports 5, 43."""
    path = world.file("small.txt", SMALL)
    text = world.taught(_CHANGES[change](path), "not_read")
    assert text.endswith("1\tone\n2\ttwo\n3\tthree")
    assert world.text("small.txt") != SMALL if change != "delete" else world.names() == []


@pytest.mark.guarantee("G1")
@pytest.mark.parametrize("change", _CHANGES)
def test_a_large_file_that_was_never_read_is_named_and_the_read_licenses_the_call(world: World, change: str) -> None:
    """SPEC 1, G1; 2, refusals teach."""
    path = world.file("long.txt", LONG)
    text = world.taught(_CHANGES[change](path), "not_read")
    assert text.endswith(f'first: read_file(path="{path}")')
    assert world.text("long.txt") != LONG if change != "delete" else world.names() == []


@pytest.mark.guarantee("G3")
def test_an_overwrite_of_more_than_a_page_is_taught_page_by_page(world: World) -> None:
    """SPEC 2; 3.1: a page has 2,000 lines."""
    path = world.file("long.txt", LONG * 50)
    world.taught(write(path), "not_read", "unseen")
    assert world.text("long.txt") == NEW


@pytest.mark.guarantee("G1")
@pytest.mark.parametrize("look", _LOOKS)
def test_what_shows_no_text_is_no_read(world: World, look: str) -> None:
    """SPEC 2: listings, names, facts and `head: 0` show nothing."""
    path = world.file("long.txt", LONG)
    world.do(_LOOKS[look](path))
    world.taught(edit(path, "line 99\n", ""), "not_read")


@pytest.mark.guarantee("G1")
@pytest.mark.parametrize("tool", _READS)
def test_whatever_shows_all_lines_licenses_an_overwrite(world: World, tool: str) -> None:
    """SPEC 2, what counts as seen."""
    path = world.file("long.txt", LONG)
    world.do(_READS[tool](path), write(path))


@pytest.mark.guarantee("G1")
def test_several_files_read_at_once_are_each_read(world: World) -> None:
    """SPEC 2: `read_multiple_files`; one that fails stops nothing."""
    paths = [world.file("a.txt", LONG), world.path("missing.txt"), world.file("b.txt", LONG)]
    world.do(call("read_multiple_files", paths=paths), edit(paths[0], "line 9\n", ""), write(paths[2]))
    assert world.text("b.txt") == NEW


@pytest.mark.guarantee("G1")
def test_an_empty_file_needs_no_read(world: World) -> None:
    """SPEC 2; 4.4: only there may `oldText` be empty."""
    paths = [world.file(name, "") for name in ("edited", "written", "deleted")]
    world.do(edit(paths[0], "", NEW), write(paths[1]), delete(paths[2]))
    assert [world.text(name) for name in world.names()] == [NEW, NEW]


@pytest.mark.guarantee("G3")
def test_a_read_with_a_limit_counts_for_an_edit_anywhere(world: World) -> None:
    """SPEC 1, G3: an exact, unique edit needs a fresh read, no more; report 42 (a `limit` that never counted)."""
    path = world.file("long.txt", LONG)
    world.do(read(path, limit=10), edit(path, "line 99\n", ""))
    assert world.text("long.txt") == LONG.replace("line 99\n", "")


@pytest.mark.guarantee("G3")
def test_an_overwrite_after_a_part_names_the_lines_that_were_not_shown(world: World) -> None:
    """SPEC 1, G3; reports 36, 38."""
    path = world.file("long.txt", LONG)
    world.do(read(path, offset=11, limit=10))
    text = world.taught(write(path), "unseen")
    assert text.startswith("Lines 1-10, 21-100 of 100")


@pytest.mark.guarantee("G3")
def test_few_lines_that_were_not_shown_are_shown_and_the_same_overwrite_lands(world: World) -> None:
    """SPEC 2, refusals teach."""
    path = world.file("long.txt", LONG)
    world.do(read(path, limit=97))
    text = world.taught(write(path), "unseen")
    assert text.endswith(":\n98\tline 98\n99\tline 99\n100\tline 100")


@pytest.mark.guarantee("G3")
def test_two_halves_make_a_whole(world: World) -> None:
    """SPEC 2: coverage is a set of line ranges; report 42."""
    path = world.file("long.txt", LONG)
    world.do(read(path, tail=60), call("read_text_file", path=path, head=40), write(path))
    assert world.text("long.txt") == NEW


@pytest.mark.guarantee("G3")
@pytest.mark.guarantee("G4")
def test_one_edit_does_not_cancel_what_was_seen_of_the_rest(world: World) -> None:
    """SPEC 2, own writes; report 42."""
    path = world.file("long.txt", LONG)
    world.do(read(path), edit(path, "line 50\n", "a\nb\n"), edit(path, "line 1\n", ""), write(path))
    assert world.text("long.txt") == NEW


@pytest.mark.guarantee("G3")
def test_a_replace_all_in_few_lines_that_were_not_shown_shows_them(world: World) -> None:
    """SPEC 1, G3: only the lines that it changes; report 40."""
    path = world.file("long.txt", LONG)
    world.do(read(path, limit=20))
    text = world.taught(edit(path, "line 7", "row 7", every=True), "unseen")
    assert text.startswith("Lines 70-79 of 100")
    assert world.text("long.txt") == LONG.replace("line 7", "row 7")


@pytest.mark.guarantee("G3")
def test_a_replace_all_in_many_lines_that_were_not_shown_names_the_read(world: World) -> None:
    """SPEC 1, G3; report 40."""
    path = world.file("long.txt", LONG)
    world.do(read(path, limit=20))
    text = world.taught(edit(path, "line", "row", every=True), "unseen")
    assert text.endswith("offset=21, limit=80)")


@pytest.mark.guarantee("G3")
@pytest.mark.parametrize(
    "old", ["if x:\n    return 1\n", "    if x:  \n        return 1\n"], ids=["indented", "trailing"]
)
def test_a_text_found_with_white_space_aside_is_shown_first(world: World, old: str) -> None:
    """SPEC 4.2: steps 2 and 3 need the matched lines seen, else the edit is refused this once."""
    path = world.file("a.py", LONG + "def f(x):\n    if x:\n        return 1\n")
    world.do(read(path, limit=5))
    text = world.taught(edit(path, old, old.replace("1", "2")), "unseen")
    assert text.endswith("102\t    if x:\n103\t        return 1")
    assert world.text("a.py").endswith("def f(x):\n    if x:\n        return 2\n")


@pytest.mark.guarantee("G3")
def test_a_first_line_that_was_cut_is_not_seen(world: World) -> None:
    """SPEC 2: a line shown in part records the digest; report 41 (a giant first line)."""
    path = world.file("wide.txt", "x" * 5_000 + "\nshort\n")
    world.do(read(path, maxChars=100), edit(path, "short", "long"))
    world.taught(write(path), "unseen")
    assert world.text("wide.txt") == NEW


@pytest.mark.guarantee("G3")
def test_a_line_that_no_page_holds_is_taught_in_windows(world: World) -> None:
    """SPEC 2, G12: each refusal names the call that goes on."""
    path = world.file("wide.js", "short\n" + "b" * 250_000 + "\nend\n")
    world.do(read(path))
    world.taught(write(path), "unseen", "unseen", "unseen", "unseen")
    assert world.text("wide.js") == NEW


@pytest.mark.guarantee("G3")
def test_files_cut_to_share_one_reply_count_as_far_as_they_were_shown(world: World) -> None:
    """SPEC 3, `read_multiple_files`: one output budget; 2: lines actually returned."""
    paths = [world.file(name, LONG * 30) for name in ("a.txt", "b.txt")]
    world.do(call("read_multiple_files", paths=paths))
    for path in paths:
        world.taught(write(path), "unseen")


@pytest.mark.guarantee("G1")
@pytest.mark.parametrize(
    "name", ['we"ird\n\\ name.txt', "t\tab.txt", "n\u00e9e \U0001f600.txt", "-- a/b.txt", " blank "]
)
def test_a_refusal_names_the_file_as_a_call_can_name_it(world: World, name: str) -> None:
    """SPEC 1, G12: whatever the name."""
    world.taught(write(world.file(name, LONG)), "not_read")
    assert world.text(name) == NEW


@pytest.mark.guarantee("G1")
def test_a_relative_path_is_named_as_it_was_given(world: World) -> None:
    """SPEC 7: relative paths are tried against the allowed directories."""
    world.file("long.txt", LONG)
    path = f"{world.root.name}/long.txt"
    assert f'read_file(path="{path}")' in world.taught(edit(path, "line 5\n", ""), "not_read")


@pytest.mark.guarantee("G3")
def test_a_refused_edit_keeps_what_was_seen(world: World) -> None:
    """SPEC 2: a refused edit keeps the record."""
    path = world.file("long.txt", LONG)
    world.do(read(path))
    world.refused(edit(path, "nowhere at all", ""), "no_match")
    world.refused(edit(path, "line 7", ""), "ambiguous")
    world.do(write(path))


@pytest.mark.guarantee("G1")
def test_a_dry_run_needs_a_read_and_the_edit_after_it_no_other(world: World) -> None:
    """SPEC 4.8."""
    path = world.file("long.txt", LONG)
    wanted = edit(path, "line 50\n", "")
    preview = Call("edit_file", {**wanted.arguments, "dryRun": True})
    world.taught(preview, "not_read")
    assert world.text("long.txt") == LONG
    world.do(wanted)
    assert world.text("long.txt") == LONG.replace("line 50\n", "")


@pytest.mark.guarantee("G1")
def test_an_edit_on_its_way_when_the_file_was_shown_is_refused_too(world: World) -> None:
    """SPEC 2: what a reply shows counts only for calls received after it was sent."""
    path = world.file("small.txt", SMALL)
    edits = edit(path, "one", "1"), edit(path, "two", "2"), delete(path)
    assert world.at_once(*edits) == ["not_read"] * 3
    assert world.at_once(*edits[:2]) == ["", ""]
    assert world.text("small.txt") == "1\n2\nthree\n"


@pytest.mark.guarantee("G1")
def test_a_read_does_not_license_what_was_sent_along_with_it(world: World) -> None:
    """SPEC 2; report 30."""
    path = world.file("long.txt", LONG)
    assert world.at_once(read(path), edit(path, "line 5\n", ""), write(path)) == ["", "not_read", "not_read"]
    assert world.at_once(edit(path, "line 5\n", ""), write(path)) == ["", ""]


@pytest.mark.guarantee("G4")
def test_own_writes_count_at_once(world: World) -> None:
    """SPEC 2; report 30: calls sent together, all of them in the file."""
    path = world.path("new.txt")
    sent = write(path, SMALL), edit(path, "two", "2"), append(path, "four\n"), edit(path, "four", "4"), write(path)
    assert world.at_once(*sent) == [""] * 5
    assert world.text("new.txt") == NEW
