"""What `fast` and its spans know of a Unigram vocabulary, and how they find the words of a text."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.borrowing import borrowing
from guiapp.core.kernels.byte_trie import NONE
from guiapp.core.kernels.compile import routine
from guiapp.core.kernels.normalize_unigram import PLAIN
from guiapp.core.kernels.pair_cuts import PairCuts
from guiapp.core.kernels.viterbi import LEAST, Lattice, follow_back

USUAL_WORD = 256  # bytes of a normalised word for which there is room from the beginning


class UnigramTables(NamedTuple):
    """What a Unigram vocabulary knows.

    is_cut          bool[256]: bytes that become a space wherever they stand; words begin there
    removes_spaces  whether these bytes themselves become nothing, else U+2581
    units, replacements, user_defined, kinds, is_settled  see `normalize_unigram`
    rows            of the tree of tokens; see `TokenTree.rows` of the native library
    lengths, scores  int64[n] and float64[n], of each token
    cuts            which characters stand side by side in some token
    """

    is_cut: NDArray[np.bool_]
    removes_spaces: bool
    units: NDArray[np.uint32]
    replacements: NDArray[np.uint8]
    user_defined: NDArray[np.int64]
    kinds: NDArray[np.uint8]
    is_settled: NDArray[np.bool_]
    rows: NDArray[np.int32]
    lengths: NDArray[np.int64]
    scores: NDArray[np.float64]
    unknown: int
    unknown_score: float
    cuts: PairCuts


class WordRoom(NamedTuple):
    """Space for what one word becomes; the lattice has one place more."""

    lattice: Lattice
    ids: NDArray[np.int32]
    firsts: NDArray[np.int64]
    lasts: NDArray[np.int64]


@routine
def new_room(size: int) -> WordRoom:
    lattice = Lattice(
        np.empty(size + 1, np.float64),
        np.empty(size + 1, np.int64),
        np.empty(size + 1, np.int32),
        np.empty(size + 1, np.int32),
    )
    return WordRoom(lattice, np.empty(size, np.int32), np.empty(size, np.int64), np.empty(size, np.int64))


@borrowing
def find_words(
    data: NDArray[np.uint8],
    position: int,
    is_cut: NDArray[np.bool_],
    removes_spaces: bool,
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
) -> int:
    """Write where the next words of a text lie, as many as `starts` holds; returns how many.

    A word begins with the byte that becomes its space, unless spaces are removed.
    """
    at, count, size = position, 0, len(data)
    while at < size and count < len(starts):
        if is_cut[data[at]] and removes_spaces:
            at += 1
            continue
        starts[count] = at
        at += 1
        while at < size and not is_cut[data[at]]:
            at += 1
        ends[count] = at
        count += 1
    return count


@routine
def begin_of_plain(
    data: NDArray[np.uint8],
    start: int,
    end: int,
    is_cut: NDArray[np.bool_],
    kinds: NDArray[np.uint8],
) -> int:
    """Where the letters of a word begin, if normalising only marks the space before them; else -1."""
    begin = start + int(is_cut[data[start]])
    for at in range(begin, end):
        if kinds[data[at]] != PLAIN:
            return -1
    return begin


@borrowing
def segment_word(
    data: NDArray[np.uint8],
    start: int,
    stop: int,
    rows: NDArray[np.int32],
    scores: NDArray[np.float64],
    unknown: int,
    unknown_score: float,
    lattice: Lattice,
    ids: NDArray[np.int32],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
) -> int:
    """What `viterbi.segment` does, walking down the tree of tokens from each place.

    rows  of the tree; see `TokenTree.rows` of the native library
    """
    ways, origins, tokens = lattice.scores, lattice.origins, lattice.tokens
    for offset in range(start, stop + 1):
        ways[offset] = LEAST
        origins[offset] = start
        tokens[offset] = unknown
    ways[start] = 0.0
    at = start
    while at < stop:
        lead = int(data[at])
        character_end = min(stop, at + 1 + int(lead >= 0xC0) + int(lead >= 0xE0) + int(lead >= 0xF0))
        score_here, is_known, row, end = ways[at], False, 0, at
        while end < stop:
            following = int(rows[4 * row] ^ np.int32(data[end]))
            if rows[4 * following + 1] != row:
                break
            row = following
            end += 1
            token = int(rows[4 * row + 2])
            if token != NONE:
                is_known |= end == character_end
                score = score_here + scores[token]
                if score > ways[end]:
                    ways[end] = score
                    origins[end] = at
                    tokens[end] = token
        if not is_known and score_here + unknown_score > ways[character_end]:
            ways[character_end] = score_here + unknown_score
            origins[character_end] = at
            tokens[character_end] = unknown
        at = character_end
    return follow_back(start, stop, unknown, lattice, ids, starts, ends)
