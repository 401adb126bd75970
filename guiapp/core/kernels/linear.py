"""WordPiece by failure links, compiled; readable twin: algorithms/linear.py.

The tokens that a link takes are those of other links and some more, so they are not written out but told
by *lists* that share their parts: a list is a token, or two lists one behind the other.  That way links
take no more room than the tokens have bytes, however long these are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.byte_trie import NONE, build_trie, child
from guiapp.core.kernels.compile import kernel, routine


class FailureLinks(NamedTuple):
    """A trie of the tokens with links; the root is node len(edges).

    edges    int64[slots]      parent * 256 + byte of the edge into a node; see `byte_trie.py`
    lefts    int32[slots + 1]  the node to go on from, or NONE where nothing fits
    taken    int32[slots + 1]  the list of tokens that are taken then
    lists    int32[2 p]        list n + i is the lists lists[2 i] and lists[2 i + 1]; i < n is the token i
    sizes    int32[n + p]      how many tokens a list has
    lengths  int32[n]          bytes of each token
    """

    edges: NDArray[np.int64]
    lefts: NDArray[np.int32]
    taken: NDArray[np.int32]
    lists: NDArray[np.int32]
    sizes: NDArray[np.int32]
    lengths: NDArray[np.int32]


def build_links(data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> FailureLinks:
    """The links for all tokens; i is data[offsets[i] : offsets[i + 1]].  Of equal texts the last wins."""
    n_tokens = len(offsets) - 1
    trie = build_trie(data, offsets, np.arange(n_tokens, dtype=np.int32), False)
    order = trie.nodes[np.argsort(trie.depths, kind="stable")]
    n_nodes, room = len(trie.tokens), int(offsets[-1] - offsets[0])
    links = FailureLinks(
        edges=trie.edges,
        lefts=np.full(n_nodes, NONE, np.int32),
        taken=np.full(n_nodes, NONE, np.int32),
        lists=np.empty(2 * room, np.int32),
        sizes=np.ones(n_tokens + room, np.int32),
        lengths=np.diff(offsets).astype(np.int32),
    )
    n_pairs = link(links, order, trie.tokens)
    return links._replace(
        lists=links.lists[: 2 * n_pairs].copy(), sizes=links.sizes[: n_tokens + n_pairs].copy()
    )


@kernel
def link(links: FailureLinks, order: NDArray[np.int32], tokens: NDArray[np.int32]) -> int:
    """Find the links of all nodes, which `order` names by depth; returns how many lists are pairs.

    Each pair makes what is left at least a byte shorter, so there are no more of them than bytes.
    """
    edges = links.edges
    root, n_tokens, n_pairs = len(edges), len(links.lengths), 0
    for index in range(len(order)):
        node = int(order[index])
        if tokens[node] != NONE:
            links.lefts[node] = root
            links.taken[node] = tokens[node]
            continue
        parent, byte = int(edges[node]) >> 8, int(edges[node]) & 255
        left, taken = int(links.lefts[parent]), int(links.taken[parent])
        while left != NONE:
            following = child(edges, left, byte)
            if following >= 0:
                links.lefts[node] = following
                links.taken[node] = taken
                break
            more = int(links.taken[left])
            left = int(links.lefts[left])
            if left != NONE:
                links.lists[2 * n_pairs] = taken
                links.lists[2 * n_pairs + 1] = more
                links.sizes[n_tokens + n_pairs] = links.sizes[taken] + links.sizes[more]
                taken = n_tokens + n_pairs
                n_pairs += 1
    return n_pairs


@routine
def _write_list(links: FailureLinks, written: int, ids: NDArray[np.int32], start: int) -> None:
    """Write the tokens of a list at ids[start:]; what is still whole waits at the place of its first."""
    n_tokens = len(links.lengths)
    end = start + int(links.sizes[written])
    ids[start] = written
    for at in range(start, end):
        whole = int(ids[at])
        while whole >= n_tokens:
            pair = whole - n_tokens
            whole = int(links.lists[2 * pair])
            ids[at + links.sizes[whole]] = links.lists[2 * pair + 1]
        ids[at] = whole


@kernel
def encode(
    data: NDArray[np.uint8],
    word_ends: NDArray[np.int64],
    links: FailureLinks,
    unknown: int,
    ids: NDArray[np.int32],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
) -> int:
    """Write the tokens of all words; their number, at most one per byte."""
    root = len(links.edges)
    count, word_start = 0, 0
    for word in range(len(word_ends)):
        word_end = int(word_ends[word])
        first, node, at = count, root, word_start
        while at < word_end or node != root:
            if at < word_end:
                following = child(links.edges, node, int(data[at]))
                if following >= 0:
                    node = following
                    at += 1
                    continue
            if links.lefts[node] == NONE:
                ids[first] = unknown
                starts[first] = word_start
                ends[first] = word_end
                count, at, node = first + 1, word_end, root
                first = count
                continue
            taken = int(links.taken[node])
            _write_list(links, taken, ids, count)
            count += int(links.sizes[taken])
            node = int(links.lefts[node])
        for index in range(first, count):
            starts[index] = word_start
            word_start += int(links.lengths[ids[index]])
            ends[index] = word_start
        word_start = word_end
    return count
