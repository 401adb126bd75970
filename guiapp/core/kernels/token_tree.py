"""Every token under its longest proper prefix that is a token: a tree in flat arrays, made in linear time.

The tokens go into a trie of bytes (`byte_trie.py`), which is then walked in the order of the bytes.
The trie stays as the matcher: from a text's byte to byte, noting the last token that ended on the way.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.byte_trie import NONE, ByteTrie, build_trie, child
from guiapp.core.kernels.compile import kernel, routine


class TreeArrays(NamedTuple):
    """A token tree; the root is row n of the columns that have one.

    edges          int64[slots]      the trie's edges: see `byte_trie.ByteTrie`
    tokens         int32[slots + 1]  the token that matching finds in a node of the trie, or NONE
    lengths        int32[n]          bytes of each token
    parents        int32[n]          the longest proper prefix that is a token and matches, or NONE
    depths         int32[n]          1 for tokens without such a prefix; 0 for what is not in the tree
    sizes          int32[n]          tokens in the subtree, itself included
    order          int32[k]          the tokens in the tree sorted by their bytes, parents first
    places         int32[n]          where each token stands in `order`, or NONE
    child_offsets  int32[n + 2]      the children of row i, sorted by their bytes, are
    children       int32[k]          children[child_offsets[i] : child_offsets[i + 1]]
    """

    edges: NDArray[np.int64]
    tokens: NDArray[np.int32]
    lengths: NDArray[np.int32]
    parents: NDArray[np.int32]
    depths: NDArray[np.int32]
    sizes: NDArray[np.int32]
    order: NDArray[np.int32]
    places: NDArray[np.int32]
    child_offsets: NDArray[np.int32]
    children: NDArray[np.int32]


def build_tree(
    data: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    ids: NDArray[np.int32],
    is_matched: NDArray[np.bool_],
) -> TreeArrays:
    """The tree of the tokens `ids`, whose bytes are data[offsets[i] : offsets[i + 1]].

    Tokens that are not matched, like the empty ones, are leaves.  So are all tokens of the same bytes but
    the last among `ids`.
    """
    n_rows = len(offsets) - 1
    trie = build_trie(data, offsets, ids, False)
    tree = TreeArrays(
        edges=trie.edges,
        tokens=np.full(len(trie.tokens), NONE, np.int32),
        lengths=np.diff(offsets).astype(np.int32),
        parents=np.full(n_rows, NONE, np.int32),
        depths=np.zeros(n_rows, np.int32),
        sizes=np.zeros(n_rows, np.int32),
        order=np.empty(len(ids), np.int32),
        places=np.full(n_rows, NONE, np.int32),
        child_offsets=np.zeros(n_rows + 2, np.int32),
        children=np.empty(len(ids), np.int32),
    )
    numbers = np.zeros(len(trie.tokens), np.int32)
    numbers[trie.nodes] = np.arange(1, len(trie.nodes) + 1)
    nodes = _nodes(trie, numbers)
    heads, same = np.full(len(nodes.parents), NONE, np.int32), np.full(n_rows, NONE, np.int32)
    found = np.full(len(nodes.parents), NONE, np.int32)
    hang(tree, nodes, numbers[trie.ends], ids, is_matched, heads, same, found)
    arrange(tree, nodes, heads, same, found)
    measure(tree)
    return tree


class Nodes(NamedTuple):
    """The nodes of a trie by numbers, parents first; the root is 0.

    slots     int32[m]  where the trie has the node
    parents   int32[m]
    children  int32[m]  the child with the least byte, or NONE
    siblings  int32[m]  the child of the same parent with the next byte, or NONE
    """

    slots: NDArray[np.int32]
    parents: NDArray[np.int32]
    children: NDArray[np.int32]
    siblings: NDArray[np.int32]


def _nodes(trie: ByteTrie, numbers: NDArray[np.int32]) -> Nodes:
    edges = trie.edges[trie.nodes]
    n_nodes = len(edges) + 1
    nodes = Nodes(
        np.concatenate([np.array([len(trie.edges)], np.int32), trie.nodes]),
        np.zeros(n_nodes, np.int32),
        np.full(n_nodes, NONE, np.int32),
        np.full(n_nodes, NONE, np.int32),
    )
    nodes.parents[1:] = numbers[edges >> 8]
    by_byte = np.argsort((edges & 255).astype(np.uint8), kind="stable").astype(np.int32)
    list_children(nodes, by_byte)
    return nodes


@kernel
def list_children(nodes: Nodes, by_byte: NDArray[np.int32]) -> None:
    """Link the children of each node by their bytes."""
    for index in range(len(by_byte) - 1, -1, -1):
        node = by_byte[index] + 1  # the root is nobody's child
        parent = nodes.parents[node]
        nodes.siblings[node] = nodes.children[parent]
        nodes.children[parent] = node


@kernel
def hang(
    tree: TreeArrays,
    nodes: Nodes,
    ends: NDArray[np.int32],
    ids: NDArray[np.int32],
    is_matched: NDArray[np.bool_],
    heads: NDArray[np.int32],
    same: NDArray[np.int32],
    found: NDArray[np.int32],
) -> None:
    """List the tokens of each node, and choose the one that matching finds there.

    Token i ends in node ends[i].  The list of a node is heads[node], same[heads[node]], …
    """
    for index in range(len(ids)):
        token = int(ids[index])
        node = ends[token]
        same[token] = heads[node]
        heads[node] = token
        if is_matched[token] and node != 0:
            tree.tokens[nodes.slots[node]] = token
            found[node] = token


@kernel
def arrange(
    tree: TreeArrays,
    nodes: Nodes,
    heads: NDArray[np.int32],
    same: NDArray[np.int32],
    found: NDArray[np.int32],
) -> None:
    """Walk the trie in the order of the bytes and give every token its parent, depth and place.

    `found` holds the token that matching finds in each node, and then the one its descendants hang under.
    """
    count, node = 0, 0
    while True:
        parent = NONE if node == 0 else found[nodes.parents[node]]
        depth = 1 if parent == NONE else tree.depths[parent] + 1
        token = heads[node]
        while token != NONE:
            if token != found[node]:
                tree.parents[token] = parent
                tree.depths[token] = depth
                tree.order[count] = token
                count += 1
            token = same[token]
        token = found[node]
        if token != NONE:
            tree.parents[token] = parent
            tree.depths[token] = depth
            tree.order[count] = token
            count += 1
        else:
            found[node] = parent
        if nodes.children[node] != NONE:
            node = nodes.children[node]
            continue
        while node != 0 and nodes.siblings[node] == NONE:
            node = nodes.parents[node]
        if node == 0:
            return
        node = nodes.siblings[node]


@kernel
def measure(tree: TreeArrays) -> None:
    """Fill in what follows from the order of the tokens and their parents."""
    n_rows = len(tree.parents)
    for place in range(len(tree.order) - 1, -1, -1):
        token = tree.order[place]
        parent = tree.parents[token] if tree.parents[token] != NONE else n_rows
        tree.places[token] = place
        tree.sizes[token] += 1
        tree.child_offsets[parent + 1] += 1
        if parent != n_rows:
            tree.sizes[parent] += tree.sizes[token]
    for row in range(n_rows + 1):
        tree.child_offsets[row + 1] += tree.child_offsets[row]
    free = tree.child_offsets[:-1].copy()
    for place in range(len(tree.order)):
        token = tree.order[place]
        parent = tree.parents[token] if tree.parents[token] != NONE else n_rows
        tree.children[free[parent]] = token
        free[parent] += 1


@routine
def longest_match(tree: TreeArrays, data: NDArray[np.uint8], start: int, end: int) -> int:
    """The longest token that data[start:end] begins with, or NONE; the shorter ones are its ancestors."""
    node, found = len(tree.edges), NONE
    for at in range(start, end):
        node = child(tree.edges, node, int(data[at]))
        if node < 0:
            break
        if tree.tokens[node] != NONE:
            found = int(tree.tokens[node])
    return found


@kernel
def find_match(tree: TreeArrays, data: NDArray[np.uint8], start: int, end: int) -> int:
    """`longest_match`, for those who are not a kernel."""
    return longest_match(tree, data, start, end)
