"""WordPiece where words repeat: each is normalised and encoded once and then looked up.

Words are independent of each other, so neither what a cache holds nor what it forgets shows in the tokens.
No readable twin of its own: `wordpiece` is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.byte_trie import TokenMatcher
from guiapp.core.kernels.compile import kernel, routine
from guiapp.core.kernels.eight_bytes import count_letters
from guiapp.core.kernels.normalize_wordpiece import (
    END_WORD,
    EXTEND_WORD,
    SKIP,
    STAND_ALONE,
    ActionTable,
    decode,
    write_words,
)
from guiapp.core.kernels.piece_cache import UNKNOWN, PieceCache
from guiapp.core.kernels.piece_keys import BLOCK, KEY, look_up
from guiapp.core.kernels.word_cache import SPARE, key_words, remember, remembered
from guiapp.core.kernels.wordpiece import NORMALIZED_BYTES, take_longest

COUNT_MASK = (1 << 32) - 1
FOLD = np.uint8(0x20)
MARK = 3  # bytes of U+2581


@routine
def find_words(
    data: NDArray[np.uint8],
    position: int,
    table: ActionTable,
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
) -> int:
    """Write where the next words of a text lie, as many as `starts` holds; returns how many.

    Each becomes at least one token.
    """
    rows, pages, ascii_row = table.rows, table.pages, int(table.pages[0])
    at, count, size = position, 0, len(data)
    while at < size and count < len(starts):
        width, code = 1, int(data[at])
        action = int(rows[ascii_row, code]) & 3
        if code >= 0x80:
            character = decode(data, at)
            width, code = character & 7, character >> 3
            action = int(rows[pages[code >> 8], code & 255]) & 3
        start = at
        at += width
        if action < STAND_ALONE:
            continue
        while action == EXTEND_WORD and at < size:
            if at + 16 <= size:
                at += count_letters(data, at, FOLD)
                if at == size:
                    break
            width, code = 1, int(data[at])
            following = int(rows[ascii_row, code]) & 3
            if code >= 0x80:
                character = decode(data, at)
                width, code = character & 7, character >> 3
                following = int(rows[pages[code >> 8], code & 255]) & 3
            if following == END_WORD or following == STAND_ALONE:
                break
            at += width
        starts[count] = start
        ends[count] = at
        count += 1
    return count


@kernel
def encode_known(
    data: NDArray[np.uint8],
    pages: NDArray[np.uint16],
    rows: np.ndarray[tuple[int, int], np.dtype[np.int32]],
    short: NDArray[np.uint64],
    out: NDArray[np.int32],
) -> int:
    """Write the ids of words up to one that takes more than a look into a row, as `encode` returns it.

    With few and simple arguments, those of the ActionTable one by one: to hand over those of `encode` takes
    longer than to encode a short text.
    """
    table = ActionTable(pages, rows)
    starts, ends = np.empty(BLOCK, np.int64), np.empty(BLOCK, np.int64)
    keys = np.empty(KEY * BLOCK, np.uint64)
    position, count, size = 0, 0, len(data)
    while position < size and count + SPARE <= len(out):
        n_words = find_words(data, position, table, starts, ends)
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
    table: ActionTable,
    matcher: TokenMatcher,
    unknown: int,
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
    size = len(data)
    text, end_of_text, until_end = -1, 0 if len(text_ends) else size, data
    starts, ends = np.empty(BLOCK, np.int64), np.empty(BLOCK, np.int64)
    keys = np.empty(KEY * BLOCK, np.uint64)
    room = NORMALIZED_BYTES * 64
    word, found, ids = np.empty(room, np.uint8), np.empty(room, np.int32), np.empty(room, np.int32)
    firsts, lasts, bounds = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(1, np.int64)
    short, known, long, kept_text, kept_ids, used = cache
    while position < size and count + SPARE <= len(out):
        while len(text_ends) and end_of_text <= position:
            text += 1
            end_of_text = int(text_ends[text])
            until_end = data[:end_of_text]
        n_words = find_words(until_end, position, table, starts, ends)
        key_words(data, starts, ends, n_words, short, keys)
        index = 0
        while True:
            looked_up = look_up(keys, index, n_words, short, out, count)
            index, first = looked_up >> 32, looked_up & COUNT_MASK
            count = first
            if index == n_words:
                break
            start, end = int(starts[index]), int(ends[index])
            needed = NORMALIZED_BYTES * (end - start)
            if first + SPARE > len(out):
                return start << 32 | first
            count = remembered(
                data, start, end, True, keys, index, short, known, long, kept_text, kept_ids, out, first
            )
            if count == UNKNOWN:
                if first + needed + SPARE > len(out):
                    return start << 32 | first
                if needed > len(word):
                    word, found = np.empty(needed, np.uint8), np.empty(needed, np.int32)
                    ids, firsts, lasts = (
                        np.empty(needed, np.int32),
                        np.empty(needed, np.int64),
                        np.empty(needed, np.int64),
                    )
                write_words(data[start:end], table, word, firsts, lasts, bounds)
                n_ids = take_longest(word, 0, int(bounds[0]), matcher, unknown, found, ids, firsts, lasts, 0)
                for at in range(n_ids):
                    out[first + at] = ids[at]
                count = first + n_ids
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


@routine
def _keeps_lengths(data: NDArray[np.uint8], start: int, end: int, table: ActionTable) -> bool:
    """Whether each character of a word becomes one of as many bytes."""
    at, ascii_row = start, int(table.pages[0])
    while at < end:
        byte = int(data[at])
        if byte < 0x80 and int(table.rows[ascii_row, byte]) & 3 != SKIP:  # ASCII becomes ASCII
            at += 1
            continue
        character = decode(data, at)
        width, code = character & 7, character >> 3
        value = int(table.rows[table.pages[code >> 8], code & 255])
        target = code + (value >> 2)
        if value & 3 == SKIP or width != 1 + int(target >= 0x80) + int(target >= 0x800) + int(
            target >= 0x10000
        ):
            return False
        at += width
    return True


@kernel
def find_spans(
    data: NDArray[np.uint8],
    table: ActionTable,
    matcher: TokenMatcher,
    unknown: int,
    may_be_first: bool,
    tokens: NDArray[np.int32],
    token_starts: NDArray[np.int64],
    token_ends: NDArray[np.int64],
) -> None:
    """Write where the tokens lie that `encode` gave.

    may_be_first  whether the unknown token may be the first one of a word by its text; else it is all of it
    """
    starts, ends = np.empty(BLOCK, np.int64), np.empty(BLOCK, np.int64)
    room = NORMALIZED_BYTES * 64
    word, found, ids = np.empty(room, np.uint8), np.empty(room, np.int32), np.empty(room, np.int32)
    origins, limits, bounds = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(1, np.int64)
    firsts, lasts, lengths = np.empty(room, np.int64), np.empty(room, np.int64), matcher.lengths
    position, count = 0, 0
    while True:
        n_words = find_words(data, position, table, starts, ends)
        for index in range(n_words):
            start, end = int(starts[index]), int(ends[index])
            is_unsure = tokens[count] == unknown and may_be_first
            if not is_unsure and _keeps_lengths(data, start, end, table):
                at, size = 0, MARK + end - start
                while at < size:
                    token_starts[count] = start + max(at - MARK, 0)
                    at = size if at == 0 and tokens[count] == unknown else at + int(lengths[tokens[count]])
                    token_ends[count] = start + max(at - MARK, 0)
                    count += 1
                continue
            needed = NORMALIZED_BYTES * (end - start)
            if needed > len(word):
                word, found, ids = (
                    np.empty(needed, np.uint8),
                    np.empty(needed, np.int32),
                    np.empty(needed, np.int32),
                )
                origins, limits = np.empty(needed, np.int64), np.empty(needed, np.int64)
                firsts, lasts = np.empty(needed, np.int64), np.empty(needed, np.int64)
            write_words(data[start:end], table, word, origins, limits, bounds)
            size = int(bounds[0])
            n_ids = take_longest(word, 0, size, matcher, unknown, found, ids, firsts, lasts, 0)
            for token in range(n_ids):
                token_starts[count] = start + origins[firsts[token]]
                token_ends[count] = start + limits[lasts[token] - 1]
                count += 1
        if n_words == 0:
            return
        position = int(ends[n_words - 1])
