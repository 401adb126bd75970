"""Special tokens of a text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from guiapp.native.binding import Bytes, Handle, Ints, WideInts, checked, function, long_function
from guiapp.native.strings import packed

STRIPS_LEFT, STRIPS_RIGHT = 1, 2

_beginnings_new = function("beginnings_new(bytes, wide_ints) -> handle")
_beginnings_may_be_in = function("beginnings_may_be_in(handle, text, wide_int)")
_special_new = long_function("special_new(bytes, wide_ints, bytes) -> handle")
_special_occurrences = function("special_occurrences(handle, bytes) -> handle")
_special_partition = function("special_partition(handle, bytes) -> handle")
_parts_size = function("parts_size(handle)")
_parts_copy = function("parts_copy(handle, >wide_ints) -> nothing")
_parts_free = function("parts_free(handle) -> nothing")
_sort_longest_first = long_function("sort_longest_first(>ints, wide_ints)")


class Beginnings(Handle, free="beginnings_free"):
    """What special tokens begin with, by which a look tells that a text has none of them."""

    def __init__(self, texts: Sequence[bytes]) -> None:
        super().__init__(_beginnings_new(*packed(texts)))

    def may_be_in(self, text: bytes) -> bool:
        """False where it is plain to see that none is in a text."""
        return bool(_beginnings_may_be_in(self, text, len(text)))


class SpecialTokensHandle(Handle, free="special_free"):
    """Cuts special tokens out of a text; they come in the order in which they claim, the last first.

    strips  uint8[n]: STRIPS_LEFT and STRIPS_RIGHT, the white space that each takes away
    """

    def __init__(self, texts: Sequence[bytes], strips: Bytes) -> None:
        super().__init__(_special_new(*packed(texts), strips))

    def occurrences(self, text: Bytes) -> WideInts:
        """int64[3, k]: the longest token at each place where some begin, its start and its end."""
        return _parts(_special_occurrences(self, text))[2:]

    def partition(self, text: Bytes) -> WideInts:
        """int64[5, k + 1]: starts and ends of the stretches around k tokens; these, their starts and ends."""
        return _parts(_special_partition(self, text))


def _parts(address: int) -> WideInts:
    numbers = np.empty((_parts_size(address), 5), np.int64)
    _parts_copy(address, numbers)
    _parts_free(address)
    return np.ascontiguousarray(numbers.T)


def sort_longest_first(rows: Ints, lengths: WideInts) -> None:
    """Sort rows of `lengths` in place; of equal ones that comes first which GNU's std::sort puts there."""
    checked(_sort_longest_first(rows, lengths))
