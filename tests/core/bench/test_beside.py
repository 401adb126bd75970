"""Published figures beside results."""

from itertools import product

import pytest
from bench_runs import record

from guiapp.core.bench.beside import beside, n_missing, ratio_text
from guiapp.core.bench.published import PUBLISHED, TREE

SIZES = [128 << shift for shift in range(0, 16, 2)]
CONTENDERS = ["greedy", "llama.cpp", "other"]


def a_run(texts):
    places = product(texts, CONTENDERS, SIZES)
    return {
        "results": [record("scaling", name, size, 1e-6 * size, corpus=text) for text, name, size in places]
    }


def test_each_figure_is_beside_the_results_of_each_text():
    found = beside(a_run(["one", "two"]))
    assert list(found) == [TREE]
    printed = [row for row in PUBLISHED if row.source is TREE and row.size_bytes in SIZES]
    rows = [row for row in found[TREE] if row.result is not None]
    assert [row.published for row in rows] == [figure for figure in printed for _ in range(2)]
    assert all(row.ratio == 1.0 for row in rows)


def test_figures_by_different_clocks_make_no_ratio():
    run = {"results": [{**row, "clock": row["contender"]} for row in a_run(["one"])["results"]]}
    ratios = {row.published.contender: row.ratio for row in beside(run)[TREE] if row.result is not None}
    assert ratios == {"greedy": None, TREE.base: 1.0}


def test_what_nobody_measured_is_missing():
    assert n_missing({"results": []}) == len(PUBLISHED)
    assert n_missing(a_run(["one"])) == len(PUBLISHED) - 2 * len(SIZES)


@pytest.mark.parametrize(
    ("ratio", "text"),
    [
        (None, "–"),
        (1524.3, "1,524×"),
        (12.34, "12.3×"),
        (1.0, "1.00×"),
        (0.1, "0.10×"),
        (1 / 1310, "1/1,310×"),
    ],
)
def test_ratios_have_three_digits_and_small_ones_are_fractions(ratio, text):
    assert ratio_text(ratio) == text
