"""Deleting: only what the session has seen, and only what can be brought back."""

from __future__ import annotations

import functools
import os
import shutil
import stat
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from readfirst import Edit, ReadfirstError, ReadRequest, Session, Workspace, edit_file, read_page, write_file
from readfirst.errors import NotRead, Stale
from readfirst.filesystem import commit
from readfirst.filesystem.syscalls import rename_no_replace
from readfirst.workspace.browse import get_file_info
from readfirst.workspace.manage import delete_file, move_file
from readfirst.workspace.undo import undo_edit
from tests.conftest import file_size_limit

_PAGE = ReadRequest()


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """Name a directory for what is kept."""
    return tmp_path / "state"


@pytest.fixture
def session(root: Path, state: Path) -> Generator[Session]:
    """Open a session that keeps its bytes in `state`."""
    with Workspace([str(root)], state_directory=str(state)) as workspace:
        yield workspace.session()


def _refused(act: Callable[[], object]) -> ReadfirstError:
    with pytest.raises(ReadfirstError) as refused:
        act()
    return refused.value


@pytest.mark.guarantee("G1")
def test_a_file_that_was_not_read_is_not_deleted(session: Session, root: Path) -> None:
    """G1; a small file is shown by the refusal, and can be deleted then."""
    (root / "f").write_text("one\n")
    refusal = _refused(lambda: delete_file(session, "f"))
    assert isinstance(refusal, NotRead)
    assert refusal.shown is not None
    assert (root / "f").read_text() == "one\n"
    delete_file(session, "f")
    assert os.listdir(root) == []


@pytest.mark.guarantee("G2")
def test_a_file_that_changed_is_not_deleted(session: Session, root: Path) -> None:
    """G2: a touch is no change, another byte is."""
    (root / "f").write_text("one\n")
    read_page(session, "f", _PAGE)
    (root / "f").write_text("two\n")
    assert isinstance(_refused(lambda: delete_file(session, "f")), Stale)
    (root / "f").write_text("two\n")
    os.utime(root / "f", (1, 1))
    assert delete_file(session, "f").kind == "file"


def test_a_change_at_the_last_moment_is_kept(session: Session, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """G8: between the digest and the removal; the bytes kept for nothing go again."""
    (root / "f").write_text("one\n")
    read_page(session, "f", _PAGE)

    def rename(from_fd: int, name: str, to_fd: int, new_name: str) -> None:
        monkeypatch.undo()
        (root / "f").write_text("theirs\n")
        rename_no_replace(from_fd, name, to_fd, new_name)

    monkeypatch.setattr(commit, "rename_no_replace", rename)
    refusal = _refused(lambda: delete_file(session, "f"))
    assert isinstance(refusal, Stale)
    assert (refusal.during, (root / "f").read_text(), os.listdir(root)) == (True, "theirs\n", ["f"])
    assert os.listdir(session.workspace.undo.directory) == []
    assert _refused(lambda: undo_edit(session, "f")).code == "nothing_to_undo"


def test_a_version_stands_in_for_a_read(session: Session, root: Path) -> None:
    """SPEC 2 (version tokens): it must be that on disk, and is for files only."""
    (root / "f").write_text("one\n" * 50)
    (root / "d").mkdir()
    version = read_page(session.workspace.session("other"), "f", _PAGE).version
    assert _refused(lambda: delete_file(session, "d", version=version)).code == "invalid_argument"
    assert _refused(lambda: delete_file(session, "f", version="zzzzzzzzzz")).code == "stale"
    assert delete_file(session, "f", version=version).undoable


def test_of_a_binary_file_a_look_at_its_facts_is_enough(session: Session, root: Path) -> None:
    """SPEC 3 (`delete_file`): and needed; the next call says so; G2 holds for it."""
    (root / "f").write_bytes(b"\0one")
    for code in ("not_read", "stale"):
        refusal = _refused(lambda: delete_file(session, "f"))
        assert (refusal.code, refusal.next_calls[0].action) == (code, "info")
        get_file_info(session, "f")
        (root / "f").write_bytes(b"\0two" if code == "not_read" else b"\0three")
    get_file_info(session, "f")
    delete_file(session, "f")
    undo_edit(session, "f")
    assert (root / "f").read_bytes() == b"\0three"
    delete_file(session, "f")


@pytest.mark.parametrize(
    ("path", "code"),
    [
        pytest.param("none", "not_found", id="nothing there"),
        pytest.param("full", "not_empty", id="a directory with something in it"),
        pytest.param(".", "invalid_path", id="an allowed directory"),
        pytest.param("empty/..", "invalid_path", id="an allowed directory, named by a way up"),
        pytest.param("../outside", "outside", id="outside"),
        pytest.param("out/x", "outside", id="outside through a link"),
        pytest.param("pipe", "not_a_file", id="a pipe"),
        pytest.param("read-only", "permission", id="a file that nobody may write"),
        pytest.param("huge", "too_large", id="a file too large to be kept"),
    ],
)
def test_what_cannot_be_deleted_is_refused_and_stays(session: Session, root: Path, path: str, code: str) -> None:
    """SPEC 3 (`delete_file`), HOSTILE 35, 38, 41, 69."""
    (root / "full" / "d").mkdir(parents=True)
    (root / "empty").mkdir()
    (root / "out").symlink_to("..")
    os.mkfifo(root / "pipe")
    (root / "read-only").touch(0o444)
    (root / "huge").touch()
    os.truncate(root / "huge", 1 << 40)
    before = sorted(os.walk(root))
    assert _refused(lambda: delete_file(session, path)).code == code
    assert sorted(os.walk(root)) == before


@pytest.mark.parametrize("target", ["/etc/passwd", "nowhere", "l", "f", "d"])
def test_a_link_is_deleted_itself_unread_and_comes_back(session: Session, root: Path, target: str) -> None:
    """SPEC 3 (`delete_file`): wherever it leads."""
    (root / "f").write_text("x\n")
    (root / "d").mkdir()
    (root / "l").symlink_to(target)
    assert delete_file(session, "l").kind == "link"
    assert sorted(os.listdir(root)) == ["d", "f"]
    assert undo_edit(session, "l").durable
    assert os.readlink(root / "l") == target


def test_a_link_to_a_name_that_is_no_text_comes_back(session: Session, root: Path) -> None:
    """HOSTILE 28: byte for byte."""
    (root / "l").symlink_to("bad\udcff")
    delete_file(session, "l")
    undo_edit(session, "l")
    assert os.fsencode(os.readlink(root / "l")) == b"bad\xff"


def test_an_empty_directory_comes_back_with_its_mode_and_times(session: Session, root: Path) -> None:
    """SPEC 2 (undo): whatever the umask."""
    (root / "d").mkdir()
    (root / "d").chmod(0o2777)
    os.utime(root / "d", ns=(1_000_000_001, 2_000_000_002))
    assert delete_file(session, "d").kind == "directory"
    undo_edit(session, "d")
    status = (root / "d").stat()
    assert (stat.S_IMODE(status.st_mode), status.st_mtime_ns) == (0o2777, 2_000_000_002)


def test_a_file_comes_back_as_it_was_and_as_well_known(session: Session, root: Path) -> None:
    """SPEC 2 (undo): mode, times, attributes, owner; its directories are made again."""
    path = root / "a" / "f"
    path.parent.mkdir()
    path.write_text("one\n" * 50)
    path.chmod(0o4750)
    if os.geteuid() == 0:
        os.chown(path, 65534, 65533)
        path.chmod(0o4750)
    os.utime(path, ns=(1_000_000_001, 2_000_000_002))
    before = path.stat()
    read_page(session, "a/f", _PAGE)
    delete_file(session, "a/f")
    delete_file(session, "a")
    assert undo_edit(session, "a/f").left == 0
    after = path.stat()
    for fact in ("st_mode", "st_uid", "st_gid", "st_mtime_ns", "st_size"):
        assert getattr(after, fact) == getattr(before, fact), fact
    write_file(session, "a/f", "new\n")


def test_a_file_that_was_deleted_by_its_token_comes_back_unread(session: Session, root: Path) -> None:
    """SPEC 2: undo never widens a record."""
    (root / "f").write_text("one\n" * 50)
    version = read_page(session.workspace.session("other"), "f", ReadRequest(limit=1)).version
    delete_file(session, "f", version=version)
    undo_edit(session, "f")
    assert _refused(lambda: write_file(session, "f", "new\n")).code == "unseen"


@pytest.mark.parametrize("theirs", ["file", "directory", "dangling link"])
def test_nothing_gives_way_for_a_file_that_comes_back(session: Session, root: Path, theirs: str) -> None:
    """SPEC 3 (`undo_edit`): and it can come back when the name is free again."""
    (root / "f").write_text("one\n")
    read_page(session, "f", _PAGE)
    delete_file(session, "f")
    makers: dict[str, Callable[[], object]] = {
        "file": (root / "f").touch,
        "directory": (root / "f").mkdir,
        "dangling link": lambda: (root / "f").symlink_to("nowhere"),
    }
    makers[theirs]()
    assert _refused(lambda: undo_edit(session, "f")).code == "exists"
    (root / "f").rename(root / "theirs")
    undo_edit(session, "f")
    assert (root / "f").read_text() == "one\n"


def test_what_is_no_longer_kept_cannot_come_back(session: Session, root: Path, state: Path) -> None:
    """SPEC 6 (undo bytes): pruned, or removed by somebody."""
    (root / "f").write_text("one\n")
    read_page(session, "f", _PAGE)
    delete_file(session, "f")
    shutil.rmtree(state)
    assert _refused(lambda: undo_edit(session, "f")).code == "not_kept"
    assert os.listdir(root) == []


def test_bytes_that_somebody_changed_do_not_come_back(session: Session, root: Path, state: Path) -> None:
    """SPEC 6 (undo bytes): the digest of the change decides."""
    (root / "f").write_text("one\n")
    read_page(session, "f", _PAGE)
    delete_file(session, "f")
    (kept,) = (state / "undo").iterdir()
    kept.write_bytes(kept.read_bytes().replace(b"one", b"two"))
    assert _refused(lambda: undo_edit(session, "f")).code == "not_kept"
    assert os.listdir(root) == []


def test_what_cannot_be_kept_is_not_deleted_and_an_edit_says_so(session: Session, root: Path) -> None:
    """SPEC 6 (undo bytes): disk full."""
    (root / "f").write_text("one\n" + "x" * 5000)
    read_page(session, "f", _PAGE)
    with file_size_limit(1000):
        assert _refused(lambda: delete_file(session, "f")).code == "not_kept"
        assert (root / "f").exists()
        assert not edit_file(session, "f", [Edit("one\n" + "x" * 5000, "two\n")]).undoable
    assert _refused(lambda: undo_edit(session, "f")).code == "not_kept"
    assert (root / "f").read_text() == "two\n"


def test_one_of_several_names_is_deleted_and_comes_back_alone(session: Session, root: Path) -> None:
    """SPEC 7: a name comes or goes alone; the other stays read."""
    (root / "f").write_text("one\n" * 50)
    os.link(root / "f", root / "g")
    read_page(session, "f", _PAGE)
    delete_file(session, "g")
    assert undo_edit(session, "g").parted
    assert (root / "f").stat().st_ino != (root / "g").stat().st_ino
    edit_file(session, "f", [Edit("one\n" * 50, "two\n")])


def test_the_state_directory_of_the_program_is_out_of_reach(root: Path) -> None:
    """SPEC 7: always denied, wherever it lies; not even the directory above it can be moved or made another thing."""
    (root / "f").write_text("secret\n")
    (root / "away").symlink_to("/usr")
    with Workspace([str(root)], state_directory=str(root / "s" / "rf")) as workspace:
        session = workspace.session()
        read_page(session, "f", _PAGE)
        delete_file(session, "f")
        (kept,) = os.listdir(workspace.undo.directory)
        for path in ("s/rf", "s/rf/undo", f"s/rf/undo/{kept}", f"away/../s/rf/undo/{kept}", "s/rf/new"):
            acts = (get_file_info, delete_file, functools.partial(write_file, text="x"))
            for act in acts:
                assert _refused(functools.partial(act, session, path)).code in {"denied", "outside"}
        assert _refused(lambda: delete_file(session, "s")).code == "invalid_path"
        assert _refused(lambda: move_file(session, "s", "t")).code == "invalid_path"
        undo_edit(session, "f")


def test_a_link_cannot_be_put_where_the_state_directory_will_be(root: Path) -> None:
    """SPEC 7: else what is kept would lie where the link leads, in reach."""
    (root / "away").symlink_to("/usr")
    with Workspace([str(root)], state_directory=str(root / "s" / "rf")) as workspace:
        assert _refused(lambda: move_file(workspace.session(), "away", "s")).code == "denied"
    assert os.listdir(root) == ["away"]
