"""Figures for the status line."""

import pytest

from guiapp.kit.document.statistics import TextStatistics, format_duration, format_speed


def test_rates_are_computed_from_the_counts():
    statistics = TextStatistics(
        n_tokens=4, n_characters=10, n_bytes=2_000_007, elapsed_ns=10**9, timed_bytes=2_000_000
    )
    assert statistics.characters_per_token == 2.5
    assert statistics.speed_mb_per_s == 2.0
    assert statistics.speed_tokens_per_s == pytest.approx(4, rel=1e-5)


@pytest.mark.parametrize(
    ("elapsed_ns", "text"),
    [
        (640, "640 ns"),
        (9_140, "9.1 µs"),
        (22_400, "22 µs"),
        (999_600, "1.0 ms"),
        (12_300_000, "12 ms"),
        (2_500_000_000, "2.5 s"),
    ],
)
def test_durations_have_units_that_fit(elapsed_ns, text):
    assert format_duration(elapsed_ns) == text


@pytest.mark.parametrize(
    ("speed", "text"),
    [
        (0.123, "0.12 MB/s"),
        (2.25, "2.2 MB/s"),
        (1234.5, "1,234 MB/s"),
        (0.0047, "4.7 kB/s"),
        (1e-9, "0.1 kB/s"),
    ],
)
def test_speeds_have_digits_that_mean_something(speed, text):
    assert format_speed(speed) == text
