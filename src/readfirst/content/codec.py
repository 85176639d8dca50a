"""Bytes to text and back: the document that editing works on.

Editing works on the *body*: UTF-8, or the file's own bytes where they are a superset of ASCII. A byte that cannot be
decoded passes through untouched. Law: `encode(decode(data, encoding), decode(data, encoding).body) == data`.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from readfirst.content.encodings import UTF_8, Detector, Encoding, strictness


def detect(data: bytes, fallback: str = "") -> Encoding | None:
    """Tell the encoding of a whole file; None: not text."""
    detector = Detector(fallback)
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
        if not self.encoding.sure:
            return text.encode("ascii")
        if self.encoding.transcoded and self.encoding.unit == 1:
            text.encode(self.encoding.name)
        return text.encode(UTF_8.name)

    def shown(self, piece: bytes) -> str:
        """Turn bytes of the body into text for a reader; what cannot be decoded is shown as U+FFFD."""
        return piece.decode(UTF_8.name if self.encoding.sure else self.encoding.name, "replace")


def decode(data: bytes, encoding: Encoding) -> Document:
    """Read bytes in the encoding that `detect` gave for them."""
    body = data[len(encoding.bom) :]
    if encoding.transcoded:
        body = body.decode(encoding.name, strictness(encoding)).encode(UTF_8.name, "surrogatepass")
    return Document(data, encoding, body, newline_of(body))


def encode(document: Document, body: bytes) -> bytes:
    """Give the bytes of a file with this body, in the document's encoding and with its BOM."""
    encoding = document.encoding
    if encoding.transcoded:
        body = body.decode(UTF_8.name, "surrogatepass").encode(encoding.name, strictness(encoding))
    return encoding.bom + body


def newline_of(body: bytes) -> bytes:
    return b"\r" if b"\n" not in body and b"\r" in body else b"\n"


def text_decoder(encoding: Encoding) -> codecs.IncrementalDecoder:
    """Give a decoder for showing: it never fails, and what cannot be decoded becomes U+FFFD."""
    return codecs.getincrementaldecoder(encoding.name)("replace")
