"""Lines found in files: what is shown, what is left out, and what counts as seen."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from readfirst.edits.plan import Edit
from readfirst.errors import ArgumentRefused, NotRead, Unseen
from readfirst.settings import Settings
from readfirst.workspace.context import Session, Workspace
from readfirst.workspace.edit import edit_file, write_file
from readfirst.workspace.grep import LONG_LINE, ContentMatches, ContentQuery, search_content


def _shown(root: Path, found: ContentMatches) -> dict[str, list[str]]:
    """Give each file's rows, context in brackets."""
    return {
        os.path.relpath(one.path, root): [row.text if row.hit else f"({row.text})" for row in one.rows]
        for one in found.files
    }


@pytest.fixture
def tree(root: Path) -> Path:
    """Make a few files, one of them hidden by git's rules."""
    for name, text in {
        "a.py": "one\ntwo\nThree\n",
        "b.txt": "two\r\ntwo two\r\n",
        "sub/c.py": "nothing\n",
        "sub/d.py": "x two\n",
        "out/e.py": "two\n",
    }.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_bytes(text.encode())
    (root / "binary").write_bytes(b"two\0")
    (root / ".git").mkdir()
    (root / ".gitignore").write_text("out/\n")
    return root


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        pytest.param(
            ContentQuery("two"), {"a.py": ["two"], "b.txt": ["two", "two two"], "sub/d.py": ["x two"]}, id="literal"
        ),
        pytest.param(ContentQuery("two", glob="*.py"), {"a.py": ["two"], "sub/d.py": ["x two"]}, id="bare glob"),
        pytest.param(ContentQuery("two", glob="sub/*"), {"sub/d.py": ["x two"]}, id="glob of a path"),
        pytest.param(
            ContentQuery("^t", regex=True, ignore_case=True, glob="a.py"), {"a.py": ["two", "Three"]}, id="re"
        ),
        pytest.param(ContentQuery("t.o", glob="*.py"), {}, id="a dot is a dot"),
        pytest.param(ContentQuery("two", context=1, glob="a.py"), {"a.py": ["(one)", "two", "(Three)"]}, id="context"),
        pytest.param(ContentQuery("two", gitignore=False, glob="out/*"), {"out/e.py": ["two"]}, id="git's rules off"),
        pytest.param(ContentQuery("none"), {}, id="nothing"),
    ],
)
def test_lines_that_match_are_shown_by_file(
    session: Session, tree: Path, query: ContentQuery, shown: dict[str, list[str]]
) -> None:
    """SPEC 3, `search_content`."""
    found = search_content(session, ".", query)
    assert _shown(tree, found) == shown
    assert (found.more, found.unread) == (False, 0)


def test_no_more_lines_are_given_than_were_asked_for(session: Session, tree: Path) -> None:
    """SPEC 3, `maxMatches`; G12: that there are more is said."""
    for most, count, more in [(1, 1, True), (3, 3, True), (4, 4, False)]:
        found = search_content(session, ".", ContentQuery("two", max_matches=most))
        assert (found.count, found.more) == (count, more), tree


def test_no_more_files_are_given_than_a_reply_holds(root: Path) -> None:
    """SPEC 8: 45,000 characters."""
    for number in range(30):
        (root / f"{number:02}").write_text("two " * 100 + "\n")
    with Workspace([str(root)], settings=Settings(reply_chars=2_000)) as workspace:
        found = search_content(workspace.session(), ".", ContentQuery("two"))
    assert (0 < len(found.files) < 5, found.more) == (True, True)


@pytest.mark.guarantee("G3")
def test_lines_that_were_shown_are_seen_and_no_others(session: Session, root: Path) -> None:
    """SPEC 2: shown as hits or context by `search_content`."""
    (root / "f").write_text("".join(f"line {n}\n" for n in range(1, 101)))
    search_content(session, ".", ContentQuery("line 50", context=2))
    with pytest.raises(Unseen) as refused:
        write_file(session, "f", "new\n")
    assert [str(lines) for lines in refused.value.ranges] == ["1-47", "53-100"]
    edit_file(session, "f", [Edit("line 9\n", "")])


@pytest.mark.guarantee("G1")
def test_a_file_without_a_match_was_not_read(session: Session, root: Path) -> None:
    """SPEC 2."""
    (root / "f").write_text("".join(f"line {n}\n" for n in range(1, 101)))
    search_content(session, ".", ContentQuery("no such text"))
    with pytest.raises(NotRead):
        edit_file(session, "f", [Edit("line 9\n", "")])


def test_a_line_that_is_shown_in_part_is_not_seen(session: Session, root: Path) -> None:
    """SPEC 2."""
    (root / "f").write_text("two " * LONG_LINE + "\nend\n")
    search_content(session, ".", ContentQuery("two", context=1))
    with pytest.raises(Unseen) as refused:
        write_file(session, "f", "new\n")
    assert [str(lines) for lines in refused.value.ranges] == ["1"]


@pytest.mark.parametrize("query", [ContentQuery(""), ContentQuery("x" * 1_001), ContentQuery("(a", regex=True)])
def test_a_pattern_that_is_none_is_refused(session: Session, query: ContentQuery) -> None:
    """SPEC 8: 1,000 characters; HOSTILE 76."""
    with pytest.raises(ArgumentRefused, match="invalid_argument"):
        search_content(session, ".", query)


def test_a_file_that_is_too_large_to_be_edited_is_counted(root: Path) -> None:
    """G12: what was left out is said."""
    (root / "f").write_text("two\n" * 10)
    with Workspace([str(root)], settings=Settings(edit_bytes=10)) as workspace:
        found = search_content(workspace.session(), ".", ContentQuery("two"))
    assert (found.files, found.unread) == ([], 1)


def test_a_long_line_takes_no_more_room_than_what_is_shown_of_it(root: Path) -> None:
    """SPEC 8: a minified file does not end the search of all others."""
    (root / "a").write_text("two" * 100_000 + "\n")
    (root / "b").write_text("two\n")
    with Workspace([str(root)]) as workspace:
        found = search_content(workspace.session(), ".", ContentQuery("two"))
    assert ([len(one.rows[0].text) for one in found.files], found.more) == ([LONG_LINE, 3], False)
