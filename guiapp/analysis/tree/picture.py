"""The token tree as a picture: nodes with places, found by token, by place, and from each other."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.tree.scripts import NAMES, token_scripts
from guiapp.core.vocabulary.vocabulary import TokenTree, Vocabulary
from guiapp.native.token_tree import TreeLayout

ROOT = 0
MOST_LISTED = 1 << 15
CROWD = 128  # a node with this many children shows them in groups


@dataclass(frozen=True, eq=False)
class TreePicture:
    """All tokens of a vocabulary under the root, laid out; see `TreeLayout`.

    A node is a row of its arrays: the root, a token, or a group of siblings that share a script.
    scripts  uint8[n]  of each token, an index into `scripts.NAMES`
    """

    vocabulary: Vocabulary
    tree: TokenTree
    scripts: NDArray[np.uint8]
    layout: TreeLayout

    def __len__(self) -> int:
        """How many nodes there are, groups and root included."""
        return len(self.layout.tokens)

    @property
    def width(self) -> int:
        """How many leaves lie side by side; 1 for an empty tree."""
        return max(1, int(self.layout.ends[ROOT]))

    @property
    def n_levels(self) -> int:
        return self.layout.n_levels

    @cached_property
    def widest(self) -> NDArray[np.int32]:
        """int32[k]: the width of the widest node of each level."""
        widths: NDArray[np.int32] = self.layout.ends - self.layout.starts
        return np.maximum.reduceat(widths, self.layout.level_offsets[:-1])

    def token(self, node: int) -> int | None:
        """The token that a node stands for; None for root and groups."""
        token = int(self.layout.tokens[node])
        return None if token < 0 else token

    def node(self, token: int) -> int:
        return int(self.layout.nodes[token])

    def parent(self, node: int) -> int | None:
        return None if node == ROOT else int(self.layout.parents[node])

    def path(self, node: int) -> list[int]:
        """The nodes from the root to a node, both included."""
        path = [node]
        while path[-1] != ROOT:
            path.append(int(self.layout.parents[path[-1]]))
        return path[::-1]

    def children(self, node: int) -> range:
        """The nodes right below a node, from left to right."""
        level = self.level(node) + 1
        if level == self.n_levels:
            return range(0)
        low, high = self._level_offsets[level : level + 2]
        first, last = np.searchsorted(self.layout.parents[low:high], [node, node + 1])
        return range(low + int(first), low + int(last))

    def level(self, node: int) -> int:
        return bisect_right(self._level_offsets, node) - 1

    @cached_property
    def _level_offsets(self) -> list[int]:
        offsets: list[int] = self.layout.level_offsets.tolist()
        return offsets

    def span(self, node: int) -> tuple[int, int]:
        """The places that a node covers; never empty."""
        start, end = int(self.layout.starts[node]), int(self.layout.ends[node])
        return start, max(end, start + 1)

    def node_at(self, level: int, place: float) -> int | None:
        """What lies on a level at a place."""
        if not 0 <= level < self.n_levels:
            return None
        low, high = self._level_offsets[level : level + 2]
        node = low + int(np.searchsorted(self.layout.ends[low:high], place, "right"))
        return node if node < high and self.layout.starts[node] <= place else None

    def wide_nodes(self, left: float, right: float, least: NDArray[np.float64]) -> NDArray[np.int32]:
        """The nodes that take at least a width of the view [left, right), least[i] on level i.

        Level by level, from left to right; none of a level for which that is infinite.
        """
        least = np.where(self.widest < least, np.inf, least)
        return self.layout.list_wide((left, right), least, min(len(self), MOST_LISTED))

    def n_below(self, node: int) -> int:
        """How many tokens there are below a node."""
        token = self.token(node)
        if token is not None:
            return int(self.tree.columns.sizes[token]) - 1
        if node == ROOT:
            return len(self.tree)
        members = self.layout.tokens[self.children(node)]
        return int(self.tree.columns.sizes[members].sum())

    def tokens_below(self, node: int) -> NDArray[np.int32]:
        """The tokens below a node, level by level."""
        start, end = self.span(node)
        rows = slice(node + 1, None)
        is_below = (self.layout.starts[rows] >= start) & (self.layout.ends[rows] <= end)
        is_token = self.layout.tokens[rows] >= 0
        tokens: NDArray[np.int32] = self.layout.tokens[rows][is_below & is_token]
        return tokens

    def script(self, node: int) -> str:
        return NAMES[int(self.layout.kinds[node])]


def tree_picture(vocabulary: Vocabulary) -> TreePicture:
    """Lay out the token tree of a vocabulary."""
    tree = vocabulary.token_tree
    scripts, columns = token_scripts(vocabulary, tree), tree.columns
    layout = TreeLayout(columns.sizes, columns.child_offsets, columns.children, scripts, CROWD)
    return TreePicture(vocabulary, tree, scripts, layout)
