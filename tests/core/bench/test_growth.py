"""How time grows with length, in words."""

import pytest

from guiapp.core.bench.growth import growth_words
from guiapp.core.bench.statistics import fit_growth

SIZES = [128 * 4**power for power in range(8)]


@pytest.mark.parametrize(
    ("time", "words"),
    [
        (lambda n: 1e-5 + 1e-9 * n, "linear"),
        (lambda n: 1e-10 * n * len(bin(n)), "almost linear"),
        (lambda n: 1e-12 * n**1.5, "n^1.5"),
        (lambda n: 1e-13 * n**2, "quadratic"),
        (lambda n: 1e-6 * n**0.5, "less than linear"),
        (lambda n: 1e-5 if len(str(n)) % 2 else 1e-2, ""),
    ],
)
def test_growth_is_told_in_words_and_not_where_the_fit_says_nothing(time, words):
    growth = fit_growth(SIZES, [time(size) for size in SIZES])
    assert growth_words({"exponent": growth.exponent, "error": growth.error}) == words
