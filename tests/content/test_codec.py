"""Bytes to text and back."""

from __future__ import annotations

import codecs
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from readfirst.content.codec import Document, decode, detect, encode, newline_of, text_decoder
from readfirst.content.encodings import UTF_8, Detector, Encoding

UNKNOWN = Encoding("cp1252", sure=False)
MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE, b"")
MARKED_BYTES = st.builds(bytes.__add__, st.sampled_from(MARKS), st.binary(max_size=64))


@given(data=MARKED_BYTES)
@example(data=codecs.BOM_UTF16_LE + b"\x00\xd8")
@example(data=codecs.BOM_UTF16_BE + b"\xd8\x3d\x00\x0a")
@example(data=codecs.BOM_UTF32_LE + b"\x00\xd8\x00\x00\x00\xdc\x00\x00")
@example(data=codecs.BOM_UTF8 + b"\xff")
def test_bytes_come_back_as_they_were(data: bytes) -> None:
    """G5 and the law of `codec`."""
    encoding = detect(data)
    if encoding is not None:
        document = decode(data, encoding)
        assert encode(document, document.body) == data


@given(text=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")), mark=st.sampled_from(MARKS))
def test_text_in_a_sure_encoding_is_what_editing_works_on(text: str, mark: bytes) -> None:
    """SPEC 4.10: valid UTF-8 with or without BOM, UTF-16 with BOM."""
    name = _name_of(mark)
    # A text that begins with U+FEFF is one with a mark.
    text = text.lstrip("\ufeff")
    data = mark + text.encode(name)
    encoding = detect(data)
    assert encoding is not None
    assert (encoding.name, encoding.bom, encoding.sure) == (name, mark, True)
    assert decode(data, encoding).body == text.encode()


def _name_of(mark: bytes) -> str:
    names = ("utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "utf-8")
    return names[MARKS.index(mark)]


@pytest.mark.parametrize(
    ("data", "name", "sure"),
    [
        pytest.param(b"", "utf-8", True, id="nothing is UTF-8"),
        pytest.param(b"plain\n", "utf-8", True, id="ASCII is UTF-8"),
        pytest.param("\u00e9".encode(), "utf-8", True, id="valid UTF-8"),
        pytest.param(b"caf\xe9\n", None, False, id="latin-1 is unknown"),
        pytest.param(b"\xc3", None, False, id="half a character at the end"),
        pytest.param(b"\xed\xa0\x80", None, False, id="a surrogate is not UTF-8"),
        pytest.param(b"\xef\xbb\xbf\xff", None, False, id="a UTF-8 mark before other bytes"),
        pytest.param(b"\xff\xfea\x00", "utf-16-le", True, id="UTF-16 LE"),
        pytest.param(b"\xff\xfe\x00\x00a\x00\x00\x00", "utf-32-le", True, id="a UTF-32 mark is not taken for UTF-16"),
    ],
)
def test_an_encoding_is_sure_only_when_it_is_proven(data: bytes, name: str | None, *, sure: bool) -> None:
    """SPEC 4.10: what is not proven has a guess for a name."""
    encoding = detect(data)
    assert encoding is not None
    assert encoding.sure == sure
    assert name is None or encoding.name == name


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"a\0b", id="NUL in ASCII"),
        pytest.param(b"\xef\xbb\xbfa\0", id="NUL after a UTF-8 mark"),
        pytest.param(b"\xff\xff\n\0", id="NUL after invalid UTF-8"),
        pytest.param(b"\xff\xfea\x00b", id="UTF-16 with half a unit"),
        pytest.param(b"\x00\x00\xfe\xff\x7f\xff\xff\xff", id="UTF-32 beyond Unicode"),
        pytest.param("a\n".encode("utf-16-le"), id="UTF-16 without a mark"),
    ],
)
def test_binary_bytes_are_not_text(data: bytes) -> None:
    """SPEC 4.10: binary files (NUL bytes, no text encoding) are refused by text tools."""
    assert detect(data) is None


@given(data=MARKED_BYTES, cuts=st.lists(st.integers(4, 70), max_size=4))
@example(data="a\U0001f600b".encode(), cuts=[4])
@example(data=b"abc\xc3abc\xa9", cuts=[4, 7])
@example(data=b"ab\xff\xff\0", cuts=[4])
def test_a_file_fed_in_chunks_is_told_like_one_fed_whole(data: bytes, cuts: list[int]) -> None:
    """`Detector`: a chunk boundary may fall inside a character."""
    detector = Detector()
    at = 0
    for cut in sorted(cut for cut in cuts if cut < len(data)):
        detector.feed(data[at:cut])
        at = cut
    detector.feed(data[at:])
    fed, whole = detector.encoding(), detect(data)
    if fed is not None and whole is not None and not fed.sure:
        # What is a guess may be guessed from another part of the file.
        fed, whole = replace(fed, name=""), replace(whole, name="")
    assert fed == whole


def test_the_encoding_may_be_asked_for_twice() -> None:
    """`Detector.encoding` tells, it does not use up."""
    detector = Detector()
    detector.feed(b"caf\xc3")
    first = detector.encoding()
    assert first is not None
    assert not first.sure
    assert detector.encoding() == first


@pytest.mark.parametrize(
    ("body", "newline"),
    [
        pytest.param(b"", b"\n", id="empty"),
        pytest.param(b"a", b"\n", id="no line break"),
        pytest.param(b"a\r\nb", b"\n", id="CRLF"),
        pytest.param(b"a\rb\nc", b"\n", id="a return is data where a feed is"),
        pytest.param(b"a\rb\r", b"\r", id="returns alone"),
    ],
)
def test_a_return_ends_a_line_only_in_a_file_without_feeds(body: bytes, newline: bytes) -> None:
    """SPEC 3.1."""
    assert newline_of(body) == newline
    assert decode(body, UTF_8).newline == newline


def test_only_ascii_can_be_written_where_the_encoding_is_unknown() -> None:
    """SPEC 4.10: edited by splicing, ASCII text only."""
    document = decode(b"caf\xe9", UNKNOWN)
    assert document.to_body("x = 1") == b"x = 1"
    with pytest.raises(UnicodeEncodeError):
        document.to_body("\u00e9")


@pytest.mark.parametrize("mark", MARKS, ids=lambda mark: mark.hex() or "none")
def test_text_is_written_in_the_encoding_of_the_file(mark: bytes) -> None:
    """SPEC 4.10: new text takes the file's encoding."""
    document = _document(mark + "a".encode(_name_of(mark)))
    assert encode(document, document.to_body("\u20ac\U0001f600")) == mark + "\u20ac\U0001f600".encode(_name_of(mark))


def test_half_a_character_can_be_written_in_no_encoding() -> None:
    """SPEC 7: no answer ever carries a lone surrogate, and no file gets one from us."""
    for data in (b"a", b"\xff\xfea\x00"):
        with pytest.raises(UnicodeEncodeError):
            _document(data).to_body("\ud800")


def test_bytes_that_cannot_be_decoded_are_shown_as_replaced() -> None:
    """`Document.shown` and `text_decoder` never fail."""
    document = decode(b"caf\xe9\x81!", UNKNOWN)
    assert document.shown(document.body) == "caf\xe9\ufffd!"
    assert text_decoder(UNKNOWN).decode(b"caf\xe9\x81!", final=True) == "caf\xe9\ufffd!"
    assert text_decoder(_document(b"\xff\xfea\x00").encoding).decode(b"\x00\xd8a\x00", final=True) == "\ufffda"


def _document(data: bytes) -> Document:
    encoding = detect(data)
    assert encoding is not None
    return decode(data, encoding)
