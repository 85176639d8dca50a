"""Digests of the bytes on disk, and the version tokens that stand for them.

A digest answers one question: are these the bytes the session read? It is no defence against somebody who forges
content on purpose; that somebody could as well change the file a moment later.
"""

from __future__ import annotations

from typing import Final, NewType

import xxhash

Digest = NewType("Digest", bytes)
"""xxh3-128 of a file's bytes, 16 bytes."""

Hasher = xxhash.xxh3_128
"""The same, fed chunk by chunk; `digest()` gives the `Digest`."""

_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
_TOKEN_LETTERS: Final = 9
WHOLE: Final = "w"
"""First letter of a token whose reply showed or wrote the whole file."""
_PART: Final = "p"


def digest_of(data: bytes) -> Digest:
    return Digest(xxhash.xxh3_128_digest(data))


def chunk_digest(chunk: bytes) -> int:
    """Give the xxh3-64 of one chunk: tells whether a chunk read again is still the one that was indexed."""
    return xxhash.xxh3_64_intdigest(chunk)


def version_token(digest: Digest, *, whole: bool) -> str:
    """Give the ten letters that stand for a version: the mark, then nine letters of the digest (42 bits)."""
    rest = int.from_bytes(digest, "big")
    letters: list[str] = [WHOLE if whole else _PART]
    for _ in range(_TOKEN_LETTERS):
        rest, letter = divmod(rest, len(_LETTERS))
        letters.append(_LETTERS[letter])
    return "".join(letters)


def token_names(token: str, digest: Digest) -> bool:
    """Tell whether a token, marked or not, stands for this digest."""
    return token in {version_token(digest, whole=True), version_token(digest, whole=False)}
