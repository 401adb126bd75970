"""What recording will cost, and when a person is asked."""

import pytest

from guiapp.core.trace.cost import Cost, estimate, must_ask


@pytest.mark.parametrize(
    ("encoder", "n_bytes", "is_one_piece", "n_steps", "seconds"),
    [
        ("heap", 1000, False, 2600, 0.104),
        ("scan", 1000, False, 1000, 0.04),
        ("scan", 1000, True, 1000, 0.04 + 2.5),
        ("viterbi", 1000, True, 6000, 0.24),
        ("heap", 0, True, 0, 0),
    ],
)
def test_a_cost_goes_with_the_text(encoder, n_bytes, is_one_piece, n_steps, seconds):
    cost = estimate(encoder, is_one_piece, n_bytes)
    assert (cost.n_steps, cost.size_bytes) == (n_steps, 80 * n_steps)
    assert cost.seconds == pytest.approx(seconds)


@pytest.mark.parametrize(
    ("seconds", "n_bytes", "asks"),
    [(20.0, 100_000, False), (20.1, 10, True), (0.0, 100_001, True)],
)
def test_a_person_is_asked_about_long_texts_and_long_waits(seconds, n_bytes, asks):
    assert must_ask(Cost(1, 1, seconds), n_bytes) is asks
