"""Check that the benchmark finds no differences in the same code, while two busy loops load the machine.

    python tests/benchmarks/same_code.py MODEL TEXT

Four contenders, all the same encoder, take part in many runs, each in new processes.  The output: pairs in
a run with overlapping intervals, runs in which all four overlap, verdicts that one is faster, and results
marked as changed in the next run, surely or maybe.  The exit status is 1 unless the intervals of at least 95
of 100 pairs overlap, at most 2 results of 200 are marked, and none surely.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import time
from itertools import combinations, pairwise

from guiapp.analysis.bench.control import Control
from guiapp.analysis.bench.engine import run
from guiapp.analysis.bench.findings import Verdict, verdict_of
from guiapp.analysis.bench.history import compare_runs
from guiapp.analysis.bench.plan import Plan
from guiapp.analysis.bench.run_results import BenchResult, BenchRun
from guiapp.analysis.bench.worker import AskedProcess, WorkerProcess

NAMES = ("fast", "heap", "scan", "table")  # all of which are `fast` here
N_RUNS = 51  # 50 pairs of runs with 4 results each
BUDGET_S = 2.0
BUSY_MEAN_S = 2.5
LEAST_OVERLAP, MOST_MARKED_SHARE = 0.95, 2 / 200
BUSY_LOOP = """
import random, sys, time
generator = random.Random(int(sys.argv[1]))
while True:
    until = time.monotonic() + generator.expovariate(1 / float(sys.argv[2]))
    while time.monotonic() < until:
        sum(range(1000))
    time.sleep(generator.expovariate(1 / float(sys.argv[2])))
"""


def one_run(plan: Plan) -> BenchRun:
    """A run in which every contender is `fast`."""
    control, measured = Control(), BenchRun()

    def start(name: str, threads: int) -> AskedProcess:
        return WorkerProcess(plan.model, "fast", threads, control.shall_stop)

    for event in run(plan, control, start):
        measured.add(event)
    return measured


def overlaps(one: BenchResult, other: BenchResult) -> bool:
    return one.ci_s[0] <= other.ci_s[1] and other.ci_s[0] <= one.ci_s[1]


def verdict_on(measured: BenchRun) -> Verdict:
    verdict = verdict_of(measured.finished, measured.corpora[0]["name"], "fast")
    assert verdict is not None
    return verdict


def measure(plan: Plan, n_runs: int, n_loops: int) -> list[BenchRun]:
    """The runs, while `n_loops` busy loops work and pause at random."""
    command = [sys.executable, "-c", BUSY_LOOP]
    loops = [subprocess.Popen([*command, str(seed), str(BUSY_MEAN_S)]) for seed in range(n_loops)]
    try:
        records = []
        for number in range(n_runs):
            records.append(one_run(plan))
            rows = records[-1].finished
            speeds = ", ".join(f"{row.mb_per_s:.0f} ± {row.half_width:.0%}" for row in rows)
            print(f"{number + 1}/{n_runs}: {speeds}  {verdict_on(records[-1])}", file=sys.stderr, flush=True)
            time.sleep(random.Random(number).uniform(0.0, 1.0))
        return records
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("text")
    parser.add_argument("--runs", type=int, default=N_RUNS)
    parser.add_argument("--loops", type=int, default=2, help="busy loops: %(default)s")
    options = parser.parse_args()
    plan = Plan(options.model, (options.text,), NAMES, scenarios=("throughput",), time_budget_s=BUDGET_S)
    records = measure(plan, options.runs, options.loops)
    pairs = [[overlaps(*pair) for pair in combinations(record.finished, 2)] for record in records]
    flat = [each for run_pairs in pairs for each in run_pairs]
    widths = sorted(row.half_width for record in records for row in record.finished)
    changes = [change for old, new in pairwise(records) for change in compare_runs(old, new)]
    marked = [change for change in changes if change.verdict in ("slower", "faster")]
    sure = [change for change in marked if change.is_sure]
    n_all, n_verdicts = sum(map(all, pairs)), sum(not verdict_on(record).is_tie for record in records)
    print(f"intervals overlap: {sum(flat)} of {len(flat)} pairs, all four in {n_all} of {len(records)} runs")
    print(f"half width of an interval: median {widths[len(widths) // 2]:.0%}, widest {widths[-1]:.0%}")
    print(f"verdicts that one is faster: {n_verdicts} of {len(records)} runs")
    print(f"results marked as changed in the next run: {len(marked)} of {len(changes)}, surely {len(sure)}")
    is_honest = len(marked) <= MOST_MARKED_SHARE * len(changes) and not sure
    return 0 if sum(flat) >= LEAST_OVERLAP * len(flat) and is_honest else 1


if __name__ == "__main__":
    sys.exit(main())
