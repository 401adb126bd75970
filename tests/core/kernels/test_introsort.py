"""Numbers come out in order; how equals are ordered is checked where special tokens are."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from guiapp.core.kernels.introsort import sort_ascending


@given(st.lists(st.integers(-5, 5) | st.integers(-(1 << 40), 1 << 40)), st.integers(0, 3))
def test_the_first_numbers_are_sorted_and_the_others_stay(numbers, n_others):
    count = max(len(numbers) - n_others, 0)
    values = np.array(numbers, np.int64)
    sort_ascending(values, count)
    assert values.tolist() == sorted(numbers[:count]) + numbers[count:]
