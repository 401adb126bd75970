"""The longest increasing subsequence, beside all subsequences."""

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from guiapp.analysis.compare.id_changes import longest_increasing


@given(st.lists(st.integers(-50, 50), unique=True, max_size=9))
def test_no_increasing_subsequence_is_longer(values):
    found = longest_increasing(np.array(values, np.int64)).tolist()
    assert found == sorted(found)
    chosen = [values[place] for place in found]
    assert chosen == sorted(chosen)
    assert not any(list(each) == sorted(each) for each in combinations(values, len(found) + 1))
