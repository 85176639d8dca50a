"""What kind of file it is: content first, then the name, and the same on every machine."""

from __future__ import annotations

import mimetypes
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readfirst.content.codec import detect
from readfirst.content.media import (
    Media,
    _table,  # pyright: ignore[reportPrivateUsage]
    media_of,
)

_PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(20)
_WAV = b"RIFF\x24\0\0\0WAVEfmt " + bytes(28)
_WEBP = b"RIFF\x24\0\0\0WEBPVP8 " + bytes(28)
_JPEG = b"\xff\xd8\xff\xe0rest\xff\xd9"
_NOTHING = b"\0\1\2\3"


def _media(name: str, data: bytes) -> Media:
    return media_of(name, data, detect(data))


@pytest.mark.parametrize(
    ("name", "data", "kind", "media_type"),
    [
        pytest.param("a.png", _PNG, "image", "image/png", id="png"),
        pytest.param("A.PNG", _PNG, "image", "image/png", id="upper case"),
        pytest.param("a", _PNG, "image", "image/png", id="no suffix"),
        pytest.param("a.jpg", _PNG, "image", "image/png", id="false suffix"),
        pytest.param("a.txt", _PNG, "image", "image/png", id="image named as text"),
        pytest.param("a.jpg", _JPEG, "image", "image/jpeg", id="jpeg without NUL bytes"),
        pytest.param("a.webp", _WEBP, "image", "image/webp", id="webp"),
        pytest.param("a.gif", b"GIF89a;", "image", "image/gif", id="gif of ASCII alone, so named"),
        pytest.param("a.ico", b"\0\0\1\0\1\0\x10\x10" + bytes(14), "image", "image/x-icon", id="icon"),
        pytest.param("a.png", _NOTHING, "other", "application/octet-stream", id="image by name only"),
        pytest.param("a.wav", _WAV, "audio", "audio/wav", id="wav"),
        pytest.param("a.mp3", b"ID3\4" + bytes(20), "audio", "audio/mpeg", id="mp3 with tags"),
        pytest.param("a.mp3", _NOTHING, "audio", "audio/mpeg", id="sound by name only"),
        pytest.param("a.flac", b"fLaC\0\0\0\x22" + bytes(34), "audio", "audio/flac", id="flac"),
        pytest.param("a.flac", _NOTHING, "audio", "audio/flac", id="flac by name only"),
        pytest.param("a.m4a", b"\0\0\0\x20ftypM4A " + bytes(24), "audio", "audio/mp4", id="m4a"),
        pytest.param("a.mp4", b"\0\0\0\x20ftypisom" + bytes(24), "other", "video/mp4", id="film"),
        pytest.param("a", b"%PDF-1.7\n%\xe2\xe3\0", "other", "application/pdf", id="pdf"),
        pytest.param("a.zip", b"PK\3\4" + bytes(30), "other", "application/zip", id="zip"),
        pytest.param("a.doc", _NOTHING, "other", "application/msword", id="other by name only"),
        pytest.param("a.xyz", _NOTHING, "other", "application/octet-stream", id="unknown"),
        pytest.param(
            "a.svgz", _NOTHING, "other", "application/octet-stream", id="packed, so its inner type says nothing"
        ),
        pytest.param("a.csv", b"caf\xe9;1\n", "other", "text/csv", id="text in an encoding that nothing proves"),
    ],
)
def test_a_file_is_what_its_content_says(name: str, data: bytes, kind: str, media_type: str) -> None:
    """SPEC 3 (`read_media_file`): type from content, then suffix; HOSTILE 60: an image never by its name alone."""
    media = _media(name, data)
    assert (media.kind, media.media_type) == (kind, media_type)


@pytest.mark.parametrize(
    ("name", "data", "media_type"),
    [
        pytest.param("a.svg", b"<svg><script/></svg>", "image/svg+xml", id="svg with a script"),
        pytest.param("a.txt", b"hello\n", "text/plain", id="txt"),
        pytest.param("a.xyz", b"hello\n", "text/plain", id="unknown suffix"),
        pytest.param("Makefile", b"all:\n", "text/plain", id="no suffix"),
        pytest.param("a.py", b"pass\n", "text/x-python", id="source"),
        pytest.param("a.js", b"1\n", "text/javascript", id="the newer name"),
        pytest.param("a.json", b"{}", "application/json", id="json"),
        pytest.param("a.md", b"# x\n", "text/markdown", id="not in every version's table"),
        pytest.param("a.sh", b"true\n", "application/x-sh", id="script"),
        pytest.param("a.png", b"hello\n", "text/plain", id="text named as an image"),
        pytest.param("a.mp3", b"hello\n", "text/plain", id="text named as a sound"),
        pytest.param("a.dot", b"digraph {}\n", "text/plain", id="text named as a document"),
        pytest.param("a.txt", b"BM is no bitmap\n", "text/plain", id="text that begins as a bitmap"),
        pytest.param("a.wav", b"BM is no bitmap\n", "text/plain", id="name and content that disagree"),
        pytest.param("ID3", b"ID3 tags\n", "text/plain", id="text that begins as a sound"),
        pytest.param("a.txt", "h\u00e9".encode("utf-16"), "text/plain", id="utf-16"),
        pytest.param("a.png", b"", "text/plain", id="empty"),
        pytest.param("data:image/gif,x.py", b"pass\n", "text/x-python", id="name like a URL"),
        pytest.param("x:a.py", b"pass\n", "text/x-python", id="name with a colon"),
    ],
)
def test_what_decodes_for_sure_is_text(name: str, data: bytes, media_type: str) -> None:
    """SPEC 3, HOSTILE 60: SVG is text, and text is no image whatever its name."""
    assert _media(name, data) == Media("text", media_type)


def test_the_files_of_the_machine_have_no_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same file has the same type on every machine."""
    types = tmp_path / "mime.types"
    types.write_text("text/x-strange py\n")
    for name in ("types_map", "common_types", "suffix_map", "encodings_map"):
        monkeypatch.setattr(mimetypes, name, getattr(mimetypes, name))
    monkeypatch.setattr(mimetypes, "_db", None)
    _table.cache_clear()
    mimetypes.init([str(types)])
    assert mimetypes.guess_type("a.py")[0] == "text/x-strange"
    assert _media("a.py", b"pass\n") == Media("text", "text/x-python")


@given(name=st.text(max_size=12), data=st.binary(max_size=64))
def test_every_file_has_a_kind(name: str, data: bytes) -> None:
    """Whatever the bytes: an answer of the form that clients expect."""
    media = _media(name, data)
    main, _, sub = media.media_type.partition("/")
    assert main
    assert sub
    assert (media.kind in {"image", "audio"}) <= (main == media.kind)
    assert media.media_type.isascii()
