"""`file://` URIs become paths, or are refused with the reason."""

from __future__ import annotations

import pytest

from readfirst.server.uris import path_of


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        pytest.param("file:///a/b", "/a/b", id="plain"),
        pytest.param("file:/a", "/a", id="one slash"),
        pytest.param("FILE://LocalHost/a", "/a", id="this host"),
        pytest.param("file:///a%20b%2Fc", "/a b/c", id="escapes"),
        pytest.param("file:///a%2520b", "/a%20b", id="decoded once"),
        pytest.param("file:///caf%C3%A9/é", "/café/é", id="UTF-8"),
        pytest.param("file:///a%FF", "/a\udcff", id="bytes that are no text"),
        pytest.param("file:///a b", "/a b", id="a blank that was not escaped"),
        pytest.param("file:///a/../b", "/a/../b", id="dots are the filesystem's"),
        pytest.param("file:///", "/", id="root"),
        pytest.param("file:///C:/x", "/C:/x", id="a drive is a name"),
    ],
)
def test_a_uri_of_this_machine_is_a_path(uri: str, path: str) -> None:
    """HOSTILE 23, 95."""
    assert path_of(uri) == path


@pytest.mark.parametrize(
    ("uri", "words"),
    [
        pytest.param("/a", "it is no file:// URI of an absolute path", id="a path"),
        pytest.param("", "it is no file:// URI of an absolute path", id="nothing"),
        pytest.param("file:a", "it is no file:// URI of an absolute path", id="relative"),
        pytest.param("file://localhost", "it is no file:// URI of an absolute path", id="no path"),
        pytest.param("http:///a", "it is no file:// URI of an absolute path", id="another scheme"),
        pytest.param("file:///a?b", "it is no file:// URI of an absolute path", id="query"),
        pytest.param("file:///a#b", "it is no file:// URI of an absolute path", id="fragment"),
        pytest.param("file://host/a", "it names another host", id="host"),
        pytest.param("file://%6cocalhost/a", "it names another host", id="an escaped host"),
        pytest.param("file:///a%0", "it has a broken % escape", id="half an escape"),
        pytest.param("file:///a%zz", "it has a broken % escape", id="no hex"),
        pytest.param("file:///a%00b", "it holds a NUL", id="NUL"),
    ],
)
def test_any_other_uri_is_refused_with_the_reason(uri: str, words: str) -> None:
    """HOSTILE 23, 95."""
    with pytest.raises(ValueError, match="it ") as refused:
        path_of(uri)
    assert str(refused.value) == words
