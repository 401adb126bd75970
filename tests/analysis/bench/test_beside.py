"""Published figures beside results."""

from itertools import product

from bench_runs import record

from guiapp.analysis.bench.published import PUBLISHED, TREE, comparable

SIZES = [128 << shift for shift in range(0, 16, 2)]
CONTENDERS = ["greedy", "llama.cpp", "other"]


def a_run(texts):
    places = product(texts, CONTENDERS, SIZES)
    return {
        "results": [record("scaling", name, size, 1e-6 * size, corpus=text) for text, name, size in places]
    }


def test_each_figure_is_beside_the_results_of_each_text():
    found = comparable(a_run(["one", "two"]))
    assert list(found) == [TREE]
    printed = [row for row in PUBLISHED if row.source is TREE and row.size_bytes in SIZES]
    rows = [row for row in found[TREE] if row.result is not None]
    assert [row.published for row in rows] == [figure for figure in printed for _ in range(2)]
    assert all(row.ratio == 1.0 for row in rows)


def test_figures_by_different_clocks_make_no_ratio():
    run = {"results": [{**row, "clock": row["contender"]} for row in a_run(["one"])["results"]]}
    ratios = {row.published.contender: row.ratio for row in comparable(run)[TREE] if row.result is not None}
    assert ratios == {"greedy": None, TREE.base: 1.0}
