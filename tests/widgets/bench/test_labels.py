"""The words and numbers on the charts of the Bench page."""

import pytest
from bench_runs import record

from guiapp.widgets.bench.labels import (
    End,
    decades_of,
    mark,
    share_steps,
    short_number,
    spread,
    three_digits,
    tip_of,
)


def test_the_mouse_tells_value_interval_runs_and_difference():
    tip = tip_of(record("throughput", "greedy", 10_000, 5e-5, 0.95))
    for word in ("50 µs", "45 µs to 60 µs", "n = 9", "200 MB/s", "95.00 %", "byte 17"):
        assert word in tip


def test_a_figure_of_one_run_says_so():
    assert mark(record("decode", "fast", 10_000, 1e-3, n=1)) == "  once"
    assert mark(record("decode", "greedy", 10_000, 1e-3, 0.9, n=1)) == "  once  ≈ 90.0 %"
    assert mark(record("decode", "fast", 10_000, 1e-3)) == ""


def test_labels_that_would_cover_each_other_move_and_stay_below_the_top():
    ends = [End(y, text, {}) for y, text in ((0.1, "b"), (0.0, "a"), (9.0, "c"), (8.9, "d"))]
    placed = spread(ends, 0.5, 9.0)
    assert [end.text for end in placed] == ["a", "b", "d", "c"]
    assert [end.y for end in placed] == [0.0, 0.5, 8.5, 9.0]


@pytest.mark.parametrize(("value", "text"), [(0.5, "0.5"), (1234, "1.23 k"), (5e7, "50 M"), (2e9, "2 G")])
def test_numbers_are_short(value, text):
    assert short_number(value) == text


@pytest.mark.parametrize(("lowest", "steps"), [(0.95, 6), (0.99, 2), (0.5, 6), (0.0, 6)])
def test_shares_are_round_and_reach_the_lowest(lowest, steps):
    shares = share_steps(lowest)
    assert len(shares) == steps
    assert shares[0] <= lowest + 1e-9
    assert shares[-1] == 1
    assert all(abs(share * 100 - round(share * 100)) < 1e-6 for share in shares)


def test_the_mouse_tells_the_memory_of_a_contender():
    memory = record("memory", "fast", 1000, 1.0, built_bytes=5_000_000, encoding_bytes=1_000_000)
    tip = tip_of({**memory, **dict.fromkeys(("median_s", "ci_s", "mb_per_s", "tokens_per_s"))})
    assert "5.0 MB when it is ready, up to 1.0 MB more" in tip


@pytest.mark.parametrize(
    ("lowest", "highest", "low", "high", "decades"),
    [
        (2.3e-6, 0.4, -5.75, -0.25, [-5, -4, -3, -2, -1]),
        (2e-6, 3e-6, -6, -5, [-6, -5]),
        (1e-3, 1e-3, -3, -2, [-3, -2]),
    ],
)
def test_axes_reach_as_far_as_values_do_and_have_two_decades(lowest, highest, low, high, decades):
    assert decades_of(lowest, highest) == (low, high, decades)


def test_figures_beside_each_other_have_three_digits_each():
    assert list(map(three_digits, (8.0, 304.0, 17.04, 0.03592, 2e6))) == [
        "8.00",
        "304",
        "17.0",
        "0.0359",
        "2.00 M",
    ]
