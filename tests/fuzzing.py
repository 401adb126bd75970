"""The number of random examples: a share by default, all with `-m exhaustive`.

    @rounds(usual=300, exhaustive=10_000)
    def test_something(count): …

A failure reports seed and index, which reproduce it.  TOKENLOUPE_FUZZ_SEED sets another seed, and
TOKENLOUPE_FUZZ_COUNT another count, for all of these tests.
"""

from __future__ import annotations

import os

import pytest

SEED = int(os.environ.get("TOKENLOUPE_FUZZ_SEED", "20261121"))
COUNT = os.environ.get("TOKENLOUPE_FUZZ_COUNT")


def rounds(usual: int, exhaustive: int) -> pytest.MarkDecorator:
    """Run a test with two values of `count`, the second only with `-m exhaustive`."""
    return pytest.mark.parametrize(
        "count",
        [
            pytest.param(int(COUNT or usual), id="share"),
            pytest.param(int(COUNT or exhaustive), id="all", marks=pytest.mark.exhaustive),
        ],
    )
