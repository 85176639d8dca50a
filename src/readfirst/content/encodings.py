"""Which encoding a file has: proven by its bytes, declared in its first lines, or guessed for showing.

Valid UTF-8 that is more than ASCII is UTF-8, whatever the file says of itself. A declared encoding counts when the
bytes come back unchanged from decoding and encoding; so does the operator's fallback. Anything else is ASCII among
bytes of an unknown encoding: shown by the best guess (chardet), edited byte by byte, and only ASCII can be written.

(A room beside `codec`: that one turns bytes into text and back, this one tells how.)
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, replace
from typing import Final


@dataclass(frozen=True, slots=True)
class Encoding:
    """How a file's bytes mean text; `name` is that of the Python codec.

    `unit` is the width in bytes of the smallest character. `sure` is False when nothing could be proven; `name` is a
    guess then, good for showing only.
    """

    name: str
    bom: bytes = b""
    unit: int = 1
    sure: bool = True

    @property
    def transcoded(self) -> bool:
        """Tell whether the body is UTF-8 made from other bytes; else it is the file's own bytes."""
        return self.sure and self.name != UTF_8.name


UTF_8: Final = Encoding("utf-8")

_WITH_BOM: Final = (
    # UTF-32 first: its little-endian mark begins with that of UTF-16.
    Encoding("utf-32-le", codecs.BOM_UTF32_LE, 4),
    Encoding("utf-32-be", codecs.BOM_UTF32_BE, 4),
    Encoding("utf-8", codecs.BOM_UTF8),
    Encoding("utf-16-le", codecs.BOM_UTF16_LE, 2),
    Encoding("utf-16-be", codecs.BOM_UTF16_BE, 2),
)
_DECLARATIONS: Final = (
    re.compile(rb"\A(?:[^\n]*\n)?[ \t\f]*#[^\n]*?coding[:=][ \t]*([-\w.]+)"),  # PEP 263
    re.compile(rb"\A\s*<\?xml[^>]*?\sencoding=[\"']([A-Za-z][\w.-]*)"),
    re.compile(rb"<meta[^>]+charset=[\"']?([\w-]+)", re.IGNORECASE),
    re.compile(rb"\A@charset \"([\w-]+)\";"),
)
_DECLARED_IN: Final = 1024
_GUESSED_FROM: Final = 64 * 1024
_ASCII: Final = bytes(range(128))
_OTHER_THINGS: Final = {"unicode_escape", "raw_unicode_escape", "punycode", "idna", "utf-7", "hz"}
"""Codecs that read some ASCII as something else, or carry a state from one line to the next."""


def strictness(encoding: Encoding | None) -> str:
    """Give the error handler for decoding a file: half characters in wide encodings must come back as they were."""
    return "surrogatepass" if encoding is not None and encoding.unit > 1 else "strict"


class Detector:
    """Fed the chunks of a file in order, tells its encoding. A chunk boundary may fall inside a character.

    `fallback` is the name of an encoding to try when a file is not UTF-8 and declares none.
    """

    def __init__(self, fallback: str = "") -> None:
        self._fallback = fallback
        self._first = True
        self.marked: Encoding | None = None
        """The encoding that a byte order mark names."""
        self._proof = _Proof(UTF_8)
        self._says = ""
        self._declared: _Proof | None = None
        self._binary = False
        self._sample = b""

    def feed(self, chunk: bytes) -> None:
        if self._first:
            self._first = False
            self.marked = next((known for known in _WITH_BOM if chunk.startswith(known.bom)), None)
            self._proof = _Proof(self.marked or UTF_8)
            self._says = _declared(chunk)
            name = self._says or self._fallback
            self._declared = _Proof(Encoding(name)) if self.marked is None and name else None
        if self.marked is None or self.marked.unit == 1:
            self._binary = self._binary or b"\0" in chunk
        if self._binary:
            return
        self._proof.feed(chunk)
        if self._declared is not None:
            self._declared.feed(chunk)
        if not self._proof.valid and not self._sample:
            self._sample = chunk[:_GUESSED_FROM]

    def encoding(self) -> Encoding | None:
        """Tell the encoding of all that was fed; None: not text."""
        if self._binary:
            return None
        proven, declared = self._proof, self._declared
        # A file of ASCII alone is in the encoding it declares, since that is what new text has to be in.
        if declared is not None and declared.holds() and ((proven.ascii and self._says) or not proven.holds()):
            return declared.encoding
        if proven.holds():
            return proven.encoding
        # Wide characters that do not decode hold NUL bytes: nothing else can read them as text.
        return None if proven.encoding.unit > 1 else _guessed(self._sample, proven.encoding)


class _Proof:
    """Tells whether all bytes are valid in an encoding, and come back from it unchanged."""

    def __init__(self, encoding: Encoding) -> None:
        self.encoding = encoding
        self.valid = True
        self.ascii = True
        errors = strictness(encoding)
        self._decoder = codecs.getincrementaldecoder(encoding.name)(errors)
        self._encoder = codecs.getincrementalencoder(encoding.name)(errors) if encoding.transcoded else None
        self._between_characters = True
        self._pending = b""

    def feed(self, chunk: bytes, *, final: bool = False) -> None:
        if not self.valid or (self._between_characters and self.encoding.unit == 1 and chunk.isascii() and not final):
            return
        self.ascii = self.ascii and chunk.isascii()
        try:
            text = self._decoder.decode(chunk, final)
            if self._encoder is not None and self.encoding.unit == 1:
                self._compare(self._encoder.encode(text), chunk, final=final)
        except UnicodeError:
            self.valid = False
        else:
            self._between_characters = not self._decoder.getstate()[0]

    def _compare(self, again: bytes, chunk: bytes, *, final: bool) -> None:
        """Hold the encoded text against the bytes it came from; the last of them may be half a character."""
        self._pending += chunk
        if not self._pending.startswith(again) or (final and self._pending != again):
            self.valid = False
        self._pending = self._pending[len(again) :]

    def holds(self) -> bool:
        self.feed(b"", final=True)
        return self.valid


def _declared(chunk: bytes) -> str:
    """Give the codec name that the first lines declare, if it reads ASCII as ASCII; else nothing."""
    head = chunk[:_DECLARED_IN]
    for pattern in _DECLARATIONS:
        found = pattern.search(head)
        if found is not None:
            return codec_name(found[1].decode("ascii", "replace"))
    return ""


def codec_name(name: str) -> str:
    """Give Python's name of an encoding that is a superset of ASCII and is not UTF-8; else nothing."""
    try:
        known = codecs.lookup(name).name
        stateful = known in _OTHER_THINGS or known.startswith("iso2022")
        usable = not stateful and _ASCII.decode(known) == _ASCII.decode()
    except (LookupError, UnicodeError):
        return ""
    return known if usable and known not in {"utf-8", "utf-8-sig", "ascii"} else ""


def _guessed(sample: bytes, marked: Encoding) -> Encoding:
    """Guess how to show bytes that nothing is known of."""
    # Deferred: chardet takes 50 ms to import, and few files need it.
    import chardet  # noqa: PLC0415

    found = chardet.detect(sample)["encoding"]
    return replace(marked, name=(codec_name(found) if found else "") or "iso8859-1", sure=False)
