"""The number of tokens of every prefix of pieces, from the merges along their right edges.

A prefix's last token was one symbol after another while it grew: a character at first, which then merged
with what stood on its left, again and again.  These symbols are the prefix's *edge*; each comes up at some
time and is gone when the next one does.  A further character meets them in turn.  It merges with the first
one whose rule comes before the edge's own next merge.  What stands left of that is a shorter prefix, whose
edge the new symbol meets next, but only the part of it that is still to come by then.  Where nothing merges
any more, the new symbol is the last token, behind all tokens of that shorter prefix.

So a character costs a few looks into the rules, not the merging of all that came before, and prefixes that
pieces have in common cost that once.  All pieces go on character by character together, so that what their
looks have to wait for comes at the same time.  No readable twin of its own: `scan` is.

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
    send_for,
)

NONE = -1
EIGHT = 8  # bytes of a word
ROOT, EMPTY = 0, 0
FIRST_LEAD = 0xC0
START = -1  # peak and rank of a character
EDGE = 4  # words of a symbol of an edge
SIZE, PEAK, RANK = 1, 2, 3  # of these, behind the symbol itself
EDGE_ROOM = 4  # symbols of edges for each byte
PIECE = 4  # words of a piece
END, REACHED, FLAGS = 1, 2, 3  # of these, behind where it begins
WIDTH_BITS = 3  # of what `_start_symbol` returns
SYMBOL_BITS = 32
PLACE = 3  # words of the place of a node
LAST, STOP = 1, 2  # of these, behind where it begins


class Prefixes(NamedTuple):
    """Prefixes of pieces, each once: a tree of nodes, of which ROOT is the empty prefix.

    pieces  int64[4 * …]      where each begins and ends in the texts, up to where it has been looked at, and
                              the flags of the last character there
    path    int32[bytes + 1]  by where in the texts a prefix ends, its node, or NONE
    slots   int32[2^k]        the nodes by parent and last start symbol, open addressing, EMPTY where none is
    keys    int64[nodes]      parent << SYMBOL_BITS | start symbol
    places  int64[3 * nodes]  where in the texts it begins, its last start symbol begins, and it ends first
    counts  int32[nodes]      the tokens that merging makes, or NONE where not all symbols are tokens
    firsts  int64[nodes + 1]  where the edge of each node begins in `edges`
    edges   int32[4 * …]      symbol, its bytes, the peak and the rank of the merge that made it; one after
                              the other in time, the start symbol first
    """

    pieces: NDArray[np.int64]
    path: NDArray[np.int32]
    slots: NDArray[np.int32]
    keys: NDArray[np.int64]
    places: NDArray[np.int64]
    counts: NDArray[np.int32]
    firsts: NDArray[np.int64]
    edges: NDArray[np.int32]


def room_for_prefixes(n_bytes: int, edge_room: int = EDGE_ROOM) -> Prefixes:
    """For pieces of so many bytes in all."""
    return Prefixes(
        pieces=np.empty(PIECE * n_bytes, np.int64),
        path=np.full(n_bytes + 1, NONE, np.int32),
        slots=np.zeros(2 << n_bytes.bit_length(), np.int32),
        keys=np.empty(n_bytes + 1, np.int64),
        places=np.empty(PLACE * (n_bytes + 1), np.int64),
        counts=np.zeros(n_bytes + 1, np.int32),
        firsts=np.zeros(n_bytes + 2, np.int64),
        edges=np.empty(EDGE * edge_room * n_bytes, np.int32),
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
) -> bool:
    """Write how many tokens the last piece of each prefix has that ends with a whole character.

    origins, n_begun  by where in the texts a prefix ends; see `piece_growth`.  UNKNOWN is entered where
                      a character is no start symbol of the words in `tables`, or what comes out is no token
    known     rows of all pieces that fit one and are taken whole, if the tables say that they are known
    prefixes  with nothing in it so far
    own       by where a prefix ends
    Returns whether there was enough room for edges.
    """
    path, counts, words = prefixes.path, prefixes.counts, tables.words
    n_active, n_nodes = _list_pieces(origins, n_begun, prefixes.pieces), 1
    while n_active:
        first = n_nodes
        found = _enter_next(texts, n_active, n_nodes, words, prefixes)
        n_active, n_nodes = found >> SYMBOL_BITS, found & (1 << SYMBOL_BITS) - 1
        _send_for_rules(first, n_nodes, words, prefixes)
        if not _make_edges(first, n_nodes, words, prefixes):
            return False
    if tables.whole_pieces == ALL_PIECES:
        _take_whole(texts, tables, known, n_nodes, prefixes, np.empty(1, np.int32))
    for end in range(1, len(origins)):
        if n_begun[end] == 0:
            if path[end] == NONE or counts[path[end]] == NONE:
                n_begun[end] = UNKNOWN
            else:
                own[end] = counts[path[end]]
    return True


@borrowing
def _list_pieces(origins: NDArray[np.int64], n_begun: NDArray[np.uint8], pieces: NDArray[np.int64]) -> int:
    """List pieces as far as prefixes end with them; returns how many there are."""
    count, origin = 0, NONE
    for end in range(1, len(origins)):
        if n_begun[end] != 0:
            continue
        if origins[end] != origin:
            origin = int(origins[end])
            pieces[PIECE * count] = pieces[PIECE * count + REACHED] = origin
            pieces[PIECE * count + FLAGS] = 0
            count += 1
        pieces[PIECE * (count - 1) + END] = end
    return count


@borrowing
def _enter_next(
    texts: NDArray[np.uint8], n_active: int, n_nodes: int, words: WordMerges, prefixes: Prefixes
) -> int:
    """Go on by one start symbol in each of the first pieces, and keep those in front that go on still.

    Returns how many these are << SYMBOL_BITS | how many nodes there are then; new ones have no edge yet.
    """
    pieces, path, slots, keys = prefixes.pieces, prefixes.path, prefixes.slots, prefixes.keys
    places, of_byte, of_character = prefixes.places, words.of_byte, words.of_character
    n_kept, mask = 0, len(slots) - 1
    for index in range(n_active):
        piece = PIECE * index
        start, end, at = int(pieces[piece]), int(pieces[piece + END]), int(pieces[piece + REACHED])
        byte, flags, width = int(texts[at]), int(pieces[piece + FLAGS]), 1
        symbol = int(of_byte[byte])
        if byte >= FIRST_LEAD:
            found = _start_symbol(texts, start, at, end, symbol, of_character, flags)
            symbol, width = found >> WIDTH_BITS + FLAG_BITS, found & (1 << WIDTH_BITS) - 1
            flags = found >> WIDTH_BITS & (1 << FLAG_BITS) - 1
        if symbol < 0:
            continue
        parent = ROOT if at == start else int(path[at])
        key = np.int64(parent) << SYMBOL_BITS | np.int64(symbol)
        slot = int(np.int64(np.uint64(key) * MIX_LOW >> HALF)) & mask
        while slots[slot] != EMPTY and keys[slots[slot]] != key:
            slot = (slot + 1) & mask
        if slots[slot] == EMPTY:
            slots[slot], keys[n_nodes], place = n_nodes, key, PLACE * n_nodes
            places[place], places[place + LAST], places[place + STOP] = start, at, at + width
            n_nodes += 1
        at += width
        path[at] = slots[slot]
        if at < end:
            kept = PIECE * n_kept
            pieces[kept], pieces[kept + END], pieces[kept + REACHED] = start, end, at
            pieces[kept + FLAGS] = flags
            n_kept += 1
    return n_kept << SYMBOL_BITS | n_nodes


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
def _send_for_rules(first: int, n_nodes: int, words: WordMerges, prefixes: Prefixes) -> None:
    """Let the processor fetch the rules by which the last symbols of new nodes may merge."""
    keys, firsts, edges = prefixes.keys, prefixes.firsts, prefixes.edges
    has_rule, rows = words.has_rule, words.rows
    spread, bit_shift = np.uint64(words.spread), np.uint64(words.bit_shift)
    symbol_bits = np.uint64(words.symbol_bits)
    for node in range(first, n_nodes):
        symbol, left = np.int32(keys[node] & (1 << SYMBOL_BITS) - 1), int(keys[node] >> SYMBOL_BITS)
        for meets in range(firsts[left], firsts[left + 1]):
            send_for(edges[EDGE * meets], symbol, has_rule, rows, spread, bit_shift, symbol_bits)


@borrowing
def _make_edges(first: int, n_nodes: int, words: WordMerges, prefixes: Prefixes) -> bool:
    """Write edges and counts of new nodes, shorter prefixes having theirs; returns whether there was room."""
    has_rule, rows, results, tie_bits = words.has_rule, words.rows, words.made, words.tie_bits
    spread, bit_shift = np.uint64(words.spread), np.uint64(words.bit_shift)
    symbol_bits, number_bits = np.uint64(words.symbol_bits), np.uint64(words.number_bits)
    counts, firsts, edges, path = prefixes.counts, prefixes.firsts, prefixes.edges, prefixes.path
    places, keys, used = prefixes.places, prefixes.keys, int(prefixes.firsts[first])
    for node in range(first, n_nodes):
        place = PLACE * node
        start, at, end = int(places[place]), int(places[place + LAST]), int(places[place + STOP])
        left, made = int(keys[node] >> SYMBOL_BITS), np.int32(keys[node] & (1 << SYMBOL_BITS) - 1)
        if EDGE * (used + end - start) > len(edges):
            return False
        peak, rank, is_last = START, START, False
        while not is_last:
            row = EDGE * used
            edges[row], edges[row + SIZE], edges[row + PEAK], edges[row + RANK] = made, end - at, peak, rank
            used += 1
            is_last = True
            for meets in range(firsts[left], firsts[left + 1]):
                row, goes = EDGE * meets, meets + 1 < firsts[left + 1]
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
        firsts[node + 1] = used
        counts[node] = NONE
        if counts[left] != NONE and made < words.n_tokens:
            counts[node] = counts[left] + 1
    return True


@borrowing
def _take_whole(
    texts: NDArray[np.uint8],
    tables: PieceTables,
    known: NDArray[np.uint64],
    n_nodes: int,
    prefixes: Prefixes,
    out: NDArray[np.int32],
) -> None:
    """Count one token for prefixes that are one token, whatever merging makes of them."""
    places, counts, mask = prefixes.places, prefixes.counts, np.uint64((len(known) >> 2) - 1)
    for is_sent_for in (False, True):
        for node in range(1, n_nodes):
            if counts[node] == 1:
                continue
            start, stop = int(places[PLACE * node]), int(places[PLACE * node + STOP])
            if stop - start > SHORT or not tables.knows_whole:
                if is_sent_for and find_whole(texts, start, stop, tables, out, 0) != NO_TOKENS:
                    counts[node] = 1
                continue
            low = _bytes_from(texts, start, min(stop - start, EIGHT))
            high = _bytes_from(texts, start + EIGHT, max(stop - start - EIGHT, 0))
            high |= np.uint64(stop - start) << LENGTH_SHIFT | WHOLE_BIT
            if is_sent_for:
                if known[find_known(known, low, high) + NEXT] != NO_BITS:
                    counts[node] = 1
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
