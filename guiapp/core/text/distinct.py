"""The distinct values of small arrays."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Value = TypeVar("Value", bound=np.generic)


def distinct(values: NDArray[Value]) -> NDArray[Value]:
    """Each value once, ascending; any shape in, one dimension out.

    As `np.unique`, whose first call imports numpy.ma: 25 ms that starting and the first frame do not have.
    """
    ascending = np.sort(values, axis=None)
    is_first = np.ones(len(ascending), np.bool_)
    np.not_equal(ascending[1:], ascending[:-1], out=is_first[1:])
    return ascending[is_first]
