"""What one edit costs in the engine, by file size, as a ratio to two passes of `bytes.find` over the file.

    python benchmarks/edit_speed.py [--rounds 7]

The file is Python source of 1,000 to 1,000,000 lines with distinct names. Columns: two passes of `bytes.find` over the
file (a text that is not there), an exact edit, one found with trailing white space aside, one with indentation aside, a
miss with a typo in each line, and a miss that nothing in the file is like; edits include the new body and the diff,
misses include the closest lines. Medians of one run, in turn.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from readfirst.content.closest import closest_lines
from readfirst.content.codec import Document, decode, detect
from readfirst.content.diff import DiffLimit, unified_diff
from readfirst.content.lines import Lines
from readfirst.content.regions import regions_of_splices
from readfirst.edits.plan import Edit, EditPlan, NoPlan, plan

_HOPELESS = "SELECT qqqq FROM zzzz;\nGRANT wwww TO jjjj;\nCOMMIT kkkk xxxx;\n"
_ABSENT = _HOPELESS.encode()
_SIZES = (1_000, 10_000, 100_000, 1_000_000)


def source(lines: int) -> bytes:
    """Make a file whose lines look like code and are all different."""
    words = ("alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel")
    rows: list[str] = []
    for number in range(lines // 4):
        word = words[number % 8]
        rows += (
            f"def {word}_{number}(first, second):",
            f"    total_{number} = first * {number} + second",
            f"    return {word}(total_{number})",
            "",
        )
    return "\n".join(rows).encode() + b"\n"


def block(number: int, indent: str = "    ", end: str = "") -> str:
    """Quote the body of a function near the end of the file."""
    word = ("alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel")[number % 8]
    return f"{indent}total_{number} = first * {number} + second{end}\n{indent}return {word}(total_{number}){end}\n"


def edit(document: Document, old: str) -> None:
    """Plan one edit, and make its diff."""
    planned = plan(document, [Edit(old, old.replace("first", "third"))])
    assert isinstance(planned, EditPlan)
    assert planned.splices is not None
    before = Lines(document.body, document.newline)
    after = Document(planned.body, document.encoding, planned.body, document.newline)
    regions = regions_of_splices(before, Lines(planned.body, document.newline), planned.splices)
    unified_diff(document, after, regions, "file.py", DiffLimit(1_000, 20_000))


def miss(document: Document, old: str, *, alike: bool) -> None:
    """Plan an edit that must be refused, and look for the closest lines."""
    assert isinstance(plan(document, [Edit(old, "x")]), NoPlan)
    assert (closest_lines(document, old, 30, 2_000) is not None) == alike


def main() -> None:
    """Measure, and print one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    rounds: int = parser.parse_args().rounds
    print(f"{'lines':>10}{'2 passes ms':>13}" + "".join(f"{name:>13}" for name in works(b"x\n", 8)))
    for lines in _SIZES:
        data = source(lines)
        number = lines // 4 - 2
        all_works = works(data, number) | {"find": lambda data=data: (data.find(_ABSENT), data.find(_ABSENT))}
        times: dict[str, list[float]] = {name: [] for name in all_works}
        for _ in range(rounds):
            for name, work in all_works.items():
                start = time.perf_counter()
                work()
                times[name].append(time.perf_counter() - start)
        medians = {name: statistics.median(spent) for name, spent in times.items()}
        base = medians.pop("find")
        print(f"{lines:>10,}{base * 1000:>13.3f}" + "".join(f"{spent / base:>12.1f}x" for spent in medians.values()))


def works(data: bytes, number: int) -> dict[str, Callable[[], object]]:
    """Give the work of each column on one file."""
    encoding = detect(data)
    assert encoding is not None
    document = decode(data, encoding)
    typos = block(number).replace("total", "tottal").replace("return", "retrun")
    return {
        "exact": lambda: edit(document, block(number)),
        "trailing": lambda: edit(document, block(number, end="  ")),
        "indentation": lambda: edit(document, block(number, indent="")),
        "near miss": lambda: miss(document, typos, alike=True),
        "hopeless": lambda: miss(document, _HOPELESS, alike=False),
    }


if __name__ == "__main__":
    main()
