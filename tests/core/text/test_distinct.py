"""The distinct values of an array, which numpy finds as well."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from guiapp.core.text.normalized import distinct


@given(st.lists(st.integers(-3, 9), max_size=20))
def test_each_value_is_there_once_in_order(values):
    array = np.array(values, np.int64)
    assert distinct(array).tolist() == np.unique(array).tolist()
    assert distinct(np.stack([array, array])).tolist() == np.unique(array).tolist()
