"""What lives as long as the process, and what one caller had seen at one call."""

from __future__ import annotations

import os
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from readfirst.content.lines import index_of
from readfirst.edits.plan import Edit
from readfirst.errors import DiskRefused, NotRead, PathRefused
from readfirst.filesystem.files import Signature
from readfirst.filesystem.locks import FileLocks
from readfirst.sessions.memory import MemoryStore
from readfirst.sessions.store import SessionId
from readfirst.settings import Settings
from readfirst.spans import Identity
from readfirst.workspace.context import Session, Workspace
from readfirst.workspace.edit import edit_file
from readfirst.workspace.indexes import IndexCache
from readfirst.workspace.read import ReadRequest, read_page
from tests.workspace.conftest import numbered

_OLD = Signature(device=1, inode=2, size=3, mtime_ns=4, ctime_ns=5)
_NEW = _OLD._replace(mtime_ns=2**62)


def test_a_workspace_closes_what_it_opened(root: Path) -> None:
    """SPEC 7: one descriptor per allowed directory, given back in the end."""
    before = len(os.listdir("/proc/self/fd"))
    with Workspace([str(root)]):
        assert len(os.listdir("/proc/self/fd")) == before + 1
    assert len(os.listdir("/proc/self/fd")) == before


def test_hundreds_of_operations_leave_no_descriptor(session: Session, root: Path) -> None:
    """SPEC 7: refusals included."""
    (root / "f").write_text("one\n")
    (root / "big").write_text(numbered(1, 100))
    before = len(os.listdir("/proc/self/fd"))
    for number in range(100):
        read_page(session, "f", ReadRequest())
        edit_file(session, "f", [Edit((root / "f").read_text().strip(), f"n{number}")])
        with pytest.raises(NotRead):
            edit_file(session, "big", [Edit("line 7\n", "x\n")])
    assert len(os.listdir("/proc/self/fd")) == before


def test_ticks_only_grow(workspace: Workspace) -> None:
    """SPEC 2: moments of one counter."""
    assert workspace.tick() < workspace.tick()


def test_a_store_of_ones_own_is_used(root: Path) -> None:
    """SPEC 2 (stores)."""
    store = MemoryStore(Settings())
    (root / "f").write_text("one\n")
    with Workspace([str(root)], store=store) as workspace:
        read_page(workspace.session("mine"), "f", ReadRequest())
    assert store.get(SessionId("mine"), f"{root}/f") is not None


@pytest.mark.guarantee("G1")
def test_a_reply_counts_only_for_calls_received_after_it_was_sent(workspace: Workspace, root: Path) -> None:
    """SPEC 2: an edit already on its way was written blind."""
    (root / "f").write_text(numbered(1, 100))
    reader = workspace.session("s", received=workspace.tick())
    blind = workspace.session("s", received=workspace.tick())
    read_page(reader, "f", ReadRequest())
    reader.end(workspace.tick())
    with pytest.raises(NotRead):
        edit_file(blind, "f", [Edit("line 7\n", "x\n")])
    blind.end(workspace.tick())
    after = workspace.session("s", received=workspace.tick())
    edit_file(after, "f", [Edit("line 7\n", "x\n")])


@pytest.mark.guarantee("G1")
def test_a_reply_that_never_left_counts_for_nothing(workspace: Workspace, root: Path) -> None:
    """SPEC 2: a read that was cancelled."""
    (root / "f").write_text(numbered(1, 100))
    cancelled = workspace.session("s", received=workspace.tick())
    read_page(cancelled, "f", ReadRequest())
    cancelled.end(None)
    with pytest.raises(NotRead):
        edit_file(workspace.session("s", received=workspace.tick()), "f", [Edit("line 7\n", "x\n")])


@pytest.mark.guarantee("G4")
def test_an_own_write_counts_at_once(workspace: Workspace, root: Path) -> None:
    """SPEC 2: also for a call that was on its way already."""
    (root / "f").write_text(numbered(1, 100))
    read_page(workspace.session("s"), "f", ReadRequest())
    first = workspace.session("s", received=workspace.tick())
    second = workspace.session("s", received=workspace.tick())
    edit_file(first, "f", [Edit("line 7\n", "x\n")])
    edit_file(second, "f", [Edit("line 8\n", "y\n")])
    assert (root / "f").read_text() == numbered(1, 6) + "x\ny\n" + numbered(9, 100)


class _Neighbour(FileLocks):
    """Locks in front of which somebody turns a link to another file, a number of times."""

    def __init__(self, link: Path, times: int) -> None:
        super().__init__()
        self._link, self._times, self.turned = link, times, 0

    @contextmanager
    def hold(self, name: str | Identity) -> Generator[None]:
        if self.turned < self._times:
            self.turned += 1
            self._link.unlink()
            self._link.symlink_to("ab"[self.turned % 2])
        with super().hold(name):
            yield


@pytest.fixture
def link(root: Path) -> Path:
    """Make two files and a link to the first."""
    (root / "a").write_text("a\n")
    (root / "b").write_text("b\n")
    (root / "link").symlink_to("a")
    return root / "link"


def test_what_a_path_leads_to_is_looked_up_under_the_lock(workspace: Workspace, link: Path) -> None:
    """SPEC 6: the lock held is that of the file that is handed over."""
    workspace.locks = _Neighbour(link, 1)
    with workspace.locked("link") as target:
        assert target.path == str(link.parent / "b")


def test_a_path_that_leads_elsewhere_at_every_look_is_busy(workspace: Workspace, link: Path) -> None:
    """SPEC 5: `busy`, after a few tries."""
    workspace.locks = _Neighbour(link, 1_000)
    with pytest.raises(DiskRefused) as refused, workspace.locked("link"):
        pass
    assert (refused.value.code, refused.value.path) == ("busy", "link")


def test_aliases_of_a_file_share_one_record(session: Session, root: Path, link: Path) -> None:
    """SPEC 2 (identity): a link, and `./a/../b`."""
    assert link.is_symlink()
    (root / "d").mkdir()
    read_page(session, "link", ReadRequest())
    edit_file(session, f"{root}/d/../a", [Edit("a", "1")])
    assert (root / "a").read_text() == "1\n"
    assert link.is_symlink()


def test_an_index_is_found_under_its_signature_only() -> None:
    """SPEC 2: an unchanged size, mtime, ctime and inode may stand in for hashing again."""
    cache, index = IndexCache(2), index_of(b"x\n")
    cache.put("/f", _OLD, index)
    assert cache.get("/f", _OLD) is index
    for other in (_OLD._replace(inode=9), _OLD._replace(size=9), _OLD._replace(mtime_ns=9), _OLD._replace(ctime_ns=9)):
        assert cache.get("/f", other) is None
    assert cache.get("/g", _OLD) is None
    cache.drop("/f")
    cache.drop("/f")
    assert cache.get("/f", _OLD) is None


@pytest.mark.parametrize("signature", [_NEW, _OLD._replace(ctime_ns=2**62)], ids=["mtime", "ctime"])
def test_the_index_of_a_file_that_changed_just_now_is_not_kept(signature: Signature) -> None:
    """SPEC 2: its times must be at least two seconds old."""
    cache = IndexCache(2)
    cache.put("/f", signature, index_of(b"x\n"))
    assert cache.get("/f", signature) is None


def test_the_index_used_longest_ago_goes_first() -> None:
    """SPEC 3.1: memory stays bounded."""
    cache, index = IndexCache(2), index_of(b"x\n")
    cache.put("/a", _OLD, index)
    cache.put("/b", _OLD, index)
    cache.get("/a", _OLD)
    cache.put("/c", _OLD, index)
    assert [cache.get(path, _OLD) for path in ("/a", "/b", "/c")] == [index, None, index]


def test_a_session_ends_under_the_directories_it_began_with(root: Path, tmp_path: Path) -> None:
    """SPEC 3, Roots; HOSTILE 95: running calls finish under the old set, and it is closed once nobody uses it."""
    other = tmp_path / "other"
    other.mkdir()
    (root / "f").write_text("old\n")
    with Workspace([str(root)]) as workspace:
        running = workspace.session()
        (fd,) = (one.fd for one in workspace.roots.roots)
        workspace.roots = workspace.open_roots([str(other)])
        assert read_page(running, "f", ReadRequest()).page.text == "1\told"
        edit_file(running, "f", [Edit("old", "new")])
        assert (root / "f").read_text() == "new\n"
        with pytest.raises(PathRefused) as refused:
            read_page(workspace.session(), str(root / "f"), ReadRequest())
        assert refused.value.roots == (str(other),)
        del running, refused
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(fd)


def test_directories_can_be_replaced_while_other_threads_read(root: Path, tmp_path: Path) -> None:
    """SPEC 3, Roots: no call meets a set that was closed under it."""
    (root / "f").write_text("text\n")
    (tmp_path / "other").mkdir()
    failures: list[BaseException] = []
    with Workspace([str(root)]) as workspace:
        ended = threading.Event()

        def read() -> None:
            try:
                while not ended.is_set():
                    assert read_page(workspace.session(), str(root / "f"), ReadRequest()).total == 1
            except BaseException as error:  # noqa: BLE001 - whatever it is, the test shows it
                failures.append(error)

        threads = [threading.Thread(target=read) for _ in range(3)]
        for thread in threads:
            thread.start()
        for turn in range(300):
            workspace.roots = workspace.open_roots([str(root), str(tmp_path / "other")][: 1 + turn % 2])
        ended.set()
        for thread in threads:
            thread.join()
    assert failures == []


def test_what_is_the_programs_own_stays_refused_in_other_directories(tmp_path: Path) -> None:
    """SPEC 7: state files are always denied."""
    with Workspace([], state_directory=str(tmp_path / "state")) as workspace:
        (tmp_path / "state").mkdir()
        workspace.roots = workspace.open_roots([str(tmp_path)])
        with pytest.raises(PathRefused) as refused:
            read_page(workspace.session(), str(tmp_path / "state"), ReadRequest())
        assert refused.value.code == "denied"
