"""Digests and version tokens."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from readfirst.content.digest import Digest, Hasher, chunk_digest, digest_of, token_names, version_token

DIGESTS = st.binary(min_size=16, max_size=16).map(Digest)


def test_a_digest_is_xxh3_128_of_the_bytes() -> None:
    """SPEC 2: the record holds the xxh3-128 digest; the values are those of the reference implementation."""
    assert digest_of(b"").hex() == "99aa06d3014798d86001c324468d497f"
    assert digest_of(b"a").hex() == "a96faf705af16834e6c632b61e964e1f"


@given(data=st.binary(max_size=200), at=st.integers(0, 200))
def test_bytes_fed_in_pieces_give_the_same_digest(data: bytes, at: int) -> None:
    """SPEC 2: one version, however it was read."""
    hasher = Hasher()
    hasher.update(data[:at])
    hasher.update(data[at:])
    assert Digest(hasher.digest()) == digest_of(data)


def test_a_changed_byte_changes_both_digests() -> None:
    """G2: bytes decide."""
    assert digest_of(b"abc") != digest_of(b"abd")
    assert chunk_digest(b"abc") != chunk_digest(b"abd")
    assert chunk_digest(b"abc") == chunk_digest(b"abc")


@given(digest=DIGESTS, whole=st.booleans())
def test_a_token_is_ten_letters_and_says_whether_the_whole_file_was_shown(digest: Digest, *, whole: bool) -> None:
    """SPEC 2, version tokens: ten letters, no digits; first letter `w` for the whole file."""
    token = version_token(digest, whole=whole)
    assert len(token) == 10
    assert set(token) <= set("abcdefghijklmnopqrstuvwxyz")
    assert token.startswith("w") == whole


def test_tokens_of_two_versions_differ() -> None:
    """SPEC 2, version tokens: derived from the digest."""
    tokens = {version_token(digest_of(str(i).encode()), whole=True) for i in range(2_000)}
    assert len(tokens) == 2_000


@given(digest=DIGESTS)
def test_a_token_names_its_version_marked_or_not(digest: Digest) -> None:
    """SPEC 2, version tokens: it must equal the version on disk."""
    assert token_names(version_token(digest, whole=True), digest)
    assert token_names(version_token(digest, whole=False), digest)


def test_no_other_text_names_a_version() -> None:
    """SPEC 2, version tokens."""
    digest, other = digest_of(b"one"), digest_of(b"two")
    token = version_token(digest, whole=True)
    assert not token_names(token, other)
    assert not token_names(token[1:], digest)
    assert not token_names(token.upper(), digest)
    assert not token_names("", digest)
