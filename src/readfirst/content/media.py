"""What kind of file this is, for programs that show it: its content first, then its name.

Clients hand an image on to a model's provider, and one that is no image, or is of another type than it says, can end
the whole conversation. So a file is an image only when its bytes begin as one; of a sound the name is enough, since an
MP3 may begin with anything. Text is what decodes for sure; SVG is text.

The signatures are those of `filetype`: 3 µs a file and 13 ms to import, pure Python without dependencies. Its last
release is old, and so are the formats. `puremagic` is kept up, but takes 600 µs and calls a plain ZIP archive a Word
file.
"""

from __future__ import annotations

import functools
import mimetypes
import posixpath
from dataclasses import dataclass
from typing import Final, Literal

from readfirst.content.encodings import Encoding

Kind = Literal["text", "image", "audio", "other"]

UNKNOWN: Final = "application/octet-stream"
PLAIN: Final = "text/plain"

_SIGNATURE_BYTES: Final = 8192
_SUFFIXES: Final = {
    # What Python's table lacks, or has only in some versions.
    ".flac": "audio/flac",
    ".js": "text/javascript",
    ".m4a": "audio/mp4",
    ".markdown": "text/markdown",
    ".md": "text/markdown",
    ".mid": "audio/midi",
    ".midi": "audio/midi",
    ".mjs": "text/javascript",
    ".oga": "audio/ogg",
    ".ogg": "audio/ogg",
    ".toml": "application/toml",
    ".yaml": "application/yaml",
    ".yml": "application/yaml",
}
_USUAL: Final = {
    # Names that were registered, or became usual, after the tables were made.
    "application/font-sfnt": "font/sfnt",
    "audio/x-aiff": "audio/aiff",
    "audio/x-flac": "audio/flac",
    "audio/x-wav": "audio/wav",
    "image/vnd.microsoft.icon": "image/x-icon",
}
_TEXTS: Final = frozenset(
    {
        "application/json",
        "application/postscript",
        "application/rtf",
        "application/toml",
        "application/x-csh",
        "application/x-latex",
        "application/x-sh",
        "application/x-tcl",
        "application/x-tex",
        "application/xml",
        "application/yaml",
    }
)
"""Media types of text besides `text/*`, `*+xml` and `*+json`."""


@dataclass(frozen=True, slots=True)
class Media:
    """What a file is. `text` is one whose text stands for its bytes."""

    kind: Kind
    media_type: str


def media_of(name: str, data: bytes, encoding: Encoding | None) -> Media:
    """Tell what a file is; `encoding` is that of the text in it, None when there is none."""
    by_name, by_content = _by_name(name), _by_content(data)
    if encoding is not None and encoding.sure and not _agree(by_name, by_content):
        return Media("text", by_name if _is_text(by_name) else PLAIN)
    media_type = by_content or ("" if by_name.startswith("image/") else by_name) or UNKNOWN
    match media_type.partition("/")[0]:
        case "image":
            return Media("image", media_type)
        case "audio":
            return Media("audio", media_type)
        case _:
            return Media("other", media_type)


def _agree(by_name: str, by_content: str) -> bool:
    """Tell whether name and content speak of an image, or of a sound: some begin with letters, and so does text."""
    main = by_content.partition("/")[0]
    return main in {"image", "audio"} and by_name.startswith(f"{main}/")


def _is_text(media_type: str) -> bool:
    return media_type in _TEXTS or media_type.startswith("text/") or media_type.endswith(("+xml", "+json"))


def _by_content(data: bytes) -> str:
    # Deferred: its 80 matchers take 13 ms to import, and few sessions look at a picture.
    import filetype  # type: ignore[import-untyped]  # noqa: PLC0415  # pyright: ignore[reportMissingTypeStubs]

    found: str | None = filetype.guess_mime(data[:_SIGNATURE_BYTES])  # pyright: ignore[reportUnknownMemberType]
    return _USUAL.get(found, found) if found else ""


def _by_name(name: str) -> str:
    suffix = posixpath.splitext(name)[1].lower()
    if suffix in _SUFFIXES:
        return _SUFFIXES[suffix]
    # The slash keeps a colon in the name from being taken for the end of a URL's scheme.
    found, packed = _table().guess_type(f"/{name}", strict=False)
    return _USUAL.get(found, found) if found and not packed else ""


@functools.cache
def _table() -> mimetypes.MimeTypes:
    """Make a table of Python's own types; the module's functions add what the machine's files say."""
    return mimetypes.MimeTypes()
