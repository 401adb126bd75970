"""The longest tokens that start at each place of a text, and the encoders of RWKV and PLaMo-2 by them."""

from __future__ import annotations

import numpy as np

from guiapp.errors import VocabError
from guiapp.native.binding import (
    Bytes,
    Handle,
    Ints,
    TokenColumns,
    WideInts,
    function,
    long_function,
    tokens_by,
)
from guiapp.native.normalized import Normalized, normalized

MOST_TOKEN_BYTES = 1 << 26

_matcher_new = long_function("matcher_new(bytes, wide_ints, ints) -> handle")
_matcher_find = function("matcher_find(handle, bytes, >ints)")
_matcher_shorter = function("matcher_shorter(handle, >ints)")
_plamo2_normalize = function("plamo2_normalize(bytes) -> handle")
_plamo2_encode = function("plamo2_encode(handle, bytes, ints, ints, >tokens)")
_rwkv_encode = function("rwkv_encode(handle, bytes, int, >tokens)")


class TokenMatcher(Handle, free="matcher_free"):
    """Finds the longest of some tokens at each place of a text; token i is data[offsets[i] : offsets[i + 1]].

    Of tokens with equal bytes the one with the highest id is found.
    """

    def __init__(self, data: Bytes, offsets: WideInts, token_ids: Ints) -> None:
        address = _matcher_new(data, offsets, token_ids)
        if address is None and len(data) > MOST_TOKEN_BYTES:
            raise VocabError(
                f"The tokens of this vocabulary have {len(data):,} bytes. Text is encoded with up to "
                f"{MOST_TOKEN_BYTES:,}."
            )
        super().__init__(address)
        self._n_tokens = len(offsets) - 1

    def find_longest(self, text: Bytes) -> Ints:
        """int32[n]: for each place of a text the longest token that starts there, or -1."""
        matches = np.empty(len(text), np.int32)
        _matcher_find(self, text, matches)
        return matches

    def shorter(self) -> Ints:
        """int32[n]: for each token the longest other one that it starts with, or -1."""
        shorter = np.empty(self._n_tokens, np.int32)
        _matcher_shorter(self, shorter)
        return shorter

    def encode_rwkv(self, text: Bytes, unknown: int) -> TokenColumns:
        """The longest token, or a byte as `unknown`, again and again."""
        return tokens_by(_rwkv_encode, self, text, unknown, room=len(text))

    def encode_plamo2(self, text: Bytes, costs: Ints, byte_ids: Ints) -> TokenColumns:
        """The cheapest tokens of a text that `normalize_plamo2` made.

        costs     int32[tokens]
        byte_ids  int32[256]  what an unknown character is made of
        """
        return tokens_by(_plamo2_encode, self, text, costs, byte_ids, room=len(text))


def normalize_plamo2(text: Bytes) -> Normalized | None:
    """Characters in shortest form without a byte order mark in front; None if that is the very same bytes."""
    address = _plamo2_normalize(text)
    return None if address is None else normalized(address)
