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
USED = -1  # in place of the next free row
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
    nodes = _nodes(trie)
    n_nodes = len(nodes.parents)
    heads, same = np.full(n_nodes, NONE, np.int32), np.full(n_rows, NONE, np.int32)
    found = np.full(n_nodes, NONE, np.int32)
    hang(nodes, trie.ends, ids, is_matched, heads, same, found)
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
    deepest = int(trie.depths.max(initial=0))
    parents, depths = np.empty(len(ids), np.int32), np.empty(len(ids), np.int32)
    arrange(tree.order, nodes, heads, same, found, parents, depths, np.empty((deepest + 1, 4), np.int32))
    measure(tree, parents, depths)
    return tree


class Nodes(NamedTuple):
    """The nodes of a trie by numbers, parents first; the root is 0.

    numbers        int32[slots + 1]  of the nodes of the trie
    parents        int32[m]
    child_offsets  int32[m + 1]      the children of node i, sorted by their bytes, are
    children       int32[m - 1]      children[child_offsets[i] : child_offsets[i + 1]]
    bytes          uint8[m - 1]      of the edges into the children, in the same order
    """

    numbers: NDArray[np.int32]
    parents: NDArray[np.int32]
    child_offsets: NDArray[np.int32]
    children: NDArray[np.int32]
    bytes: NDArray[np.uint8]


def _nodes(trie: ByteTrie) -> Nodes:
    n_nodes = len(trie.nodes) + 1
    nodes = Nodes(
        np.zeros(len(trie.tokens), np.int32),
        np.zeros(n_nodes, np.int32),
        np.zeros(n_nodes + 1, np.int32),
        np.empty(n_nodes - 1, np.int32),
        np.empty(n_nodes - 1, np.uint8),
    )
    bytes_in = np.empty(n_nodes, np.uint8)
    number(trie, nodes, bytes_in)
    list_children(nodes, bytes_in)
    return nodes


@kernel
def number(trie: ByteTrie, nodes: Nodes, bytes_in: NDArray[np.uint8]) -> None:
    """Number the nodes of a trie, and note the parent and the byte of each.

    Here and below, what is far away is either read or written in one pass: where it is both, the processor
    waits for each node before it goes on to the next, several times as long.
    """
    slots, edges, numbers, parents = trie.nodes, trie.edges, nodes.numbers, nodes.parents
    for index in range(len(slots)):
        numbers[slots[index]] = index + 1
    for index in range(len(slots)):
        edge = edges[slots[index]]
        parents[index + 1] = numbers[edge >> 8]
        bytes_in[index + 1] = edge & 255


@kernel
def list_children(nodes: Nodes, bytes_in: NDArray[np.uint8]) -> None:
    """List the children of all nodes, those of each by their bytes."""
    parents, offsets, children = nodes.parents, nodes.child_offsets, nodes.children
    for node in range(1, len(parents)):
        offsets[parents[node] + 1] += 1
    for node in range(1, len(offsets)):
        offsets[node] += offsets[node - 1]
    free = offsets[:-1].copy()
    for node in range(1, len(parents)):
        children[free[parents[node]]] = node
        free[parents[node]] += 1
    for at in range(len(children)):
        nodes.bytes[at] = bytes_in[children[at]]
    for node in range(len(parents)):
        for at in range(offsets[node] + 1, offsets[node + 1]):
            child_node, byte, hole = children[at], nodes.bytes[at], at
            while hole > offsets[node] and nodes.bytes[hole - 1] > byte:
                children[hole], nodes.bytes[hole] = children[hole - 1], nodes.bytes[hole - 1]
                hole -= 1
            children[hole], nodes.bytes[hole] = child_node, byte


def _laid_out(nodes: Nodes, found: NDArray[np.int32], lengths: NDArray[np.int32]) -> NDArray[np.int32]:
    """The rows of a double array for the nodes, which find the tokens `found`."""
    n_nodes = len(nodes.parents)
    n_blocks = n_nodes // 200 + 8
    bases = np.zeros(n_nodes, np.int32)
    while not (n_rows := choose_bases(nodes, np.empty(2 * BLOCK * n_blocks, np.int32), bases)):
        n_blocks *= 2
    rows = np.zeros(4 * n_rows, np.int32)
    fill_rows(nodes, found, lengths, bases, np.zeros(n_nodes, np.int32), rows)
    return rows


@kernel
def choose_bases(nodes: Nodes, free: NDArray[np.int32], bases: NDArray[np.int32]) -> int:
    """Choose the rows of all children; the number of rows, which are whole blocks, or 0 where `free` is full.

    An only child takes the first free row.  Several need rows that are free together: for these the last
    blocks are searched, and if they are too full, a new one is begun.  Of row i, `free` holds in 2 i the next
    free row, or the end, and in 2 i + 1 the one before, or 0; USED where it is not free.
    """
    offsets, bytes_in = nodes.child_offsets, nodes.bytes
    _open_block(free, 0, 0)
    free[0], free[3] = USED, 0  # the root's row, and the first one behind it
    first_free, last_free, searched, end = 1, BLOCK - 1, 1, BLOCK
    for node in range(len(bases)):
        first, last = offsets[node], offsets[node + 1]
        if first == last:
            continue
        row = first_free if first + 1 == last else searched
        while row < end:
            base, at = row ^ int(bytes_in[first]), first + 1
            while at < last and free[2 * (base ^ int(bytes_in[at]))] != USED:
                at += 1
            if at == last:
                break
            row = free[2 * row]
        if row == end:
            if 2 * (end + BLOCK) > len(free):
                return 0
            _open_block(free, end, last_free)
            row = end ^ int(bytes_in[first])
            end += BLOCK
            last_free = end - 1
            while searched < end - SEARCHED * BLOCK:
                searched = free[2 * searched]
        base = row ^ int(bytes_in[first])
        bases[node] = base
        for at in range(first, last):
            row = base ^ int(bytes_in[at])
            behind, before = free[2 * row], free[2 * row + 1]
            free[2 * row] = USED
            if before == 0:
                first_free = behind
            else:
                free[2 * before] = behind
            if behind == end:
                last_free = before
            else:
                free[2 * behind + 1] = before
            if searched == row:
                searched = behind
    return end


@routine
def _open_block(free: NDArray[np.int32], begin: int, last_free: int) -> None:
    """Free the rows of a block, behind the last row that was free before it."""
    for row in range(begin, begin + BLOCK):
        free[2 * row], free[2 * row + 1] = row + 1, row - 1
    free[2 * begin + 1] = last_free


@kernel
def fill_rows(
    nodes: Nodes,
    found: NDArray[np.int32],
    lengths: NDArray[np.int32],
    bases: NDArray[np.int32],
    places: NDArray[np.int32],
    rows: NDArray[np.int32],
) -> None:
    """Write the row of each node; `places` gets where it is."""
    parents, offsets, children, bytes_in = nodes.parents, nodes.child_offsets, nodes.children, nodes.bytes
    for node in range(len(bases)):
        for at in range(offsets[node], offsets[node + 1]):
            places[children[at]] = bases[node] ^ int(bytes_in[at])
    for row in range(len(rows) >> 2):
        rows[4 * row + 1] = FREE
    for node in range(len(bases)):
        row, token = places[node], found[node]
        rows[4 * row], rows[4 * row + 1], rows[4 * row + 2] = bases[node], places[parents[node]], token
        rows[4 * row + 3] = 0 if token == NONE else lengths[token]
    rows[1] = ROOT


@kernel
def hang(
    nodes: Nodes,
    ends: NDArray[np.int32],
    ids: NDArray[np.int32],
    is_matched: NDArray[np.bool_],
    heads: NDArray[np.int32],
    same: NDArray[np.int32],
    found: NDArray[np.int32],
) -> None:
    """List the tokens of each node, and choose the one that matching finds there.

    Token i ends in the trie's node ends[i].  The list of a node is heads[node], same[heads[node]], …
    """
    for index in range(len(ids)):
        token = int(ids[index])
        node = nodes.numbers[ends[token]]
        same[token] = heads[node]
        heads[node] = token
        if is_matched[token] and node != 0:
            found[node] = token


@kernel
def arrange(
    order: NDArray[np.int32],
    nodes: Nodes,
    heads: NDArray[np.int32],
    same: NDArray[np.int32],
    found: NDArray[np.int32],
    parents: NDArray[np.int32],
    depths: NDArray[np.int32],
    stack: np.ndarray[tuple[int, int], np.dtype[np.int32]],
) -> None:
    """List the tokens in the order of their bytes, with the parent and the depth of each.

    A place of the stack holds which children wait, from and to, and the token that they hang under, with its
    depth.
    """
    offsets, children = nodes.child_offsets, nodes.children
    count, height, node, parent, depth = 0, 0, 0, NONE, 0
    while True:
        token, matched = heads[node], found[node]
        while token != NONE:
            if token != matched:
                order[count], parents[count], depths[count] = token, parent, depth + 1
                count += 1
            token = same[token]
        if matched != NONE:
            order[count], parents[count], depths[count] = matched, parent, depth + 1
            count += 1
            parent, depth = matched, depth + 1
        stack[height, 0], stack[height, 1] = offsets[node], offsets[node + 1]
        stack[height, 2], stack[height, 3] = parent, depth
        while stack[height, 0] == stack[height, 1]:
            if height == 0:
                return
            height -= 1
        node, parent, depth = children[stack[height, 0]], stack[height, 2], stack[height, 3]
        stack[height, 0] += 1
        height += 1


@kernel
def measure(tree: TreeArrays, parents: NDArray[np.int32], depths: NDArray[np.int32]) -> None:
    """Fill in what follows from the order of the tokens and from their parents and depths in that order."""
    order, n_rows = tree.order, len(tree.parents)
    for place in range(len(order)):
        token = order[place]
        tree.parents[token], tree.depths[token], tree.places[token] = parents[place], depths[place], place
    for place in range(len(order) - 1, -1, -1):
        token = order[place]
        parent = parents[place] if parents[place] != NONE else n_rows
        tree.sizes[token] += 1
        tree.child_offsets[parent + 1] += 1
        if parent != n_rows:
            tree.sizes[parent] += tree.sizes[token]
    for row in range(n_rows + 1):
        tree.child_offsets[row + 1] += tree.child_offsets[row]
    free = tree.child_offsets[:-1].copy()
    for place in range(len(order)):
        parent = parents[place] if parents[place] != NONE else n_rows
        tree.children[free[parent]] = order[place]
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
