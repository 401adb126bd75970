"""The token tree in flat arrays, for kernels; native/token_tree.h says how its rows are read."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.byte_trie import NONE
from guiapp.core.kernels.compile import routine


class TreeArrays(NamedTuple):
    """A token tree; the root is row n of the columns that have one.

    rows           int32[4 r]    of each node of the trie, the root first: base, row of the parent (-1 where
                                 there is no node), the token that matching finds, or NONE, and its length
    lengths        int32[n]      bytes of each token
    parents        int32[n]      the longest proper prefix that is a token and matches, or NONE
    depths         int32[n]      1 for tokens without such a prefix; 0 for what is not in the tree
    sizes          int32[n]      tokens in the subtree, itself included
    order          int32[k]      the tokens in the tree sorted by their bytes, parents first
    places         int32[n]      where each token stands in `order`, or NONE
    child_offsets  int32[n + 2]  the children of row i, sorted by their bytes, are
    children       int32[k]      children[child_offsets[i] : child_offsets[i + 1]]
    """

    rows: NDArray[np.int32]
    lengths: NDArray[np.int32]
    parents: NDArray[np.int32]
    depths: NDArray[np.int32]
    sizes: NDArray[np.int32]
    order: NDArray[np.int32]
    places: NDArray[np.int32]
    child_offsets: NDArray[np.int32]
    children: NDArray[np.int32]


@routine
def longest_match(rows: NDArray[np.int32], data: NDArray[np.uint8], start: int, end: int) -> int:
    """The longest token that data[start:end] begins with, or NONE; the shorter ones are its ancestors."""
    row, found = 0, NONE
    for at in range(start, end):
        following = rows[4 * row] ^ np.int32(data[at])
        if rows[4 * following + 1] != row:
            break
        row = int(following)
        if rows[4 * row + 2] != NONE:
            found = int(rows[4 * row + 2])
    return found
