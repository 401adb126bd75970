"""WordPiece, compiled; readable twin: algorithms/wordpiece.py."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.borrowing import borrowing
from guiapp.core.kernels.byte_trie import NONE, TokenMatcher, find_longest
from guiapp.core.kernels.compile import kernel
from guiapp.core.kernels.normalize_wordpiece import ActionTable, write_words

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


@kernel
def count_each(
    texts: NDArray[np.uint8],
    text_ends: NDArray[np.int64],
    actions: ActionTable,
    matcher: TokenMatcher,
    counts: NDArray[np.int64],
) -> int:
    """Write the number of tokens of each of the texts that end at `text_ends`, none being normalised yet.

    Returns how many words lack a token; each counts as one unknown token.
    """
    longest, n_unknown, start = 0, 0, 0
    for index in range(len(text_ends)):
        longest = max(longest, int(text_ends[index]) - start)
        start = int(text_ends[index])
    room = NORMALIZED_BYTES * longest
    word, found, ids = np.empty(room, np.uint8), np.empty(room, np.int32), np.empty(room, np.int32)
    starts, ends, word_ends = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(longest, np.int64)
    start = 0
    for index in range(len(text_ends)):
        end = int(text_ends[index])
        n_words = write_words(texts[start:end], actions, word, starts, ends, word_ends)
        count, word_start = 0, 0
        for number in range(n_words):
            word_end, before = int(word_ends[number]), count
            count = take_longest(word, word_start, word_end, matcher, NONE, found, ids, starts, ends, count)
            n_unknown += int(count == before + 1 and ids[before] == NONE)
            word_start = word_end
        counts[index] = count
        start = end
    return n_unknown
