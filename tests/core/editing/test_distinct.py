"""Distinct values, as numpy's own function finds them."""

from __future__ import annotations

import numpy as np
import pytest

from guiapp.core.editing.distinct import distinct


@pytest.mark.parametrize("shape", [(0,), (1,), (9,), (3, 4)])
@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.uint8])
def test_each_value_once_in_order(shape, dtype):
    for seed in range(20):
        values = np.random.default_rng(seed).integers(0, 6, shape, dtype=dtype)
        assert distinct(values).tolist() == np.unique(values).tolist()
        assert distinct(values).dtype == dtype
