"""Line-mapped writing."""

from __future__ import annotations

import pytest

from readfirst.content.codec import decode
from readfirst.content.encodings import UTF_8
from readfirst.edits.linemap import rewrite
from readfirst.edits.match import EXACT, Match, Place, locate
from readfirst.spans import Splice, spliced


def _rewritten(body: bytes, old: bytes, new: bytes, as_sent: bytes = b"\n") -> bytes:
    document = decode(body, UTF_8)
    outcome = locate(document, old, EXACT)
    assert isinstance(outcome, Match)
    return spliced(body, rewrite(document, outcome.place, old, new, as_sent).splices)


@pytest.mark.parametrize(
    ("body", "old", "new", "after"),
    [
        pytest.param(b"a\r\nb\nc\r\n", b"a\nb\nc\n", b"a\nB\nc\n", b"a\r\nB\nc\r\n", id="a line keeps its ending"),
        pytest.param(b"a\nb\r\nc\n", b"a\nb\nc\n", b"a\nB\nc\n", b"a\nB\r\nc\n", id="a line keeps its CRLF"),
        pytest.param(b"a\r\nb\n", b"a\nb", b"a\nB\nc", b"a\r\nB\nc\n", id="a last line keeps the ending after it"),
        pytest.param(b"a\r\nb\n", b"a\n", b"a\nx\n", b"a\r\nx\r\nb\n", id="a new line takes its neighbour's"),
        pytest.param(b"a\r\nb\n", b"b\n", b"x\nb\n", b"a\r\nx\nb\n", id="a new first line takes the next one's"),
        pytest.param(b"a\nb\r\nc", b"c", b"c\nd", b"a\nb\r\nc\r\nd", id="at the end: the line before"),
        pytest.param(b"a\nbc\r\nd\n", b"b", b"b\nx\n", b"a\nb\r\nx\r\nc\r\nd\n", id="within a line: its own"),
        pytest.param(
            b"a\r\nb\nc\n", b"a\nb\n", b"A\nA2\nB\nB2\n", b"A\r\nA2\nB\nB2\nc\n", id="one ending a line, then"
        ),
        pytest.param(b"a\rb\r", b"a\n", b"a\nx\n", b"a\rx\rb\r", id="CR alone"),
        pytest.param(b"a\rb", b"b", b"b\nx", b"a\rb\rx", id="CR alone, at the end"),
        pytest.param(b"a\r\nb", b"a\nb", b"ab", b"ab", id="a break that goes"),
        pytest.param(b"a\nb\nc\n", b"b\n", b"", b"a\nc\n", id="a line that goes"),
    ],
)
def test_written_lines_end_as_the_file_does(body: bytes, old: bytes, new: bytes, after: bytes) -> None:
    """SPEC 4.3, G5."""
    assert _rewritten(body, old, new) == after


@pytest.mark.parametrize("sent", [b"\n", b"\r\n"])
def test_a_file_without_line_breaks_takes_those_that_were_sent(sent: bytes) -> None:
    """SPEC 4.3: there is no neighbour."""
    assert _rewritten(b"abc", b"b", b"b\nx", sent) == b"ab" + sent + b"xc"


@pytest.mark.parametrize(
    ("old", "new", "after"),
    [
        pytest.param(b"b\n", b"x\n", b"a\nx", id="a break at the end of both"),
        pytest.param(b"b\n", b"x\ny\n", b"a\nx\ny", id="a line more"),
        pytest.param(b"b\n", b"x", b"a\nx", id="none at the end of the new text"),
        pytest.param(b"a\nb\n", b"a\n", b"a", id="the last line goes"),
        pytest.param(b"b\n", b"b\n\n", b"a\nb\n", id="one break is dropped, not two"),
        pytest.param(b"b", b"x\n", b"a\nx\n", id="old text without a break: the new one's stays"),
    ],
)
def test_a_break_for_the_end_of_the_file_is_dropped_from_the_new_text(old: bytes, new: bytes, after: bytes) -> None:
    """SPEC 4.2.1: the final-newline rule."""
    assert _rewritten(b"a\nb", old, new) == after


def test_only_changed_lines_are_written() -> None:
    """SPEC 4.3: lines equal in old and new keep the file's own bytes; the core is what lies between the changes."""
    document = decode(b"a\nb\r\nc\nd\r\ne\n", UTF_8)
    place = Place(0, len(document.body))
    written = rewrite(document, place, b"a\nb\nc\nd\ne\n", b"a\nB\nc\nD\ne\n", b"\n")
    assert written.splices == (Splice(2, 3, b"B"), Splice(7, 8, b"D"))
    assert written.core == (2, 8)
