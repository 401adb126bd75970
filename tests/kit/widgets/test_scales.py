"""What bars are measured by."""

import math

import pytest

from guiapp.kit.widgets.scales import BarScale, round_step, tick_text

HIGHEST = [0.0, 0.02, 1, 2, 9, 10, 94, 1_258, 280_146]


@pytest.mark.parametrize("highest", HIGHEST)
@pytest.mark.parametrize("is_log", [False, True])
@pytest.mark.parametrize("n_most", [2, 4, 9])
def test_a_scale_has_few_round_numbers_in_order_from_nothing_to_the_highest(highest, is_log, n_most):
    scale = BarScale(highest, is_log)
    ticks = scale.ticks(n_most)
    assert ticks[0] == 0
    assert ticks == sorted(set(ticks)) or ticks == [0.0, 0.0]
    assert min(2, highest * 1e9) <= len(ticks) <= n_most + 1
    assert all(0 <= tick <= highest * 1.000001 for tick in ticks)
    shares = [scale.share(value) for value in (0, highest / 2, highest, 2 * highest, -1)]
    assert (shares[0], shares[4]) == (0, 0)
    assert all(0 <= share <= 1 for share in shares)
    assert shares[2] == shares[3] or (is_log and highest < math.e)
    if is_log and highest >= 10:
        assert all(tick == 10 ** round(math.log10(tick)) for tick in ticks[1:])
        assert 10 * ticks[-1] > highest
    assert scale.kind == ("logarithmic" if is_log else "linear")


def test_steps_are_round_and_numbers_are_short():
    assert [round_step(least) for least in (0, 0.03, 1, 1.2, 3, 7, 150)] == [0, 0.05, 1, 2, 5, 10, 200]
    assert [tick_text(value) for value in (0.0, 0.05, 2.0, 1_000.0, 280_146.4)] == [
        "0",
        "0.05",
        "2",
        "1,000",
        "280,146",
    ]
