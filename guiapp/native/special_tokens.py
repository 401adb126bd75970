"""Special tokens, and how they partition a text before it is encoded."""

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

    texts      in the order in which they claim text, the last first
    kinds      uint8[n]: STRIPS_LEFT and STRIPS_RIGHT, for white space that is dropped or part of the token;
               HIDES if it is not a token, but no other token may match there
    ids        int32[n]
    from_left  the text is searched from left to right for the longest token at each offset
    later      tokens to search for in the remaining text; only with `from_left`
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
        """Whether any of the tokens is in a text."""
        return bool(_special_are_in(self, text, len(text)))

    def occurrences(self, text: Bytes) -> WideInts:
        """int64[3, k]: the id of the longest token at each offset where one begins, its start and its end.

        Includes the tokens of `later`, in the remaining text or not.
        """
        return _parts(_special_occurrences(self, text))[2:]

    def partition(self, text: Bytes) -> WideInts:
        """int64[5, k + 1]: starts and ends of the fragments around k tokens; their ids, starts and ends."""
        return _parts(_special_partition(self, text))


def _parts(address: int) -> WideInts:
    numbers = np.empty((_parts_size(address), 5), np.int64)
    _parts_copy(address, numbers)
    _parts_free(address)
    return np.ascontiguousarray(numbers.T)


class CallOptions(ctypes.Structure):
    """How a text is partitioned and encoded in one call, and the ids around it; see `TextOptions` in C++.

    special        tokens to cut out, if any
    excluded       a text whose remainder contains one of these, or that is invalid, is not encoded so
    adds_space     before each fragment between special tokens
    marks_spaces   each space is U+2581 for the encoder
    begins         false if the text continues another: then its first fragment gets no space
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
