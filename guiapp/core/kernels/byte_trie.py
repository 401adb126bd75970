"""Which token is the longest that starts at a position?  Answered for a whole text in linear time.

All tokens are put, read backwards, in one trie with failure links (Aho & Corasick 1975,
https://doi.org/10.1145/360825.360855).  Reading a text from its end to its start, the state at a position
is the longest part of a token that starts there; the longest whole token follows by table, and every
shorter one from `shorter`.  Neither tokens of a megabyte nor texts made of their beginnings make it slow.

A trie is one hash table with open addressing: a node is the slot that holds its edge, `parent * 256 + byte`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.compile import kernel, routine

FREE = -1
NONE = -1
SMALLEST = 1024


class ByteTrie(NamedTuple):
    """Nodes of a trie; the root is node len(edges), which no edge leads to.

    edges   int64[slots]      parent * 256 + byte of the edge into a node, or FREE
    tokens  int32[slots + 1]  the token that ends in a node, or NONE
    nodes   int32[n]          the slots in use, parents first
    depths  int32[n]          bytes from the root, for each of `nodes`
    ends    int32[tokens]     the node in which each token ends
    """

    edges: NDArray[np.int64]
    tokens: NDArray[np.int32]
    nodes: NDArray[np.int32]
    depths: NDArray[np.int32]
    ends: NDArray[np.int32]


class TokenMatcher(NamedTuple):
    """Finds the tokens that start at each position of a text.

    edges     int64[slots]      of a trie of the tokens read backwards
    failures  int32[slots + 1]  the node of the longest proper beginning of a node's text
    longest   int32[slots + 1]  the longest token that a node's text begins with, or NONE
    shorter   int32[tokens]     the longest proper prefix of a token that is a token, or NONE
    lengths   int32[tokens]     in bytes
    """

    edges: NDArray[np.int64]
    failures: NDArray[np.int32]
    longest: NDArray[np.int32]
    shorter: NDArray[np.int32]
    lengths: NDArray[np.int32]


def build_trie(
    data: NDArray[np.uint8], offsets: NDArray[np.int64], ids: NDArray[np.int32], backwards: bool
) -> ByteTrie:
    """A trie of the tokens `ids`; i is data[offsets[i] : offsets[i + 1]].  Of equal texts the last wins."""
    sizes = offsets[ids + 1] - offsets[ids]
    n_slots = SMALLEST
    while n_slots < sizes.sum() // 2 or _room(n_slots) < sizes.max(initial=0):  # a token has no node twice
        n_slots *= 2
    ends = np.full(len(offsets) - 1, NONE, np.int32)
    while True:
        edges = np.full(n_slots, FREE, np.int64)
        tokens = np.full(n_slots + 1, NONE, np.int32)
        nodes, depths = (np.empty(_room(n_slots), np.int32) for _ in range(2))
        n_nodes = insert_all(data, offsets, ids, backwards, edges, tokens, nodes, depths, ends)
        if n_nodes >= 0:
            return ByteTrie(edges, tokens, nodes[:n_nodes].copy(), depths[:n_nodes].copy(), ends)
        n_slots *= 2


def _room(n_slots: int) -> int:
    """How many nodes so many slots hold before it takes long to find one."""
    return n_slots * 2 // 3


def build_matcher(
    data: NDArray[np.uint8], offsets: NDArray[np.int64], ids: NDArray[np.int32]
) -> TokenMatcher:
    """A matcher for the tokens `ids`, whose texts are data[offsets[i] : offsets[i + 1]]."""
    trie = build_trie(data, offsets, ids, True)
    order = trie.nodes[np.argsort(trie.depths, kind="stable")]
    failures = np.full(len(trie.tokens), len(trie.edges), np.int32)
    shorter = np.full(len(offsets) - 1, NONE, np.int32)
    link(trie.edges, trie.tokens, order, failures, shorter)
    return TokenMatcher(trie.edges, failures, trie.tokens, shorter, np.diff(offsets).astype(np.int32))


@routine
def child(edges: NDArray[np.int64], node: int, byte: int) -> int:
    """The node behind an edge, or -1 - slot where it could be put."""
    mask = len(edges) - 1
    edge = node * 256 + byte
    mixed = (edge & 0x7FFFFFFFF) * 0x9E3779B  # below 2**63, so that interpreted code computes the same
    slot = (mixed ^ (mixed >> 23)) & mask
    while edges[slot] != edge:
        if edges[slot] == FREE:
            return -1 - slot
        slot = (slot + 1) & mask
    return slot


@kernel
def insert_all(
    data: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    ids: NDArray[np.int32],
    backwards: bool,
    edges: NDArray[np.int64],
    tokens: NDArray[np.int32],
    nodes: NDArray[np.int32],
    depths: NDArray[np.int32],
    ends: NDArray[np.int32],
) -> int:
    """Put tokens in an empty trie; the number of its nodes, or -1 where they do not fit in `nodes`."""
    count = 0
    for index in range(len(ids)):
        token = int(ids[index])
        start = int(offsets[token])
        size = int(offsets[token + 1]) - start
        node = len(edges)
        for k in range(size):
            byte = int(data[start + size - 1 - k]) if backwards else int(data[start + k])
            found = child(edges, node, byte)
            if found < 0:
                if count == len(nodes):
                    return -1
                found = -1 - found
                edges[found] = node * 256 + byte
                nodes[count] = found
                depths[count] = k + 1
                count += 1
            node = found
        ends[token] = node
        if size:
            tokens[node] = token
    return count


@insert_all.interpreted_by
def _insert_all(
    data: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    ids: NDArray[np.int32],
    backwards: bool,
    edges: NDArray[np.int64],
    tokens: NDArray[np.int32],
    nodes: NDArray[np.int32],
    depths: NDArray[np.int32],
    ends: NDArray[np.int32],
) -> int:
    texts, limits = data.tobytes(), offsets.tolist()
    nodes_behind: dict[int, int] = {}
    for token in ids.tolist():
        text = texts[limits[token] : limits[token + 1]]
        node = len(edges)
        for depth, byte in enumerate(reversed(text) if backwards else text, 1):
            edge = node * 256 + byte
            if edge not in nodes_behind:
                count = len(nodes_behind)
                if count == len(nodes):
                    return -1
                nodes[count] = nodes_behind[edge] = slot = -1 - child(edges, node, byte)
                edges[slot], depths[count] = edge, depth
            node = nodes_behind[edge]
        ends[token] = node
        if text:
            tokens[node] = token
    return len(nodes_behind)


@kernel
def link(
    edges: NDArray[np.int64],
    longest: NDArray[np.int32],
    order: NDArray[np.int32],
    failures: NDArray[np.int32],
    shorter: NDArray[np.int32],
) -> None:
    """Fill in failure links, and what they say about the longest tokens; `order` is by depth."""
    root = len(edges)
    for index in range(len(order)):
        node = int(order[index])
        parent = int(edges[node]) >> 8
        byte = int(edges[node]) & 255
        target = root
        while parent != root:
            parent = int(failures[parent])
            found = child(edges, parent, byte)
            if found >= 0:
                target = found
                break
        failures[node] = target
        if longest[node] == NONE:
            longest[node] = longest[target]
        else:
            shorter[longest[node]] = longest[target]


@link.interpreted_by
def _link(
    edges: NDArray[np.int64],
    longest: NDArray[np.int32],
    order: NDArray[np.int32],
    failures: NDArray[np.int32],
    shorter: NDArray[np.int32],
) -> None:
    root = len(edges)
    nodes_behind = dict(zip(edges[order].tolist(), order.tolist(), strict=True))
    targets, tokens = failures.tolist(), longest.tolist()
    for edge, node in nodes_behind.items():
        parent, byte = edge >> 8, edge & 255
        target = root
        while parent != root:
            parent = targets[parent]
            if (found := nodes_behind.get(parent * 256 + byte)) is not None:
                target = found
                break
        targets[node] = target
        if tokens[node] == NONE:
            tokens[node] = tokens[target]
        else:
            shorter[tokens[node]] = tokens[target]
    failures[:], longest[:] = targets, tokens


@routine
def find_longest(
    matcher: TokenMatcher, data: NDArray[np.uint8], start: int, end: int, found: NDArray[np.int32]
) -> None:
    """Write in found[p], for each p of start : end, the longest token at p that ends by `end`, or NONE."""
    edges = matcher.edges
    root = len(edges)
    node = root
    for position in range(end - 1, start - 1, -1):
        byte = int(data[position])
        target = child(edges, node, byte)
        while target < 0 and node != root:
            node = int(matcher.failures[node])
            target = child(edges, node, byte)
        node = target if target >= 0 else root
        found[position] = matcher.longest[node]


@kernel
def find_all_longest(matcher: TokenMatcher, data: NDArray[np.uint8], found: NDArray[np.int32]) -> None:
    """`find_longest` in all of a text, for those who are not a kernel."""
    find_longest(matcher, data, 0, len(data), found)
