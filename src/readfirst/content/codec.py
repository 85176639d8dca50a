"""Bytes to text and back: which encoding a file has, and what of it can be edited.

Editing works on the *body*: UTF-8, or the file's own bytes where they are a superset of ASCII. A byte that cannot be
decoded passes through untouched. Law: `encode(decode(data, encoding), decode(data, encoding).body) == data`.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Encoding:
    """How a file's bytes mean text. `unit` is the width in bytes of the smallest character."""

    name: str
    bom: bytes = b""
    unit: int = 1
    sure: bool = True
    """False: the bytes are not valid in any encoding that could be proven; only ASCII can be written."""


UTF_8: Final = Encoding("utf-8")
UNKNOWN: Final = Encoding("ascii", sure=False)
"""Not valid UTF-8: ASCII text among bytes of an unknown encoding."""

_WITH_BOM: Final = (
    # UTF-32 first: its little-endian mark begins with that of UTF-16.
    Encoding("utf-32-le", codecs.BOM_UTF32_LE, 4),
    Encoding("utf-32-be", codecs.BOM_UTF32_BE, 4),
    Encoding("utf-8", codecs.BOM_UTF8),
    Encoding("utf-16-le", codecs.BOM_UTF16_LE, 2),
    Encoding("utf-16-be", codecs.BOM_UTF16_BE, 2),
)


class Detector:
    """Fed the chunks of a file in order, tells its encoding. A chunk boundary may fall inside a character."""

    def __init__(self) -> None:
        self.marked: Encoding | None = None
        """The encoding that a byte order mark names."""
        self._decoder: codecs.IncrementalDecoder | None = None
        self._valid = True
        self._binary = False
        self._between_characters = True

    def feed(self, chunk: bytes) -> None:
        if self._decoder is None:
            self.marked = next((known for known in _WITH_BOM if chunk.startswith(known.bom)), None)
            name = self.marked.name if self.marked else UTF_8.name
            self._decoder = codecs.getincrementaldecoder(name)(_strictness(self.marked))
        narrow = self.marked is None or self.marked.unit == 1
        if narrow and b"\0" in chunk:
            self._binary = True
        if not self._valid or self._binary or (narrow and self._between_characters and chunk.isascii()):
            return
        self._decode(chunk)

    def _decode(self, chunk: bytes, *, final: bool = False) -> None:
        assert self._decoder is not None  # noqa: S101 - feed() made it
        try:
            self._decoder.decode(chunk, final)
        except UnicodeDecodeError:
            self._valid = False
        else:
            self._between_characters = not self._decoder.getstate()[0]

    def encoding(self) -> Encoding | None:
        """Tell the encoding of all that was fed; None: not text."""
        if self._binary:
            return None
        if self._valid and not self._between_characters:
            self._decode(b"", final=True)
        if self._valid:
            return self.marked or UTF_8
        # Two-byte characters that do not decode hold NUL bytes: nothing else can read them as text.
        return UNKNOWN if self.marked is None or self.marked.unit == 1 else None


def detect(data: bytes) -> Encoding | None:
    """Tell the encoding of a whole file; None: not text."""
    detector = Detector()
    detector.feed(data)
    return detector.encoding()


@dataclass(frozen=True, slots=True)
class Document:
    r"""One version of a text file: its bytes, and the body that editing works on.

    `newline` is what ends a line of the body: `\n`, or `\r` in a body that has no `\n`.
    """

    data: bytes
    encoding: Encoding
    body: bytes
    newline: bytes

    def to_body(self, text: str) -> bytes:
        """Turn text into bytes of this document's body.

        Raises:
            UnicodeEncodeError: the file's encoding has no such character.
        """
        return text.encode(UTF_8.name if self.encoding.sure else UNKNOWN.name)

    def shown(self, piece: bytes) -> str:
        """Turn bytes of the body into text for a reader; what cannot be decoded is shown as U+FFFD."""
        return piece.decode(UTF_8.name, "replace")


def decode(data: bytes, encoding: Encoding) -> Document:
    """Read bytes in the encoding that `detect` gave for them."""
    body = data[len(encoding.bom) :]
    if encoding.unit > 1:
        body = body.decode(encoding.name, _strictness(encoding)).encode(UTF_8.name, "surrogatepass")
    return Document(data, encoding, body, newline_of(body))


def encode(document: Document, body: bytes) -> bytes:
    """Give the bytes of a file with this body, in the document's encoding and with its BOM."""
    encoding = document.encoding
    if encoding.unit > 1:
        body = body.decode(UTF_8.name, "surrogatepass").encode(encoding.name, _strictness(encoding))
    return encoding.bom + body


def newline_of(body: bytes) -> bytes:
    return b"\r" if b"\n" not in body and b"\r" in body else b"\n"


def text_decoder(encoding: Encoding) -> codecs.IncrementalDecoder:
    """Give a decoder for showing: it never fails, and what cannot be decoded becomes U+FFFD."""
    name = encoding.name if encoding.sure else UTF_8.name
    return codecs.getincrementaldecoder(name)("replace")


def _strictness(encoding: Encoding | None) -> str:
    # Windows programs write file names with half characters into UTF-16; they must come back as they were.
    return "surrogatepass" if encoding is not None and encoding.unit > 1 else "strict"
