"""Refusals that teach: what they show, when they show nothing, and that only what was shown counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from readfirst.content.digest import digest_of, version_token
from readfirst.edits.plan import Edit
from readfirst.errors import ClosestLines, EditFailure, EditsRefused, NextCall, NotRead, Stale, Unseen
from readfirst.settings import Settings
from readfirst.spans import LineRange
from readfirst.workspace.context import Session, Workspace
from readfirst.workspace.edit import edit_file, write_file
from readfirst.workspace.read import ReadRequest, read_page
from tests.workspace.conftest import numbered

_WHOLE = ReadRequest()
_READ = (NextCall("read", "f"),)


def _token(path: Path) -> str:
    return version_token(digest_of(path.read_bytes()), whole=False)


def _not_read(session: Session, path: str = "f") -> NotRead:
    with pytest.raises(NotRead) as refused:
        edit_file(session, path, [Edit("x", "y")])
    return refused.value


def _numbered_text(lines: int) -> str:
    return "".join(f"line {number}\n" for number in range(1, lines + 1))


def _stale(session: Session) -> Stale:
    with pytest.raises(Stale) as refused:
        edit_file(session, "f", [Edit("x", "y")])
    return refused.value


def _no_match(session: Session, *edits: Edit) -> tuple[EditFailure, ...]:
    with pytest.raises(EditsRefused) as refused:
        edit_file(session, "f", edits)
    return refused.value.failures


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param(numbered(1, 40), True, id="40 lines"),
        pytest.param(numbered(1, 41), False, id="41 lines"),
        pytest.param("x" * 3_998, True, id="4,000 characters with the number"),
        pytest.param("x" * 3_999, False, id="4,001 characters with the number"),
        pytest.param("é" * 3_998, True, id="characters, not bytes"),
        pytest.param("x" * 1_000_000, False, id="one huge line"),
    ],
)
def test_only_a_small_file_is_shown_in_the_refusal(session: Session, root: Path, text: str, shown: bool) -> None:
    """SPEC 2: up to 40 lines and 4,000 characters, otherwise the call to make; only what was shown was read."""
    (root / "f").write_text(text)
    refusal = _not_read(session)
    assert (refusal.shown is not None) == shown
    assert refusal.next_calls == ((NextCall("edit", "f"),) if shown else _READ)
    if shown:
        write_file(session, "f", "new\n")
        assert (root / "f").read_text() == "new\n"
    else:
        assert _not_read(session).shown is None


def test_the_lines_shown_are_numbered_and_without_their_line_breaks(session: Session, root: Path) -> None:
    """SPEC 3.1: `12<TAB>text`; what cannot be decoded is U+FFFD."""
    (root / "f").write_bytes(b"one\r\n\r\ntw\xffo")
    assert _not_read(session).shown == "1\tone\n2\t\n3\ttw\u02d9o"


def test_the_path_in_a_refusal_is_the_one_that_was_given(session: Session, root: Path) -> None:
    """errors.py: `path` is the path as the caller gave it."""
    (root / "f").write_text("one\n")
    refusal = _not_read(session, f"{root}/./f")
    assert (refusal.path, refusal.next_calls) == (f"{root}/./f", (NextCall("edit", f"{root}/./f"),))


@pytest.mark.guarantee("G2")
def test_a_large_difference_names_the_lines_to_read(session: Session, root: Path) -> None:
    """SPEC 2: beyond about 60 lines nothing is shown, and nothing counts as seen."""
    (root / "f").write_text(numbered(1, 200))
    read_page(session, "f", _WHOLE)
    changed = numbered(1, 50) + "".join(f"other {number}\n" for number in range(51, 151)) + numbered(151, 200)
    (root / "f").write_text(changed)
    refusal = _stale(session)
    assert (refusal.diff, refusal.changed) == (None, (LineRange(51, 150),))
    assert refusal.next_calls == (NextCall("read", "f", LineRange(51, 150)),)
    assert _stale(session).changed == (LineRange(51, 150),)
    read_page(session, "f", ReadRequest(offset=51, limit=100))
    edit_file(session, "f", [Edit("other 51\n", "mine\n")])


def test_a_changed_line_that_is_too_long_is_not_shown_in_part(session: Session, root: Path) -> None:
    """SPEC 2: only when the whole difference was shown may the edit follow."""
    (root / "f").write_text("one\n")
    read_page(session, "f", _WHOLE)
    (root / "f").write_text("x" * 3_000 + "\n")
    refusal = _stale(session)
    assert (refusal.diff, refusal.changed) == (None, (LineRange(1, 1),))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(b"one\n", b"\xef\xbb\xbfone\n", id="only a BOM was added"),
        pytest.param(b"one\n", "\ufeffone\n".encode("utf-16-le"), id="only the encoding changed"),
    ],
)
def test_a_change_that_no_line_shows_asks_for_a_read(session: Session, root: Path, before: bytes, after: bytes) -> None:
    """G2: the bytes differ, though no line of text does."""
    (root / "f").write_bytes(before)
    read_page(session, "f", _WHOLE)
    (root / "f").write_bytes(after)
    refusal = _stale(session)
    assert (refusal.diff, refusal.changed, refusal.next_calls) == (None, (), _READ)


def test_staleness_is_reported_before_a_mismatch(session: Session, root: Path) -> None:
    """SPEC 4.1."""
    (root / "f").write_text("one\n")
    read_page(session, "f", _WHOLE)
    (root / "f").write_text("uno\n")
    with pytest.raises(Stale):
        edit_file(session, "f", [Edit("nowhere", "1")])


def test_an_own_text_that_was_none_cannot_be_compared(session: Session, root: Path) -> None:
    """SPEC 2: a text with NUL may be written, but is no text to show a difference to."""
    write_file(session, "f", "a\0b\n")
    (root / "f").write_text("one\n")
    refusal = _stale(session)
    assert (refusal.diff, refusal.changed, refusal.next_calls) == (None, (), _READ)


def test_a_version_too_large_to_be_kept_asks_for_a_read(root: Path) -> None:
    """SPEC 2: what is no longer kept cannot be compared."""
    (root / "f").write_text("one two three\n")
    with Workspace([str(root)], settings=Settings(kept_bytes_per_file=4)) as workspace:
        session = workspace.session()
        read_page(session, "f", _WHOLE)
        (root / "f").write_text("one\n")
        refusal = _stale(session)
    assert (refusal.diff, refusal.changed, refusal.next_calls) == (None, (), _READ)


@pytest.mark.parametrize(
    ("now", "lines"),
    [
        pytest.param(_numbered_text(90), LineRange(40, 60), id="the lines that were seen"),
        pytest.param(_numbered_text(50), LineRange(40, 50), id="those that are left of them"),
        pytest.param(_numbered_text(30), None, id="none is left"),
    ],
)
def test_where_nobody_knows_what_changed_the_lines_seen_before_are_named(
    root: Path, now: str, lines: LineRange | None
) -> None:
    """Issue 4: when the content for the difference is gone, the refusal says which lines to read instead."""
    (root / "f").write_text(_numbered_text(100))
    with Workspace([str(root)], settings=Settings(kept_bytes_per_file=4)) as workspace:
        session = workspace.session()
        read_page(session, "f", ReadRequest(offset=40, limit=21))
        (root / "f").write_text(now)
        refusal = _stale(session)
        assert (refusal.changed, refusal.next_calls) == ((), (NextCall("read", "f", lines),))
        with pytest.raises(Stale) as refused:
            write_file(session, "f", "new\n")
    assert refused.value.next_calls == _READ


def test_a_file_emptied_by_somebody_else_is_shown_to_be_empty(session: Session, root: Path) -> None:
    """SPEC 2: after that, there is nothing left to be seen."""
    (root / "f").write_text("one\n")
    read_page(session, "f", _WHOLE)
    (root / "f").write_text("")
    assert _stale(session).diff == "--- a/f\n+++ b/f\n@@ -1 +0,0 @@\n-one"
    write_file(session, "f", "new\n")
    assert (root / "f").read_text() == "new\n"


def test_a_wrong_version_after_an_own_read_shows_what_changed_since_that_read(session: Session, root: Path) -> None:
    """SPEC 2."""
    (root / "f").write_text("one\n")
    read_page(session, "f", _WHOLE)
    (root / "f").write_text("two\n")
    with pytest.raises(Stale) as refused:
        write_file(session, "f", "new\n", version="waaaaaaaaa")
    assert refused.value.by_version
    assert refused.value.diff == "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-one\n+two"


@pytest.mark.guarantee("G3")
@pytest.mark.parametrize(
    ("total", "shown"), [(41, True), (42, False)], ids=["40 lines were not seen", "41 lines were not seen"]
)
def test_unseen_lines_are_shown_when_they_are_few(session: Session, root: Path, total: int, shown: bool) -> None:
    """SPEC 2: the ranges, and the lines themselves when few; those were seen then."""
    (root / "f").write_text(numbered(1, total))
    read_page(session, "f", ReadRequest(limit=1))
    with pytest.raises(Unseen) as refused:
        write_file(session, "f", "new\n")
    rows = "\n".join(f"{number}\tline {number}" for number in range(2, total + 1))
    assert refused.value.shown == (rows if shown else None)
    wanted = NextCall("write", "f") if shown else NextCall("read", "f", LineRange(2, total))
    assert refused.value.next_calls == (wanted,)
    if shown:
        write_file(session, "f", "new\n")


def _overwritten_by_following(session: Session, most_rounds: int) -> list[NextCall]:
    """Send an overwrite again after each read that its refusal names; give those reads."""
    made: list[NextCall] = []
    for _ in range(most_rounds):
        try:
            write_file(session, "f", "new\n")
        except (NotRead, Unseen) as refusal:
            (call,) = refusal.next_calls
            made.append(call)
            if call.action == "read":
                lines = call.lines or LineRange(1, 1_000)
                request = ReadRequest(lines.first, lines.count, column=call.column, max_chars=call.max_chars)
                read_page(session, "f", request)
        else:
            return made
    pytest.fail(f"no overwrite after {made}")


_SMALL = Settings(page_chars=20, max_page_chars=50, refusal_lines=0)
"""Pages that lines of few characters exceed, and refusals that show no lines."""


@pytest.mark.guarantee("G3")
@pytest.mark.parametrize(
    ("data", "rounds"),
    [
        pytest.param(b"one\n" + b"x" * 120 + b"\nend\n", 5, id="a long line between others"),
        pytest.param(b"x" * 120, 4, id="a long line without an end"),
        pytest.param(b"x" * 48, 2, id="a line that just fits on the largest page"),
        pytest.param(b"x" * 49, 2, id="a line that just does not"),
        pytest.param(b"x" * 120 + b"\r\n" + b"y" * 120 + b"\r\n", 7, id="two of them, CRLF"),
        pytest.param(b"x" * 45 + b"\r" * 9 + b"\r\nend\n", 3, id="carriage returns that are characters of the line"),
        pytest.param(b"x" * 60 + b"\rend\r", 3, id="CR alone"),
        pytest.param("é😀".encode() * 30, 2, id="characters of several bytes"),
        pytest.param(b"\xff\xfe" + ("é😀" * 30).encode("utf-16-le"), 2, id="UTF-16"),
        pytest.param(b"caf\xe9 " * 20, 3, id="by a guess"),
    ],
)
def test_following_the_named_reads_ends_in_the_overwrite(root: Path, data: bytes, rounds: int) -> None:
    """SPEC 2: windows of one line add up; SPEC 1, G12: each refusal names a call that makes progress."""
    (root / "f").write_bytes(data)
    with Workspace([str(root)], settings=_SMALL) as workspace:
        made = _overwritten_by_following(workspace.session(), 10)
    assert len(made) == rounds
    assert len(set(made)) == rounds


@pytest.mark.guarantee("G3")
@pytest.mark.parametrize(
    ("shown", "wanted"),
    [
        pytest.param([], NextCall("read", "f", LineRange(2, 2), 50, cut=True), id="nothing of it"),
        pytest.param([1], NextCall("read", "f", LineRange(2, 2), 50, 49, cut=True), id="its start"),
        pytest.param(
            [49, 1], NextCall("read", "f", LineRange(2, 2), 50, 97, cut=True), id="two windows from its start"
        ),
        pytest.param([60], NextCall("read", "f", LineRange(2, 2), 50, cut=True), id="its middle"),
        pytest.param([60, 1], NextCall("read", "f", LineRange(2, 2), 50, 49, cut=True), id="its middle and its start"),
        pytest.param([40, 1], NextCall("read", "f", LineRange(2, 2), 50, 88, cut=True), id="windows that overlap"),
    ],
)
def test_the_read_of_a_line_that_no_page_holds_goes_on_where_its_start_ends(
    root: Path, shown: list[int], wanted: NextCall
) -> None:
    """SPEC 1, G12: the first character that was not shown; windows begin at the columns `shown`."""
    (root / "f").write_text("one\n" + "x" * 120 + "\nend\n")
    with Workspace([str(root)], settings=_SMALL) as workspace:
        session = workspace.session()
        read_page(session, "f", ReadRequest(limit=1))
        for column in shown:
            read_page(session, "f", ReadRequest(offset=2, limit=1, column=column, max_chars=50))
        with pytest.raises(Unseen) as refused:
            write_file(session, "f", "new\n")
    assert refused.value.next_calls == (wanted,)


@pytest.mark.guarantee("G3")
def test_a_replace_all_in_a_line_read_by_windows_lands(root: Path) -> None:
    """G3: it needs every line that it changes."""
    (root / "f").write_text("one\n" + "ab" * 60 + "\nend\n")
    with Workspace([str(root)], settings=_SMALL) as workspace:
        session = workspace.session()
        for column in (49, 1):
            read_page(session, "f", ReadRequest(offset=2, limit=1, column=column, max_chars=50))
            with pytest.raises(Unseen):
                edit_file(session, "f", [Edit("a", "", replace_all=True)])
        read_page(session, "f", ReadRequest(offset=2, limit=1, column=97, max_chars=50))
        edit_file(session, "f", [Edit("a", "", replace_all=True)])
    assert (root / "f").read_text() == "one\n" + "b" * 60 + "\nend\n"


@pytest.mark.guarantee("G3")
@pytest.mark.parametrize("old", ["  two  \n  three\n", "two\nthree\n"], ids=["trailing", "indentation"])
def test_a_text_found_with_white_space_aside_needs_its_lines_seen(session: Session, root: Path, old: str) -> None:
    """G3, SPEC 4.2: if they were not, they are shown and the edit is refused this once."""
    (root / "f").write_text("one\n  two\n  three\n" + numbered(4, 50))
    read_page(session, "f", ReadRequest(limit=2))
    edit = Edit(old, old.replace("three", "3"))
    with pytest.raises(Unseen) as refused:
        edit_file(session, "f", [edit])
    assert (refused.value.ranges, refused.value.shown) == ((LineRange(3, 3),), "3\t  three")
    edit_file(session, "f", [edit])
    assert (root / "f").read_text() == "one\n  two\n  3\n" + numbered(4, 50)


@pytest.mark.guarantee("G3")
def test_the_lines_that_a_dry_run_shows_are_seen(session: Session, root: Path) -> None:
    """SPEC 2: shown in a diff, as they are on disk; SPEC 4.8: no second read before the real edit."""
    (root / "f").write_text(numbered(1, 49) + "the one\n" + numbered(51, 100))
    read_page(session, "f", ReadRequest(limit=1))
    edit = Edit("the one", "the other", replace_all=True)
    with pytest.raises(Unseen):
        edit_file(session.workspace.session("other"), "f", [edit], version=_token(root / "f"))
    edit_file(session, "f", [Edit("the one", "x")], dry_run=True)
    edit_file(session, "f", [edit])
    assert (root / "f").read_text() == numbered(1, 49) + "the other\n" + numbered(51, 100)


def test_a_text_that_is_not_there_comes_with_the_closest_lines(session: Session, root: Path) -> None:
    """SPEC 4.7; and those lines were seen then (SPEC 2)."""
    (root / "f").write_text(numbered(1, 99) + "the quick brown fox\n")
    read_page(session, "f", ReadRequest(limit=1))
    (failure,) = _no_match(session, Edit("the quick brown  fox", "x"))
    assert failure.closest == ClosestLines(
        LineRange(100, 100),
        ("the quick brown fox",),
        failure.closest.score if failure.closest else 0.0,
        (100, "the quick brown fox", "the quick brown  fox"),
        "white space",
    )
    assert failure.detail == "white space"
    edit_file(session, "f", [Edit("quick", "slow", replace_all=True)])
    assert (root / "f").read_text() == numbered(1, 99) + "the slow brown fox\n"


@pytest.mark.parametrize(
    ("old", "new", "cause"),
    [
        pytest.param("2\tif a < b:\n3\t    pass", "x", "line numbers pasted", id="line numbers"),
        pytest.param("if a &lt; b:", "x", "HTML entities", id="entities"),
        pytest.param("IF A < B:", "x", "case", id="case"),
        pytest.param("if a  < b:", "x", "white space", id="white space"),
        pytest.param("if gone:", "if a < b:", "already applied", id="already applied"),
        pytest.param("if gone:", "pass", "", id="a short new text stands there by chance"),
        pytest.param("if a > b:", "x", "", id="no cause"),
    ],
)
def test_a_mismatch_names_its_cause(session: Session, root: Path, old: str, new: str, cause: str) -> None:
    """SPEC 4.7; nothing of it is ever applied."""
    (root / "f").write_text("# start\nif a < b:\n    pass\n")
    read_page(session, "f", _WHOLE)
    (failure,) = _no_match(session, Edit(old, new))
    assert failure.detail == cause
    assert (root / "f").read_text() == "# start\nif a < b:\n    pass\n"


def test_entities_that_the_encoding_has_not_are_no_cause(session: Session, root: Path) -> None:
    """SPEC 4.7, 4.10: a file of unknown bytes holds ASCII text only."""
    (root / "f").write_bytes(b"caf\xe9 one\n")
    read_page(session, "f", _WHOLE)
    (failure,) = _no_match(session, Edit("caf&eacute; one", "x"))
    assert failure.detail != "HTML entities"


def test_nothing_alike_comes_without_lines(session: Session, root: Path) -> None:
    """SPEC 4.7."""
    (root / "f").write_text("one\n")
    read_page(session, "f", _WHOLE)
    (failure,) = _no_match(session, Edit("@@@@@@@@", "x"))
    assert (failure.closest, failure.detail) == (None, "")


def test_a_closest_line_that_is_cut_is_not_seen(session: Session, root: Path) -> None:
    """SPEC 2: a line shown in part is not a seen line."""
    (root / "f").write_text("start\n" + "word " * 1_000 + "end\n")
    read_page(session, "f", ReadRequest(limit=1))
    (failure,) = _no_match(session, Edit("word " * 1_000 + "END", "x"))
    assert failure.closest is not None
    assert not failure.closest.whole
    with pytest.raises(Unseen):
        edit_file(session, "f", [Edit("end", "x", replace_all=True)])


def test_many_mismatches_share_the_room_of_one_refusal(session: Session, root: Path) -> None:
    """SPEC 8: an error text has 8,000 characters; lines for which there is no room are neither shown nor seen."""
    (root / "f").write_text("".join(f"value {number} = {'x' * 150}\n" for number in range(1, 201)))
    read_page(session, "f", ReadRequest(limit=1))
    edits = [Edit(f"value {number} = {'x' * 149}y\n", "z") for number in range(1, 200, 2)]
    failures = _no_match(session, *edits)
    shown = [failure for failure in failures if failure.closest is not None]
    assert len(failures) == 100
    assert 1 <= len(shown) < 20
    assert all(not failure.searched for failure in failures if failure.closest is None)
    with pytest.raises(Unseen) as refused:
        edit_file(session, "f", [Edit("value", "v", replace_all=True)])
    seen = {number for failure in shown if failure.closest for number in [failure.closest.lines.first]}
    assert not any(lines.first <= number <= lines.last for lines in refused.value.ranges for number in seen)
    assert LineRange(199, 200).last in {lines.last for lines in refused.value.ranges}
