"""Trees of tokens, each below its longest proper prefix, and what walks down them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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

MOST_TREE_BYTES = 1 << 26

_tree_new = long_function("tree_new(bytes, wide_ints, ints, >flags, >ints, >ints) -> handle")
_tree_columns = function("tree_columns(handle, >ints, >ints, >ints, >ints, >ints)")
_tree_longest_match = function("tree_longest_match(handle, bytes, wide_int)")
_words_encode = function("words_encode(handle, bytes, int, >tokens)")


class TreeColumns(NamedTuple):
    """A tree as it is drawn.

    depths         int32[n]      1 for tokens without a parent, 0 for what is not in the tree
    sizes          int32[n]      tokens in the subtree, itself included
    places         int32[n]      where each token stands in the order of the tree, or -1
    child_offsets  int32[n + 2]  the children of token i, or of the root in row n, sorted by their bytes, are
    children       int32[k]      children[child_offsets[i] : child_offsets[i + 1]]
    """

    depths: Ints
    sizes: Ints
    places: Ints
    child_offsets: Ints
    children: Ints


class TokenTreeHandle(Handle, free="tree_free"):
    """The tree of the tokens `ids`; token i is data[offsets[i] : offsets[i + 1]].

    Of tokens with the same bytes only the last among `ids` that may be matched is matched.  The others, and
    empty ones, are leaves.

    is_matched  bool[n]   which tokens matching finds
    parents     int32[n]  the longest proper prefix of a token that is matched, or -1
    order       int32[k]  `ids` sorted by their bytes, parents first
    """

    def __init__(self, data: Bytes, offsets: WideInts, ids: Ints, may_be_matched: NDArray[np.bool_]) -> None:
        self.is_matched = may_be_matched.copy()
        self.parents = np.full(len(offsets) - 1, -1, np.int32)
        self.order = np.empty(len(ids), np.int32)
        arguments = data, offsets, ids, self.is_matched, self.parents, self.order
        address = _tree_new(*arguments)
        if address is None and len(data) > MOST_TREE_BYTES:
            raise VocabError(
                f"The tokens of this vocabulary have {len(data):,} bytes. A tree is made of up to "
                f"{MOST_TREE_BYTES:,}."
            )
        super().__init__(address, *arguments)

    @classmethod
    def of(cls, data: Bytes, offsets: WideInts) -> TokenTreeHandle:
        """That of all tokens."""
        n_tokens = len(offsets) - 1
        return cls(data, offsets, np.arange(n_tokens, dtype=np.int32), np.ones(n_tokens, np.bool_))

    def longest_match(self, text: Bytes, start: int = 0) -> int:
        """The longest token that text[start:] begins with, or -1; the shorter ones are its ancestors."""
        return int(_tree_longest_match(self, text, start))

    def columns(self) -> TreeColumns:
        """What drawing the tree needs to know."""
        n_tokens = len(self.parents)
        columns = TreeColumns(
            depths=np.zeros(n_tokens, np.int32),
            sizes=np.zeros(n_tokens, np.int32),
            places=np.full(n_tokens, -1, np.int32),
            child_offsets=np.zeros(n_tokens + 2, np.int32),
            children=np.empty(len(self.order), np.int32),
        )
        _tree_columns(self, *columns)
        return columns


def encode_words(tree: TokenTreeHandle, text: Bytes, unknown: int) -> TokenColumns:
    """The token of each word between white space, else `unknown`, or nothing where that is -1."""
    return tokens_by(_words_encode, tree, text, unknown, room=len(text) // 2 + 1)
