"""What a record proves."""

from __future__ import annotations

import pytest

from readfirst.content.digest import digest_of, version_token
from readfirst.errors import NotRead, Stale, Unseen
from readfirst.sessions.coverage import Coverage
from readfirst.sessions.ledger import (
    FileRecord,
    Showing,
    after_edit,
    after_showing,
    after_write,
    require_fresh,
    require_seen,
)
from readfirst.spans import LineChange, LinePart, LineRange

OLD, NOW = digest_of(b"old"), digest_of(b"now")
TOP, END, ALL = Coverage((LineRange(1, 2),)), Coverage((LineRange(3, 4),)), Coverage((LineRange(1, 4),))
LINES = LineRange(1, 4)


@pytest.mark.parametrize(
    ("record", "showing", "after"),
    [
        pytest.param(None, Showing(NOW, TOP, b"now"), FileRecord(NOW, TOP, b"now"), id="first read"),
        pytest.param(FileRecord(NOW, TOP), Showing(NOW, END), FileRecord(NOW, ALL), id="two halves are the whole"),
        pytest.param(FileRecord(NOW, TOP, b"now"), Showing(NOW, END), FileRecord(NOW, ALL, b"now"), id="content stays"),
        pytest.param(FileRecord(NOW, TOP), Showing(NOW, END, b"now"), FileRecord(NOW, ALL, b"now"), id="content comes"),
        pytest.param(FileRecord(NOW, TOP, b""), Showing(NOW, TOP, b"x"), FileRecord(NOW, TOP, b""), id="empty is kept"),
        pytest.param(
            FileRecord(OLD, ALL, b"old"), Showing(NOW, TOP), FileRecord(NOW, TOP), id="another version resets"
        ),
        pytest.param(
            FileRecord(NOW, TOP),
            Showing(NOW, Coverage()),
            FileRecord(NOW, TOP),
            id="a line in part: read, nothing more seen",
        ),
    ],
)
def test_a_showing_adds_to_its_version_and_replaces_another(
    record: FileRecord | None, showing: Showing, after: FileRecord
) -> None:
    """SPEC 2, one version at a time."""
    assert after_showing(record, showing) == after


def test_an_own_edit_moves_what_was_seen() -> None:
    """G4."""
    record = after_edit(FileRecord(OLD, TOP, b"old"), NOW, [LineChange(1, 0, 1), LineChange(4, 1, 1)], b"now")
    assert record == FileRecord(NOW, Coverage((LineRange(1, 3), LineRange(5, 5))), b"now")


@pytest.mark.parametrize(
    ("lines", "coverage"), [pytest.param(LINES, ALL, id="text"), pytest.param(None, Coverage(), id="no text")]
)
def test_an_own_write_is_seen_whole(lines: LineRange | None, coverage: Coverage) -> None:
    """G4."""
    assert after_write(NOW, lines, b"now") == FileRecord(NOW, coverage, b"now")


def test_a_file_that_was_never_read_is_refused() -> None:
    """G1."""
    with pytest.raises(NotRead) as refused:
        require_fresh(None, NOW, "f", lines=LINES)
    assert (refused.value.code, refused.value.path) == ("not_read", "f")


def test_an_empty_file_needs_no_read() -> None:
    """SPEC 2."""
    assert require_fresh(None, NOW, "f", lines=None) == FileRecord(NOW, Coverage())


def test_another_version_than_the_one_read_is_stale() -> None:
    """G2; an empty file too, once it was read."""
    for lines in (LINES, None):
        with pytest.raises(Stale) as refused:
            require_fresh(FileRecord(OLD, ALL), NOW, "f", lines=lines)
        assert (refused.value.code, refused.value.by_version) == ("stale", False)


def test_the_version_that_was_read_is_fresh() -> None:
    """G2: bytes decide, never times."""
    record = FileRecord(NOW, TOP, b"now")
    assert require_fresh(record, NOW, "f", lines=LINES) is record


@pytest.mark.parametrize(
    ("record", "whole", "proof"),
    [
        pytest.param(None, False, FileRecord(NOW, Coverage()), id="stands in for a read"),
        pytest.param(None, True, FileRecord(NOW, ALL), id="a marked one for every line"),
        pytest.param(FileRecord(NOW, TOP), False, FileRecord(NOW, TOP), id="keeps what was seen"),
        pytest.param(
            FileRecord(OLD, ALL), False, FileRecord(NOW, Coverage()), id="not what was seen of another version"
        ),
        pytest.param(FileRecord(OLD, TOP), True, FileRecord(NOW, ALL), id="whatever the record says"),
    ],
)
def test_a_version_token_stands_in_for_a_read(record: FileRecord | None, proof: FileRecord, *, whole: bool) -> None:
    """SPEC 2, version tokens: a marked one also for G3."""
    token = version_token(NOW, whole=whole)
    assert require_fresh(record, NOW, "f", version=token, lines=LINES) == proof


@pytest.mark.parametrize(
    "token", [version_token(OLD, whole=True), version_token(OLD, whole=False), "w", "nonsense"], ids=str
)
def test_a_token_of_another_version_is_stale_whatever_was_read(token: str) -> None:
    """SPEC 2, version tokens: if given, it must equal the version on disk."""
    with pytest.raises(Stale) as refused:
        require_fresh(FileRecord(NOW, ALL), NOW, "f", version=token, lines=LINES)
    assert refused.value.by_version


def test_a_marked_token_of_an_empty_file_proves_no_lines() -> None:
    """SPEC 2."""
    proof = require_fresh(None, NOW, "f", version=version_token(NOW, whole=True), lines=None)
    assert proof == FileRecord(NOW, Coverage())


def test_lines_that_were_not_shown_are_named() -> None:
    """G3: each once, in order."""
    wanted = [LineRange(4, 6), None, LineRange(1, 3), LineRange(5, 5)]
    with pytest.raises(Unseen) as refused:
        require_seen(FileRecord(NOW, TOP), wanted, "f", total=9)
    assert refused.value.ranges == (LineRange(3, 6),)
    assert (refused.value.code, refused.value.total) == ("unseen", 9)


def test_of_the_first_line_that_was_shown_in_part_the_next_column_is_named() -> None:
    """G3, G12: where the next read goes on."""
    seen = Coverage((LineRange(1, 2),), (LinePart(3, 1, 50), LinePart(4, 1, 70)))
    with pytest.raises(Unseen) as refused:
        require_seen(FileRecord(NOW, seen), [LINES], "f", total=4)
    assert (refused.value.ranges, refused.value.column) == ((LineRange(3, 4),), 51)


def test_windows_of_one_line_add_up_within_one_version() -> None:
    """SPEC 2, one version at a time: a digest other than the record's resets what was seen."""
    start, end = Coverage((), (LinePart(1, 1, 5),)), Coverage((), (LinePart(1, 6, 9, ends=True),))
    record = after_showing(None, Showing(NOW, start))
    assert after_showing(record, Showing(NOW, end)).coverage == Coverage((LineRange(1, 1),))
    assert after_showing(record, Showing(OLD, end)).coverage == end


def test_lines_that_were_shown_prove_it() -> None:
    """G3."""
    assert require_seen(FileRecord(NOW, ALL), [LINES, None], "f", total=4) == ALL
    assert require_seen(FileRecord(NOW, Coverage()), [], "f", total=4) == Coverage()
