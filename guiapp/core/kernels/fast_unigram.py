"""Unigram where words repeat: each is normalised and encoded once and then looked up.

Where each U+2581 begins a token, the best segmentation of a text is those of its words side by side.  Words
that were never met are normalised and cut once more, where no token holds two characters side by side:
no way through the text leads over such a place, and sums of scores are the same behind it but for what all
ways have in common.  Only unknown tokens join across it.
No readable twin of its own: `viterbi` is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.borrowing import borrowing
from guiapp.core.kernels.compile import kernel, routine
from guiapp.core.kernels.normalize_unigram import write_normalized
from guiapp.core.kernels.pair_cuts import PairCuts
from guiapp.core.kernels.piece_cache import UNKNOWN, PieceCache
from guiapp.core.kernels.piece_keys import BLOCK, KEY, NO_BITS, key_pieces, look_up
from guiapp.core.kernels.piece_parts import cut_ends
from guiapp.core.kernels.unigram_words import (
    USUAL_WORD,
    UnigramTables,
    WordRoom,
    find_words,
    new_room,
    segment_word,
)
from guiapp.core.kernels.word_cache import SPARE, key_words, remember, remembered

COUNT_MASK = (1 << 32) - 1


@borrowing
def _encode_parts(
    word: NDArray[np.uint8],
    size: int,
    cuts: PairCuts,
    rows: NDArray[np.int32],
    scores: NDArray[np.float64],
    unknown: int,
    unknown_score: float,
    room: WordRoom,
    ends: NDArray[np.int64],
    keys: NDArray[np.uint64],
    short: NDArray[np.uint64],
    known: NDArray[np.uint64],
    long: NDArray[np.int64],
    kept_text: NDArray[np.uint8],
    kept_ids: NDArray[np.int32],
    used: NDArray[np.int64],
    out: NDArray[np.int32],
    first: int,
) -> int:
    """Append the ids of the normalised word[:size], part by part; the new count."""
    count, start = first, 0
    lattice, ids, firsts, lasts = room
    while start < size:
        n_parts = cut_ends(word, ends, start, size, cuts)
        key_pieces(word, start, ends, n_parts, NO_BITS, short, keys)
        index = 0
        while True:
            looked_up = look_up(keys, index, n_parts, short, out, count)
            index, before = looked_up >> 32, looked_up & COUNT_MASK
            count = before
            if index == n_parts:
                break
            if index:
                start = int(ends[index - 1])
            end = int(ends[index])
            count = remembered(
                word, start, end, False, keys, index, short, known, long, kept_text, kept_ids, out, before
            )
            if count == UNKNOWN:
                n_ids = segment_word(
                    word, start, end, rows, scores, unknown, unknown_score, lattice, ids, firsts, lasts
                )
                for token in range(n_ids):
                    out[before + token] = ids[n_ids - 1 - token]
                count = before + n_ids
                remember(
                    word,
                    start,
                    end,
                    False,
                    keys,
                    index,
                    short,
                    known,
                    long,
                    kept_text,
                    kept_ids,
                    used,
                    out,
                    before,
                    count,
                )
            index += 1
        start = int(ends[n_parts - 1])
    return _join_unknown(out, first, count, unknown)


@routine
def _join_unknown(ids: NDArray[np.int32], first: int, last: int, unknown: int) -> int:
    """Make one of neighbouring unknown tokens among ids[first:last]; the new count."""
    count = first
    for at in range(first, last):
        if at == first or ids[at] != unknown or ids[count - 1] != unknown:
            ids[count] = ids[at]
            count += 1
    return count


@kernel
def encode_known(
    data: NDArray[np.uint8],
    is_cut: NDArray[np.bool_],
    removes_spaces: bool,
    short: NDArray[np.uint64],
    out: NDArray[np.int32],
) -> int:
    """Write the ids of words up to one that takes more than a look into a row, as `encode` returns it.

    With few arguments: to hand over those of `encode` takes longer than to encode a short text.
    """
    starts, ends = np.empty(BLOCK, np.int64), np.empty(BLOCK, np.int64)
    keys = np.empty(KEY * BLOCK, np.uint64)
    position, count, size = 0, 0, len(data)
    while position < size and count + SPARE <= len(out):
        n_words = find_words(data, position, is_cut, removes_spaces, starts, ends)
        if n_words == 0:
            return size << 32 | count
        key_words(data, starts, ends, n_words, short, keys)
        found = look_up(keys, 0, n_words, short, out, count)
        n_found, count = found >> 32, found & COUNT_MASK
        if n_found < n_words:
            return int(starts[n_found]) << 32 | count
        position = int(ends[n_words - 1])
    return position << 32 | count


@kernel
def encode(
    data: NDArray[np.uint8],
    position: int,
    tables: UnigramTables,
    cache: PieceCache,
    out: NDArray[np.int32],
    count: int,
    text_ends: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> int:
    """Write the ids of the words of data[position:] behind out[:count].

    text_ends  where the texts end that lie one behind the other, none of them empty; no ends if it is one
    counts     for each of them: the count behind it
    Returns how far it came << 32 | the new count; that is not the end where `out` is too small.
    """
    is_cut, removes_spaces, units, replacements, user_defined, kinds, is_settled = tables[:7]
    rows, _, scores, unknown, unknown_score, cuts = tables[7:]
    short, known, long, kept_text, kept_ids, used = cache
    size = len(data)
    text, end_of_text, until_end = -1, 0 if len(text_ends) else size, data
    starts, ends, parts = np.empty(BLOCK, np.int64), np.empty(BLOCK, np.int64), np.empty(BLOCK, np.int64)
    keys, part_keys = np.empty(KEY * BLOCK, np.uint64), np.empty(KEY * BLOCK, np.uint64)
    word, room = np.empty(USUAL_WORD, np.uint8), new_room(USUAL_WORD)
    origins = np.empty(0, np.int64)  # nobody wants to know them
    while position < size and count + SPARE <= len(out):
        while len(text_ends) and end_of_text <= position:
            text += 1
            end_of_text = int(text_ends[text])
            until_end = data[:end_of_text]
        n_words = find_words(until_end, position, is_cut, removes_spaces, starts, ends)
        key_words(data, starts, ends, n_words, short, keys)
        index = 0
        while True:
            looked_up = look_up(keys, index, n_words, short, out, count)
            index, first = looked_up >> 32, looked_up & COUNT_MASK
            count = first
            if index == n_words:
                break
            start, end = int(starts[index]), int(ends[index])
            if first + SPARE > len(out):
                return start << 32 | first
            count = remembered(
                data, start, end, True, keys, index, short, known, long, kept_text, kept_ids, out, first
            )
            if count != UNKNOWN:
                index += 1
                continue
            needed = write_normalized(
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
                origins,
            )
            if first + needed + 2 * SPARE > len(out):
                return start << 32 | first
            if needed > len(word):
                word, room = np.empty(needed, np.uint8), new_room(needed)
                count = first
                continue
            count = _encode_parts(
                word,
                needed,
                cuts,
                rows,
                scores,
                unknown,
                unknown_score,
                room,
                parts,
                part_keys,
                short,
                known,
                long,
                kept_text,
                kept_ids,
                used,
                out,
                first,
            )
            remember(
                data,
                start,
                end,
                True,
                keys,
                index,
                short,
                known,
                long,
                kept_text,
                kept_ids,
                used,
                out,
                first,
                count,
            )
            index += 1
        position = int(ends[n_words - 1]) if n_words == BLOCK else end_of_text
        if len(text_ends):
            counts[text] = count
    return position << 32 | count
