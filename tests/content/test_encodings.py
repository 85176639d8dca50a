"""Which encoding a file has: proven, declared, or guessed for showing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readfirst.content.codec import decode, detect, encode
from readfirst.content.encodings import Detector, codec_name

_LEGACY = ("latin-1", "cp1252", "koi8-r", "shift_jis", "gbk", "euc_jp", "big5", "cp437")


@pytest.mark.parametrize(
    ("data", "name"),
    [
        pytest.param(b"# -*- coding: latin-1 -*-\ncaf\xe9\n", "iso8859-1", id="a cookie on the first line"),
        pytest.param(b"#!/bin/sh\n# vim: set fileencoding=cp1252 :\n\x93a\x94\n", "cp1252", id="on the second"),
        pytest.param(b"# coding: latin-1\nplain\n", "iso8859-1", id="ASCII alone: new text has to be in it"),
        pytest.param(b'<?xml version="1.0" encoding="ISO-8859-1"?>\n<a>\xe9</a>\n', "iso8859-1", id="XML"),
        pytest.param(b'<html><META charset="windows-1251"><p>\xcf\xf0\xe8', "cp1251", id="HTML"),
        pytest.param(
            b'<meta http-equiv="Content-Type" content="text/html; charset=shift_jis">\x8a\xbf', "shift_jis", id="HTML 4"
        ),
        pytest.param(b'@charset "iso-8859-15";\na { content: "\xa4" }', "iso8859-15", id="CSS"),
    ],
)
def test_a_declared_encoding_counts_when_the_bytes_come_back(data: bytes, name: str) -> None:
    """SPEC 4.10."""
    encoding = detect(data)
    assert encoding is not None
    assert (encoding.name, encoding.sure) == (name, True)
    document = decode(data, encoding)
    assert encode(document, document.body) == data


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"a\nb\n# coding: latin-1\ncaf\xe9\n", id="a cookie on the third line"),
        pytest.param(b"# coding: no-such-codec\ncaf\xe9\n", id="an unknown name"),
        pytest.param(b"# coding: utf-7\ncaf\xe9\n", id="one that reads ASCII as something else"),
        pytest.param(b"# coding: iso2022_jp\ncaf\xe9\n", id="one with a state"),
        pytest.param(b"# coding: rot13\ncaf\xe9\n", id="no encoding at all"),
        pytest.param(b"# coding: utf-8\ncaf\xe9\n", id="UTF-8 that it is not"),
        pytest.param(b"# coding: shift_jis\n\x81\n", id="bytes that do not decode"),
        pytest.param(b"# coding: utf-16\ncaf\xe9\n", id="wide characters without a mark"),
    ],
)
def test_anything_else_is_a_guess_for_showing(data: bytes) -> None:
    """SPEC 4.10: labelled as a guess, and edited by splicing."""
    encoding = detect(data)
    assert encoding is not None
    assert not encoding.sure
    assert decode(data, encoding).body == data


def test_valid_utf_8_is_utf_8_whatever_it_says() -> None:
    """More than ASCII that decodes as UTF-8 is no accident."""
    data = "# coding: latin-1\ncaf\u00e9\n".encode()
    encoding = detect(data)
    assert encoding is not None
    assert encoding.name == "utf-8"


@pytest.mark.parametrize(
    ("data", "name", "sure"),
    [
        pytest.param(b"caf\xe9\n", "cp1252", True, id="what is not UTF-8"),
        pytest.param(b"plain\n", "utf-8", True, id="ASCII stays UTF-8"),
        pytest.param("caf\u00e9\n".encode(), "utf-8", True, id="UTF-8 stays UTF-8"),
        pytest.param(b"# coding: koi8-r\n\xc1\n", "koi8-r", True, id="a declaration comes first"),
        pytest.param(b"\x81\n", None, False, id="bytes it does not have"),
    ],
)
def test_the_fallback_is_for_files_that_declare_nothing(data: bytes, name: str | None, *, sure: bool) -> None:
    """SPEC 4.10: `--fallback-encoding NAME`."""
    encoding = detect(data, "cp1252")
    assert encoding is not None
    assert encoding.sure == sure
    assert name is None or encoding.name == name


@given(text=st.text(st.sampled_from("abc \n\u00e9\u00fc\u0416\u6f22\u3042")), name=st.sampled_from(_LEGACY))
def test_an_edit_in_a_declared_encoding_changes_no_other_byte(text: str, name: str) -> None:
    """G5."""
    data = f"# coding: {name}\nMARK\n".encode() + text.encode(name, "ignore")
    encoding = detect(data)
    assert encoding is not None
    document = decode(data, encoding)
    assert encode(document, document.body.replace(b"MARK", b"mark")) == data.replace(b"MARK", b"mark")


def test_new_text_is_written_in_the_declared_encoding_or_refused() -> None:
    """SPEC 4.10: `not_encodable`."""
    data = b"# coding: latin-1\nx\n"
    encoding = detect(data)
    assert encoding is not None
    document = decode(data, encoding)
    assert encode(document, document.body + document.to_body("\u00e9")) == data + b"\xe9"
    with pytest.raises(UnicodeEncodeError):
        document.to_body("\u20ac")


@given(text=st.text(st.sampled_from("a\n\u6f22\u3042")), cut=st.integers(0, 40))
def test_a_chunk_may_end_within_a_character_of_a_declared_encoding(text: str, cut: int) -> None:
    """`Detector`: told in chunks as it is told whole."""
    head = b"# coding: shift_jis\n"
    data = head + text.encode("shift_jis")
    detector = Detector()
    for chunk in (data[: len(head) + cut], data[len(head) + cut :]):
        detector.feed(chunk)
    assert detector.encoding() == detect(data)


def test_a_guess_names_what_readers_would_see() -> None:
    """SPEC 4.10: the best guess."""
    encoding = detect("\u6f22\u5b57\u304b\u306a\u4ea4\u3058\u308a\u6587\n".encode("shift_jis") * 8)
    assert encoding is not None
    assert (encoding.name, encoding.sure) == ("cp932", False)


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("Latin-1", "iso8859-1"),
        ("WINDOWS-1252", "cp1252"),
        ("utf8", ""),
        ("ascii", ""),
        ("hex", ""),
        ("no such", ""),
        ("utf-16", ""),
    ],
)
def test_a_codec_name_is_that_of_a_superset_of_ascii(name: str, known: str) -> None:
    """The command line and declarations give names; UTF-8 needs none."""
    assert codec_name(name) == known
