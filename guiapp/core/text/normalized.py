"""Text that a normaliser changed, with the source of each byte; also characters and common affixes.

Bytes may be anything: each that is not part of valid UTF-8 counts as a character of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

Value = TypeVar("Value", bound=np.generic)
LONGEST_CHARACTER = 4
Entries = str | bytes | NDArray[Any]


class NormalizedText(NamedTuple):
    """The result of normalising a fragment.  `None` instead of it means: the fragment, unchanged.

    data    uint8[m]
    starts  int64[m]  byte i of data came from fragment[starts[i] : ends[i]]
    ends    int64[m]
    """

    data: NDArray[np.uint8]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]


class NormalizedBuilder:
    """Collects a NormalizedText part by part; for the readable normalisers."""

    def __init__(self) -> None:
        self._data = bytearray()
        self._starts: list[int] = []
        self._ends: list[int] = []

    def __len__(self) -> int:
        return len(self._data)

    def append(self, output: bytes, start: int, end: int) -> None:
        """Add `output`, which replaces fragment[start : end]; an empty range means inserted text."""
        size = next((at for at in range(1, len(output)) if output[at] & 0xC0 != 0x80), len(output))
        edges = [min(start + k, end) for k in range(size)] + [end] * (len(output) - size)
        self._data += output
        self._starts += edges
        self._ends += edges[1:] + [end] * bool(output)

    def keep(self, output: bytes, start: int) -> None:
        """Add unchanged text, byte by byte."""
        for at, byte in enumerate(output, start):
            self.append(bytes([byte]), at, at + 1)

    @property
    def start(self) -> int:
        """The start of the first output in the fragment."""
        return self._starts[0]

    @property
    def end(self) -> int:
        """The end of the last output in the fragment."""
        return self._ends[-1]

    def extend(self, end: int) -> None:
        """Extend the source of the last output, if any, to this offset."""
        if self._ends:
            self._ends[-1] = end

    def drop_last(self, output: bytes) -> bool:
        """Remove `output` from the end, if the text ends with it; return whether it did."""
        is_last = self._data.endswith(output)
        if is_last:
            for column in (self._data, self._starts, self._ends):
                del column[len(column) - len(output) :]
        return is_last

    def build(self) -> NormalizedText:
        data = np.frombuffer(self._data, np.uint8)
        return NormalizedText(data, np.array(self._starts, np.int64), np.array(self._ends, np.int64))


def joined(parts: Sequence[NormalizedText]) -> NormalizedText:
    """Several parts of one fragment, concatenated."""
    if not parts:
        return NormalizedBuilder().build()
    return NormalizedText(*map(np.concatenate, zip(*parts, strict=True)))


def source_spans(
    normalized: NormalizedText | None, starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Starts and ends in the fragment of the non-empty tokens at data[starts[i] : ends[i]]."""
    if normalized is None:
        return starts, ends
    return normalized.starts[starts], normalized.ends[ends - 1]


def from_source(normal: NormalizedText, repaired: NormalizedText | None) -> NormalizedText:
    """Map a text normalised from a repaired one back to the text before the repair."""
    if repaired is None or not len(repaired.data):
        return normal
    ends = np.where(normal.ends > 0, repaired.ends[normal.ends - 1], 0)
    inner = repaired.starts[np.minimum(normal.starts, len(repaired.data) - 1)]
    return NormalizedText(normal.data, np.where(normal.starts < normal.ends, inner, ends), ends)


def n_equal_from_start(first: NDArray[Any], second: NDArray[Any]) -> int:
    """The number of equal entries at the start of two arrays."""
    shorter = min(len(first), len(second))
    differs = first[:shorter] != second[:shorter]
    return int(differs.argmax()) if differs.any() else shorter


def common_ends(one: Entries, other: Entries) -> tuple[int, int]:
    """The number of equal characters, bytes or entries at the start, and of the others at the end."""
    first, second = _codes(one), _codes(other)
    start = n_equal_from_start(first, second)
    return start, n_equal_from_start(first[start:][::-1], second[start:][::-1])


def _codes(entries: Entries) -> NDArray[Any]:
    if isinstance(entries, str):
        return code_points(entries)
    return np.frombuffer(entries, np.uint8) if isinstance(entries, bytes) else entries


def decode(data: bytes) -> str:
    """Text with U+DC80 + n for each invalid byte 0x80 + n; `encode` restores the same bytes."""
    return data.decode("utf-8", "surrogateescape")


def encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def code_points(text: str) -> NDArray[np.uint32]:
    """The code point of each character of a text, surrogates included."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def sizes_in_bytes(points: NDArray[np.uint32]) -> NDArray[np.int64]:
    """The number of bytes of each character in `encode`."""
    sizes = 1 + (points >= 0x80).astype(np.int64) + (points >= 0x800) + (points >= 0x10000)
    sizes[(points >= 0xDC80) & (points <= 0xDCFF)] = 1
    return sizes


def character_start(data: bytes, offset: int) -> int:
    """The offset of the character that contains data[offset]; `offset` itself at the end of the data."""
    if offset >= len(data) or data[offset] & 0xC0 != 0x80:
        return offset
    for start in range(offset - 1, max(offset - LONGEST_CHARACTER, -1), -1):
        if data[start] & 0xC0 == 0x80:
            continue
        character = decode(data[start : start + LONGEST_CHARACTER])[0]
        return start if start + len(encode(character)) > offset else offset
    return offset


def distinct(values: NDArray[Value]) -> NDArray[Value]:
    """Each value once, ascending; any shape in, one dimension out.

    Like `np.unique`, whose first call imports numpy.ma: 25 ms more before the first frame.
    """
    ascending = np.sort(values, axis=None)
    is_first = np.ones(len(ascending), np.bool_)
    np.not_equal(ascending[1:], ascending[:-1], out=is_first[1:])
    return ascending[is_first]
