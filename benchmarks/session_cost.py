"""What a session costs: bytes for each file that was read, and the guard's share of an edit.

    python benchmarks/session_cost.py

Memory is what Python allocated for 10,000 records, less the content that they keep. The guard is everything an edit
does because of its session: finding the file's record, hashing what is on disk and what was written, the proofs, moving
the coverage along and keeping the new record. It is timed on the values of real edits, in the run that times whole
calls.
"""

from __future__ import annotations

import gc
import statistics
import sys
import tempfile
import time
import tracemalloc
from dataclasses import dataclass
from pathlib import Path

from readfirst.content.digest import digest_of
from readfirst.edits.plan import Edit
from readfirst.filesystem.confined import ConfinedPath
from readfirst.sessions.ledger import after_edit, require_fresh, require_seen
from readfirst.sessions.memory import MemoryStore
from readfirst.settings import Settings
from readfirst.spans import LineChange, LineRange
from readfirst.workspace.context import Workspace
from readfirst.workspace.edit import edit_file
from readfirst.workspace.read import ReadRequest, read_page

_LINE = "value = compute(first, second)  # 40 byte\n"


@dataclass(frozen=True, slots=True)
class Guard:
    """Microseconds: the median of whole edits, and the median and the least of the guard's steps."""

    edit_us: float
    guard_us: float
    least_us: float


def bytes_per_record(directory: Path, files: int) -> float:
    """Read that many files in one session; gives what each costs beyond its content."""
    names = [f"file_{number:05}.py" for number in range(files)]
    for name in names:
        (directory / name).write_text(_LINE * 20 + name)
    with Workspace([str(directory)], store=MemoryStore(Settings()), state_directory=f"{directory}-state") as workspace:
        session = workspace.session()
        read_page(session, names[0], ReadRequest())
        gc.collect()
        tracemalloc.start()
        for name in names:
            read_page(session, name, ReadRequest())
        gc.collect()
        used, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        kept = sum(len(_LINE) * 20 + len(name) for name in names)
    return (used - kept) / files


def guard_cost(directory: Path, edits: int) -> Guard:
    """Edit a 20 kB file that many times; gives the whole call's median and the guard's."""
    path = directory / "large.py"
    path.write_text("".join(f"{number:04} {_LINE}" for number in range(430)))
    whole: list[float] = []
    guard: list[float] = []
    with Workspace([str(directory)], state_directory=f"{directory}-state") as workspace:
        session = workspace.session()
        read_page(session, "large.py", ReadRequest())
        for turn in range(edits):
            old = path.read_text().splitlines()[turn % 430]
            edit = Edit(old, old.swapcase())
            start = time.perf_counter()
            edit_file(session, "large.py", [edit])
            whole.append(time.perf_counter() - start)
            with workspace.roots.confine("large.py") as target:
                guard.append(_guard_steps(workspace, target, path.read_bytes()))
    return Guard(*(seconds * 1e6 for seconds in (statistics.median(whole), statistics.median(guard), min(guard))))


def _guard_steps(workspace: Workspace, target: ConfinedPath, data: bytes) -> float:
    """Do what one call of a client does for its session, as the server does it."""
    lines = LineRange(1, 430)
    start = time.perf_counter()
    session = workspace.session(received=workspace.tick())
    record = session.record(target)
    proof = require_fresh(record, digest_of(data), "large.py", version="", lines=lines)
    require_seen(proof, [LineRange(7, 7)], "large.py", total=430)
    known = after_edit(proof, digest_of(data), [LineChange(7, 1, 1)], session.kept(data))
    session.wrote(target, known)
    if known.coverage.missing(LineRange(4, 10)):
        session.show(target, known.digest, [LineRange(4, 10)], data)
    session.end(workspace.tick())
    return time.perf_counter() - start


def main(files: int = 10_000, edits: int = 2_000) -> None:
    with tempfile.TemporaryDirectory() as directory:
        print(f"{files:,} files read: {bytes_per_record(Path(directory), files):.0f} bytes a record beyond its content")
    with tempfile.TemporaryDirectory() as directory:
        cost = guard_cost(Path(directory), edits)
    share = cost.guard_us / cost.edit_us
    guard = f"the guard {cost.guard_us:.1f} us of it ({share:.1%}), at least {cost.least_us:.1f} us"
    print(f"edit of a 20 kB file: {cost.edit_us:.0f} us, {guard}")


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
