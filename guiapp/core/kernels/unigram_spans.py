"""Where the tokens lie that `fast` found in a text of a Unigram vocabulary."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.compile import kernel
from guiapp.core.kernels.normalize_unigram import write_normalized
from guiapp.core.kernels.piece_keys import BLOCK
from guiapp.core.kernels.unigram_words import (
    USUAL_WORD,
    UnigramTables,
    begin_of_plain,
    find_words,
    new_room,
    segment_word,
)


@kernel
def find_spans(
    data: NDArray[np.uint8],
    tables: UnigramTables,
    tokens: NDArray[np.int32],
    token_starts: NDArray[np.int64],
    token_ends: NDArray[np.int64],
) -> int:
    """Write where the tokens lie; returns how many bytes of the normalised text the unknown ones hold.

    A word is encoded again where it has the unknown token.
    """
    is_cut, removes_spaces, units, replacements, user_defined, kinds, is_settled = tables[:7]
    rows, lengths, scores, unknown, unknown_score, _ = tables[7:]
    starts, ends = np.empty(BLOCK, np.int64), np.empty(BLOCK, np.int64)
    word, origins = np.empty(USUAL_WORD, np.uint8), np.empty(USUAL_WORD, np.int64)
    limits, room = np.empty(USUAL_WORD, np.int64), new_room(USUAL_WORD)
    position, count, n_unknown = 0, 0, 0
    while True:
        n_words = find_words(data, position, is_cut, removes_spaces, starts, ends)
        for index in range(n_words):
            start, end = int(starts[index]), int(ends[index])
            begin = begin_of_plain(data, start, end, is_cut, kinds)
            if begin >= 0:
                mark = 3 if removes_spaces or begin > start else 0
                at, size, first, plain = 0, mark + end - begin, start, count
                while at < size and tokens[plain] != unknown:
                    at += int(lengths[tokens[plain]])
                    token_starts[plain] = first
                    first = begin + max(at - mark, 0)
                    token_ends[plain] = first
                    plain += 1
                if at == size:
                    count = plain
                    continue
            while True:
                size = write_normalized(
                    data[start:end],
                    units,
                    replacements,
                    user_defined,
                    kinds,
                    is_settled,
                    False,
                    removes_spaces,
                    word,
                    origins,
                    limits,
                )
                if size <= len(word):
                    break
                word, origins, limits = (
                    np.empty(size, np.uint8),
                    np.empty(size, np.int64),
                    np.empty(size, np.int64),
                )
                room = new_room(size)
            at, n_ids = 0, 0
            while at < size and tokens[count + n_ids] != unknown:
                token_starts[count + n_ids] = start + origins[at]
                at += int(lengths[tokens[count + n_ids]])
                token_ends[count + n_ids] = start + limits[at - 1]
                n_ids += 1
            if at < size:
                n_ids = segment_word(
                    word,
                    0,
                    size,
                    rows,
                    scores,
                    unknown,
                    unknown_score,
                    room.lattice,
                    room.ids,
                    room.firsts,
                    room.lasts,
                )
                for token in range(n_ids):
                    source = n_ids - 1 - token
                    if room.ids[source] == unknown:
                        n_unknown += int(room.lasts[source] - room.firsts[source])
                    token_starts[count + token] = start + origins[room.firsts[source]]
                    token_ends[count + token] = start + limits[room.lasts[source] - 1]
            count += n_ids
        if n_words == 0:
            return n_unknown
        position = int(ends[n_words - 1])
