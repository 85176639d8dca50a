"""What the session machine found, as plain tests that do not depend on luck."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from readfirst import ReadRequest, Stale, Workspace, edit_file, read_page, write_file
from readfirst.edits.plan import Edit
from readfirst.errors import NextCall
from readfirst.workspace.manage import append_file, delete_file, move_file
from readfirst.workspace.undo import undo_edit


@pytest.mark.guarantee("G2")
def test_a_byte_order_mark_that_came_or_went_is_not_shown_as_the_whole_difference(root: Path) -> None:
    """SPEC 2: only when the whole difference was shown may the next edit succeed without a read."""
    with Workspace([str(root)]) as workspace:
        session = workspace.session()
        (root / "f").write_bytes(b"\xef\xbb\xbfa\nb\n")
        read_page(session, "f", ReadRequest())
        (root / "f").write_bytes(b"a\nB\n")
        with pytest.raises(Stale) as refused:
            edit_file(session, "f", [Edit("a", "1")])
        assert (refused.value.diff, refused.value.next_calls) == (None, (NextCall("read", "f"),))
        with pytest.raises(Stale):
            edit_file(session, "f", [Edit("a", "1")])


def test_the_deletion_of_a_second_name_is_taken_back_by_that_name(root: Path) -> None:
    """SPEC 3 (undo_edit): the session knows the file by its first name, and deletes another one."""
    with Workspace([str(root)]) as workspace:
        session = workspace.session()
        (root / "first").write_text("a\n")
        os.link(root / "first", root / "second")
        read_page(session, "first", ReadRequest())
        delete_file(session, "second")
        undo_edit(session, "second")
        assert (root / "second").read_text() == "a\n"


def test_a_move_can_be_taken_back_though_a_file_that_left_the_name_before_was_changed(root: Path) -> None:
    """SPEC 3 (undo_edit): two files left one name; the session changed one of them where it is now."""
    with Workspace([str(root)]) as workspace:
        session = workspace.session()
        for destination in ("a", "b"):
            write_file(session, "f", f"{destination}\n")
            move_file(session, "f", destination)
        append_file(session, "a", "more\n")
        undo_edit(session, "f")
        assert {path.name: path.read_text() for path in root.iterdir()} == {"a": "a\nmore\n", "f": "b\n"}


def test_a_link_that_leads_outside_since_it_was_moved_can_be_moved_back(root: Path) -> None:
    """SPEC 3 (undo_edit): what a link says is relative to where it is."""
    with Workspace([str(root)]) as workspace:
        session = workspace.session()
        (root / "a" / "b").mkdir(parents=True)
        os.symlink("../..", root / "a" / "b" / "link")
        move_file(session, "a/b/link", "link")
        undo_edit(session, "link")
        assert os.readlink(root / "a" / "b" / "link") == "../.."
