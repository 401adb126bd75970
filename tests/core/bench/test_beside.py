"""Published figures beside results: found without looking at every result for every figure."""

from __future__ import annotations

from bench_runs import record

from guiapp.core.bench.beside import beside, n_missing
from guiapp.core.bench.published import PUBLISHED, TREE

SIZES = [128 << shift for shift in range(0, 16, 2)]
CONTENDERS = ["greedy", "llama.cpp", *(f"other {number}" for number in range(10))]


class Watched(dict):
    """A record that counts how often it is looked into."""

    n_looks = 0

    def __getitem__(self, name):
        Watched.n_looks += 1
        return super().__getitem__(name)


def a_run(texts):
    rows = [
        record("scaling", name, size, 1e-6 * size, corpus=text)
        for text in texts
        for name in CONTENDERS
        for size in SIZES
    ]
    return {"results": [Watched(row) for row in rows]}


def test_each_figure_is_beside_the_results_of_each_text():
    found = beside(a_run(["one", "two"]))
    assert list(found) == [TREE]
    printed = [row for row in PUBLISHED if row.source is TREE and row.size_bytes in SIZES]
    rows = [row for row in found[TREE] if row.result is not None]
    assert [row.published for row in rows] == [figure for figure in printed for _ in range(2)]
    assert all(row.ratio == 1.0 for row in rows)


def test_what_nobody_measured_is_missing():
    assert n_missing({"results": []}) == len(PUBLISHED)
    assert n_missing(a_run(["one"])) == len(PUBLISHED) - 2 * len(SIZES)


def test_a_result_is_looked_into_a_few_times_however_many_there_are():
    run = a_run([f"text {number}" for number in range(10)])
    Watched.n_looks = 0
    beside(run)
    assert Watched.n_looks < 60 * len(run["results"])
