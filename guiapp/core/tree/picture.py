"""The token tree as a picture: nodes with places, found by token, by place, and from each other."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.byte_trie import NONE
from guiapp.core.kernels.tree_layout import PictureArrays, find_node, lay_out, list_wide
from guiapp.core.tree.scripts import NAMES, token_scripts
from guiapp.core.vocab.token_tree import TokenTree
from guiapp.core.vocab.vocabulary import Vocabulary

ROOT = 0
MOST_LISTED = 1 << 15
CROWD = 128  # a node with this many children shows them in groups


@dataclass(frozen=True, eq=False)
class TreePicture:
    """All tokens of a vocabulary under the root, laid out; see `PictureArrays`.

    A node is a row of the arrays: the root, a token, or a group of siblings that share a script.
    scripts  uint8[n]  of each token, an index into `scripts.NAMES`
    """

    vocabulary: Vocabulary
    tree: TokenTree
    scripts: NDArray[np.uint8]
    arrays: PictureArrays

    def __len__(self) -> int:
        """How many nodes there are, groups and root included."""
        return len(self.arrays.tokens)

    @property
    def width(self) -> int:
        """How many leaves lie side by side; 1 for an empty tree."""
        return max(1, int(self.arrays.ends[ROOT]))

    @property
    def n_levels(self) -> int:
        return len(self.arrays.level_offsets) - 1

    @cached_property
    def covered(self) -> NDArray[np.int64]:
        """int64[m + 1]: the width of all nodes before each one."""
        widths = (self.arrays.ends - self.arrays.starts).astype(np.int64)
        return np.concatenate([np.zeros(1, np.int64), np.cumsum(widths)])

    @cached_property
    def widest(self) -> NDArray[np.int32]:
        """int32[k]: the width of the widest node of each level."""
        widths: NDArray[np.int32] = self.arrays.ends - self.arrays.starts
        return np.maximum.reduceat(widths, self.arrays.level_offsets[:-1])

    def token(self, node: int) -> int | None:
        """The token that a node stands for; None for root and groups."""
        token = int(self.arrays.tokens[node])
        return None if token == NONE else token

    def node(self, token: int) -> int:
        return int(self.arrays.nodes[token])

    def parent(self, node: int) -> int | None:
        return None if node == ROOT else int(self.arrays.parents[node])

    def path(self, node: int) -> list[int]:
        """The nodes from the root to a node, both included."""
        path = [node]
        while path[-1] != ROOT:
            path.append(int(self.arrays.parents[path[-1]]))
        return path[::-1]

    def children(self, node: int) -> range:
        """The nodes right below a node, from left to right."""
        level = self.level(node) + 1
        if level == self.n_levels:
            return range(0)
        low, high = self.arrays.level_offsets[level : level + 2]
        first, last = np.searchsorted(self.arrays.parents[low:high], [node, node + 1])
        return range(int(low + first), int(low + last))

    def level(self, node: int) -> int:
        return bisect_right(self._level_offsets, node) - 1

    @cached_property
    def _level_offsets(self) -> list[int]:
        offsets: list[int] = self.arrays.level_offsets.tolist()
        return offsets

    def span(self, node: int) -> tuple[int, int]:
        """The places that a node covers; never empty."""
        start, end = int(self.arrays.starts[node]), int(self.arrays.ends[node])
        return start, max(end, start + 1)

    def node_at(self, level: int, place: float) -> int | None:
        """What lies on a level at a place."""
        if not 0 <= level < self.n_levels:
            return None
        node = find_node(self.arrays, level, float(place))
        return None if node == NONE else node

    def wide_nodes(self, left: float, right: float, least: NDArray[np.float64]) -> NDArray[np.int32]:
        """The nodes that take at least a width of the view [left, right), least[i] on level i.

        Level by level, from left to right; none of a level for which that is infinite.
        """
        found = np.empty(min(len(self), MOST_LISTED), np.int32)
        least = np.where(self.widest < least, np.inf, least)
        return found[: list_wide(self.arrays, float(left), float(right), least, found)]

    def n_below(self, node: int) -> int:
        """How many tokens there are below a node."""
        token = self.token(node)
        if token is not None:
            return int(self.tree.arrays.sizes[token]) - 1
        if node == ROOT:
            return len(self.tree)
        members = self.arrays.tokens[self.children(node)]
        return int(self.tree.arrays.sizes[members].sum())

    def tokens_below(self, node: int) -> NDArray[np.int32]:
        """The tokens below a node, level by level."""
        start, end = self.span(node)
        rows = slice(node + 1, None)
        is_below = (self.arrays.starts[rows] >= start) & (self.arrays.ends[rows] <= end)
        is_token = self.arrays.tokens[rows] != NONE
        tokens: NDArray[np.int32] = self.arrays.tokens[rows][is_below & is_token]
        return tokens

    def script(self, node: int) -> str:
        return NAMES[int(self.arrays.kinds[node])]


def tree_picture(vocabulary: Vocabulary) -> TreePicture:
    """Lay out the token tree of a vocabulary."""
    tree = vocabulary.token_tree
    scripts = token_scripts(vocabulary, tree)
    return TreePicture(vocabulary, tree, scripts, lay_out(tree.arrays, scripts, CROWD))
