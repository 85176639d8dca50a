"""What a file is besides its bytes, carried over, imitated and brought back."""

from __future__ import annotations

import os
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from readfirst.content.digest import digest_of
from readfirst.filesystem.commit import create_file, replace_file
from readfirst.filesystem.metadata import Metadata, imitate, metadata_of
from readfirst.filesystem.roots import Roots
from tests.conftest import Unprivileged

_NOBODY = 65534
_only_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can make files of two owners")


@pytest.fixture
def file(root: Path) -> Path:
    """Make a file with a user attribute, where there are such."""
    path = root / "f"
    path.write_text("x")
    try:
        os.setxattr(path, "user.mine", b"kept\0\xff")
    except OSError as error:
        pytest.skip(f"no user attributes here: {error}")
    return path


def _known(roots: Roots, name: str = "f") -> Metadata:
    with roots.confine(name, follow=False) as target:
        return metadata_of(target)


def test_everything_is_known_of_a_file(roots: Roots, file: Path) -> None:
    """SPEC 1 (metadata)."""
    file.chmod(0o4640)
    os.utime(file, ns=(1_000_000_001, 2_000_000_002))
    os.link(file, file.with_name("g"))
    known = _known(roots)
    assert (known.mode, known.accessed_ns, known.modified_ns) == (0o4640, 1_000_000_001, 2_000_000_002)
    assert (known.uid, known.gid, known.names) == (os.getuid(), os.getgid(), 2)
    assert known.attributes == (("user.mine", b"kept\0\xff"),)


def test_a_file_comes_back_with_all_that_was_known(roots: Roots, file: Path) -> None:
    """SPEC 2 (undo): as it was before a deletion."""
    file.chmod(0o6751)
    os.utime(file, ns=(1_000_000_001, 2_000_000_002))
    known = _known(roots)
    with roots.confine("back") as target:
        create_file(target, b"x", like=known)
    assert _known(roots, "back") == known


@_only_root
def test_a_file_comes_back_with_its_owner(roots: Roots, file: Path) -> None:
    """SPEC 1 (metadata)."""
    os.chown(file, _NOBODY, _NOBODY)
    file.chmod(0o4755)
    known = _known(roots)
    with roots.confine("back") as target:
        create_file(target, b"x", like=known)
    assert (known.uid, _known(roots, "back")) == (_NOBODY, known)


@_only_root
@pytest.mark.usefixtures("file")
def test_a_file_that_comes_back_under_another_owner_lends_no_rights(
    roots: Roots, root: Path, unprivileged: Unprivileged
) -> None:
    """SPEC 1: the owner is restored where that is allowed; a set-user-id bit never passes to somebody else."""
    known = replace(_known(roots), mode=0o6755)
    root.chmod(0o777)
    with unprivileged(), roots.confine("back") as target:
        create_file(target, b"x", like=known)
    back = _known(roots, "back")
    assert (back.uid, back.mode) == (_NOBODY, 0o755)
    assert back.attributes == known.attributes


@_only_root
def test_an_attribute_that_may_not_be_set_keeps_no_other_away(
    roots: Roots, root: Path, file: Path, unprivileged: Unprivileged
) -> None:
    """G11: only the superuser sets `security.*`, and those names sort first."""
    os.setxattr(file, "security.readfirst", b"theirs")
    os.chown(file, _NOBODY, -1)
    root.chmod(0o777)
    with unprivileged(), roots.confine("f") as target:
        replace_file(target, b"new", expected=digest_of(b"x"))
    assert file.read_bytes() == b"new"
    assert dict(_known(roots).attributes)["user.mine"] == b"kept\0\xff"


@pytest.mark.parametrize("mode", [0o600, 0o444, 0o755, 0o6755, 0o1777], ids=oct)
def test_a_copy_has_the_permissions_and_times_and_no_more(root: Path, mode: int) -> None:
    """SPEC 3 (`copy_file`): a copy has its own owner, so it lends no rights."""
    (root / "copy").touch()
    fd = os.open(root / "copy", os.O_RDWR)
    imitate(Metadata(mode, 0, 0, 5, 7, (("user.mine", b"x"),)), fd)
    found = os.fstat(fd)
    attributes = os.listxattr(fd)
    os.close(fd)
    assert (stat.S_IMODE(found.st_mode), found.st_atime_ns, found.st_mtime_ns) == (mode & 0o777, 5, 7)
    assert attributes == []
