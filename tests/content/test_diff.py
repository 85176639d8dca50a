"""Unified diffs that git takes."""

from __future__ import annotations

import codecs
import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from readfirst.content.codec import Document, decode, detect
from readfirst.content.diff import Diff, DiffLimit, lines_of, unified_diff
from readfirst.content.lines import Lines
from readfirst.content.regions import regions_between, regions_of_splices
from readfirst.spans import LineRange, Splice, spliced

ROOMY = DiffLimit(10_000, 1_000_000)
WORDS = st.sampled_from(["a", "bc", "", "", "\u00e9", "\t x", "- a", "+", "@@ -1 +1 @@", "\\ No newline", "\ufffd"])
ENDINGS = st.sampled_from(["\n", "\n", "\r\n"])
LINES = st.lists(st.tuples(WORDS, ENDINGS).map("".join), max_size=12).map("".join)
TEXTS = st.builds(str.__add__, LINES, st.sampled_from(["", "", "end"]))


def _document(data: bytes) -> Document:
    encoding = detect(data)
    assert encoding is not None
    return decode(data, encoding)


def _diff(before: bytes, after: bytes, *, name: str = "f", limit: DiffLimit = ROOMY) -> Diff:
    old, new = _document(before), _document(after)
    regions = regions_between(Lines(old.body, old.newline), Lines(new.body, new.newline))
    return unified_diff(old, new, regions, name, limit)


def _applied(folder: Path, name: str, before: bytes, diff: Diff) -> bytes:
    file = folder / name
    file.write_bytes(before)
    command = ["git", "-c", "core.autocrlf=false", "apply", "--whitespace=nowarn", "-"]
    subprocess.run(command, cwd=folder, input=f"{diff.text}\n".encode(), check=True, capture_output=True)
    return file.read_bytes() if file.exists() else b""


@settings(max_examples=60, deadline=None)
@given(before=TEXTS, after=TEXTS)
@example(before="", after="a\n")
@example(before="a\n", after="")
@example(before="a", after="a\n")
@example(before="a\nb\nc\nd\ne\nf\ng\nh\ni\n", after="A\nb\nc\nd\ne\nf\ng\nh\nI\n")
@example(before="a\nb\nc\nd\ne\nf\ng\nh\n", after="A\nb\nc\nd\ne\nf\ng\nH\n")
@example(before="a\r\nb\n", after="a\nb\r\n")
def test_a_diff_applied_by_git_gives_the_new_text(
    tmp_path_factory: pytest.TempPathFactory, before: str, after: str
) -> None:
    """SPEC 4.8: a unified diff that `git apply` accepts."""
    diff = _diff(before.encode(), after.encode())
    assert (diff.applies, diff.complete) == (True, True)
    if before != after:
        assert _applied(tmp_path_factory.mktemp("git"), "f", before.encode(), diff) == after.encode()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(b"a\nb\n", b"X\nb\n", id="first line changed"),
        pytest.param(b"a\nb\n", b"a\nX\n", id="second line changed"),
        pytest.param(b"a\nb\n", b"x\na\nb\n", id="a line before the first"),
        pytest.param(b"a\nb\n", b"b\n", id="first line gone"),
    ],
)
def test_a_diff_of_a_text_with_a_mark_gives_the_new_text_or_says_that_it_does_not_apply(
    tmp_path: Path, before: bytes, after: bytes
) -> None:
    """The law of `diff`; the mark stays before the first line, whichever that is (G5)."""
    before, after = codecs.BOM_UTF8 + before, codecs.BOM_UTF8 + after
    diff = _diff(before, after)
    assert not diff.applies or _applied(tmp_path, "f", before, diff) == after


@pytest.mark.parametrize(
    ("before", "splices"),
    [
        pytest.param(b"a\nb\nc\n", (Splice(0, 1, b"A"), Splice(2, 3, b"B")), id="neighbouring lines"),
        pytest.param(b"a\nb\nc\n", (Splice(0, 2, b""), Splice(4, 4, b"x\n")), id="a line goes, another comes"),
        pytest.param(b"a\nb\nc\n", (Splice(1, 2, b""), Splice(5, 6, b"")), id="two line breaks go"),
        pytest.param(b"a\n", (Splice(0, 2, b"a"), Splice(2, 2, b"c")), id="two that touch at the end of the file"),
    ],
)
def test_a_diff_from_edit_spans_applied_by_git_gives_the_new_text(
    tmp_path: Path, before: bytes, splices: tuple[Splice, ...]
) -> None:
    """SPEC 4.8: built from the edit spans."""
    after = spliced(before, splices)
    regions = regions_of_splices(Lines(before, b"\n"), Lines(after, b"\n"), splices)
    diff = unified_diff(_document(before), _document(after), regions, "f", ROOMY)
    assert _applied(tmp_path, "f", before, diff) == after


@pytest.mark.parametrize(
    "name",
    ["with blank.txt", 'quo"te', "back\\slash", "tab\there", "new\nline", "ctrl\x01", "caf\u00e9", " lead", "a/b c"],
)
def test_a_diff_names_its_file_as_git_does(tmp_path: Path, name: str) -> None:
    """SPEC 4.8."""
    (tmp_path / name).parent.mkdir(exist_ok=True)
    assert _applied(tmp_path, name, b"a\n", _diff(b"a\n", b"b\n", name=name)) == b"b\n"


def test_a_diff_reads_as_people_know_it() -> None:
    r"""SPEC 4.8: 3 lines of context, `\ No newline at end of file` where due."""
    diff = _diff(b"1\n2\n3\n4\n5\n6\n7\n8\n9", b"1\n2\n3\n4\nfive\n6\n7\n8\nnine")
    assert diff.text.split("\n") == [
        "--- a/f",
        "+++ b/f",
        "@@ -2,8 +2,8 @@",
        " 2",
        " 3",
        " 4",
        "-5",
        "+five",
        " 6",
        " 7",
        " 8",
        "-9",
        "\\ No newline at end of file",
        "+nine",
        "\\ No newline at end of file",
    ]
    assert diff.shown_before == diff.shown_after == (LineRange(2, 9),)


def test_regions_far_apart_stand_in_hunks_of_their_own() -> None:
    """SPEC 4.8: 3 lines of context."""
    before = b"".join(b"%d\n" % i for i in range(1, 31))
    diff = _diff(before, before.replace(b"5\n", b"V\n", 1).replace(b"20\n", b"", 1))
    assert [row for row in diff.text.split("\n") if row.startswith("@@")] == ["@@ -2,7 +2,7 @@", "@@ -17,7 +17,6 @@"]
    assert diff.shown_before == (LineRange(2, 8), LineRange(17, 23))
    assert diff.shown_after == (LineRange(2, 8), LineRange(17, 22))


@pytest.mark.parametrize(
    ("second", "places"),
    [
        pytest.param(b"11", ["@@ -1,14 +1,14 @@"], id="six lines between: their contexts touch"),
        pytest.param(b"12", ["@@ -1,7 +1,7 @@", "@@ -9,7 +9,7 @@"], id="seven lines between"),
    ],
)
def test_regions_whose_contexts_touch_stand_in_one_hunk(second: bytes, places: list[str]) -> None:
    """SPEC 4.8: 3 lines of context."""
    before = b"".join(b"%d\n" % i for i in range(1, 21))
    diff = _diff(before, before.replace(b"\n4\n", b"\nX\n").replace(b"\n%b\n" % second, b"\nY\n"))
    assert [row for row in diff.text.split("\n") if row.startswith("@@")] == places


@pytest.mark.parametrize(
    ("before", "after", "place"),
    [
        pytest.param(b"", b"a\n", "@@ -0,0 +1 @@", id="into an empty file"),
        pytest.param(b"", b"a\nb\n", "@@ -0,0 +1,2 @@", id="two lines into an empty file"),
        pytest.param(b"a\n", b"", "@@ -1 +0,0 @@", id="to an empty file"),
    ],
)
def test_a_hunk_without_lines_stands_after_the_line_before_it(before: bytes, after: bytes, place: str) -> None:
    """The unified format: no lines, then the number of the line before; one line, no count."""
    assert _diff(before, after).text.split("\n")[2] == place


@pytest.mark.parametrize(
    "limit",
    [
        pytest.param(DiffLimit(12, 10_000), id="too many lines"),
        pytest.param(DiffLimit(1_000, 100), id="too many chars"),
    ],
)
def test_a_diff_shortened_keeps_whole_hunks_and_says_so(limit: DiffLimit) -> None:
    """SPEC 4.8: a diff shortened for length says that it does not apply. G12."""
    before = b"".join(b"line %d\n" % i for i in range(1, 31))
    diff = _diff(before, before.replace(b"line 5\n", b"V\n").replace(b"line 20\n", b"XX\n"), limit=limit)
    assert (diff.complete, diff.applies) == (False, False)
    assert diff.shown_after == (LineRange(2, 8),)
    assert "XX" not in diff.text


def test_a_hunk_that_is_cut_shows_no_line_of_the_part_left_out() -> None:
    """The new lines of a change that is left out are no context, and the old ones were not shown. G12."""
    diff = _diff(b"a\n" * 8, b"b\na\nb", limit=DiffLimit(8, 1_000))
    assert diff.text.split("\n")[2:] == ["@@ -1 +1,2 @@", "+b", " a"]
    assert (diff.shown_before, diff.shown_after) == ((LineRange(1, 1),), (LineRange(1, 2),))


def test_an_over_long_line_is_shown_in_part_and_counts_as_unseen() -> None:
    """SPEC 4.8: a diff with over-long lines says that it does not apply. SPEC 2: a line in part is not seen."""
    diff = _diff(b"a\n" + b"x" * 1_001 + b"\n", b"b\n" + b"x" * 1_001 + b"\n")
    assert diff.text.endswith(f"\n {'x' * 1_000} [... the line goes on]")
    assert (diff.complete, diff.applies) == (False, False)
    assert diff.shown_before == diff.shown_after == (LineRange(1, 1),)


def test_a_line_of_just_the_length_that_is_shown_is_whole() -> None:
    """`LONG_LINE` counts characters, not bytes."""
    text = "\U0001f600" * 1_000
    diff = _diff(b"a\n", f"{text}\n".encode())
    assert (diff.complete, diff.applies) == (True, True)
    assert diff.text.endswith(f"\n+{text}")


@pytest.mark.parametrize(
    ("before", "after", "applies"),
    [
        pytest.param(b"caf\xe9\n", b"cafe\n", False, id="a byte that cannot be shown"),
        pytest.param("\ufffd\n".encode(), b"x\n", True, id="a replacement character that is one"),
        pytest.param(b"\xff\xfea\x00", b"\xff\xfeb\x00", False, id="UTF-16"),
        pytest.param(b"a\rb\r", b"a\rc\r", False, id="returns alone"),
        pytest.param(b"a\rb\n", b"a\rc\n", True, id="a return as data"),
    ],
)
def test_a_diff_that_git_could_not_apply_says_so(tmp_path: Path, before: bytes, after: bytes, *, applies: bool) -> None:
    """The law of `diff`. G12."""
    diff = _diff(before, after)
    assert (diff.complete, diff.applies) == (True, applies)
    assert not applies or _applied(tmp_path, "f", before, diff) == after


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [
        pytest.param(b"a\nb\nc\n", b"a\nX\nc\n", (LineRange(2, 2),), id="a line changed"),
        pytest.param(b"a\nb\nc\n", b"a\nc\n", (LineRange(1, 2),), id="a line went: those around the gap"),
        pytest.param(b"a\nb\nc\n", b"a\nb\n", (LineRange(2, 2),), id="the last line went"),
        pytest.param(b"a\nb\nc\n", b"b\nc\n", (LineRange(1, 2),), id="the first line went"),
        pytest.param(b"a\nb\n", b"b\n", (LineRange(1, 1),), id="one line is left"),
        pytest.param(b"a\n", b"", (), id="nothing is left"),
        pytest.param(b"a\n", b"a\n", (), id="nothing changed"),
    ],
)
def test_the_lines_changed_in_the_new_text(before: bytes, after: bytes, lines: tuple[LineRange, ...]) -> None:
    """SPEC 4.8: line range after the edit."""
    new = Lines(after, b"\n")
    assert lines_of(regions_between(Lines(before, b"\n"), new), new.count) == lines
