"""Names that are the same to a person, and names that are similar."""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from readfirst.errors import PathRefused
from readfirst.filesystem.confined import require_existing
from readfirst.filesystem.names import escaped, names_in, same_under_nfc, similar_names, unescaped
from readfirst.filesystem.roots import Roots
from tests.conftest import Unprivileged

_NFC, _NFD = "caf\u00e9", "cafe\u0301"
_MIXED = "\u1ecd\u0302"  # o with dot below and circumflex, half composed: neither NFC nor NFD
_WHOLE, _APART = "\u1ed9", "o\u0323\u0302"


@pytest.fixture
def fd(root: Path) -> Generator[int]:
    """Open the directory as the program does: as a mere path."""
    opened = os.open(root, os.O_PATH | os.O_DIRECTORY)
    yield opened
    os.close(opened)


def test_a_directory_is_listed_by_a_mere_path(root: Path, fd: int) -> None:
    """Names that are no text too (HOSTILE 28)."""
    (root / "a").touch()
    (root / "b\udcff").mkdir()
    assert sorted(names_in(fd)) == ["a", "b\udcff"]


@pytest.mark.parametrize(
    ("there", "asked", "found"),
    [
        pytest.param([_NFD], _NFC, _NFD, id="the other spelling"),
        pytest.param([_NFC], _NFD, _NFC, id="and the reverse"),
        pytest.param([_WHOLE, _APART], _MIXED, None, id="two of them"),
        pytest.param([_WHOLE], _MIXED, _WHOLE, id="one of them"),
        pytest.param(["cafe"], _NFC, None, id="another letter"),
        pytest.param(["CAFE\u0301"], _NFC, None, id="other case"),
        pytest.param(["\ufb01"], "fi", None, id="only compatible"),
        pytest.param(["a"], "b", None, id="ASCII"),
    ],
)
def test_the_one_entry_that_is_the_same_name_is_found(
    root: Path, fd: int, there: list[str], asked: str, found: str | None
) -> None:
    """SPEC 7: when exactly one entry is the same name under NFC, it is used."""
    for name in there:
        (root / name).touch()
    assert same_under_nfc(fd, asked) == found


def test_a_path_under_another_spelling_shows_the_real_one(roots: Roots, root: Path) -> None:
    """SPEC 7: in the middle of a path too; a new file goes into the directory that is there."""
    (root / _NFD).mkdir()
    with roots.confine(f"{_NFC}/new") as target:
        assert target.given == target.path == f"{root}/{_NFD}/new"


def test_two_entries_of_one_name_are_offered_and_not_chosen(roots: Roots, root: Path) -> None:
    """HOSTILE 21: both may exist."""
    for name in (_WHOLE, _APART):
        (root / name).touch()
    with roots.confine(_MIXED) as target, pytest.raises(PathRefused) as refused:
        require_existing(target)
    assert refused.value.code == "not_found"
    with roots.confine(_WHOLE) as target:
        assert target.path.endswith(_WHOLE)


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        pytest.param("readme.md", ("README.md",), id="other case"),
        pytest.param("REDAME.md", ("README.md",), id="a typing slip"),
        pytest.param("zzz", (), id="nothing like it"),
        pytest.param("bad_name", ("bad\\udcffname",), id="one that is no text, escaped"),
    ],
)
def test_similar_names_are_offered(root: Path, fd: int, asked: str, found: tuple[str, ...]) -> None:
    """SPEC 5: a missing file's error offers similar names in that directory."""
    for name in ("README.md", "setup.py", "bad\udcffname"):
        (root / name).touch()
    assert similar_names(fd, asked) == found


def test_a_directory_that_cannot_be_listed_offers_nothing(root: Path, fd: int, unprivileged: Unprivileged) -> None:
    """HOSTILE 40: entered but not read, it has no names to offer."""
    (root / _NFD).touch()
    root.chmod(0o311)
    with unprivileged():
        found = (same_under_nfc(fd, _NFC), similar_names(fd, "caf"))
    root.chmod(0o755)
    assert found == (None, ())


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        pytest.param(b"plain", "plain", id="ASCII"),
        pytest.param("caf\u00e9".encode(), "caf\u00e9", id="UTF-8"),
        pytest.param(b"bad\xff", "bad\\udcff", id="a byte that is none"),
        pytest.param(b"a\\b", "a\\b", id="a backslash"),
        pytest.param(b"\\udc7f", "\\udc7f", id="no escaped byte"),
    ],
)
def test_a_name_is_shown_escaped_and_found_by_that(raw: bytes, shown: str) -> None:
    """SPEC 7: names that are not UTF-8 are listed (escaped)."""
    assert escaped(os.fsdecode(raw)) == shown
    assert os.fsencode(unescaped(shown)) == raw


@given(st.binary(min_size=1, max_size=20))
def test_unescaping_gives_back_any_name(raw: bytes) -> None:
    """Law: `unescaped(escaped(name)) == name`, but for a name that holds an escaped one as text."""
    assume(b"\\udc" not in raw)
    name = os.fsdecode(raw)
    shown = escaped(name)
    shown.encode()
    assert unescaped(shown) == name


def test_a_name_that_is_no_text_is_opened_made_and_reached_by_its_escaped_name(roots: Roots, root: Path) -> None:
    """SPEC 7; the path that is shown leads there again."""
    (root / "bad\udcff").mkdir()
    (root / "bad\udcff" / "f").write_text("x")
    with roots.confine("bad\\udcff/f") as target:
        assert target.fd is not None
        assert target.path == f"{root}/bad\\udcff/f"
        with roots.confine(target.path) as again:
            assert again.identity == target.identity
    with roots.confine("bad\\udcff/new\\udcfe") as target:
        assert target.name == "new\udcfe"


def test_a_name_that_looks_escaped_is_that_name_when_it_is_there(roots: Roots, root: Path) -> None:
    """SPEC 7: other backslashes are ordinary."""
    (root / "bad\udcff").write_text("bytes")
    (root / "bad\\udcff").write_text("text")
    with roots.confine("bad\\udcff") as target:
        assert target.name == "bad\\udcff"


def test_an_allowed_directory_may_have_a_name_that_is_no_text(root: Path) -> None:
    """SPEC 7: its escaped path is a path below it."""
    (root / "r\udcff").mkdir()
    (root / "r\udcff" / "f").write_text("x")
    opened = Roots([f"{root}/r\udcff"])
    with opened.confine(f"{root}/r\\udcff/f") as target:
        assert (target.fd is not None, target.path) == (True, f"{root}/r\\udcff/f")
    opened.close()
