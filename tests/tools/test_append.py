"""What `append_file` says."""

from __future__ import annotations

from pathlib import Path

import pytest

from readfirst import Workspace
from readfirst.tools.manage import APPEND_FILE, AppendFileArgs


@pytest.mark.parametrize(
    ("before", "text", "blocks"),
    [
        pytest.param(None, "a\n", ('[created "f"; line 1 of 1]',), id="created"),
        pytest.param(b"a\n", "b\nc\n", ('[appended to "f"; lines 2-3 of 3]',), id="added"),
        pytest.param(b"a\n", "", ('[appended to "f"; nothing was added]',), id="nothing"),
        pytest.param(
            b"a\r\n",
            "b\n",
            (
                "[note: the lines of this file end in CRLF, those of the text do not all]",
                '[appended to "f"; line 2 of 2]',
            ),
            id="another line ending",
        ),
    ],
)
def test_an_append_says_where_the_text_is(
    tmp_path: Path, before: bytes | None, text: str, blocks: tuple[str, ...]
) -> None:
    """SPEC 3."""
    if before is not None:
        (tmp_path / "f").write_bytes(before)
    with Workspace([str(tmp_path)]) as workspace:
        reply = APPEND_FILE.run(workspace.session(), AppendFileArgs(path="f", content=text))
    assert reply.blocks == blocks
