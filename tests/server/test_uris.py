"""Paths as URIs and back: strictly, and decoded once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readfirst.filesystem.names import escaped
from readfirst.server.uris import path_of, uri_of


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        pytest.param("file:///a/b.txt", "/a/b.txt", id="empty host"),
        pytest.param("file://localhost/a", "/a", id="this host"),
        pytest.param("FILE://LocalHost/a", "/a", id="upper case"),
        pytest.param("file:///a%20b", "/a b", id="blank"),
        pytest.param("file:///a%2520b", "/a%20b", id="decoded once"),
        pytest.param("file:///%C3%A9", "/\u00e9", id="percent-encoded UTF-8"),
        pytest.param("file:///\u00e9", "/\u00e9", id="plain UTF-8"),
        pytest.param("file:///%FF", "/\\udcff", id="no UTF-8"),
        pytest.param("file:///a%3Fb%23c", "/a?b#c", id="marks of a query and a fragment"),
        pytest.param("file:///a/%2e%2e/b", "/a/../b", id="dots are the roots' matter"),
        pytest.param("file:////a", "//a", id="two slashes"),
        pytest.param("file:///", "/", id="the root"),
    ],
)
def test_a_uri_of_a_local_file_names_a_path(uri: str, path: str) -> None:
    """SPEC 3 (Resources)."""
    assert path_of(uri) == path


@pytest.mark.parametrize(
    "uri",
    [
        pytest.param("", id="empty"),
        pytest.param("/a", id="a path"),
        pytest.param("http://localhost/a", id="other scheme"),
        pytest.param("file:/a", id="no authority"),
        pytest.param("file://a", id="relative path, which is a host"),
        pytest.param("file://example.org/a", id="other host"),
        pytest.param("file://localhost.example.org/a", id="host that begins like this one"),
        pytest.param("file://localhost:80/a", id="port"),
        pytest.param("file://me@localhost/a", id="user"),
        pytest.param("file://%6cocalhost/a", id="encoded host"),
        pytest.param("file:///a?b", id="query"),
        pytest.param("file:///a#b", id="fragment"),
        pytest.param("file:///a%00b", id="encoded NUL"),
        pytest.param("file:///a\0b", id="NUL"),
        pytest.param("file:///a%2", id="half an escape"),
        pytest.param("file:///a%zz", id="no escape"),
        pytest.param("file:///a\ud800", id="half a character"),
        pytest.param(" file:///a", id="blank before"),
        pytest.param("file:///a\n", id="line break after"),
    ],
)
def test_what_is_no_uri_of_a_local_file_names_none(uri: str) -> None:
    """SPEC 3 (Resources): parsed strictly."""
    assert path_of(uri) is None


@given(st.lists(st.binary(min_size=1, max_size=8), min_size=1, max_size=4))
def test_a_path_comes_back_from_its_uri(names: list[bytes]) -> None:
    """Law of `uris`; a slash or a NUL is in no name."""
    raw = b"/" + b"/".join(name.replace(b"/", b".").replace(b"\0", b".") for name in names)
    path = escaped(raw.decode("utf-8", "surrogateescape"))
    uri = uri_of(path)
    assert uri.isascii()
    assert path_of(uri) == path
