"""From the bytes of a string to its row: a hash table over flat arrays, for use inside kernels.

Open addressing with linear probing, at most half full.  The hash is a polynomial modulo 2**61 - 1 at a
secret point drawn anew for each table, so that whoever writes a vocabulary cannot choose strings that
collide; what is found does not depend on the point.
"""

from __future__ import annotations

import os
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.compile import kernel, routine, routine_options, tell_numba

MODULUS = np.uint64((1 << 61) - 1)
LOW_32 = np.uint64(0xFFFFFFFF)
LOW_29 = np.uint64((1 << 29) - 1)
SPREAD = np.uint64(0x9E3779B97F4A7C15)
PYTHON_MODULUS, PYTHON_SPREAD = int(MODULUS), int(SPREAD)
BYTES_PER_WORD = 7  # a word must be smaller than the modulus


class StringTable(NamedTuple):
    """All strings of a list, found by their bytes; of equal strings the first one is found.

    slots      int32[2^k]   row, or -1 where empty
    hashes     uint64[n]    of each row, compared before the bytes are
    data       uint8[…]     the strings, one after another
    offsets    int64[n+1]   string i is data[offsets[i] : offsets[i+1]]
    point      uint64[1]    where the hash polynomial is evaluated
    duplicate  int64[2]     the rows of two equal strings (the pair whose second row is lowest), or -1, -1
    """

    slots: NDArray[np.int32]
    hashes: NDArray[np.uint64]
    data: NDArray[np.uint8]
    offsets: NDArray[np.int64]
    point: NDArray[np.uint64]
    duplicate: NDArray[np.int64]


def build(data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> StringTable:
    """Make a table that finds the strings data[offsets[i] : offsets[i+1]]; it keeps both arrays."""
    n_rows = len(offsets) - 1
    n_slots = 1 << max(4, (2 * n_rows - 1).bit_length())
    table = StringTable(
        slots=np.full(n_slots, -1, np.int32),
        hashes=np.zeros(n_rows, np.uint64),
        data=data,
        offsets=offsets,
        point=np.array([random_bits(60) + (1 << 59)], np.uint64),
        duplicate=np.full(2, -1, np.int64),
    )
    _fill(table)
    return table


def find_all(table: StringTable, texts: list[bytes]) -> NDArray[np.int32]:
    """The row of each text, -1 for those that the table does not hold."""
    offsets = np.zeros(len(texts) + 1, np.int64)
    np.cumsum([len(text) for text in texts], out=offsets[1:])
    rows = np.empty(len(texts), np.int32)
    _find_rows(table, np.frombuffer(bytearray(b"".join(texts)), np.uint8), offsets, rows)
    return rows


def random_bits(count: int) -> int:
    """A number that nobody can foresee, of up to 64 bits, as from `secrets`, which takes long to import."""
    return int.from_bytes(os.urandom(8), "little") >> (64 - count)


def strings_of(table: StringTable) -> list[bytes]:
    """All strings of the table, in order."""
    data = table.data.tobytes()
    return [data[start:end] for start, end in pairwise(table.offsets.tolist())]


def rows_by_string(table: StringTable) -> dict[bytes, int]:
    """The same table for Python: the first row of each string."""
    strings = strings_of(table)
    return dict(zip(reversed(strings), reversed(range(len(strings))), strict=True))


@routine
def find(table: StringTable, text: NDArray[np.uint8], start: int, end: int) -> int:
    """The row of the string text[start:end], or -1."""
    return find_hashed(table, text, start, end, hash_bytes(text, start, end, table.point[0]))


@routine
def find_hashed(table: StringTable, text: NDArray[np.uint8], start: int, end: int, key: np.uint64) -> int:
    """`find` for a text whose `hash_bytes` at the table's point is known to be `key`."""
    mask = len(table.slots) - 1
    slot = int(np.uint64(key)) & mask
    while True:
        row = table.slots[slot]
        if row < 0:
            return -1
        if table.hashes[row] == key:
            at = table.offsets[row]
            if table.offsets[row + 1] - at == end - start:
                same = 0
                while start + same < end and table.data[at + same] == text[start + same]:
                    same += 1
                if start + same == end:
                    return int(row)
        slot = (slot + 1) & mask


def hash_bytes(text: NDArray[np.uint8], start: int, end: int, point: np.uint64) -> np.uint64:
    """A hash of text[start:end] in which every bit depends on every byte and on the point.

    This is what it means, and how it is done interpreted; `_hash_in_halves` is the same compiled.
    """
    return np.uint64(_hash_of(text[start:end].tobytes(), int(point)))


def _hash_of(data: bytes, factor: int) -> int:
    value = 0
    for at in range(0, len(data) + 1, BYTES_PER_WORD):
        word = int.from_bytes(data[at : at + BYTES_PER_WORD], "little")
        if at + BYTES_PER_WORD > len(data):  # the last word ends in a one bit, so that lengths differ
            word |= 1 << 8 * (len(data) - at)
        value = (value + word) * factor % PYTHON_MODULUS
    value = ((value ^ value >> 32) * PYTHON_SPREAD) & (1 << 64) - 1
    return value ^ value >> 29


@routine
def _hash_in_halves(text: NDArray[np.uint8], start: int, end: int, point: np.uint64) -> np.uint64:
    """`hash_bytes` from products of 32-bit halves."""
    point_high = np.uint64(point) >> np.uint64(32)
    point_low = np.uint64(point) & LOW_32
    value = np.uint64(0)
    at = start
    while True:
        word = np.uint64(0)
        shift = np.uint64(0)
        stop = min(at + BYTES_PER_WORD, end)
        is_last = stop - at < BYTES_PER_WORD
        while at < stop:
            word |= np.uint64(text[at]) << shift
            shift += np.uint64(8)
            at += 1
        if is_last:
            word |= np.uint64(1) << shift
        # value = (value + word) * point modulo 2**61 - 1, from products of 32-bit halves
        value += word
        high = value >> np.uint64(32)
        low = value & LOW_32
        middle = high * point_low + low * point_high
        product = low * point_low
        value = ((high * point_high) << np.uint64(3)) + (middle >> np.uint64(29))
        value += ((middle & LOW_29) << np.uint64(32)) + (product & MODULUS) + (product >> np.uint64(61))
        value = (value & MODULUS) + (value >> np.uint64(61))
        if value >= MODULUS:
            value -= MODULUS
        if is_last:
            break
    value = (value ^ (value >> np.uint64(32))) * SPREAD
    return value ^ (value >> np.uint64(29))


def read_ahead(table: StringTable, keys: NDArray[np.uint64]) -> None:
    """Bring what `find_hashed` reads for these keys into the processor's cache, many reads at once.

    One look-up after the other waits for the memory four times each.  Interpreted that is no matter, and
    nothing is done; `_read_all` is what compiled kernels do.
    """


@routine
def _read_all(table: StringTable, keys: NDArray[np.uint64]) -> None:
    mask, last = len(table.slots) - 1, len(table.data) - 1
    if last < 0:
        return
    places = np.empty(len(keys), np.int64)
    for at in range(len(keys)):
        places[at] = max(table.slots[int(keys[at]) & mask], 0)
    for at in range(len(keys)):
        row = places[at]
        places[at] = min(table.offsets[row], last) if table.hashes[row] == keys[at] else 0
    seen = 0
    for at in range(len(keys)):
        seen |= table.data[places[at]]
    places[0] = seen  # else compilers leave the reading out


def _compiled(numba: Any) -> None:
    overload = partial(numba.extending.overload, jit_options=routine_options(numba))
    overload(hash_bytes)(
        lambda text, start, end, point: (
            lambda text, start, end, point: _hash_in_halves(text, start, end, point)
        )
    )
    overload(read_ahead)(lambda table, keys: lambda table, keys: _read_all(table, keys))


tell_numba(_compiled)


@kernel
def _fill(table: StringTable) -> None:
    """Enter all rows in order; a row whose string is already there only counts as duplicate."""
    mask = len(table.slots) - 1
    for row in range(len(table.hashes)):
        start = table.offsets[row]
        end = table.offsets[row + 1]
        key = hash_bytes(table.data, start, end, table.point[0])
        table.hashes[row] = key
        earlier = find_hashed(table, table.data, start, end, key)
        if earlier >= 0:
            if table.duplicate[0] < 0:
                table.duplicate[0] = earlier
                table.duplicate[1] = row
            continue
        slot = int(np.uint64(key)) & mask
        while table.slots[slot] >= 0:
            slot = (slot + 1) & mask
        table.slots[slot] = row


@_fill.interpreted_by
def _fill_slots(table: StringTable) -> None:
    slots, mask, point = table.slots.tolist(), len(table.slots) - 1, int(table.point[0])
    rows: dict[bytes, int] = {}
    for row, text in enumerate(strings_of(table)):
        table.hashes[row] = key = _hash_of(text, point)
        if (earlier := rows.setdefault(text, row)) != row:
            if table.duplicate[0] < 0:
                table.duplicate[:] = earlier, row
            continue
        slot = key & mask
        while slots[slot] >= 0:
            slot = (slot + 1) & mask
        slots[slot] = row
    table.slots[:] = slots


@kernel
def _find_rows(
    table: StringTable, data: NDArray[np.uint8], offsets: NDArray[np.int64], rows: NDArray[np.int32]
) -> None:
    for at in range(len(rows)):
        rows[at] = find(table, data, offsets[at], offsets[at + 1])


@_find_rows.interpreted_by
def _find_texts(
    table: StringTable, data: NDArray[np.uint8], offsets: NDArray[np.int64], rows: NDArray[np.int32]
) -> None:
    texts, mask, point = data.tobytes(), len(table.slots) - 1, int(table.point[0])
    for at, (start, end) in enumerate(pairwise(offsets.tolist())):
        text = texts[start:end]
        slot = _hash_of(text, point) & mask
        while (row := int(table.slots[slot])) >= 0:
            if table.data[table.offsets[row] : table.offsets[row + 1]].tobytes() == text:
                break
            slot = (slot + 1) & mask
        rows[at] = row
