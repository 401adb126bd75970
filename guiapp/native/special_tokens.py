"""Special tokens, and how a text is taken apart by them before it is encoded."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from ctypes import c_bool, c_void_p

import numpy as np

from guiapp.native.binding import Bytes, Handle, Ints, WideInts, function, long_function
from guiapp.native.model_files import packed
from guiapp.native.token_tree import TokenTreeHandle

STRIPS_LEFT, STRIPS_RIGHT, HIDES = 1, 2, 4

_special_new = long_function("special_new(handle, bytes, wide_ints, bytes, ints, flag, handle) -> handle")
_special_are_in = function("special_are_in(handle, text, wide_int)")
_special_occurrences = function("special_occurrences(handle, bytes) -> handle")
_special_partition = function("special_partition(handle, bytes) -> handle")
_parts_size = function("parts_size(handle)")
_parts_copy = function("parts_copy(handle, >wide_ints) -> nothing")
_parts_free = function("parts_free(handle) -> nothing")


class SpecialTokensHandle(Handle, free="special_free"):
    """Cuts special tokens out of a text.

    texts      in the order in which they claim their places, the last first
    kinds      uint8[n]: of each STRIPS_LEFT and STRIPS_RIGHT, the white space that it takes away or along;
               HIDES where it is not a token, but no other one is found in its place
    ids        int32[n]
    from_left  the text is searched from left to right for the longest one at each place
    later      those that are searched for in what these leave; only `from_left`
    """

    def __init__(
        self,
        texts: Sequence[bytes],
        kinds: Bytes,
        ids: Ints,
        from_left: bool = False,
        later: SpecialTokensHandle | None = None,
    ) -> None:
        data, offsets = packed(texts)
        tree = TokenTreeHandle.of(data, offsets)
        super().__init__(_special_new(tree, data, offsets, kinds, ids, from_left, later), tree, later)

    def are_in(self, text: bytes) -> bool:
        """Whether one of them begins somewhere in a text."""
        return bool(_special_are_in(self, text, len(text)))

    def occurrences(self, text: Bytes) -> WideInts:
        """int64[3, k]: the id of the longest token at each place where some begin, its start and its end.

        Those of `later`, too, in what these leave or not.
        """
        return _parts(_special_occurrences(self, text))[2:]

    def partition(self, text: Bytes) -> WideInts:
        """int64[5, k + 1]: starts and ends of the stretches around k tokens; their ids, starts and ends."""
        return _parts(_special_partition(self, text))


def _parts(address: int) -> WideInts:
    numbers = np.empty((_parts_size(address), 5), np.int64)
    _parts_copy(address, numbers)
    _parts_free(address)
    return np.ascontiguousarray(numbers.T)


class CallOptions(ctypes.Structure):
    """How a text is taken apart and encoded in one call, and what is around it; see `TextOptions` in C++.

    special        to be cut out, if there are any
    excluded        a text that holds one of these in what is left, or that is not valid, is not encoded so
    adds_space     in front of each stretch between them, but
    marks_spaces   each is U+2581 for those who encode the text
    begins         of a text that goes on behind something else not in front of the first one
    before, after  ids around the text
    most_bytes     of a text that is not too long for one call
    """

    _fields_ = (
        ("special", c_void_p),
        ("excluded", c_void_p),
        *((name, c_bool) for name in ("adds_space", "marks_spaces", "begins")),
    )

    def __init__(
        self,
        special: SpecialTokensHandle | None = None,
        excluded: SpecialTokensHandle | None = None,
        adds_space: bool = False,
        marks_spaces: bool = False,
        begins: bool = True,
        affixes: tuple[list[int], list[int]] = ([], []),
        most_bytes: int = 1 << 31,
    ) -> None:
        addresses = (None if handle is None else handle.address for handle in (special, excluded))
        super().__init__(*addresses, adds_space, marks_spaces, begins)
        self.special_tokens, self._owner = special, excluded
        (self.before, self.after), self.most_bytes = affixes, most_bytes
        self.reference = c_void_p(ctypes.addressof(self))
