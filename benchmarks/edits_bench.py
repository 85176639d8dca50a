"""Score an edit engine on thousands of edits made from the files of this machine.

    python benchmarks/edits_bench.py [--per-kind 300] [--seed 1] [--engine MODULE:FUNC] [--show KIND]

Prints, per kind of damage, how many edits were applied rightly, missed (refused though there is one right answer) and
wrong (other bytes than the right ones, or applied where it must be refused), then the time of an edit by file size.
The exit status is 1 if any is wrong.
"""

from __future__ import annotations

import argparse
import importlib
import statistics
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.edit_corpus import Case, cases, source_files
from benchmarks.edit_kinds import MUST_APPLY, MUST_REFUSE

Engine = Callable[[bytes, list[dict[str, Any]]], bytes]


def outcome_of(engine: Engine, case: Case) -> tuple[str, str]:
    """Give the outcome, and the code of a refusal."""
    try:
        after = engine(case.before, [{"old": case.old, "new": case.new}])
    except Exception as refusal:  # noqa: BLE001 - an engine refuses by whatever it raises
        return ("missed" if case.after is not None else "right"), str(getattr(refusal, "code", type(refusal).__name__))
    return ("right" if after == case.after else "wrong"), ""


def main() -> int:
    """Make the corpus, run the engine on it, print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--per-kind", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--engine", default="benchmarks.edit_adapter:apply_edits")
    parser.add_argument("--show", help="print the first edits of this kind that were not right")
    options = parser.parse_args()
    module, name = options.engine.split(":")
    engine: Engine = getattr(importlib.import_module(module), name)
    files = source_files(options.seed)
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    times: defaultdict[int, list[float]] = defaultdict(list)
    for case in cases(MUST_APPLY | MUST_REFUSE, files, options.per_kind, options.seed):
        start = time.perf_counter()
        outcome, code = outcome_of(engine, case)
        times[len(str(len(case.before)))].append(time.perf_counter() - start)
        counts[case.kind][outcome] += 1
        if options.show == case.kind and outcome != "right":
            print(f"{outcome} {code}\n--- old\n{case.old}\n--- new\n{case.new}\n---")
    _print(counts, times, len(files))
    return int(any(count["wrong"] for count in counts.values()))


def _print(counts: dict[str, Counter[str]], times: dict[int, list[float]], files: int) -> None:
    print(f"{files:,} files\n\n{'kind':32}{'edits':>8}{'right':>8}{'missed':>8}{'wrong':>8}")
    for title, kinds in (("must be applied", MUST_APPLY), ("must be refused", MUST_REFUSE)):
        total: Counter[str] = Counter()
        for kind in kinds:
            total += counts[kind]
            _row(kind, counts[kind])
        _row(title.upper(), total)
        print(f"{'':32}{'':8}{'':8}{100 * total['missed'] / max(total.total(), 1):7.2f}%\n")
    print(f"{'file of':>16}{'edits':>8}{'median ms':>12}")
    for digits, spent in sorted(times.items()):
        print(f"{10 ** (digits - 1):>10,} bytes{len(spent):>8}{1000 * statistics.median(spent):12.3f}")


def _row(name: str, count: Counter[str]) -> None:
    print(f"{name:32}{count.total():8}{count['right']:8}{count['missed']:8}{count['wrong']:8}")


if __name__ == "__main__":
    sys.exit(main())
