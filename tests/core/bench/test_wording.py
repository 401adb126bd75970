"""How sizes and times are written."""

import pytest

from guiapp.core.bench.wording import size_text, speed_text, time_text


@pytest.mark.parametrize(
    ("size_bytes", "text"),
    [
        (0, "0 B"), (1, "1 B"), (999, "999 B"), (1_000, "1 kB"), (1_024, "1 KiB"), (1_500, "1,500 B"),
        (128_000, "125 KiB"), (9_000, "9 kB"), (1_000_000, "1 MB"), (1 << 20, "1 MiB"), (3 << 20, "3 MiB"),
        (64_000_000, "64 MB"), (1_234_567, "1,234,567 B"),
    ],
)  # fmt: skip
def test_sizes_have_the_unit_that_needs_the_fewest_digits(size_bytes, text):
    assert size_text(size_bytes) == text


@pytest.mark.parametrize(
    ("speed", "key", "text"),
    [
        (126_400_000, "tokens_per_s", "126 M tokens/s"), (2e6, "tokens_per_s", "2.00 M tokens/s"),
        (304.2, "mb_per_s", "304 MB/s"), (0.1, "mb_per_s", "0.10 MB/s"),
    ],
)  # fmt: skip
def test_speeds_have_three_digits_and_stay_beside_their_unit(speed, key, text):
    assert speed_text(speed, key) == text.replace(" ", "\N{NO-BREAK SPACE}")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (61.0, "61 s"), (1.0, "1 s"), (0.9994, "999 ms"), (1e-3, "1 ms"), (12.34e-6, "12.3 µs"),
        (1e-6, "1 µs"), (999e-9, "999 ns"), (2.5e-10, "0.25 ns"),
    ],
)  # fmt: skip
def test_times_have_three_digits(seconds, text):
    assert time_text(seconds) == text
