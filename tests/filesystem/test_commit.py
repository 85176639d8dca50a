"""Writing: all of the new or all of the old, nothing lying about, and nobody else's change overwritten."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from readfirst.content.digest import digest_of
from readfirst.errors import DiskRefused, PathRefused, ReadfirstError, Stale
from readfirst.filesystem.commit import (
    Committed,
    _create_by_link,  # pyright: ignore[reportPrivateUsage] - the step for filesystems without O_TMPFILE
    create_file,
    replace_file,
)
from readfirst.filesystem.roots import Roots
from tests.conftest import Unprivileged, file_size_limit
from tests.filesystem.conftest import open_descriptors

_OLD = b"old\n"
_NOBODY = 65534


@pytest.fixture
def old(root: Path) -> Path:
    """Make a file to be replaced."""
    (root / "f").write_bytes(_OLD)
    return root / "f"


@contextmanager
def _umask(mask: int) -> Generator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


def _replace(roots: Roots, data: bytes, *, name: str = "f", expected: bytes = _OLD) -> Committed:
    with roots.confine(name) as target:
        return replace_file(target, data, expected=digest_of(expected))


def _create(roots: Roots, name: str, data: bytes) -> Committed:
    with roots.confine(name) as target:
        return create_file(target, data)


def _filled_with(data: bytes) -> Callable[[int], None]:
    def fill(fd: int) -> None:
        os.write(fd, data)

    return fill


def _refused(roots: Roots, data: bytes = b"new\n") -> ReadfirstError:
    with pytest.raises(ReadfirstError) as refused:
        _replace(roots, data)
    return refused.value


def test_a_file_holds_the_new_bytes_and_nothing_else_is_left(roots: Roots, root: Path, old: Path) -> None:
    """SPEC 6 (replace)."""
    before = open_descriptors()
    assert _replace(roots, b"new\n").durable
    assert old.read_bytes() == b"new\n"
    assert os.listdir(root) == ["f"]
    assert open_descriptors() == before


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o666, 0o755, 0o4755, 0o2755, 0o1644], ids=oct)
def test_the_mode_is_kept(roots: Roots, old: Path, mode: int) -> None:
    """SPEC 1 (metadata), HOSTILE 41: the set-user-id bit too, and whatever the umask."""
    old.chmod(mode)
    with _umask(0o077):
        _replace(roots, b"new\n")
    assert stat.S_IMODE(old.stat().st_mode) == mode


def test_extended_attributes_are_kept(roots: Roots, old: Path) -> None:
    """SPEC 1 (metadata)."""
    try:
        os.setxattr(old, "user.readfirst", b"kept")
    except OSError as error:
        pytest.skip(f"no user attributes here: {error}")
    _replace(roots, b"new\n")
    assert os.getxattr(old, "user.readfirst") == b"kept"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_the_owner_is_kept_with_the_set_user_id_bit(roots: Roots, old: Path) -> None:
    """SPEC 1 (metadata): changing the owner clears the bit, so it is set last."""
    os.chown(old, _NOBODY, _NOBODY)
    old.chmod(0o4755)
    _replace(roots, b"new\n")
    status = old.stat()
    assert (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)) == (_NOBODY, _NOBODY, 0o4755)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make files of two owners")
def test_a_file_whose_owner_cannot_be_kept_is_refused(
    roots: Roots, root: Path, old: Path, unprivileged: Unprivileged
) -> None:
    """SPEC 6: replacing would lose the owner."""
    old.chmod(0o666)
    root.chmod(0o777)
    with unprivileged():
        refusal = _refused(roots)
    assert isinstance(refusal, DiskRefused)
    assert (refusal.code, refusal.detail) == ("permission", "owner")
    assert (os.listdir(root), old.read_bytes()) == (["f"], _OLD)


def test_a_file_without_write_permission_is_refused(
    roots: Roots, root: Path, old: Path, unprivileged: Unprivileged
) -> None:
    """SPEC 6, HOSTILE 41: never replaced behind its owner's back, though the directory would allow it."""
    root.chmod(0o777)
    old.chmod(0o444)
    with unprivileged():
        refusal = _refused(roots)
    assert (type(refusal), refusal.code, refusal.path) == (DiskRefused, "permission", "f")
    assert (os.listdir(root), old.read_bytes()) == (["f"], _OLD)


def test_bytes_that_changed_since_the_check_stay(roots: Roots, root: Path, old: Path) -> None:
    """SPEC 6: hashed once more before the rename; no litter, and the inode is the same."""
    inode = old.stat().st_ino
    with roots.confine("f") as target, pytest.raises(Stale) as refused:
        replace_file(target, b"new\n", expected=digest_of(b"older\n"))
    assert refused.value.during
    assert (old.read_bytes(), old.stat().st_ino, os.listdir(root)) == (_OLD, inode, ["f"])


@pytest.mark.parametrize("becomes", ["nothing", "directory", "pipe", "link"])
def test_a_name_that_became_something_else_is_left_alone(roots: Roots, root: Path, old: Path, becomes: str) -> None:
    """SPEC 6: any change between check and rename is refused as stale."""
    makers = {
        "nothing": lambda: None,
        "directory": lambda: os.mkdir(old),
        "pipe": lambda: os.mkfifo(old),
        "link": lambda: os.symlink("other", old),
    }
    with roots.confine("f") as target:
        old.unlink()
        makers[becomes]()
        before = os.listdir(root)
        with pytest.raises(Stale):
            replace_file(target, b"new\n", expected=digest_of(_OLD))
    assert os.listdir(root) == before


def test_a_file_with_two_names_is_refused(roots: Roots, root: Path, old: Path) -> None:
    """SPEC 1 (metadata): replacing one name would part them."""
    os.link(old, root / "g")
    refusal = _refused(roots)
    assert isinstance(refusal, DiskRefused)
    assert (refusal.code, refusal.detail) == ("linked", "2")
    assert (old.read_bytes(), sorted(os.listdir(root))) == (_OLD, ["f", "g"])


def test_a_link_stays_a_link_and_its_target_is_replaced(roots: Roots, root: Path, old: Path) -> None:
    """SPEC 1 (metadata)."""
    (root / "link").symlink_to("f")
    _replace(roots, b"new\n", name="link")
    assert (os.readlink(root / "link"), old.read_bytes()) == ("f", b"new\n")


def test_a_failing_write_leaves_the_old_content_and_no_litter(roots: Roots, root: Path, old: Path) -> None:
    """SPEC 6: disk full."""
    before = open_descriptors()
    with file_size_limit(1000):
        refusal = _refused(roots, b"x" * 5000)
    assert (type(refusal), refusal.code) == (DiskRefused, "no_space")
    assert (old.read_bytes(), os.listdir(root), open_descriptors()) == (_OLD, ["f"], before)


def test_a_failing_creation_leaves_nothing(roots: Roots, root: Path) -> None:
    """SPEC 6: disk full."""
    before = open_descriptors()
    with file_size_limit(1000), pytest.raises(DiskRefused) as refused:
        _create(roots, "new", b"x" * 5000)
    assert refused.value.code == "no_space"
    assert (os.listdir(root), open_descriptors()) == ([], before)


def test_a_new_file_has_the_umask_mode_and_its_parents(roots: Roots, root: Path) -> None:
    """SPEC 6 (new files)."""
    with _umask(0o027):
        committed = _create(roots, "a/b/new", b"data")
    assert committed == Committed(durable=True)
    modes = [stat.S_IMODE((root / name).stat().st_mode) for name in ("a", "a/b", "a/b/new")]
    assert modes == [0o750, 0o750, 0o640]
    assert (root / "a/b/new").read_bytes() == b"data"
    assert os.listdir(root / "a/b") == ["new"]


def test_a_parent_that_somebody_made_meanwhile_is_used(roots: Roots, root: Path) -> None:
    """SPEC 6 (new files)."""
    with roots.confine("a/new") as target:
        (root / "a").mkdir()
        create_file(target, b"data")
    assert (root / "a/new").read_bytes() == b"data"


def test_a_parent_that_became_a_link_is_not_followed(roots: Roots, root: Path, outside: Path) -> None:
    """SPEC 7: nothing is made outside."""
    with roots.confine("a/new") as target:
        (root / "a").symlink_to(outside)
        with pytest.raises(PathRefused):
            create_file(target, b"data")
    assert os.listdir(outside) == ["secret"]


def test_a_name_taken_meanwhile_is_not_replaced(roots: Roots, root: Path) -> None:
    """SPEC 6: linked in without replacing anything."""
    with roots.confine("new") as target:
        (root / "new").write_bytes(b"theirs")
        with pytest.raises(DiskRefused) as refused:
            create_file(target, b"mine")
    assert refused.value.code == "exists"
    assert ((root / "new").read_bytes(), os.listdir(root)) == (b"theirs", ["new"])


def test_a_dangling_link_inside_is_created_where_it_points(roots: Roots, root: Path) -> None:
    """HOSTILE 11."""
    (root / "link").symlink_to("made")
    _create(roots, "link", b"data")
    assert (os.readlink(root / "link"), (root / "made").read_bytes()) == ("made", b"data")


def test_a_dangling_link_outside_creates_nothing(roots: Roots, root: Path, outside: Path) -> None:
    """HOSTILE 11: the hole of servers that check the parent only."""
    (root / "link").symlink_to(outside / "made")
    with pytest.raises(PathRefused) as refused:
        _create(roots, "link", b"data")
    assert refused.value.code == "outside"
    assert os.listdir(outside) == ["secret"]


def test_a_name_that_is_too_long_makes_no_directories(roots: Roots, root: Path) -> None:
    """HOSTILE 3: refused means that nothing else is done."""
    with pytest.raises(PathRefused) as refused:
        _create(roots, f"a/{'x' * 256}", b"data")
    assert refused.value.code == "name_too_long"
    assert os.listdir(root) == []


def test_a_directory_that_may_not_be_written_takes_no_new_file(
    roots: Roots, root: Path, unprivileged: Unprivileged
) -> None:
    """HOSTILE 41."""
    root.chmod(0o555)
    with unprivileged(), pytest.raises(DiskRefused) as refused:
        _create(roots, "new", b"data")
    root.chmod(0o755)
    assert (refused.value.code, refused.value.path) == ("permission", "new")


def test_without_unnamed_files_a_private_name_is_used_and_removed(root: Path) -> None:
    """SPEC 6: temp and no-replace link; umask mode all the same."""
    fd = os.open(root, os.O_PATH)
    with _umask(0o027):
        _create_by_link(fd, "new", _filled_with(b"data"))
    assert ((root / "new").read_bytes(), os.listdir(root)) == (b"data", ["new"])
    assert stat.S_IMODE((root / "new").stat().st_mode) == 0o640
    with pytest.raises(FileExistsError):
        _create_by_link(fd, "new", _filled_with(b"other"))
    os.close(fd)
    assert ((root / "new").read_bytes(), os.listdir(root)) == (b"data", ["new"])


def test_a_filesystem_that_takes_no_files_at_all_refuses_with_its_own_reason() -> None:
    """SPEC 6: /proc has no unnamed files, so the private name is tried, and that fails too."""
    roots = Roots(["/proc/self/fdinfo"])
    with pytest.raises(ReadfirstError) as refused:
        _create(roots, "new", b"data")
    roots.close()
    assert (refused.value.code, refused.value.path) == ("not_found", "new")


def test_a_directory_that_cannot_be_synced_is_reported(roots: Roots, root: Path, unprivileged: Unprivileged) -> None:
    """SPEC 6: written, durability not confirmed; a directory without read permission cannot be opened to be synced."""
    root.chmod(0o333)
    with unprivileged():
        committed = _create(roots, "new", b"data")
    root.chmod(0o755)
    assert not committed.durable
    assert (root / "new").read_bytes() == b"data"
