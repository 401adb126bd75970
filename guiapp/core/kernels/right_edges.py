"""The number of tokens of every prefix of pieces, from the merges along their right edges.

A prefix's last token was one symbol after another while it grew: a character at first, which then merged
with what stood on its left, again and again.  These symbols are the prefix's *edge*; each comes up at some
time and is gone when the next one does.  A further character meets them in turn.  It merges with the first
one whose rule comes before the edge's own next merge.  What stands left of that is a shorter prefix, whose
edge the new symbol meets next, but only the part of it that is still to come by then.  Where nothing merges
any more, the new symbol is the last token, behind all tokens of that shorter prefix.

So a character costs a few looks into the rules, not the merging of all that came before, and prefixes that
pieces have in common cost that once.  Where tokens are taken whole, those that nothing else grows from cost
only to be looked up.  No readable twin of its own: `scan` is.

Times are *peaks*: the highest rank of a merge up to and including this one.  Two neighbours take turns by
their peaks, the left one first where these are equal; see `derivations.py`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.borrowing import borrowing
from guiapp.core.kernels.compile import kernel
from guiapp.core.kernels.eight_bytes import load_eight, prefetch
from guiapp.core.kernels.new_pieces import ALL_PIECES, PieceTables, find_whole
from guiapp.core.kernels.piece_cache import UNKNOWN as NO_TOKENS
from guiapp.core.kernels.piece_growth import UNKNOWN
from guiapp.core.kernels.piece_keys import (
    BYTE_BITS,
    HALF,
    LENGTH_SHIFT,
    LOW_MASKS,
    MIX_HIGH,
    MIX_LOW,
    NEXT,
    NO_BITS,
    PLACE_SHIFT,
    SHORT,
    TWO,
    WHOLE_BIT,
    find_known,
)
from guiapp.core.kernels.word_merges import (
    FLAG_BITS,
    NO_RULE,
    TAKES,
    WARY,
    WordMerges,
    number_of,
)

NONE, NO_ROOM = -1, -1
EIGHT = 8  # bytes of a word
ROOT, EMPTY = 0, 0
FIRST_LEAD = 0xC0
START = -1  # peak and rank of a character
EDGE = 4  # words of a symbol of an edge
SIZE, PEAK, RANK = 1, 2, 3  # of these, behind the symbol itself
ROOM = 4  # symbols of edges, and steps of a path, for each byte
FEW = 16  # nodes more than bytes, because a byte may be of several pieces
WIDTH_BITS = 3  # of what `_start_symbol` returns
SYMBOL_BITS = 32
PLACE = 4  # words of the place of a node
LAST, STOP, TEXT = 1, 2, 3  # of these, behind where it begins in `path`


class Prefixes(NamedTuple):
    """Prefixes of pieces, each once: a tree of nodes, of which ROOT is the empty prefix.

    path       int32[…]        the nodes of one piece after the other, each by where its prefix ends there
    slots      int32[2^k]      the nodes by parent and last start symbol, open addressing, EMPTY where none is
    keys       int64[nodes]    parent << SYMBOL_BITS | start symbol
    places     int64[4 * …]    where in `path` it begins, its last start symbol begins, and it ends first, and
                               where it begins in the texts
    whole_ids  int32[nodes]    the token that it is, whatever merging makes of it, or NONE
    is_needed  bool[nodes]     whether it needs an edge
    counts     int32[nodes]    the tokens that merging makes, or NONE where not all symbols are tokens
    spans      int64[2 * …]    where in `edges` the edge of each begins and ends
    edges      int32[4 * …]    symbol, its bytes, the peak and the rank of the merge that made it; one after
                               the other in time, the start symbol first
    last       int32[n + 1]    by where in the texts a prefix of them ends: its last piece
    """

    path: NDArray[np.int32]
    slots: NDArray[np.int32]
    keys: NDArray[np.int64]
    places: NDArray[np.int64]
    whole_ids: NDArray[np.int32]
    is_needed: NDArray[np.bool_]
    counts: NDArray[np.int32]
    spans: NDArray[np.int64]
    edges: NDArray[np.int32]
    last: NDArray[np.int32]


class PieceCounts(NamedTuple):
    """The tokens of the last piece of each prefix, by where it ends.

    own        int64[n + 1]  as `count_tokens` has them
    n_unknown  how many prefixes are left to be encoded
    prefixes   what the others were counted by
    """

    own: NDArray[np.int64]
    n_unknown: int
    prefixes: Prefixes


def room_for_prefixes(n_bytes: int, room: int = ROOM) -> Prefixes:
    """For pieces of so many bytes in all."""
    n_nodes = (n_bytes + FEW) * room // ROOM
    return Prefixes(
        path=np.empty(room * (n_bytes + FEW), np.int32),
        slots=np.zeros(2 << n_nodes.bit_length(), np.int32),
        keys=np.empty(n_nodes, np.int64),
        places=np.empty(PLACE * n_nodes, np.int64),
        whole_ids=np.empty(n_nodes, np.int32),
        is_needed=np.empty(n_nodes, np.bool_),
        counts=np.empty(n_nodes, np.int32),
        spans=np.empty(2 * n_nodes, np.int64),
        edges=np.empty(EDGE * room * n_bytes, np.int32),
        last=np.empty(n_bytes + 1, np.int32),
    )


@kernel
def count_tokens(
    texts: NDArray[np.uint8],
    origins: NDArray[np.int64],
    n_begun: NDArray[np.uint8],
    tables: PieceTables,
    known: NDArray[np.uint64],
    prefixes: Prefixes,
    own: NDArray[np.int64],
) -> int:
    """Write how many tokens the last piece of each prefix has that ends with a whole character.

    origins, n_begun  by where in the texts a prefix ends; see `piece_growth`.  UNKNOWN is entered where
                      a character is no start symbol of the words in `tables`, or what comes out is no token
    known     rows of all pieces that fit one and are taken whole, if the tables say that they are known
    prefixes  with nothing in it so far
    own       by where a prefix ends
    Returns for how many prefixes UNKNOWN is entered in the end, or NO_ROOM.
    """
    counts, whole_ids, last, words = prefixes.counts, prefixes.whole_ids, prefixes.last, tables.words
    n_nodes = _enter(texts, origins, n_begun, words, prefixes)
    if n_nodes == NONE:
        return NO_ROOM
    for node in range(n_nodes):
        whole_ids[node], prefixes.is_needed[node] = NONE, False
    if tables.whole_pieces == ALL_PIECES:
        _find_whole(texts, tables, known, n_nodes, prefixes, np.empty(1, np.int32))
    _find_needed(n_nodes, prefixes)
    if not _make_edges(n_nodes, words, prefixes):
        return NO_ROOM
    n_unknown = 0
    for end in range(1, len(origins)):
        if n_begun[end] == 0:
            node = int(last[end])
            if node != NONE and whole_ids[node] != NONE:
                own[end] = 1
            elif node == NONE or counts[node] == NONE:
                n_begun[end] = UNKNOWN
            else:
                own[end] = counts[node]
        n_unknown += int(n_begun[end] == UNKNOWN)
    return n_unknown


@borrowing
def _enter(
    texts: NDArray[np.uint8],
    origins: NDArray[np.int64],
    n_begun: NDArray[np.uint8],
    words: WordMerges,
    prefixes: Prefixes,
) -> int:
    """Make nodes for all that prefixes end with, and tell which one it is, or NONE.

    Returns how many there are then, or NONE if there is no room.
    """
    path, slots, keys = prefixes.path, prefixes.slots, prefixes.keys
    places, of_byte, of_character = prefixes.places, words.of_byte, words.of_character
    n_nodes, mask, used, origin, start = 1, len(slots) - 1, 0, NONE, 0
    at, node, flags = 0, ROOT, 0
    for end in range(1, len(origins)):
        if n_begun[end] != 0:
            continue
        if origins[end] != origin:
            origin = at = int(origins[end])
            node, flags, start = ROOT, 0, used
        if used + end - at >= len(path) or n_nodes + end - at > len(keys):
            return NONE
        while at < end and node != NONE:
            byte, width = int(texts[at]), 1
            symbol = int(of_byte[byte])
            if byte >= FIRST_LEAD:
                found = _start_symbol(texts, origin, at, end, symbol, of_character, flags)
                symbol, width = found >> WIDTH_BITS + FLAG_BITS, found & (1 << WIDTH_BITS) - 1
                flags = found >> WIDTH_BITS & (1 << FLAG_BITS) - 1
            if symbol < 0:
                node = NONE
                continue
            key = np.int64(node) << SYMBOL_BITS | np.int64(symbol)
            slot = int(np.int64(np.uint64(key) * MIX_LOW >> HALF)) & mask
            while slots[slot] != EMPTY and keys[slots[slot]] != key:
                slot = (slot + 1) & mask
            if slots[slot] == EMPTY:
                slots[slot], keys[n_nodes], place = n_nodes, key, PLACE * n_nodes
                last = start + at - origin
                places[place], places[place + LAST], places[place + STOP] = start, last, last + width
                places[place + TEXT] = origin
                n_nodes += 1
            at, node = at + width, int(slots[slot])
            used = start + at - origin
            path[used] = node
        prefixes.last[end] = node
    return n_nodes


@borrowing
def _start_symbol(
    data: NDArray[np.uint8],
    start: int,
    at: int,
    end: int,
    symbol: int,
    of_character: NDArray[np.int32],
    before: int,
) -> int:
    """The start symbol of the character at `at` of the piece data[start:end], as `merge_word` has it.

    symbol  of its first byte by itself
    before  the flags of the last character of several bytes, as returned for that
    Returns symbol << 5 | flags << 3 | its bytes.
    """
    byte, width = int(data[at]), 1
    if byte >= 0xF0:
        before = TAKES
    else:
        follower = at + 1
        while follower < end and data[follower] & 0xC0 == 0x80:
            follower += 1
        if at > start and data[at - 1] < 0x80:
            before = int(of_character[data[at - 1]])
        entry, code, least = TAKES, 0, 0x80
        if follower - at == 2 + int(byte >= 0xE0):
            code = (byte & 0x1F) << 6 | (int(data[at + 1]) & 0x3F)
            if byte >= 0xE0:
                code, least = (code << 6 | (int(data[at + 2]) & 0x3F)) & 0xFFFF, 0x800
        if code >= least:
            entry = int(of_character[code])
            if entry >> FLAG_BITS and not (entry & WARY and before & TAKES):
                symbol, width = (entry >> FLAG_BITS) - 1, follower - at
        before = entry
    return (symbol << FLAG_BITS | before & (WARY | TAKES)) << WIDTH_BITS | width


@borrowing
def _find_needed(n_nodes: int, prefixes: Prefixes) -> None:
    """Note which nodes need an edge: those that are not one token, and shorter prefixes of such."""
    keys, whole_ids, is_needed = prefixes.keys, prefixes.whole_ids, prefixes.is_needed
    for node in range(n_nodes - 1, ROOT, -1):
        if whole_ids[node] == NONE:
            is_needed[node] = True
        if is_needed[node]:
            is_needed[keys[node] >> SYMBOL_BITS] = True


@borrowing
def _make_edges(n_nodes: int, words: WordMerges, prefixes: Prefixes) -> bool:
    """Write edges and counts of all nodes that need them; returns whether there was room."""
    has_rule, rows, results, tie_bits = words.has_rule, words.rows, words.made, words.tie_bits
    spread, bit_shift = np.uint64(words.spread), np.uint64(words.bit_shift)
    symbol_bits, number_bits = np.uint64(words.symbol_bits), np.uint64(words.number_bits)
    counts, spans, edges, path = prefixes.counts, prefixes.spans, prefixes.edges, prefixes.path
    places, keys, is_needed, used = prefixes.places, prefixes.keys, prefixes.is_needed, 0
    counts[ROOT], spans[0], spans[1] = 0, 0, 0
    for node in range(1, n_nodes):
        if not is_needed[node]:
            continue
        place = PLACE * node
        start, at, end = int(places[place]), int(places[place + LAST]), int(places[place + STOP])
        left, made = int(keys[node] >> SYMBOL_BITS), np.int32(keys[node] & (1 << SYMBOL_BITS) - 1)
        if EDGE * (used + end - start) > len(edges):
            return False
        spans[2 * node] = used
        peak, rank, is_last = START, START, False
        while not is_last:
            row = EDGE * used
            edges[row], edges[row + SIZE], edges[row + PEAK], edges[row + RANK] = made, end - at, peak, rank
            used += 1
            is_last = True
            stop = int(spans[2 * left + 1])
            for meets in range(spans[2 * left], stop):
                row, goes = EDGE * meets, meets + 1 < stop
                if goes and edges[row + EDGE + PEAK] <= peak:
                    continue
                number = number_of(
                    edges[row], made, has_rule, rows, spread, bit_shift, symbol_bits, number_bits
                )
                if number == NO_RULE:
                    continue
                rank = number >> tie_bits
                both = max(rank, peak)
                then = max(both, int(edges[row + PEAK]))
                if goes and then >= edges[row + EDGE + PEAK]:
                    # Only where both rules have waited for the symbol on the left do their own ranks decide.
                    has_waited = both < then and then == edges[row + EDGE + PEAK]
                    if not has_waited or rank >= edges[row + EDGE + RANK]:
                        continue
                made, peak, is_last = results[number], then, False
                at -= int(edges[row + SIZE])
                left = ROOT if at == start else int(path[at])
                break
        spans[2 * node + 1] = used
        counts[node] = NONE
        if counts[left] != NONE and made < words.n_tokens:
            counts[node] = counts[left] + 1
    return True


@borrowing
def _find_whole(
    texts: NDArray[np.uint8],
    tables: PieceTables,
    known: NDArray[np.uint64],
    n_nodes: int,
    prefixes: Prefixes,
    out: NDArray[np.int32],
) -> None:
    """Note which prefixes are one token, whatever merging makes of them."""
    places, whole_ids, mask = prefixes.places, prefixes.whole_ids, np.uint64((len(known) >> 2) - 1)
    for is_sent_for in (False, True):
        for node in range(1, n_nodes):
            start = int(places[PLACE * node + TEXT])
            stop = start + int(places[PLACE * node + STOP] - places[PLACE * node])
            if stop - start > SHORT or not tables.knows_whole:
                if is_sent_for and find_whole(texts, start, stop, tables, out, 0) != NO_TOKENS:
                    whole_ids[node] = out[0]
                continue
            low = _bytes_from(texts, start, min(stop - start, EIGHT))
            high = _bytes_from(texts, start + EIGHT, max(stop - start - EIGHT, 0))
            high |= np.uint64(stop - start) << LENGTH_SHIFT | WHOLE_BIT
            if is_sent_for:
                row = find_known(known, low, high)
                if known[row + NEXT] != NO_BITS:
                    whole_ids[node] = np.int32(known[row + TWO])
            else:
                mixed = low * MIX_LOW ^ high * MIX_HIGH
                mixed = (mixed ^ (mixed >> HALF)) * MIX_LOW
                prefetch(known, int(np.int64((mixed >> PLACE_SHIFT & mask) << TWO)))


@borrowing
def _bytes_from(texts: NDArray[np.uint8], start: int, length: int) -> np.uint64:
    """Up to eight bytes as a word, the first one lowest."""
    if start + EIGHT <= len(texts):
        return np.uint64(load_eight(texts, start) & LOW_MASKS[length])
    word = NO_BITS
    for at in range(start + length - 1, start - 1, -1):
        word = word << BYTE_BITS | np.uint64(texts[at])
    return word
