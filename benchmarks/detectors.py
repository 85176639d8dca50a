"""False refusals and missed changes of the guard, in scenarios that fool rules by modification time.

    python benchmarks/detectors.py

Each scenario reads a file, lets something happen to it, and edits it. Ten things change nothing, so the edit must be
done; eight are real changes, so it must be refused. Real files, git and sed, a fresh session each time.
"""

from __future__ import annotations

import mmap
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from readfirst import Edit, ReadRequest, Stale, Workspace, edit_file, read_page

_TEXT = "".join(f"key{number} = old\n" for number in range(1, 200))
_EDIT = [Edit("key7 = old\n", "key7 = new\n")]


def _git(path: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=bench", "-c", "user.email=bench@example.invalid"]
    subprocess.run(["git", "-C", str(path.parent), *identity, *arguments], check=True, capture_output=True)


def _shift_time(path: Path, seconds: float) -> None:
    os.utime(path, (time.time() + seconds, time.time() + seconds))


def _switch_there_and_back(path: Path) -> None:
    _git(path, "switch", "-q", "other")
    _git(path, "switch", "-q", "main")


def _through_a_copy(path: Path) -> None:
    shutil.copyfile(path, path.with_suffix(".tmp"))
    path.with_suffix(".tmp").replace(path)


def _away_and_back(path: Path) -> None:
    path.rename(path.with_suffix(".away"))
    path.with_suffix(".away").rename(path)


def _delete_and_make_again(path: Path) -> None:
    path.unlink()
    path.write_text(_TEXT)


def _same_size_and_time(path: Path) -> None:
    status = path.stat()
    path.write_text(_TEXT.replace("key9 = old", "key9 = odd"))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def _older_file(path: Path) -> None:
    backup = path.with_suffix(".bak")
    backup.write_text(_TEXT.replace("key9", "KEY9"))
    _shift_time(backup, -86_400)
    backup.replace(path)


def _by_memory_map(path: Path) -> None:
    with path.open("r+b") as file, mmap.mmap(file.fileno(), 0) as view:
        view[0:3] = b"KEY"


NOTHING: dict[str, Callable[[Path], object]] = {
    "touch": lambda path: _shift_time(path, 60),
    "chmod": lambda path: path.chmod(0o600),
    "editor save without a change": lambda path: path.write_text(_TEXT),
    "sed -i that matches nothing": lambda path: subprocess.run(["sed", "-i", "s/absent/x/", str(path)], check=True),
    "git switch there and back": _switch_there_and_back,
    "copied through a temporary file": _through_a_copy,
    "renamed away and back": _away_and_back,
    "deleted and made again": _delete_and_make_again,
    "time set back": lambda path: _shift_time(path, -9_000),
    "time in the future": lambda path: _shift_time(path, 9_000),
}
CHANGES: dict[str, Callable[[Path], object]] = {
    "plain write": lambda path: path.write_text(_TEXT + "more\n"),
    "within 10 ms of the read": lambda path: path.write_text(_TEXT.replace("key9 ", "KEY9 ")),
    "same size, time kept": _same_size_and_time,
    "replaced by an older file": _older_file,
    "git switch": lambda path: _git(path, "switch", "-q", "other"),
    "LF to CRLF": lambda path: path.write_bytes(_TEXT.replace("\n", "\r\n").encode()),
    "written through a memory map": _by_memory_map,
    "final line break removed": lambda path: path.write_text(_TEXT[:-1]),
}


def refused(happening: Callable[[Path], object]) -> bool:
    """Tell whether the edit after a happening is refused as stale."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "file.txt")
        path.write_text(_TEXT + "other\n")
        _git(path, "init", "-q", "-b", "other")
        _git(path, "add", "file.txt")
        _git(path, "commit", "-q", "-m", "other")
        _git(path, "switch", "-q", "-c", "main")
        path.write_text(_TEXT)
        _git(path, "commit", "-q", "-a", "-m", "main")
        with Workspace([directory]) as workspace:
            session = workspace.session()
            read_page(session, str(path), ReadRequest())
            happening(path)
            try:
                edit_file(session, str(path), _EDIT)
            except Stale:
                return True
            return False


def main() -> int:
    """Run every scenario, and print what was answered wrongly."""
    false_refusals = [name for name, happening in NOTHING.items() if refused(happening)]
    missed = [name for name, happening in CHANGES.items() if not refused(happening)]
    print(f"false refusals: {len(false_refusals)} of {len(NOTHING)} {false_refusals or ''}".rstrip())
    print(f"missed changes: {len(missed)} of {len(CHANGES)} {missed or ''}".rstrip())
    return int(bool(false_refusals or missed))


if __name__ == "__main__":
    sys.exit(main())
