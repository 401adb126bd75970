"""Sorting as GNU's libstdc++ does it: which of equal keys comes first depends on the very algorithm.

llama.cpp sorts its special tokens by length with std::sort.  Where two of equal length overlap in a
text, the earlier one in that order is cut out, so the order of equals has to be the same.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.compile import kernel, routine

THRESHOLD = 16  # shorter ranges are left to insertion sort
STACK_SIZE = 3 * 130  # three numbers for each level that the depth limit allows


@kernel
def sort_descending(items: NDArray[np.int32], keys: NDArray[np.int64], stack: NDArray[np.int64]) -> None:
    """Sort `items` in place by keys[item], the largest first.  `stack` is int64[STACK_SIZE]."""
    count = len(items)
    depth = 0
    while (2 << depth) <= count:
        depth += 1
    n_stacked = 1
    stack[0] = 0
    stack[1] = count
    stack[2] = 2 * depth
    while n_stacked > 0:
        n_stacked -= 1
        first = stack[3 * n_stacked]
        last = stack[3 * n_stacked + 1]
        limit = stack[3 * n_stacked + 2]
        while last - first > THRESHOLD:
            if limit == 0:
                _heap_sort(items, keys, first, last)
                break
            limit -= 1
            cut = _partition(items, keys, first, last)
            # Ranges do not touch each other, so the right one may wait.
            stack[3 * n_stacked] = cut
            stack[3 * n_stacked + 1] = last
            stack[3 * n_stacked + 2] = limit
            n_stacked += 1
            last = cut
    for at in range(1, count):
        item = items[at]
        hole = at
        if at < THRESHOLD and keys[item] > keys[items[0]]:
            while hole > 0:
                items[hole] = items[hole - 1]
                hole -= 1
        else:
            while keys[item] > keys[items[hole - 1]]:
                items[hole] = items[hole - 1]
                hole -= 1
        items[hole] = item


@routine
def _partition(items: NDArray[np.int32], keys: NDArray[np.int64], first: int, last: int) -> int:
    """Split a range around the median of three; returns where its second part begins."""
    middle = first + (last - first) // 2
    a = keys[items[first + 1]]
    b = keys[items[middle]]
    c = keys[items[last - 1]]
    if a > b:
        median = middle if b > c else (last - 1 if a > c else first + 1)
    else:
        median = first + 1 if a > c else (last - 1 if b > c else middle)
    pivot_item = items[median]
    items[median] = items[first]
    items[first] = pivot_item
    pivot = keys[pivot_item]
    left = first + 1
    right = last
    while True:
        while keys[items[left]] > pivot:
            left += 1
        right -= 1
        while pivot > keys[items[right]]:
            right -= 1
        if left >= right:
            return left
        swapped = items[left]
        items[left] = items[right]
        items[right] = swapped
        left += 1


@routine
def _heap_sort(items: NDArray[np.int32], keys: NDArray[np.int64], first: int, last: int) -> None:
    count = last - first
    for parent in range((count - 2) // 2, -1, -1):
        _sift(items, keys, first, parent, count, items[first + parent])
    for end in range(count - 1, 0, -1):
        item = items[first + end]
        items[first + end] = items[first]
        _sift(items, keys, first, 0, end, item)


@routine
def _sift(
    items: NDArray[np.int32], keys: NDArray[np.int64], first: int, hole: int, count: int, item: int
) -> None:
    """Fill the hole of a heap: go down to a leaf along the heavier children, then up to where `item` fits."""
    top = hole
    child = hole
    while child < (count - 1) // 2:
        child = 2 * (child + 1)
        if keys[items[first + child]] > keys[items[first + child - 1]]:
            child -= 1
        items[first + hole] = items[first + child]
        hole = child
    if count % 2 == 0 and child == (count - 2) // 2:
        child = 2 * (child + 1)
        items[first + hole] = items[first + child - 1]
        hole = child - 1
    while hole > top:
        parent = (hole - 1) // 2
        if not keys[items[first + parent]] > keys[item]:
            break
        items[first + hole] = items[first + parent]
        hole = parent
    items[first + hole] = item


@routine
def sort_ascending(values: NDArray[np.int64], count: int) -> None:
    """Sort values[:count] by a heap; numba's own sorting takes seconds to compile."""
    for root in range(count // 2 - 1, -1, -1):
        _sink(values, root, count)
    for last in range(count - 1, 0, -1):
        largest = values[0]
        values[0] = values[last]
        values[last] = largest
        _sink(values, 0, last)


@routine
def _sink(values: NDArray[np.int64], hole: int, count: int) -> None:
    value = values[hole]
    while 2 * hole + 1 < count:
        child = 2 * hole + 1
        if child + 1 < count and values[child + 1] > values[child]:
            child += 1
        if values[child] <= value:
            break
        values[hole] = values[child]
        hole = child
    values[hole] = value
