"""What a reply says after the text: what was shown or done, the version, and how to go on."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

from readfirst.errors import ArgumentRefused
from readfirst.settings import Settings
from readfirst.tools import TOOLS
from readfirst.tools.spec import Reply
from readfirst.workspace.context import Workspace

Call = Callable[..., Reply]

_TOOLS = {tool.name: tool for tool in TOOLS}
_LIMITS = Settings(edits_per_call=2, diff_lines=20)


@pytest.fixture
def call(root: Path) -> Generator[Call]:
    """Run a tool of a workspace on `root`, for a caller who waits for each result."""
    with Workspace([str(root)], settings=_LIMITS) as workspace:
        session = workspace.session()

        def run(name: str, /, **arguments: Any) -> Reply:  # noqa: ANN401 - JSON
            tool = _TOOLS[name]
            return tool.run(session, tool.args.model_validate(arguments))

        yield run


def _closing(reply: Reply) -> str:
    return re.sub(r"version [a-z]{10}", "version V", reply.blocks[-1])


@pytest.mark.parametrize(
    ("data", "arguments", "closing"),
    [
        (b"", {}, "[0 lines: the file is empty; version V]"),
        (b"a", {}, "[the only line; version V]"),
        (b"a\nb\nc\n", {}, "[all 3 lines; version V]"),
        (b"a\nb\nc\n", {"head": 0}, "[no lines of 3 shown]"),
        (b"a\nb\nc\n", {"offset": 2}, "[lines 2-3 of 3, the last; version V]"),
        (b"a\nb\nc\n", {"tail": 1}, "[line 3 of 3, the last; version V]"),
        (
            b"a\nb\nc\n",
            {"limit": 2},
            '[lines 1-2 of 3; version V; next: read_file(path="f", offset=3, limit=2)]',
        ),
        (b"a\nb\nc\n", {"head": 1}, '[line 1 of 3; version V; next: read_file(path="f", offset=2)]'),
        (
            b"abcdef\nb\n",
            {"maxChars": 5},
            (
                "[line 1 of 2, cut: characters 1 to 3; version V; "
                'next: read_file(path="f", offset=1, column=4, maxChars=5)]'
            ),
        ),
        (b"\xef\xbb\xbfa\n", {}, "[the only line; utf-8 with BOM; version V]"),
        (
            b"\xff\n",
            {},
            (
                "[the only line; encoding unknown, shown as iso8859-1 by a guess; only ASCII text can be written; "
                "version V]"
            ),
        ),
    ],
    ids=["empty", "one", "all", "none", "end", "last", "page", "head", "part", "BOM", "unknown bytes"],
)
def test_a_read_ends_with_what_was_shown_and_the_next_call(
    call: Call, root: Path, data: bytes, arguments: dict[str, object], closing: str
) -> None:
    """SPEC 3.1."""
    (root / "f").write_bytes(data)
    assert _closing(call("read_file", path="f", **arguments)) == closing


def test_a_read_says_that_the_file_changed(call: Call, root: Path) -> None:
    """SPEC 2."""
    (root / "f").write_text("a\n")
    call("read_file", path="f")
    (root / "f").write_text("b\n")
    assert _closing(call("read_file", path="f")) == "[the only line; the file changed since your last read; version V]"


def test_the_next_calls_of_a_read_joined_are_the_file(call: Call, root: Path) -> None:
    """SPEC 3.1: the exact next call, taken at its word."""
    text = "".join(f"{'x' * (number % 40)}\n" for number in range(200))
    (root / "f").write_text(text)
    shown: list[str] = []
    arguments: dict[str, object] = {"maxChars": 30, "lineNumbers": False}
    while True:
        reply = call("read_file", path="f", **arguments)
        shown.append(reply.blocks[0])
        found = re.search(r"next: read_file\(path=\"f\", (.*)\)\]", reply.blocks[-1])
        if found is None:
            break
        arguments = {"lineNumbers": False}
        for part in found[1].split(", "):
            name, value = part.split("=")
            arguments[name] = int(value)
    assert "".join(shown) == text
    assert len(shown) > 100


def test_plain_text_comes_without_numbers(call: Call, root: Path) -> None:
    """SPEC 3 (read_text_file)."""
    (root / "f").write_text("a\nb\n")
    assert call("read_text_file", path="f").blocks[0] == "a\nb\n"
    assert call("read_text_file", path="f", tail=1).blocks[0] == "b\n"


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("read_file", {"head": 1, "tail": 1}, "`head` and `tail` cannot be given together"),
        ("read_text_file", {"head": 0, "tail": 0}, "`head` and `tail` cannot be given together"),
        ("read_file", {"head": 1, "offset": 1}, "`head` and `offset` cannot be given together"),
        ("read_file", {"tail": 1, "limit": 5}, "`tail` and `limit` cannot be given together"),
        ("read_file", {"tail": 1, "column": 5}, "`tail` and `column` cannot be given together"),
    ],
    ids=["both", "both of none", "offset", "limit", "column"],
)
def test_two_answers_to_one_question_are_refused(
    call: Call, root: Path, tool: str, arguments: dict[str, object], words: str
) -> None:
    """SPEC 3: `offset`+`limit`, or `head`, or `tail`."""
    (root / "f").write_text("a\n")
    with pytest.raises(ArgumentRefused) as refused:
        call(tool, path="f", **arguments)
    assert refused.value.detail == words


def test_a_write_says_what_it_did(call: Call, root: Path) -> None:
    """SPEC 3 (write_file): created, would create, wrote, already so, and line endings that were kept."""
    assert _closing(call("write_file", path="f", content="a\r\n", dryRun=True)) == '[would create "f"]'
    assert _closing(call("write_file", path="f", content="a\r\n")) == '[created "f"; now line 1; version V]'
    assert _closing(call("write_file", path="f", content="a\n")) == (
        '["f" already holds exactly this text; nothing was written; line endings kept as CRLF; version V]'
    )
    assert _closing(call("write_file", path="f", content="b\n", dryRun=True)) == (
        '[dry run, nothing was written to "f"; now line 1; line endings kept as CRLF; version V]'
    )
    reply = call("write_file", path="f", content="b\n", lineEndings="asSent")
    assert reply.blocks[0] == "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\r\n+b"
    assert _closing(reply) == '[wrote "f"; now line 1; version V]'
    assert (root / "f").read_bytes() == b"b\n"


def test_an_edit_says_what_it_did(call: Call, root: Path) -> None:
    """SPEC 4.8: replacements, the step, the lines after the edit, the version, the diff; facts for programs."""
    (root / "f").write_text("a\nb\na\n")
    call("read_file", path="f")
    reply = call("edit_file", path="f", edits=[{"oldText": "a", "newText": "x", "replaceAll": True}])
    assert reply.blocks[0] == "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n-a\n+x\n b\n-a\n+x"
    assert _closing(reply) == '[wrote "f"; 2 replacements (exact); now lines 1, 3; version V]'
    facts = dict(reply.facts)
    assert re.fullmatch("p[a-z]{9}", str(facts.pop("version")))
    assert facts == {"path": "f", "dryRun": False, "lines": [[1, 1], [3, 3]], "steps": ["exact"]}


@pytest.mark.parametrize(
    ("old", "new", "notes"),
    [
        ("if a:\n", "if b:", "oldText ends in a line break and newText does not, so the next line was joined to it"),
        ("x = 1", "y = 1\nz = 1", "later lines of newText are less indented than the line it starts in"),
        ("x = 1", "y = 1\n    z = 1", ""),
    ],
    ids=["joined", "less indented", "as it should be"],
)
def test_what_may_not_have_been_meant_is_noted(call: Call, root: Path, old: str, new: str, notes: str) -> None:
    """SPEC 4.9: done to the letter, with a warning; of several edits, which one."""
    (root / "f").write_text("# top\nif a:\n    x = 1\n# end\n")
    call("read_file", path="f")
    edits = [{"oldText": old, "newText": new}]
    alone = call("edit_file", path="f", edits=edits, dryRun=True)
    both = call("edit_file", path="f", edits=[{"oldText": "top", "newText": "TOP"}, *edits], dryRun=True)
    assert alone.blocks[1:-1] == ((f"[note: {notes}]",) if notes else ())
    assert both.blocks[1:-1] == ((f"[note: edits[1]: {notes}]",) if notes else ())


@pytest.mark.parametrize(
    ("old", "step"),
    [
        ("    x = 1\n# end", "exact"),
        ("if a:  \n    x = 1\n", "found with white space at line ends aside"),
        ("if a:\n  x = 1\n", "found with indentation aside, written with that of the file"),
    ],
    ids=["exact", "trailing", "indentation"],
)
def test_an_edit_says_how_its_text_was_found(call: Call, root: Path, old: str, step: str) -> None:
    """SPEC 4.8."""
    (root / "f").write_text("# top\nif a:\n    x = 1\n# end\n")
    call("read_file", path="f")
    reply = call("edit_file", path="f", edits=[{"oldText": old, "newText": old.replace("1", "2")}])
    assert f"; 1 replacement ({step}); now line 3; " in reply.blocks[-1]
    assert (root / "f").read_text() == "# top\nif a:\n    x = 2\n# end\n"


def test_a_diff_that_does_not_apply_says_so(call: Call, root: Path) -> None:
    """SPEC 4.8: shortened for length, or of bytes that could not be shown."""
    (root / "f").write_bytes(b"\xff one\n")
    call("read_file", path="f")
    reply = call("edit_file", path="f", edits=[{"oldText": "one", "newText": "two"}])
    assert reply.blocks[1] == "[the diff is for reading; git apply does not take it]"
    reply = call("write_file", path="f", content="line\n" * 100)
    assert reply.blocks[1] == "[the diff is cut; it does not apply]"
    assert _closing(reply).startswith('[wrote "f"')


@pytest.mark.parametrize("count", [0, 3])
def test_the_number_of_edits_is_bounded(call: Call, root: Path, count: int) -> None:
    """SPEC 8."""
    (root / "f").write_text("a\n")
    with pytest.raises(ArgumentRefused) as refused:
        call("edit_file", path="f", edits=[{"oldText": "a", "newText": "b"}] * count)
    assert refused.value.detail == f"`edits` takes 1 to 2 edits, not {count}"


def test_a_write_that_may_not_last_says_so(call: Call, root: Path) -> None:
    """SPEC 6: a directory without read permission cannot be opened to be synced."""
    before = os.geteuid()
    root.chmod(0o333)
    if before == 0:
        os.seteuid(65534)
    try:
        reply = call("write_file", path="new", content="x")
    finally:
        os.seteuid(before)
        root.chmod(0o755)
    assert _closing(reply) == (
        '[created "new"; now line 1; written, but its durability could not be confirmed; version V]'
    )


def test_the_allowed_directories_are_listed(call: Call, root: Path) -> None:
    """SPEC 3 (list_allowed_directories)."""
    reply = call("list_allowed_directories")
    assert reply.blocks == (f"Allowed directories:\n{root}",)
    assert reply.facts == {"directories": [str(root)]}
