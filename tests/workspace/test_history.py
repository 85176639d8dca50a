"""What a session changed: every file, what became of it, and a diff that says no more than is so."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from readfirst import Edit, ReadfirstError, ReadRequest, Session, Settings, Workspace, edit_file, read_page, write_file
from readfirst.workspace.browse import get_file_info
from readfirst.workspace.history import FileChanges, session_changes
from readfirst.workspace.manage import append_file, copy_file, delete_file, move_file
from readfirst.workspace.undo import undo_edit
from tests.conftest import Act
from tests.workspace.conftest import numbered

_PAGE = ReadRequest()
_ROOM = 40_000


def _changes(session: Session, path: str = "") -> dict[str, FileChanges]:
    told, more = session_changes(session, path, max_chars=_ROOM)
    assert more == 0
    return {os.path.basename(one.path): one for one in told}


def _only(session: Session, path: str = "") -> FileChanges:
    (one,) = _changes(session, path).values()
    return one


def _read(session: Session, root: Path, name: str, data: str | bytes) -> None:
    (root / name).write_bytes(data.encode() if isinstance(data, str) else data)
    if isinstance(data, bytes):
        get_file_info(session, name)
    else:
        read_page(session, name, _PAGE)


def _diff(one: FileChanges) -> str:
    return "" if one.diff is None else one.diff.text


def test_changes_of_one_file_are_one_diff(session: Session, root: Path) -> None:
    """SPEC 3 (`session_changes`): from before the first to now."""
    _read(session, root, "f", "one\ntwo\nthree\n")
    edit_file(session, "f", [Edit("one", "1")])
    edit_file(session, "f", [Edit("1", "I")])
    append_file(session, "f", "four\n")
    one = _only(session)
    assert (one.became, one.changes, one.added, one.removed, one.others, one.gap) == ("changed", 3, 2, 1, False, "")
    assert _diff(one) == "--- a/f\n+++ b/f\n@@ -1,3 +1,4 @@\n-one\n+I\n two\n three\n+four"


_BECAME: dict[str, tuple[Act, str, tuple[int, int, int]]] = {
    "created": (lambda session: write_file(session, "new", "x\n"), "created", (1, 1, 0)),
    "created empty": (lambda session: write_file(session, "new", ""), "created", (1, 0, 0)),
    "copied": (lambda session: copy_file(session, "f", "new"), "created", (1, 3, 0)),
    "deleted": (lambda session: delete_file(session, "f"), "deleted", (1, 0, 3)),
    "deleted, no text": (lambda session: delete_file(session, "b"), "deleted", (1, 0, 0)),
    "deleted link": (lambda session: delete_file(session, "l"), "deleted", (1, 0, 0)),
    "deleted directory": (lambda session: delete_file(session, "d"), "deleted", (1, 0, 0)),
    "moved": (lambda session: move_file(session, "f", "new"), "moved", (1, 0, 0)),
    "moved, no text": (lambda session: move_file(session, "b", "new"), "moved", (1, 0, 0)),
    "moved link": (lambda session: move_file(session, "l", "new"), "moved", (1, 0, 0)),
    "moved directory": (lambda session: move_file(session, "d", "new"), "moved", (1, 0, 0)),
    "moved, huge": (lambda session: move_file(session, "huge", "new"), "moved", (1, 0, 0)),
    "no text any more": (lambda session: write_file(session, "f", "a\nb\0\n"), "changed", (1, 0, 0)),
}


@pytest.mark.parametrize("row", _BECAME)
def test_what_became_of_a_file_is_told(session: Session, root: Path, row: str) -> None:
    """SPEC 3 (`session_changes`); G12: nobody else is accused, nothing is called lost that is kept."""
    act, became, counts = _BECAME[row]
    _read(session, root, "f", "one\ntwo\nthree\n")
    _read(session, root, "b", b"\0\1\2")
    (root / "l").symlink_to("f")
    (root / "d").mkdir()
    (root / "huge").touch()
    os.truncate(root / "huge", 1 << 40)
    act(session)
    one = _only(session)
    assert (one.became, (one.changes, one.added, one.removed), one.others) == (became, counts, False)
    assert one.gap in {"", "no_text"}
    assert (one.source != "") == (became == "moved")


def test_the_diff_of_a_new_file_applies_to_an_empty_repository(session: Session, tmp_path: Path) -> None:
    """SPEC 4.8: a diff that `git apply` accepts; every name too."""
    texts = {
        "a": "one\n",
        "b c": "no newline",
        'q"t\\ab': "x\r\ny\r\n",
        "d/e\tf": "\ufeffmark\n",
        "caf\u00e9": "\u20ac\n",
    }
    for name, text in texts.items():
        write_file(session, name, text)
    patch = "".join(f"{_diff(one)}\n" for one in _changes(session).values())
    repository = tmp_path / "repository"
    subprocess.run(["git", "init", "-q", str(repository)], check=True, timeout=60)
    applied = ["git", "-C", str(repository), "apply", "--whitespace=nowarn", "-"]
    subprocess.run(applied, input=patch.encode(), check=True, timeout=60)
    assert {name: (repository / name).read_bytes().decode() for name in texts} == texts


def test_one_patch_of_all_changes_makes_the_old_tree_the_new_one(session: Session, root: Path, tmp_path: Path) -> None:
    """SPEC 4.8: edited files, and those that were edited after they were moved."""
    for name in ("a", "b"):
        _read(session, root, name, numbered(1, 30))
    shutil.copytree(root, tmp_path / "old")
    for old in ("line 3\n", "line 20\n"):
        edit_file(session, "a", [Edit(old, "x\n")])
    edit_file(session, "b", [Edit("line 30\n", "end")])
    patch = "".join(f"{_diff(one)}\n" for one in _changes(session).values())
    subprocess.run(["git", "apply", "-"], cwd=tmp_path / "old", input=patch.encode(), check=True, timeout=60)
    for name in ("a", "b"):
        assert (tmp_path / "old" / name).read_bytes() == (root / name).read_bytes()


def test_changes_that_came_to_nothing_are_told_as_that(session: Session, root: Path) -> None:
    """SPEC 3 (`session_changes`): made, and made undone by hand."""
    _read(session, root, "f", "one\n")
    edit_file(session, "f", [Edit("one", "two")])
    edit_file(session, "f", [Edit("two", "one")])
    one = _only(session)
    assert (one.became, one.changes, one.diff) == ("unchanged", 2, None)


def test_what_was_taken_back_is_not_told(session: Session, root: Path) -> None:
    """SPEC 3 (`session_changes`)."""
    _read(session, root, "f", "one\n")
    edit_file(session, "f", [Edit("one", "two")])
    undo_edit(session, "f")
    assert _changes(session) == {}


def test_a_file_that_was_deleted_and_made_anew_was_changed(session: Session, root: Path) -> None:
    """SPEC 3 (`session_changes`): from before the first change to now."""
    _read(session, root, "f", "one\n")
    delete_file(session, "f")
    write_file(session, "f", "two\n")
    one = _only(session)
    assert (one.became, one.changes, one.others) == ("changed", 2, False)
    assert _diff(one).endswith("-one\n+two")


def test_a_file_that_was_made_and_deleted_is_gone(session: Session, root: Path) -> None:
    """SPEC 3 (`session_changes`)."""
    write_file(session, "f", "one\n")
    delete_file(session, "f")
    one = _only(session)
    assert (one.became, one.changes, one.added, one.removed, os.listdir(root)) == ("deleted", 2, 0, 0, [])


def test_a_file_moved_onto_a_deleted_one_accuses_nobody(session: Session, root: Path) -> None:
    """G12: two histories under one name; what stood there was not changed into what came."""
    for name in ("a", "b"):
        _read(session, root, name, f"{name}\n")
    delete_file(session, "b")
    edit_file(session, "a", [Edit("a", "A")])
    move_file(session, "a", "b")
    one = _only(session)
    assert (one.became, one.changes, one.source, one.others) == ("changed", 3, f"{root}/a", False)


@pytest.mark.parametrize("when", ["before the last change", "after the last change", "deleted"])
def test_changes_by_others_are_told(session: Session, root: Path, when: str) -> None:
    """SPEC 3 (`session_changes`): the counts and the diff hold more than the session's changes."""
    _read(session, root, "f", "one\n")
    edit_file(session, "f", [Edit("one", "two")])
    if when == "deleted":
        (root / "f").unlink()
    else:
        _read(session, root, "f", "theirs\ntwo\n")
    if when == "before the last change":
        edit_file(session, "f", [Edit("two", "three")])
    one = _only(session)
    assert (one.became, one.others) == ("deleted" if when == "deleted" else "changed", True)


def test_what_is_no_longer_kept_is_told(session: Session, root: Path) -> None:
    """G12: the diff starts from nothing, and says that it does."""
    _read(session, root, "f", "one\n")
    edit_file(session, "f", [Edit("one", "two")])
    for history in dict(session.workspace.store.histories(session.id)).values():
        session.workspace.undo.drop(history.changes[0].kept)
    assert _only(session).gap == "forgotten"


@pytest.mark.parametrize("kind", ["link", "directory"])
def test_of_a_deleted_link_that_is_no_longer_kept_as_much_is_told(session: Session, root: Path, kind: str) -> None:
    """G12."""
    if kind == "link":
        (root / "x").symlink_to("f")
    else:
        (root / "x").mkdir()
    delete_file(session, "x")
    for history in dict(session.workspace.store.histories(session.id)).values():
        session.workspace.undo.drop(history.changes[0].kept)
    assert (_only(session).became, _only(session).gap) == ("deleted", "forgotten")


def test_changes_that_are_no_longer_told_are_counted_as_missing(session: Session) -> None:
    """SPEC 2, G12: of a file that was created and changed too often, the beginning is gone."""
    for number in range(102):
        write_file(session, "f", f"{number}\n")
    one = _only(session)
    assert (one.changes, one.gap) == (100, "forgotten")


def test_a_file_out_of_reach_is_told_without_a_word_of_it(session: Session, root: Path) -> None:
    """G10: its directory became a link that leads outside."""
    write_file(session, "d/f", "one\n")
    (root / "d").rename(root / "e")
    (root / "d").symlink_to("/usr")
    one = _only(session)
    assert (one.path, one.became, one.gap, one.diff) == (f"{root}/d/f", "changed", "unreadable", None)


@pytest.mark.parametrize(
    ("path", "names"),
    [
        pytest.param("", {"f", "g", "h"}, id="all"),
        pytest.param(".", {"f", "g", "h"}, id="below the allowed directory"),
        pytest.param("d", {"f", "g"}, id="below a directory"),
        pytest.param("d/", {"f", "g"}, id="with a slash"),
        pytest.param("d/f", {"f"}, id="one file"),
        pytest.param("l", {"f"}, id="through a link"),
        pytest.param("old", {"g"}, id="where it was before it was moved"),
        pytest.param("dd", set[str](), id="a name that begins the same"),
        pytest.param("out", set[str](), id="a link that leads outside, itself"),
    ],
)
def test_changes_can_be_asked_for_by_path(session: Session, root: Path, path: str, names: set[str]) -> None:
    """SPEC 3 (`session_changes`): `path`; one that was moved away was changed there too."""
    for name in ("d/f", "old", "h"):
        write_file(session, name, "one\n")
    move_file(session, "old", "d/g")
    (root / "l").symlink_to("d/f")
    (root / "out").symlink_to("/usr")
    (root / "dd").mkdir()
    assert set(_changes(session, path)) == names


@pytest.mark.parametrize("path", ["..", "/usr", "out/x"])
def test_changes_outside_cannot_be_asked_for(session: Session, root: Path, path: str) -> None:
    """G10."""
    (root / "out").symlink_to("/usr")
    with pytest.raises(ReadfirstError) as refused:
        session_changes(session, path, max_chars=_ROOM)
    assert refused.value.code == "outside"


def test_of_many_files_as_many_are_told_as_fit_and_the_rest_is_counted(session: Session) -> None:
    """G12, SPEC 8."""
    for number in range(250):
        write_file(session, f"{number:03}", "one\n")
    told, more = session_changes(session, max_chars=10**9)
    assert (len(told), more) == (200, 50)
    told, more = session_changes(session, max_chars=5_000)
    assert 0 < len(told) < 20
    assert len(told) + more == 250
    assert session_changes(session, max_chars=0) == ([], 250)


def test_long_diffs_are_cut_and_say_so(root: Path) -> None:
    """SPEC 8: the room is shared; what does not fit is not shown, and does not count as seen."""
    with Workspace([str(root)], settings=Settings(diff_lines=20)) as workspace:
        session = workspace.session()
        for name in ("a", "b"):
            write_file(session, name, numbered(1, 5))
            write_file(session, name, numbered(1, 500))
        told, _ = session_changes(session, max_chars=_ROOM)
    assert [(one.added, one.diff is not None and one.diff.complete) for one in told] == [(500, False)] * 2


@pytest.mark.guarantee("G3")
def test_lines_that_a_diff_shows_are_seen(session: Session, root: Path) -> None:
    """SPEC 2: what was shown in a diff counts, of the version that the session knows."""
    _read(session, root, "f", "".join(f"{number}\n" for number in range(10)))
    edit_file(session, "f", [Edit("5\n", "five\n")])
    fresh = session.workspace.session("fresh")
    read_page(fresh, "f", ReadRequest(limit=1))
    before = get_file_info(session, "f").view
    _only(session)
    assert get_file_info(session, "f").view == before
    (root / "f").write_text("theirs\n")
    _only(session)
    view = get_file_info(session, "f").view
    assert view is not None
    assert view.state == "stale"
