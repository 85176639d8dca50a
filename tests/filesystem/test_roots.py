"""Which directories are allowed, which one a path belongs to, and what a missing name may have meant."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from readfirst.errors import DiskRefused, NextCall, PathRefused
from readfirst.filesystem.confined import require_existing
from readfirst.filesystem.roots import Roots
from tests.conftest import Unprivileged
from tests.filesystem.conftest import open_descriptors

Allow = Callable[..., Roots]


@pytest.fixture
def allow() -> Generator[Allow]:
    """Open allowed directories that are closed in the end."""
    opened: list[Roots] = []

    def opener(*directories: object) -> Roots:
        opened.append(Roots(str(directory) for directory in directories))
        return opened[-1]

    yield opener
    for roots in opened:
        roots.close()


def _dir(place: Path, *names: str) -> Path:
    place.mkdir()
    for name in names:
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(name)
    return place


def _path(roots: Roots, path: str) -> str:
    with roots.confine(path) as found:
        return found.path


def test_a_relative_path_means_the_first_directory_that_has_the_name(allow: Allow, tmp_path: Path) -> None:
    """SPEC 7."""
    one, two = _dir(tmp_path / "one", "both", "d/x"), _dir(tmp_path / "two", "both", "mine", "d/y")
    roots = allow(one, two)
    found = [_path(roots, name) for name in ("both", "mine", "d/x", "d/y")]
    assert found == [f"{one}/both", f"{two}/mine", f"{one}/d/x", f"{two}/d/y"]


def test_a_new_file_goes_to_the_first_directory(allow: Allow, tmp_path: Path) -> None:
    """SPEC 7."""
    one, two, three = _dir(tmp_path / "one"), _dir(tmp_path / "two"), _dir(tmp_path / "three")
    before = open_descriptors()
    roots = allow(one, two, three)
    assert _path(roots, "new") == f"{one}/new"
    assert open_descriptors() == before + 3


def test_a_name_found_later_closes_the_place_found_earlier(allow: Allow, tmp_path: Path) -> None:
    """SPEC 7: descriptors are not leaked."""
    roots = allow(_dir(tmp_path / "one"), _dir(tmp_path / "two", "mine"))
    before = open_descriptors()
    assert _path(roots, "mine") == f"{tmp_path}/two/mine"
    assert open_descriptors() == before


def test_a_directory_where_the_path_makes_no_sense_is_passed_over(allow: Allow, tmp_path: Path) -> None:
    """SPEC 7: `x` is a file in the first directory, so `x/y` can only be meant in the second."""
    roots = allow(_dir(tmp_path / "one", "x"), _dir(tmp_path / "two", "x/y"))
    assert _path(roots, "x/y") == f"{tmp_path}/two/x/y"


def test_a_link_that_leads_outside_has_the_name(allow: Allow, tmp_path: Path) -> None:
    """SPEC 7: the first that has the name wins, so nothing is made in the second directory."""
    roots = allow(_dir(tmp_path / "one"), _dir(tmp_path / "two"))
    (tmp_path / "one" / "x").symlink_to("/etc/hostname")
    with pytest.raises(PathRefused) as refused:
        roots.confine("x")
    assert refused.value.code == "outside"


def test_a_path_that_no_directory_takes_is_refused_with_the_first_reason(allow: Allow, tmp_path: Path) -> None:
    """SPEC 7."""
    roots = allow(_dir(tmp_path / "one", "x"), _dir(tmp_path / "two"))
    (tmp_path / "two" / "x").symlink_to("/etc")
    with pytest.raises(PathRefused) as refused:
        roots.confine("x/y")
    assert refused.value.code == "not_a_directory"


def test_a_link_may_lead_to_another_allowed_directory(allow: Allow, tmp_path: Path) -> None:
    """HOSTILE 9."""
    one, two = _dir(tmp_path / "one"), _dir(tmp_path / "two", "thing")
    (one / "absolute").symlink_to(two / "thing")
    (one / "relative").symlink_to("../two/thing")
    roots = allow(one, two)
    assert {_path(roots, "absolute"), _path(roots, "relative")} == {f"{two}/thing"}


def test_the_working_directory_comes_first_when_it_is_allowed(
    allow: Allow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SPEC 7."""
    one = _dir(tmp_path / "one", "note", "sub/note")
    monkeypatch.chdir(one / "sub")
    roots = allow(one)
    assert _path(roots, "note") == f"{one}/sub/note"
    assert _path(roots, "new") == f"{one}/sub/new"


def test_a_working_directory_that_was_removed_does_not_count(
    allow: Allow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SPEC 7: a server goes on when the directory it was started in goes."""
    one, gone = _dir(tmp_path / "one", "note"), _dir(tmp_path / "gone")
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert _path(allow(one), "note") == f"{one}/note"


def test_without_directories_every_path_is_outside(allow: Allow) -> None:
    """SPEC 3: no allowed directories, no access."""
    roots = allow()
    for path in ("x", "/x"):
        with pytest.raises(PathRefused) as refused:
            roots.confine(path)
        assert (refused.value.code, refused.value.roots) == ("outside", ())


@pytest.mark.parametrize("path", ["~", "~/note"])
def test_a_tilde_is_the_home_directory(
    allow: Allow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    """SPEC 7, HOSTILE 23: used when it is inside, refused when not."""
    home, other = _dir(tmp_path / "home", "note"), _dir(tmp_path / "other")
    monkeypatch.setenv("HOME", str(home))
    with allow(home).confine(path) as found:
        assert found.fd is not None
    with pytest.raises(PathRefused) as refused:
        allow(other).confine(path)
    assert (refused.value.code, refused.value.path) == ("outside", path)


def test_a_root_through_a_link_is_allowed_in_both_forms(allow: Allow, tmp_path: Path) -> None:
    """SPEC 3 (roots), HOSTILE 17."""
    real = _dir(tmp_path / "real", "note")
    (link := tmp_path / "link").symlink_to(real)
    roots = allow(link)
    assert roots.spellings == (str(link), str(real))
    assert {_path(roots, f"{link}/note"), _path(roots, f"{real}/note")} == {f"{real}/note"}


def test_a_root_named_through_a_link_and_its_parent_is_the_real_directory(allow: Allow, tmp_path: Path) -> None:
    """HOSTILE 8: `link/..` is the parent of the target; the lexical one next to the link is another directory."""
    (deep := tmp_path / "deep").mkdir()
    (deep / "inner").mkdir()
    _dir(deep / "work", "mine")
    _dir(tmp_path / "work", "other")
    (tmp_path / "link").symlink_to(deep / "inner")
    roots = allow(tmp_path / "link" / ".." / "work")
    with pytest.raises(PathRefused):
        roots.confine(str(tmp_path / "work" / "other"))


def test_nested_and_repeated_roots_are_one_each_and_the_innermost_counts(allow: Allow, tmp_path: Path) -> None:
    """HOSTILE 18."""
    outer = _dir(tmp_path / "outer", "inner/note")
    roots = allow(outer, outer, outer / "inner")
    assert roots.spellings == (str(outer), f"{outer}/inner")
    with roots.confine(f"{outer}/inner/note") as found:
        assert found.relative == "note"


def test_the_whole_filesystem_may_be_allowed(allow: Allow) -> None:
    """SPEC 7: for hosts that sandbox the process themselves."""
    roots = allow("/")
    assert [_path(roots, path) for path in ("/", "/..", "/usr/../usr")] == ["/", "/", "/usr"]


@pytest.mark.parametrize(("name", "error"), [("missing", FileNotFoundError), ("file", NotADirectoryError)])
def test_what_is_no_directory_cannot_be_allowed(root: Path, name: str, error: type[OSError]) -> None:
    """SPEC 3 (start-up): and what was opened before the failure is closed again."""
    (root / "file").write_text("")
    before = open_descriptors()
    with pytest.raises(error):
        Roots([str(root), str(root / name)])
    assert open_descriptors() == before


@pytest.mark.parametrize(
    ("path", "similar"),
    [
        pytest.param("NOTES.txt", ("notes.txt",), id="other case"),
        pytest.param("note.txt", ("notes.txt",), id="typo"),
        pytest.param("unlike", (), id="nothing alike"),
        pytest.param("no/such/notes.txt", (), id="missing directory"),
    ],
)
def test_a_missing_name_comes_with_those_it_may_have_meant(
    roots: Roots, root: Path, path: str, similar: tuple[str, ...]
) -> None:
    """SPEC 5."""
    (root / "notes.txt").write_text("")
    with roots.confine(path) as found, pytest.raises(PathRefused) as refused:
        require_existing(found)
    assert (refused.value.code, refused.value.similar) == ("not_found", similar)
    assert refused.value.next_calls == (NextCall("list_roots"),)


def test_a_directory_that_cannot_be_listed_offers_no_names(
    roots: Roots, root: Path, unprivileged: Unprivileged
) -> None:
    """SPEC 5: the refusal stays the same."""
    (root / "notes.txt").write_text("")
    root.chmod(0o311)
    with unprivileged(), roots.confine("note.txt") as found, pytest.raises(PathRefused) as refused:
        require_existing(found)
    root.chmod(0o755)
    assert (refused.value.code, refused.value.similar) == ("not_found", ())


def test_a_directory_that_cannot_be_entered_is_a_matter_of_permission(
    roots: Roots, root: Path, unprivileged: Unprivileged
) -> None:
    """HOSTILE 40."""
    (root / "locked").mkdir(mode=0o700)
    (root / "locked").chmod(0o600)
    with unprivileged(), pytest.raises(DiskRefused) as refused:
        roots.confine("locked/x")
    assert (refused.value.code, refused.value.path) == ("permission", "locked/x")


def test_a_handle_may_be_closed_twice(roots: Roots) -> None:
    """The first close gives the descriptors back; the second must not close somebody else's."""
    found = roots.confine("x")
    found.close()
    fd = os.open(os.devnull, os.O_RDONLY)
    found.close()
    os.close(fd)
    assert (found.fd, found.parent_fd) == (None, None)


def test_a_name_that_goes_or_becomes_another_file_is_noticed(roots: Roots, root: Path) -> None:
    """SPEC 6: what a name leads to is looked up again under the lock."""
    (root / "f").write_text("one")
    with roots.confine("f") as target, roots.confine("new") as missing:
        assert target.look_again()
        assert missing.look_again()
        (root / "f").rename(root / "g")
        assert not target.look_again()
        (root / "f").write_text("two")
        assert not target.look_again()
