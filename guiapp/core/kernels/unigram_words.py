"""What `fast` and its spans know of a Unigram vocabulary, and how they find the words of a text."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.byte_trie import TokenMatcher
from guiapp.core.kernels.compile import routine
from guiapp.core.kernels.normalize_unigram import PLAIN
from guiapp.core.kernels.pair_cuts import PairCuts
from guiapp.core.kernels.viterbi import Lattice

USUAL_WORD = 256  # bytes of a normalised word for which there is room from the beginning


class UnigramTables(NamedTuple):
    """What a Unigram vocabulary knows.

    is_cut          bool[256]: bytes that become a space wherever they stand; words begin there
    removes_spaces  whether these bytes themselves become nothing, else U+2581
    units, replacements, user_defined, kinds, is_kept  see `normalize_unigram`
    scores          float64[n]
    cuts            which characters stand side by side in some token
    """

    is_cut: NDArray[np.bool_]
    removes_spaces: bool
    units: NDArray[np.uint32]
    replacements: NDArray[np.uint8]
    user_defined: NDArray[np.int64]
    kinds: NDArray[np.uint8]
    is_kept: NDArray[np.bool_]
    matcher: TokenMatcher
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


@routine
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
