"""Where paths lead, and the ones that lead nowhere: hostile names and links against a real directory."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from readfirst.errors import PathRefused
from readfirst.filesystem.resolve import MAX_DEPTH, MAX_LINKS
from readfirst.filesystem.roots import Roots
from tests.filesystem.conftest import open_descriptors

_LINKS = {
    "to_file": "file",
    "to_file_absolute": "{root}/file",
    "to_file_by_parent": "../root/file",
    "to_dir": "dir",
    "to_inner": "deep/inner",
    "to_file_slash": "file/",
    "here": ".",
    "twice": "to_dir/note",
    "dangling": "dir/not_yet",
    "out_file": "{outside}/secret",
    "out_relative": "../outside/secret",
    "out_dir": "{outside}",
    "out_dangling": "{outside}/not_yet",
    "out_sibling": "{root}2/file",
    "out_by_link": "out_dir/secret",
    "proc_root": "/proc/self/root/etc/passwd",
    "proc_cwd": "/proc/self/cwd",
    "proc_fd": "/proc/self/fd/0",
    "self": "self",
    "ping": "pong",
    "pong": "ping",
}


@pytest.fixture(autouse=True)
def tree(root: Path, outside: Path) -> Path:
    """Fill the allowed directory with files and links."""
    (root / "dir").mkdir()
    (root / "deep" / "inner").mkdir(parents=True)
    (tmp := root.parent / "root2").mkdir()
    for file in (root / "file", root / "dir" / "note", root / "deep" / "note", tmp / "file", root / "a\\b"):
        file.write_text(f"{file.name}\n")
    for name, target in _LINKS.items():
        (root / name).symlink_to(target.format(root=root, outside=outside))
    _chain(root, "at_limit", MAX_LINKS)
    _chain(root, "over_limit", MAX_LINKS + 1)
    _chain(root, "chain", 45)
    return root


def _chain(root: Path, name: str, links: int) -> None:
    for number in range(links):
        target = "file" if number == links - 1 else f"{name}{number + 1}"
        (root / f"{name}{number}").symlink_to(target)


@pytest.mark.parametrize(
    ("path", "real"),
    [
        pytest.param("file", "file", id="name"),
        pytest.param("{root}/file", "file", id="absolute"),
        pytest.param("/{root}//dir/./note", "dir/note", id="doubled slashes and dots"),
        pytest.param("dir/../file", "file", id="parent inside"),
        pytest.param("../root/file", "file", id="out and in again"),
        pytest.param("../../{parent}/root/file", "file", id="out twice and in again"),
        pytest.param(".", "", id="the directory itself"),
        pytest.param("{root}/", "", id="the directory itself with a slash"),
        pytest.param("dir/..", "", id="parent of a child"),
        pytest.param("deep/inner/..", "deep", id="parent of a grandchild"),
        pytest.param("to_file", "file", id="relative link"),
        pytest.param("to_file_absolute", "file", id="absolute link"),
        pytest.param("to_file_by_parent", "file", id="link through the parent"),
        pytest.param("to_dir/note", "dir/note", id="link to a directory"),
        pytest.param("to_dir", "dir", id="link to a directory alone"),
        pytest.param("to_dir/", "dir", id="link with a trailing slash"),
        pytest.param("to_inner/../note", "deep/note", id="link/.. is the physical parent"),
        pytest.param("to_inner/..", "deep", id="link/.. alone"),
        pytest.param("twice", "dir/note", id="link through a link"),
        pytest.param("here", "", id="link to dot"),
        pytest.param("here/file", "file", id="through a link to dot"),
        pytest.param("at_limit0", "file", id="as many links as allowed"),
        pytest.param("a\\b", "a\\b", id="backslash is an ordinary character"),
    ],
)
def test_a_path_that_stays_inside_leads_to_its_object(roots: Roots, root: Path, path: str, real: str) -> None:
    """SPEC 7, HOSTILE 7-9, 25."""
    with roots.confine(path.format(root=root, parent=root.parent.name)) as found:
        assert found.fd is not None
        assert found.stat is not None
        assert found.stat.st_ino == (root / real).stat().st_ino
        assert (found.relative, found.path) == (real, str(root / real))


@pytest.mark.parametrize(
    ("path", "code"),
    [
        pytest.param("../outside/secret", "outside", id="parent"),
        pytest.param("../outside/not_there", "outside", id="parent, missing"),
        pytest.param("dir/../../outside/secret", "outside", id="parent after a child"),
        pytest.param("..", "outside", id="parent alone"),
        pytest.param("../..", "outside", id="grandparent"),
        pytest.param("{outside}/secret", "outside", id="absolute"),
        pytest.param("{outside}/not_there", "outside", id="absolute, missing"),
        pytest.param("//etc/passwd", "outside", id="two leading slashes"),
        pytest.param("{root}2/file", "outside", id="sibling with the same prefix"),
        pytest.param("{root}/../root2/file", "outside", id="sibling through the parent"),
        pytest.param("out_file", "outside", id="link to a file"),
        pytest.param("out_file/", "outside", id="link to a file, slash"),
        pytest.param("out_relative", "outside", id="relative link"),
        pytest.param("out_dir", "outside", id="link to a directory"),
        pytest.param("out_dir/", "outside", id="link to a directory, slash"),
        pytest.param("out_dir/.", "outside", id="link to a directory, dot"),
        pytest.param("out_dir/..", "outside", id="link to a directory, parent"),
        pytest.param("out_dir/secret", "outside", id="below a link"),
        pytest.param("out_dir/../root/file", "outside", id="through a link and back"),
        pytest.param("out_by_link", "outside", id="link through a link"),
        pytest.param("out_dangling", "outside", id="dangling link"),
        pytest.param("out_sibling", "outside", id="link to the sibling"),
        pytest.param("proc_root", "outside", id="link to /proc/self/root"),
        pytest.param("proc_cwd", "outside", id="link to /proc/self/cwd"),
        pytest.param("proc_fd", "outside", id="link to /proc/self/fd"),
        pytest.param("self", "too_many_links", id="link to itself"),
        pytest.param("ping", "too_many_links", id="two links in a circle"),
        pytest.param("self/x", "too_many_links", id="below a link to itself"),
        pytest.param("over_limit0", "too_many_links", id="one link more than allowed"),
        pytest.param("chain0", "too_many_links", id="45 links"),
        pytest.param("file/", "not_a_directory", id="file with a slash"),
        pytest.param("file/.", "not_a_directory", id="file with a dot"),
        pytest.param("file/..", "not_a_directory", id="file with two dots"),
        pytest.param("file/x", "not_a_directory", id="below a file"),
        pytest.param("to_file/", "not_a_directory", id="link to a file with a slash"),
        pytest.param("to_file_slash", "not_a_directory", id="link whose target has a slash"),
        pytest.param("not_there/../file", "not_found", id="parent of what is missing"),
        pytest.param("", "invalid_path", id="empty"),
        pytest.param("fi\0le", "invalid_path", id="NUL"),
        pytest.param("C:\\x", "invalid_path", id="Windows drive"),
        pytest.param("c:/x", "invalid_path", id="Windows drive with a slash"),
        pytest.param("\\\\host\\share", "invalid_path", id="Windows share"),
        pytest.param("half\ud83d", "invalid_path", id="lone surrogate"),
        pytest.param("raw\udcff", "invalid_path", id="surrogate that stands for a byte"),
        pytest.param("x" * 256, "name_too_long", id="256 bytes"),
        pytest.param("é" * 128, "name_too_long", id="256 bytes in 128 characters"),
    ],
)
def test_a_path_that_leaves_or_means_nothing_is_refused(
    roots: Roots, root: Path, outside: Path, path: str, code: str
) -> None:
    """SPEC 7, HOSTILE 1-6, 10-16, 25, 29; nothing stays open after a refusal."""
    before = open_descriptors()
    with pytest.raises(PathRefused) as refused:
        roots.confine(path.format(root=root, outside=outside))
    assert refused.value.code == code
    assert open_descriptors() == before


@pytest.mark.parametrize(
    ("path", "real"),
    [
        pytest.param("new", "new", id="name"),
        pytest.param("a/b/c", "a/b/c", id="below missing directories"),
        pytest.param("to_dir/new", "dir/new", id="below a link"),
        pytest.param("dangling", "dir/not_yet", id="dangling link inside"),
        pytest.param("%2e%2e", "%2e%2e", id="percent signs are literal"),
        pytest.param("~user", "~user", id="a name after ~ is literal"),
        pytest.param(" file", " file", id="blanks are literal"),
        pytest.param("-rf", "-rf", id="dashes are literal"),
    ],
)
def test_a_path_to_nothing_is_the_place_of_something_new(roots: Roots, path: str, real: str) -> None:
    """SPEC 7, HOSTILE 11, 23, 24."""
    with roots.confine(path) as found:
        assert found.fd is None
        assert found.relative == real
        assert not found.is_file


@pytest.mark.parametrize(("there", "not_there"), [("secret", "nothing"), ("", "x/y")])
def test_a_refusal_tells_nothing_about_what_is_outside(roots: Roots, outside: Path, there: str, not_there: str) -> None:
    """SPEC 7: the same text whether or not the target exists."""
    facts: list[tuple[object, ...]] = []
    for name in (there, not_there):
        (link := Path(roots.spellings[0]) / "probe").symlink_to(outside / name)
        with pytest.raises(PathRefused) as refused:
            roots.confine("probe")
        link.unlink()
        facts.append((refused.value.code, refused.value.path, refused.value.roots, refused.value.similar))
    assert facts[0] == facts[1]


def test_a_path_too_long_for_the_kernel_does_not_hide_a_link_that_leaves(roots: Roots, root: Path) -> None:
    """HOSTILE 13: `realpath` gives up there, and a check built on it lets the link through."""
    name = "d" * 255
    fd = os.open(root, os.O_PATH)
    for _ in range(17):
        os.mkdir(name, dir_fd=fd)
        below = os.open(name, os.O_PATH, dir_fd=fd)
        os.close(fd)
        fd = below
    os.symlink("/etc/passwd", "link", dir_fd=fd)
    os.close(fd)
    with pytest.raises(PathRefused) as refused:
        roots.confine("/".join([name] * 17 + ["link"]))
    assert refused.value.code == "outside"


def test_a_path_deeper_than_any_tree_of_source_is_refused(roots: Roots, root: Path) -> None:
    """HOSTILE 4: the depth is capped, so that descriptors cannot run out."""
    deepest = root / "/".join(["d"] * (MAX_DEPTH + 2))
    deepest.mkdir(parents=True)
    with roots.confine("/".join(["d"] * MAX_DEPTH)) as found:
        assert found.fd is not None
    with pytest.raises(PathRefused) as refused:
        roots.confine("/".join(["d"] * (MAX_DEPTH + 2)))
    assert refused.value.code == "name_too_long"
    os.removedirs(deepest)


def test_a_handle_stays_with_its_file_when_the_name_moves(roots: Roots, root: Path, outside: Path) -> None:
    """SPEC 7: never check a string and then open a string."""
    with roots.confine("file") as found:
        (root / "file").unlink()
        (root / "file").symlink_to(outside / "secret")
        assert os.stat(f"/proc/self/fd/{found.fd}").st_size == len("file\n")


def test_descriptors_do_not_leak(roots: Roots) -> None:
    """SPEC 7: hundreds of resolutions, refusals among them, leave as many descriptors as before."""
    before = open_descriptors()
    for path in ("file", "to_inner/../note", "a/b/c", "out_dir/secret", "chain0", "file/x", "../root/file", "..") * 50:
        try:
            with roots.confine(path):
                pass
        except PathRefused:
            pass
    assert open_descriptors() == before
