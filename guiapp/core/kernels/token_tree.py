"""Every token under its longest proper prefix that is a token: a tree in flat arrays, made in linear time.

The tokens go into a trie of bytes (`byte_trie.py`), which is then walked in the order of the bytes.

For matching, from a text's byte to byte, the trie is laid out as a double array (Aoe 1989,
https://doi.org/10.1109/32.31365): the child of the node in row r for a byte b, if it has one, is in row
base[r] ^ b, and says that its parent is in row r.  Rows are given to parents first and to low token ids
first, so that what is common lies close together.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.byte_trie import NONE, ByteTrie, build_trie
from guiapp.core.kernels.compile import kernel, routine

FREE, ROOT = -1, -2  # in place of the row of a parent
BLOCK = 256  # rows that a base can lead to
SEARCHED = 4  # blocks


class TreeArrays(NamedTuple):
    """A token tree; the root is row n of the columns that have one.

    rows           int32[4 r]    of each node of the trie, the root first: base, row of the parent (FREE where
                                 there is no node), the token that matching finds, or NONE, and its length
    lengths        int32[n]      bytes of each token
    parents        int32[n]      the longest proper prefix that is a token and matches, or NONE
    depths         int32[n]      1 for tokens without such a prefix; 0 for what is not in the tree
    sizes          int32[n]      tokens in the subtree, itself included
    order          int32[k]      the tokens in the tree sorted by their bytes, parents first
    places         int32[n]      where each token stands in `order`, or NONE
    child_offsets  int32[n + 2]  the children of row i, sorted by their bytes, are
    children       int32[k]      children[child_offsets[i] : child_offsets[i + 1]]
    """

    rows: NDArray[np.int32]
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
    trie = build_trie(data, offsets, ids[::-1].copy(), False)
    numbers = np.zeros(len(trie.tokens), np.int32)
    numbers[trie.nodes] = np.arange(1, len(trie.nodes) + 1)
    nodes = _nodes(trie, numbers)
    n_nodes = len(nodes.parents)
    heads, same = np.full(n_nodes, NONE, np.int32), np.full(n_rows, NONE, np.int32)
    found = np.full(n_nodes, NONE, np.int32)
    hang(numbers[trie.ends], ids, is_matched, heads, same, found)
    lengths = np.diff(offsets).astype(np.int32)
    tree = TreeArrays(
        rows=_laid_out(nodes, found, lengths),
        lengths=lengths,
        parents=np.full(n_rows, NONE, np.int32),
        depths=np.zeros(n_rows, np.int32),
        sizes=np.zeros(n_rows, np.int32),
        order=np.empty(len(ids), np.int32),
        places=np.full(n_rows, NONE, np.int32),
        child_offsets=np.zeros(n_rows + 2, np.int32),
        children=np.empty(len(ids), np.int32),
    )
    arrange(tree, nodes, heads, same, found)
    measure(tree)
    return tree


class Nodes(NamedTuple):
    """The nodes of a trie by numbers, parents first; the root is 0.

    parents   int32[m]
    bytes     uint8[m]  of the edge into the node
    children  int32[m]  the child with the least byte, or NONE
    siblings  int32[m]  the child of the same parent with the next byte, or NONE
    """

    parents: NDArray[np.int32]
    bytes: NDArray[np.uint8]
    children: NDArray[np.int32]
    siblings: NDArray[np.int32]


def _nodes(trie: ByteTrie, numbers: NDArray[np.int32]) -> Nodes:
    edges = trie.edges[trie.nodes]
    n_nodes = len(edges) + 1
    nodes = Nodes(
        np.zeros(n_nodes, np.int32),
        np.zeros(n_nodes, np.uint8),
        np.full(n_nodes, NONE, np.int32),
        np.full(n_nodes, NONE, np.int32),
    )
    nodes.parents[1:] = numbers[edges >> 8]
    nodes.bytes[1:] = edges & 255
    list_children(nodes, np.argsort(nodes.bytes[1:], kind="stable").astype(np.int32))
    return nodes


def _laid_out(nodes: Nodes, found: NDArray[np.int32], lengths: NDArray[np.int32]) -> NDArray[np.int32]:
    """The rows of a double array for the nodes, which find the tokens `found`."""
    n_blocks = len(nodes.parents) // 200 + 8
    while True:
        rows = np.zeros(4 * BLOCK * n_blocks, np.int32)
        rows[1::4] = FREE
        n_used = lay_out(nodes, found, lengths, rows)
        if n_used:
            return rows[: 4 * n_used].copy()
        n_blocks *= 2


@kernel
def lay_out(
    nodes: Nodes, found: NDArray[np.int32], lengths: NDArray[np.int32], rows: NDArray[np.int32]
) -> int:
    """Give each node a row; the number of rows in use, which are whole blocks, or 0 where they are too few.

    An only child takes the first free row.  Several need rows that are free together: for these the last
    blocks are searched, and if they are too full, a new one is begun.
    """
    places = np.zeros(len(nodes.parents), np.int32)
    rows[1] = ROOT
    rows[2] = NONE
    end, first_free = BLOCK, 0
    for node in range(len(nodes.parents)):
        first = nodes.children[node]
        if first == NONE:
            continue
        while first_free < end and rows[4 * first_free + 1] != FREE:
            first_free += 1
        start = first_free
        if nodes.siblings[first] != NONE:
            start = max(first_free, end - SEARCHED * BLOCK)
        base = NONE
        for row in range(start, end):
            if rows[4 * row + 1] == FREE:
                base = row ^ int(nodes.bytes[first])
                child_node = nodes.siblings[first]
                while child_node != NONE and rows[4 * (base ^ int(nodes.bytes[child_node])) + 1] == FREE:
                    child_node = nodes.siblings[child_node]
                if child_node == NONE:
                    break
                base = NONE
        if base == NONE:
            if 4 * (end + BLOCK) > len(rows):
                return 0
            base = end
            end += BLOCK
        rows[4 * places[node]] = base
        child_node = first
        while child_node != NONE:
            row = base ^ int(nodes.bytes[child_node])
            places[child_node] = row
            rows[4 * row + 1] = places[node]
            rows[4 * row + 2] = found[child_node]
            rows[4 * row + 3] = 0 if found[child_node] == NONE else lengths[found[child_node]]
            child_node = nodes.siblings[child_node]
    return end


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
def longest_match(rows: NDArray[np.int32], data: NDArray[np.uint8], start: int, end: int) -> int:
    """The longest token that data[start:end] begins with, or NONE; the shorter ones are its ancestors."""
    row, found = 0, NONE
    for at in range(start, end):
        following = rows[4 * row] ^ np.int32(data[at])
        if rows[4 * following + 1] != row:
            break
        row = int(following)
        if rows[4 * row + 2] != NONE:
            found = int(rows[4 * row + 2])
    return found


@kernel
def find_match(rows: NDArray[np.int32], data: NDArray[np.uint8], start: int, end: int) -> int:
    """`longest_match`, for those who are not a kernel."""
    return longest_match(rows, data, start, end)
