"""Find special tokens in a text; readable twin in core/text/special_tokens.py.

A trie gives, at each byte, the longest special token that begins there; each knows the next shorter one
that begins the same way.  Tokens then claim their places in match order, and where the longest is
blocked by an earlier claim, the next shorter one gets its turn when its own place in the order comes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.compile import kernel, routine
from guiapp.core.kernels.introsort import sort_ascending

FREE, TOKEN, DROPPED = 0, 1, 2
STRIP_LEFT, STRIP_RIGHT = 1, 2


class SearchTree(NamedTuple):
    """A byte trie over k special tokens, numbered by their rank in match order.

    begins      uint8[256]  1 where a token begins with this byte
    edges       int64[2^b]  open addressing: node * 256 + byte, -1 where empty
    targets     int32[2^b]  the node that the edge leads to
    token_at    int32[…]    rank of the token that ends at a node, or -1
    shorter     int32[k]    rank of the longest token that is a proper prefix of this one, or -1
    lengths     int64[k]    in bytes
    strips      uint8[k]    STRIP_LEFT | STRIP_RIGHT
    """

    begins: NDArray[np.uint8]
    edges: NDArray[np.int64]
    targets: NDArray[np.int32]
    token_at: NDArray[np.int32]
    shorter: NDArray[np.int32]
    lengths: NDArray[np.int64]
    strips: NDArray[np.uint8]


def empty_tree(data: NDArray[np.uint8], offsets: NDArray[np.int64], strips: NDArray[np.uint8]) -> SearchTree:
    """Allocate a tree for tokens with these texts (laid out as in a Vocabulary); `grow` fills it."""
    n_tokens, n_bytes = len(offsets) - 1, len(data)
    n_slots = 1 << max(4, int(2 * n_bytes + 1).bit_length())
    return SearchTree(
        begins=np.zeros(256, np.uint8),
        edges=np.full(n_slots, -1, np.int64),
        targets=np.zeros(n_slots, np.int32),
        token_at=np.full(n_bytes + 1, -1, np.int32),
        shorter=np.full(n_tokens, -1, np.int32),
        lengths=np.diff(offsets),
        strips=strips,
    )


@routine
def _edge_slot(edges: NDArray[np.int64], node: int, byte: int) -> int:
    """The slot that holds this edge, or the empty one where it belongs."""
    key = node * 256 + byte
    mask = len(edges) - 1
    slot = ((key * 40503) ^ (key >> 7)) & mask
    while edges[slot] != -1 and edges[slot] != key:
        slot = (slot + 1) & mask
    return slot


@kernel
def grow(tree: SearchTree, data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> int:
    """Insert the tokens, which come in match order: longest first.  Returns the number of nodes."""
    n_nodes = 1
    for rank in range(len(offsets) - 1):
        node = 0
        tree.begins[data[offsets[rank]]] = 1
        for at in range(offsets[rank], offsets[rank + 1]):
            byte = int(data[at])
            slot = _edge_slot(tree.edges, node, byte)
            if tree.edges[slot] == -1:
                tree.edges[slot] = node * 256 + byte
                tree.targets[slot] = n_nodes
                n_nodes += 1
            node = int(tree.targets[slot])
        if tree.token_at[node] < 0:  # of equal texts the first one is always tried first
            tree.token_at[node] = rank
    for rank in range(len(offsets) - 1):
        node = 0
        for at in range(offsets[rank], offsets[rank + 1] - 1):
            node = int(tree.targets[_edge_slot(tree.edges, node, int(data[at]))])
            if tree.token_at[node] >= 0:
                tree.shorter[rank] = tree.token_at[node]
    return n_nodes


@routine
def _longest_at(text: NDArray[np.uint8], position: int, tree: SearchTree) -> int:
    """The rank of the longest token that begins at `position`, or -1."""
    node, best, at = 0, -1, position
    while at < len(text):
        slot = _edge_slot(tree.edges, node, int(text[at]))
        if tree.edges[slot] == -1:
            break
        node = int(tree.targets[slot])
        if tree.token_at[node] >= 0:
            best = int(tree.token_at[node])
        at += 1
    return best


@kernel
def reach_across(text: NDArray[np.uint8], position: int, tree: SearchTree) -> tuple[int, int]:
    """The first start and last end of tokens that begin before `position` and end behind it.

    (position, position) where there is none.
    """
    first_start, last_end = position, position
    longest = tree.lengths[0] if len(tree.lengths) > 0 else 0
    for start in range(max(0, position - longest + 1), position):
        if tree.begins[text[start]] == 0:
            continue
        best = _longest_at(text, start, tree)
        if best >= 0 and start + tree.lengths[best] > position:
            first_start = min(first_start, start)
            last_end = max(last_end, start + tree.lengths[best])
    return first_start, last_end


@kernel
def longest_matches(
    text: NDArray[np.uint8],
    start: int,
    tree: SearchTree,
    out_positions: NDArray[np.int64],
    out_ranks: NDArray[np.int32],
) -> tuple[int, int]:
    """Write the longest token that begins at each byte from `start` on, where there is one.

    Returns how many were written and where to go on: len(text), or less when the arrays are full.
    """
    n_found = 0
    for position in range(start, len(text)):
        if tree.begins[text[position]] == 0:
            continue
        best = _longest_at(text, position, tree)
        if best >= 0:
            if n_found == len(out_positions):
                return n_found, position
            out_positions[n_found] = position
            out_ranks[n_found] = best
            n_found += 1
    return n_found, len(text)


@routine
def _is_space(byte: int) -> bool:
    return byte == 32 or 9 <= byte <= 13


@routine
def _claim(text: NDArray[np.uint8], claims: NDArray[np.uint8], start: int, end: int, strips: int) -> None:
    """Mark a token's bytes, and the white space beside it that it drops."""
    for at in range(start, end):
        claims[at] = TOKEN
    if strips & STRIP_LEFT:
        at = start - 1
        while at >= 0 and claims[at] == FREE and _is_space(text[at]):
            claims[at] = DROPPED
            at -= 1
    if strips & STRIP_RIGHT:
        at = end
        while at < len(text) and claims[at] == FREE and _is_space(text[at]):
            claims[at] = DROPPED
            at += 1


@kernel
def claim(
    text: NDArray[np.uint8],
    tree: SearchTree,
    positions: NDArray[np.int64],
    ranks: NDArray[np.int32],
    claims: NDArray[np.uint8],
) -> int:
    """Let the tokens claim their places in match order.

    `positions` and `ranks` are what `longest_matches` found.  On return `claims` says for each byte
    whether it is FREE, part of a TOKEN or DROPPED, and `ranks` which token begins at each position, -1
    for none.  Returns the number of tokens.
    """
    n_tokens = 0
    waiting = np.full(len(tree.lengths), -1, np.int64)  # per rank: the first place that wants it
    following = np.empty(len(positions), np.int64)
    for place in range(len(positions) - 1, -1, -1):
        following[place] = waiting[ranks[place]]
        waiting[ranks[place]] = place
        ranks[place] = -1
    turn = np.empty(len(positions), np.int64)
    for rank in range(len(waiting)):
        n_waiting, place, sorted_already = 0, waiting[rank], True
        while place >= 0:
            if n_waiting > 0 and turn[n_waiting - 1] > place:
                sorted_already = False
            turn[n_waiting] = place
            n_waiting += 1
            place = following[place]
        if not sorted_already:
            sort_ascending(turn, n_waiting)
        for index in range(n_waiting):
            place = turn[index]
            start = positions[place]
            if claims[start] != FREE:
                continue
            end = start + tree.lengths[rank]
            at = start
            while at < end and claims[at] == FREE:
                at += 1
            if at == end:
                _claim(text, claims, start, end, int(tree.strips[rank]))
                ranks[place] = rank
                n_tokens += 1
            elif tree.shorter[rank] >= 0:
                shorter = tree.shorter[rank]
                following[place] = waiting[shorter]
                waiting[shorter] = place
    return n_tokens
