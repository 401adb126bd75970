"""Where each node of the token tree lies in its picture: a place from left to right, and a level."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.byte_trie import NONE
from guiapp.core.kernels.compile import kernel, routine
from guiapp.core.kernels.token_tree import TreeArrays

N_KINDS = 256
DENSER = 0.999  # so that rounding does not skip a node that is just wide enough


class PictureArrays(NamedTuple):
    """The nodes of a picture, level by level and from left to right: node 0 is the root.

    A leaf is one unit wide, any other node as wide as its children, which lie side by side below it.
    Within a level nodes are sorted by their places and do not overlap.

    tokens         int32[m]      the token, or NONE for the root and for groups
    kinds          uint8[m]      kind that a group's tokens share; of the token elsewhere
    parents        int32[m]      node one level above, NONE for the root
    starts, ends   int32[m]      a node covers [start, end)
    level_offsets  int32[k + 1]  level i holds the nodes [level_offsets[i], level_offsets[i + 1])
    nodes          int32[n]      the node of each token, or NONE
    """

    tokens: NDArray[np.int32]
    kinds: NDArray[np.uint8]
    parents: NDArray[np.int32]
    starts: NDArray[np.int32]
    ends: NDArray[np.int32]
    level_offsets: NDArray[np.int32]
    nodes: NDArray[np.int32]


class Rows(NamedTuple):
    """The same nodes in the order of a walk from the root, parents first; what `walk` fills in."""

    tokens: NDArray[np.int32]
    kinds: NDArray[np.uint8]
    parents: NDArray[np.int32]
    levels: NDArray[np.int32]
    starts: NDArray[np.int32]
    ends: NDArray[np.int32]


def lay_out(tree: TreeArrays, kinds: NDArray[np.uint8], crowd: int) -> PictureArrays:
    """Place all tokens of a tree; the children of a node with at least `crowd` of them in groups.

    A group holds the children of one kind.  The largest comes first; where all are of one kind there are
    no groups.
    """
    fan_outs = np.diff(tree.child_offsets)
    n_groups = int(np.minimum(fan_outs[fan_outs >= max(crowd, 1)], N_KINDS).sum())
    room = len(tree.order) + 1 + n_groups
    rows = Rows(
        np.full(room, NONE, np.int32),
        np.zeros(room, np.uint8),
        np.full(room, NONE, np.int32),
        np.zeros(room, np.int32),
        np.zeros(room, np.int32),
        np.zeros(room, np.int32),
    )
    groups = np.zeros((n_groups + 1, 2), np.int32)
    count = walk(tree, kinds, crowd, rows, tree.children.copy(), groups, np.zeros((room, 3), np.int32))
    return _by_level(rows, count, len(tree.parents))


def _by_level(rows: Rows, count: int, n_tokens: int) -> PictureArrays:
    level_offsets = np.zeros(int(rows.levels[:count].max(initial=0)) + 2, np.int32)
    np.cumsum(np.bincount(rows.levels[:count]), out=level_offsets[1:])
    picture = PictureArrays(
        np.empty(count, np.int32),
        np.empty(count, np.uint8),
        np.empty(count, np.int32),
        np.empty(count, np.int32),
        np.empty(count, np.int32),
        level_offsets,
        np.full(n_tokens, NONE, np.int32),
    )
    sort_by_level(rows, level_offsets[:-1].copy(), np.empty(count, np.int32), picture)
    return picture


@kernel
def sort_by_level(
    rows: Rows, free: NDArray[np.int32], places: NDArray[np.int32], picture: PictureArrays
) -> None:
    """Put rows in the order of a picture; `free` begins as where levels do, `places` gets their places."""
    for row in range(len(places)):
        level, token, parent = rows.levels[row], rows.tokens[row], rows.parents[row]
        place = free[level]
        free[level] += 1
        places[row] = place
        picture.tokens[place], picture.kinds[place] = token, rows.kinds[row]
        picture.parents[place] = parent if parent == NONE else places[parent]
        picture.starts[place], picture.ends[place] = rows.starts[row], rows.ends[row]
        if token != NONE:
            picture.nodes[token] = place


@kernel
def walk(
    tree: TreeArrays,
    kinds: NDArray[np.uint8],
    crowd: int,
    rows: Rows,
    children: NDArray[np.int32],
    groups: np.ndarray[tuple[int, int], np.dtype[np.int32]],
    stack: np.ndarray[tuple[int, int], np.dtype[np.int32]],
) -> int:
    """Fill in `rows` from the root down; returns how many there are.

    `children` begins as the tree's own and is sorted by kind where there are groups; group i holds
    children[groups[i, 0] : groups[i, 1]].  A place of the stack holds parent row, level and what waits:
    a token, the root (NONE) or group i (NONE - 1 - i).
    """
    n_tokens = len(tree.parents)
    sizes, firsts = np.zeros(N_KINDS, np.int64), np.zeros(N_KINDS, np.int32)
    counts = np.zeros(N_KINDS, np.int32)
    count, n_groups, n_leaves, height = 0, 0, 0, 1
    stack[0, 0], stack[0, 1], stack[0, 2] = NONE, 0, NONE
    while height:
        height -= 1
        parent, level, waiting = stack[height, 0], stack[height, 1], stack[height, 2]
        row = count
        count += 1
        rows.parents[row], rows.levels[row] = parent, level
        rows.starts[row] = n_leaves
        if waiting < NONE:
            first, last = groups[NONE - 1 - waiting, 0], groups[NONE - 1 - waiting, 1]
            rows.kinds[row] = kinds[children[first]]
        else:
            number = n_tokens if waiting == NONE else waiting
            first, last = tree.child_offsets[number], tree.child_offsets[number + 1]
            if waiting != NONE:
                rows.tokens[row] = waiting
                rows.kinds[row] = kinds[waiting]
        if first == last:
            if waiting != NONE:
                n_leaves += 1
            continue
        if waiting >= NONE and last - first >= crowd:
            n_made = _group(tree, kinds, children, first, last, groups, n_groups, sizes, firsts, counts)
            if n_made > 1:
                for made in range(n_made):
                    group = n_groups + n_made - 1 - made
                    stack[height, 0], stack[height, 1], stack[height, 2] = row, level + 1, NONE - 1 - group
                    height += 1
                n_groups += n_made
                continue
        for at in range(last - 1, first - 1, -1):
            stack[height, 0], stack[height, 1], stack[height, 2] = row, level + 1, children[at]
            height += 1
    for row in range(count - 1, -1, -1):
        if row == count - 1 or rows.parents[row + 1] != row:
            rows.ends[row] = rows.starts[row] + (row > 0)
        if row:
            above = rows.parents[row]
            rows.ends[above] = max(rows.ends[above], rows.ends[row])
    return count


@routine
def _group(
    tree: TreeArrays,
    kinds: NDArray[np.uint8],
    children: NDArray[np.int32],
    first: int,
    last: int,
    groups: np.ndarray[tuple[int, int], np.dtype[np.int32]],
    n_groups: int,
    sizes: NDArray[np.int64],
    firsts: NDArray[np.int32],
    counts: NDArray[np.int32],
) -> int:
    """Sort some children by kind, the kind with the most tokens first; returns how many kinds there are."""
    for kind in range(N_KINDS):
        sizes[kind], counts[kind] = 0, 0
    for at in range(first, last):
        sizes[kinds[children[at]]] += tree.sizes[children[at]]
        counts[kinds[children[at]]] += 1
    n_made, place = 0, first
    while True:
        best = -1
        for kind in range(N_KINDS):
            if sizes[kind] > 0 and (best < 0 or sizes[kind] > sizes[best]):
                best = kind
        if best < 0:
            break
        firsts[best] = place
        groups[n_groups + n_made, 0], groups[n_groups + n_made, 1] = place, place + counts[best]
        place += counts[best]
        sizes[best] = 0
        n_made += 1
    unsorted = children[first:last].copy()
    for at in range(len(unsorted)):
        kind = kinds[unsorted[at]]
        children[firsts[kind]] = unsorted[at]
        firsts[kind] += 1
    return n_made


@routine
def first_ending_after(ends: NDArray[np.int32], low: int, high: int, place: float) -> int:
    """The first of the nodes [low, high) of a level that ends to the right of a place, else `high`."""
    while low < high:
        middle = (low + high) >> 1
        if ends[middle] > place:
            high = middle
        else:
            low = middle + 1
    return low


@kernel
def find_node(picture: PictureArrays, level: int, place: float) -> int:
    """The node of a level that covers a place, or NONE."""
    high = picture.level_offsets[level + 1]
    node = first_ending_after(picture.ends, picture.level_offsets[level], high, place)
    return int(node) if node < high and picture.starts[node] <= place else NONE


@kernel
def measure_levels(
    picture: PictureArrays,
    covered: NDArray[np.int64],
    left: float,
    right: float,
    shares: NDArray[np.float64],
    insides: NDArray[np.float64],
) -> None:
    """How each level fills the view [left, right).

    covered  int64[m + 1]   the width of all nodes before each one
    shares   float64[k]     gets the share of the view that has nodes
    insides  float64[k]     gets the share of a node that is seen where one node covers the whole view, else 1
    """
    for level in range(len(shares)):
        shares[level], insides[level] = 0.0, 1.0
        low, high = picture.level_offsets[level], picture.level_offsets[level + 1]
        first = first_ending_after(picture.ends, low, high, left)
        if first == high or picture.starts[first] >= right:
            continue
        last = first_ending_after(picture.ends, first, high, right)
        if last == high or picture.starts[last] >= right:
            last -= 1
        width = covered[last + 1] - covered[first]
        width -= max(0.0, left - picture.starts[first]) + max(0.0, picture.ends[last] - right)
        shares[level] = width / (right - left)
        if first == last and picture.starts[first] <= left and picture.ends[first] >= right:
            insides[level] = (right - left) / (picture.ends[first] - picture.starts[first])


@kernel
def list_wide(
    picture: PictureArrays,
    left: float,
    right: float,
    least: NDArray[np.float64],
    found: NDArray[np.int32],
) -> int:
    """List the nodes of which at least least[level] is seen in [left, right), by level; returns how many.

    Only those are looked at that cover one of some places a little less than that apart.
    """
    count = 0
    for level in range(len(least)):
        high = picture.level_offsets[level + 1]
        node = first_ending_after(picture.ends, picture.level_offsets[level], high, left)
        place = left
        while node < high and picture.starts[node] < right and count < len(found):
            seen_to = min(right, float(picture.ends[node]))
            if seen_to - max(left, float(picture.starts[node])) >= least[level]:
                found[count] = node
                count += 1
            place = max(place + DENSER * least[level], seen_to)
            node = first_ending_after(picture.ends, node + 1, high, place)
    return count
