"""Peak memory of the server while it pages a large file.

    python benchmarks/paging_memory.py [--mb 500]

Prints the resident set of the server when idle, and its peak after each read of a file of that size: the first page
(which hashes and indexes the whole file), a page in the middle, the last lines, and the same again once the index is
known. Times are for the ratio between the rows of one run, nothing else.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.wire.raw import RawClient, raw_client


def peak_kib(client: RawClient) -> int:
    """Give the peak resident set of the server so far, in KiB."""
    for line in Path(f"/proc/{client.process.pid}/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1])
    raise RuntimeError


def make_file(path: Path, size: int) -> int:
    """Write about `size` bytes of numbered lines whose times are old enough to be trusted; give the line count."""
    block_lines = 10_000
    with path.open("wb") as file:
        number = 0
        while file.tell() < size:
            rows = (b"%09d some text of a line in a large log file\n" % (number + i) for i in range(block_lines))
            file.write(b"".join(rows))
            number += block_lines
    then = time.time() - 10
    os.utime(path, (then, then))
    return number


def main() -> None:
    """Run the reads and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mb", type=int, default=500, help="size of the file")
    size = parser.parse_args().mb * 1024 * 1024
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "large.log")
        lines = make_file(path, size)
        time.sleep(2.5)  # The change time of the file cannot be set; an index of a younger file is not kept.
        with raw_client(Path(directory)) as client:
            print(f"{size // 2**20} MB, {lines:,} lines\n\n{'':28}{'peak MiB':>9}{'seconds':>9}")
            print(f"{'idle':28}{peak_kib(client) / 1024:9.1f}")
            reads: list[tuple[str, dict[str, Any]]] = [
                ("first page", {}),
                ("page in the middle", {"offset": lines // 2}),
                ("last 10 lines", {"tail": 10}),
                ("first page again", {}),
            ]
            for name, arguments in reads:
                start = time.perf_counter()
                result = client.call("read_file", path=str(path), **arguments)
                spent = time.perf_counter() - start
                assert not result["isError"]
                print(f"{name:28}{peak_kib(client) / 1024:9.1f}{spent:9.3f}")


if __name__ == "__main__":
    main()
