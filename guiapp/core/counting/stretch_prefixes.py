"""The tokens of all prefixes of short texts, in BPE vocabularies that cut text into pieces.

A prefix has the pieces of a shorter one, and a last one of its own.  Where that begins is told while the text
grows.  The few prefixes of which it is not are cut into pieces again, from where they differ on.  So only
pieces are left to count, all of them together.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels import piece_growth, prefix_parts
from guiapp.core.kernels.piece_growth import LATER, UNKNOWN
from guiapp.core.pipelines.byte_pair import BytePairPipeline
from guiapp.core.text.utf8 import REPLACEMENT_BYTES

MOST_BEGUN = 3  # bytes of a character that is not complete
BEGUN = np.frombuffer(bytearray(REPLACEMENT_BYTES * sum(range(MOST_BEGUN + 1))), np.uint8)
BEGUN_ENDS = len(REPLACEMENT_BYTES) * np.cumsum(np.arange(1, MOST_BEGUN + 1))  # one, two, three of them
NOTHING_BEGUN = np.zeros(1, np.int64)
NOT_ASKED = 1  # in place of a number of begun bytes: it ends no piece


def count_prefixes(
    pipeline: BytePairPipeline, texts: NDArray[np.uint8], ends: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The number of tokens of each prefix of the texts that end at `ends`, by its last byte.

    The pipeline `counts_pieces`.  Each text begins where it may be cut, and ends at one of `all_cuts`.
    """
    origins, n_begun = np.zeros(len(texts) + 1, np.int64), np.full(len(texts) + 1, UNKNOWN, np.uint8)
    restarts = np.empty(len(ends), np.int64)
    n_restarts = piece_growth.grow_each(texts, ends, pipeline.machine, origins, n_begun, restarts)
    asked, own, of_begun = n_begun.copy(), np.empty(0, np.int64), NOTHING_BEGUN
    if (n_begun[1:] % LATER).any():
        own, of_begun = _count_with_others(pipeline, texts, origins, asked)
    else:
        own = pipeline.count_pieces(texts, origins, asked)
    if len(left := np.flatnonzero(asked != n_begun)):
        n_begun[left] = UNKNOWN
        own[left] = pipeline.count_each(*prefix_parts.parts_of(texts, origins[left], left))
    counts = np.empty(len(texts), np.int64)
    prefix_parts.add_pieces(ends, origins, n_begun, own, of_begun, counts)
    if n_restarts:
        has_rest = restarts >= 0
        rests, rest_ends = prefix_parts.parts_of(texts, restarts[has_rest], ends[has_rest])
        of_rests = count_prefixes(pipeline, rests, rest_ends)
        prefix_parts.add_rests(ends, n_begun, restarts, rest_ends, of_rests, counts)
    return counts


def _count_with_others(
    pipeline: BytePairPipeline,
    texts: NDArray[np.uint8],
    origins: NDArray[np.int64],
    n_begun: NDArray[np.uint8],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The tokens of each prefix from its origin on, and those of 0, 1, 2 … bytes of a begun character.

    UNKNOWN is entered where a prefix is one piece that is not counted.
    """
    size, unknown = len(texts), np.flatnonzero(n_begun[1:] == UNKNOWN) + 1
    firsts, numbers = prefix_parts.distinct_parts(texts, origins[unknown], unknown)
    others, other_ends = prefix_parts.parts_of(texts, origins[unknown[firsts]], unknown[firsts])
    others, other_ends = np.append(others, BEGUN), np.append(other_ends, len(others) + BEGUN_ENDS)
    data, data_ends, piece_ends = pipeline.split_each(others, other_ends)
    data_origins, data_begun = np.zeros(len(data), np.int64), np.full(len(data), NOT_ASKED, np.uint8)
    data_origins[piece_ends - 1] = size + np.append(0, piece_ends[:-1])
    data_begun[piece_ends - 1] = 0
    asked = np.append(n_begun, data_begun)
    own = pipeline.count_pieces(np.append(texts, data), np.append(origins, data_origins), asked)
    of_pieces = own[size + piece_ends]
    if (asked[size + piece_ends] == 0).all():
        last_pieces = np.searchsorted(piece_ends, data_ends)
        of_others = np.diff(np.cumsum(of_pieces)[last_pieces], prepend=0)
    else:
        of_others = pipeline.count_each(others, other_ends)
    n_begun[:] = asked[: size + 1]
    own[unknown] = of_others[: len(firsts)][numbers]
    return own[: size + 1], np.append(0, of_others[len(firsts) :])
