"""WordPiece, compiled; readable twin: algorithms/wordpiece.py."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.borrowing import borrowing
from guiapp.core.kernels.byte_trie import NONE, TokenMatcher, find_longest
from guiapp.core.kernels.compile import kernel

NORMALIZED_BYTES = 4  # that a byte of text may become, the mark of a word included


@borrowing
def take_longest(
    data: NDArray[np.uint8],
    word_start: int,
    word_end: int,
    matcher: TokenMatcher,
    unknown: int,
    found: NDArray[np.int32],
    ids: NDArray[np.int32],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    count: int,
) -> int:
    """Append the tokens of one word, at most one per byte; the new count."""
    find_longest(matcher, data, word_start, word_end, found)
    first, at = count, word_start
    while at < word_end:
        token = int(found[at])
        length = word_end - word_start
        if token == NONE:
            count, at, token = first, word_start, unknown
        else:
            length = int(matcher.lengths[token])
        ids[count] = token
        starts[count] = at
        ends[count] = at + length
        count += 1
        at += length
    return count


@kernel
def encode(
    data: NDArray[np.uint8],
    word_ends: NDArray[np.int64],
    matcher: TokenMatcher,
    unknown: int,
    found: NDArray[np.int32],
    ids: NDArray[np.int32],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
) -> int:
    """Take the longest token again and again in each word; one unknown token for a word where that fails.

    `found` is scratch space of the length of `data`.  Returns the number of tokens; at most one per byte.
    """
    count, word_start = 0, 0
    for word in range(len(word_ends)):
        word_end = int(word_ends[word])
        count = take_longest(data, word_start, word_end, matcher, unknown, found, ids, starts, ends, count)
        word_start = word_end
    return count
