"""Give a whole file as it is: an image, a sound, a text, or bytes.

A tool's read counts as having read all of the file. A resource's does not: a client reads it, perhaps not the model.
(A room beside `read`: that one shows pages of text; here nothing is cut, and the limit is one of bytes.)
"""

from __future__ import annotations

from dataclasses import dataclass

from readfirst.content.codec import decode
from readfirst.content.digest import Digest, version_token
from readfirst.content.lines import index_of
from readfirst.content.media import Media, media_of
from readfirst.filesystem.confined import ConfinedPath, require_existing
from readfirst.filesystem.files import open_file
from readfirst.spans import LineRange, range_of
from readfirst.workspace.context import Session, Workspace
from readfirst.workspace.read import record_if_any


@dataclass(frozen=True, slots=True)
class WholeFile:
    """A file in one piece: `data` are its bytes, `text` what they say when it is a text, and `path` its real path."""

    path: str
    media: Media
    data: bytes
    text: str | None
    lines: LineRange | None
    """All lines of what could be read as text; None when there are none."""
    digest: Digest


@dataclass(frozen=True, slots=True)
class MediaResult:
    """A whole file, and how it stands to what this session saw of it before; see `workspace.read.ReadResult`."""

    path: str
    file: WholeFile
    version: str
    changed: bool
    undone: LineRange | None
    respelled: bool


def read_media(session: Session, path: str) -> MediaResult:
    """Show a whole file, whatever it holds; all of it counts as read.

    Raises:
        ReadfirstError: the path does not suit, or the file is too large.
    """
    with session.workspace.roots.confine(path) as target:
        file = _whole(session.workspace, target)
        before = record_if_any(session, target)
        session.show(target, file.digest, [file.lines], file.data if file.lines is not None else None)
        return MediaResult(
            path=target.given,
            file=file,
            version=version_token(file.digest, whole=True),
            changed=before is not None and before.digest != file.digest,
            undone=before.undone_by(file.digest) if before is not None else None,
            respelled=target.respelled,
        )


def read_resource(workspace: Workspace, path: str) -> WholeFile:
    """Give a whole file to a client; nothing counts as read.

    Raises:
        ReadfirstError: the path does not suit, or the file is too large.
    """
    with workspace.roots.confine(path) as target:
        return _whole(workspace, target)


def _whole(workspace: Workspace, target: ConfinedPath) -> WholeFile:
    require_existing(target)
    with open_file(target) as opened:
        data = opened.read_all(workspace.settings.media_bytes)
    index = index_of(data, workspace.settings.fallback_encoding)
    media = media_of(target.name, data, index.encoding)
    text = None
    if media.kind == "text" and index.encoding is not None:
        document = decode(data, index.encoding)
        text = document.shown(document.body)
    lines = range_of(1, index.line_count) if index.encoding is not None else None
    return WholeFile(target.path, media, data, text, lines, index.digest)
