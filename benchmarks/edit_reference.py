"""One edit and one miss over stdio, here and with the reference filesystem server, as ratios of one run.

    python benchmarks/edit_reference.py [--folder DIR] [--rounds 5]

Needs Node and npm: the reference server (npm `@modelcontextprotocol/server-filesystem`, version 2026.8.31) is installed
into the folder if it is not there. Each server gets its own copy of the same file; calls are timed in turn, A B A B.
The miss has a typo in each line. Times include the transport, the write to disk and, here, the sync of it.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.edit_speed import block, source
from tests.wire.raw import RawClient

_PACKAGE = "@modelcontextprotocol/server-filesystem"
_VERSION = "2026.8.31"
_SIZES = (1_000, 10_000, 100_000, 1_000_000)


def reference(folder: Path) -> list[str]:
    """Install the reference server if need be, and give its command."""
    script = folder / "node_modules" / _PACKAGE / "dist" / "index.js"
    if not script.exists():
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["npm", "install", "--prefix", str(folder), f"{_PACKAGE}@{_VERSION}"], check=True)
    return ["node", str(script)]


def timed(client: RawClient, path: Path, old: str, new: str, *, fails: bool) -> float:
    """Give the seconds of one edit."""
    start = time.perf_counter()
    result: dict[str, Any] = client.call("edit_file", path=str(path), edits=[{"oldText": old, "newText": new}])
    spent = time.perf_counter() - start
    assert bool(result.get("isError")) == fails, result
    return spent


def measured(commands: dict[str, list[str]], lines: int, rounds: int) -> dict[str, dict[str, float]]:
    """Give the median seconds of an edit and of a miss for each server."""
    number = lines // 4 - 2
    old = block(number)
    times: dict[str, dict[str, list[float]]] = {name: {"edit": [], "miss": []} for name in commands}
    with tempfile.TemporaryDirectory() as directory:
        clients: dict[str, tuple[RawClient, Path]] = {}
        for name, command in commands.items():
            root = Path(directory, name)
            root.mkdir()
            path = root / "file.py"
            path.write_bytes(source(lines))
            process = subprocess.Popen(
                [*command, str(root)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
            clients[name] = RawClient(process), path
            clients[name][0].start()
            clients[name][0].call("read_text_file", path=str(path), head=1)
        for at in range(rounds):
            there, back = (old, old.replace("first", "third")) if at % 2 == 0 else (old.replace("first", "third"), old)
            for name, (client, path) in clients.items():
                times[name]["edit"].append(timed(client, path, there, back, fails=False))
                miss = block(number).replace("total", "tottal").replace("return", "retrun")
                times[name]["miss"].append(timed(client, path, miss, "x", fails=True))
        for client, _ in clients.values():
            client.process.kill()
            client.process.wait()
    return {name: {what: statistics.median(spent) for what, spent in both.items()} for name, both in times.items()}


def main() -> int:
    """Measure every size, and print one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir(), "readfirst-benchmarks"))
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    if shutil.which("node") is None or shutil.which("npm") is None:
        print("Node and npm are not installed: nothing to compare with.")
        return 1
    commands = {"readfirst": [sys.executable, "-m", "readfirst"], "reference": reference(options.folder)}
    print(f"{'lines':>10}{'edit ms':>10}{'reference':>11}{'ratio':>8}{'miss ms':>10}{'reference':>11}{'ratio':>8}")
    for lines in _SIZES:
        found = measured(commands, lines, options.rounds)
        ours, theirs = found["readfirst"], found["reference"]
        cells = "".join(
            f"{ours[what] * 1000:>10.1f}{theirs[what] * 1000:>11.1f}{ours[what] / theirs[what]:>8.2f}"
            for what in ("edit", "miss")
        )
        print(f"{lines:>10,}{cells}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
