"""Figures for the status line."""

import pytest

from guiapp.kit.document.statistics import TextStatistics, format_duration, format_speed


def test_rates_follow_from_the_counts():
    statistics = TextStatistics(
        n_tokens=4, n_characters=10, n_bytes=2_000_007, elapsed_ns=10**9, timed_bytes=2_000_000
    )
    assert statistics.characters_per_token == 2.5
    assert statistics.speed_mb_per_s == 2.0
    assert statistics.speed_tokens_per_s == pytest.approx(4, rel=1e-5)


def test_an_empty_text_has_no_rates():
    statistics = TextStatistics(0, 0, 0, 0, 0)
    assert statistics.characters_per_token is None
    assert statistics.speed_mb_per_s is statistics.speed_tokens_per_s is None


@pytest.mark.parametrize("n_bytes", [80, 5_000_000])
def test_a_text_of_another_size_than_was_timed_has_no_speed(n_bytes):
    statistics = TextStatistics(4, 10, n_bytes, elapsed_ns=10**9, timed_bytes=2_000_000)
    assert statistics.speed_mb_per_s is None


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


@pytest.mark.parametrize(
    ("n_bytes", "timed_bytes", "elapsed_ns", "speed"),
    [
        (2_000_000, 1_000_000, 10**9, 1.0),
        (2_000_001, 1_000_000, 10**9, None),
        (500_000, 1_000_000, 10**9, 1.0),
        (499_999, 1_000_000, 10**9, None),
        (1, 1, 0, None),
        (0, 0, 1, None),
        (1, 1, 1, 1000.0),
    ],
)
def test_a_speed_is_told_of_up_to_twice_or_half_the_text(n_bytes, timed_bytes, elapsed_ns, speed):
    told = TextStatistics(1, 1, n_bytes, elapsed_ns, timed_bytes).speed_mb_per_s
    assert told == (None if speed is None else pytest.approx(speed))
    assert TextStatistics(1, 3, n_bytes, elapsed_ns, timed_bytes).characters_per_token == 3.0


@pytest.mark.parametrize(
    ("elapsed_ns", "text"),
    [
        (0, "0 ns"),
        (9, "9 ns"),
        (999, "999 ns"),
        (1000, "1.0 µs"),
        (9_940, "9.9 µs"),
        (9_950, "10 µs"),
        (999_400, "999 µs"),
        (9_940_000, "9.9 ms"),
        (999_400_000, "999 ms"),
        (999_500_000, "1.0 s"),
        (1_234_567_000_000, "1,234.6 s"),
    ],
)
def test_durations_at_the_limits_of_units(elapsed_ns, text):
    assert format_duration(elapsed_ns) == text


@pytest.mark.parametrize(
    ("speed", "text"),
    [
        (0.0, "0.1 kB/s"),
        (0.0002, "0.2 kB/s"),
        (0.00999, "10.0 kB/s"),
        (0.01, "0.01 MB/s"),
        (0.999, "1.00 MB/s"),
        (1.0, "1.0 MB/s"),
        (9.99, "10.0 MB/s"),
        (10.0, "10 MB/s"),
    ],
)
def test_speeds_at_the_limits_of_digits(speed, text):
    assert format_speed(speed) == text
