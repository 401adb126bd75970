"""Strings in a GGUF file: finding them, and packing them as C would see them, cut at the first NUL."""

from __future__ import annotations

import struct
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.compile import kernel, routine

LENGTH_BYTES = 8
LENGTH = struct.Struct("<Q")
EMPTY_NAME = np.array(list(b"[EMPTY_"), np.uint8)


@kernel
def scan(
    data: NDArray[np.uint8],
    available: int,
    at: int,
    first: int,
    starts: NDArray[np.int64],
    lengths: NDArray[np.int64],
) -> int:
    """Find strings from byte `at` on, filling rows from `first`.

    Returns how many rows are filled: fewer than all where a string is not whole in data[:available].
    """
    for row in range(first, len(starts)):
        if at + LENGTH_BYTES > available:
            return row
        length = 0
        for byte in range(LENGTH_BYTES - 1, -1, -1):
            if length >= 1 << 32:  # no file is that long, and more digits would not fit
                return row
            length = (length << 8) | int(data[at + byte])
        if length > available - at - LENGTH_BYTES:
            return row
        starts[row] = at + LENGTH_BYTES
        lengths[row] = length
        at += LENGTH_BYTES + length
    return len(starts)


@scan.interpreted_by
def _scan(
    data: NDArray[np.uint8],
    available: int,
    at: int,
    first: int,
    starts: NDArray[np.int64],
    lengths: NDArray[np.int64],
) -> int:
    view = data.data
    for row in range(first, len(starts)):
        if at + LENGTH_BYTES > available:
            return row
        (length,) = LENGTH.unpack_from(view, at)
        if length > available - at - LENGTH_BYTES:
            return row
        starts[row] = at + LENGTH_BYTES
        lengths[row] = length
        at += LENGTH_BYTES + length
    return len(starts)


@kernel
def measure(
    data: NDArray[np.uint8],
    starts: NDArray[np.int64],
    lengths: NDArray[np.int64],
    name_empty: bool,
    offsets: NDArray[np.int64],
) -> int:
    """Fill the offsets that the strings get when packed; returns how many of them were cut or are empty."""
    n_odd = 0
    offsets[0] = 0
    for row in range(len(starts)):
        start = starts[row]
        length = 0
        while length < lengths[row] and data[start + length] != 0:
            length += 1
        if length == 0 or length < lengths[row]:
            n_odd += 1
        if length == 0 and name_empty:
            length = len(EMPTY_NAME) + _n_digits(row) + 1
        offsets[row + 1] = offsets[row] + length
    return n_odd


@measure.interpreted_by
def _measure(
    data: NDArray[np.uint8],
    starts: NDArray[np.int64],
    lengths: NDArray[np.int64],
    name_empty: bool,
    offsets: NDArray[np.int64],
) -> int:
    text = data.tobytes()
    sizes, n_odd = [0], 0
    for row, (start, length) in enumerate(zip(starts.tolist(), lengths.tolist(), strict=True)):
        end = text.find(b"\0", start, start + length)
        size = length if end < 0 else end - start
        n_odd += size == 0 or end >= 0
        sizes.append(len(_name_of_empty(row)) if size == 0 and name_empty else size)
    np.cumsum(sizes, out=offsets)
    return n_odd


@kernel
def pack(
    data: NDArray[np.uint8],
    starts: NDArray[np.int64],
    lengths: NDArray[np.int64],
    offsets: NDArray[np.int64],
    packed: NDArray[np.uint8],
) -> None:
    """Copy the strings to where `measure` put them; those that it named get `[EMPTY_<row>]`."""
    for row in range(len(starts)):
        start = starts[row]
        to = offsets[row]
        length = offsets[row + 1] - to
        if length > 0 and (lengths[row] == 0 or data[start] == 0):
            for index in range(len(EMPTY_NAME)):
                packed[to + index] = EMPTY_NAME[index]
            rest = row
            for index in range(length - 2, len(EMPTY_NAME) - 1, -1):
                packed[to + index] = 0x30 + rest % 10
                rest //= 10
            packed[to + length - 1] = 0x5D
        else:
            for index in range(length):
                packed[to + index] = data[start + index]


@pack.interpreted_by
def _pack(
    data: NDArray[np.uint8],
    starts: NDArray[np.int64],
    lengths: NDArray[np.int64],
    offsets: NDArray[np.int64],
    packed: NDArray[np.uint8],
) -> None:
    text, strings = data.tobytes(), []
    rows = zip(starts.tolist(), lengths.tolist(), np.diff(offsets).tolist(), strict=True)
    for row, (start, length, size) in enumerate(rows):
        is_named = size and (not length or not text[start])
        strings.append(_name_of_empty(row) if is_named else text[start : start + size])
    packed[:] = np.frombuffer(b"".join(strings), np.uint8)


def _name_of_empty(row: int) -> bytes:
    return b"%b%d]" % (EMPTY_NAME.tobytes(), row)


@kernel
def count_unsplittable(data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> int:
    """How many merges have no space behind their first byte, and so do not name two tokens."""
    count = 0
    for row in range(len(offsets) - 1):
        at = offsets[row] + 1
        while at < offsets[row + 1] and data[at] != 0x20:
            at += 1
        if at >= offsets[row + 1]:
            count += 1
    return count


@count_unsplittable.interpreted_by
def _count_unsplittable(data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> int:
    text = data.tobytes()
    return sum(text.find(b" ", start + 1, end) < 0 for start, end in pairwise(offsets.tolist()))


@routine
def _n_digits(number: int) -> int:
    count = 1
    while number >= 10:
        number //= 10
        count += 1
    return count
