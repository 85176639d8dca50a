"""What `read_media_file` says besides the file itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from readfirst import Session, Workspace
from readfirst.content.media import Media
from readfirst.tools.read import READ_MEDIA_FILE, ReadMediaFileArgs
from readfirst.tools.spec import Reply

_PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(20)


def _read(session: Session, path: str) -> Reply:
    return READ_MEDIA_FILE.run(session, ReadMediaFileArgs(path=path))


@pytest.mark.parametrize(
    ("data", "closing", "facts"),
    [
        pytest.param(_PNG, "image/png, 36 bytes", {"mediaType": "image/png", "size": 36}, id="image"),
        pytest.param(
            b"\0", "application/octet-stream, 1 byte", {"mediaType": "application/octet-stream", "size": 1}, id="byte"
        ),
        pytest.param(
            b"one\ntwo\n",
            "text/plain, 8 bytes, all 2 lines",
            {"mediaType": "text/plain", "size": 8, "totalLines": 2},
            id="text",
        ),
        pytest.param(
            b"",
            "text/plain, 0 bytes: the file is empty",
            {"mediaType": "text/plain", "size": 0, "totalLines": 0},
            id="empty",
        ),
    ],
)
def test_the_closing_line_says_what_it_is(root: Path, data: bytes, closing: str, facts: dict[str, object]) -> None:
    """SPEC 2: every read ends with a version, marked since all was shown; SPEC 5: the facts for programs."""
    (root / "a").write_bytes(data)
    with Workspace([str(root)]) as workspace:
        reply = _read(workspace.session(), "a")
    version = reply.facts["version"]
    assert isinstance(version, str)
    assert version.startswith("w")
    assert reply.blocks == (f"[{closing}; version {version}]",)
    assert reply.facts == {"path": "a", **facts, "version": version}
    assert reply.file is not None
    assert reply.file.data == data


def test_the_closing_line_tells_what_happened(root: Path) -> None:
    """SPEC 2: the file changed since the last read; SPEC 7: the name is another."""
    path = root / "cafe\u0301.png"
    path.write_bytes(_PNG)
    with Workspace([str(root)]) as workspace:
        session = workspace.session()
        _read(session, "caf\u00e9.png")
        path.write_bytes(_PNG + b"x")
        reply = _read(session, "caf\u00e9.png")
    (closing,) = reply.blocks
    assert closing.startswith(f'[image/png, 37 bytes; the name on disk is "{path}"; the file changed since')
    assert reply.file is not None
    assert reply.file.media == Media("image", "image/png")
