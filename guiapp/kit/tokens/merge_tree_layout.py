"""Where the nodes of a merge tree are drawn: symbols left to right, each merge above its parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from guiapp.analysis.explain.merge_tree import MergeNode
from guiapp.core.text.visible_text import visible_text

LEVEL_PX = 46
LABEL_PX = 20
GAP_PX = 28
ROOT_GAP_PX = 36
LABEL_LIMIT = 24
Write = Callable[[bytes, int], str]
"""How some bytes are written, up to so many characters."""


@dataclass(frozen=True)
class Placed:
    """A node with its label; `x` is its middle, `y` the top of its level, `parent` an index or -1."""

    node: MergeNode
    label: str
    x: float
    y: int
    parent: int


@dataclass(frozen=True)
class MergeTreeLayout:
    """All nodes of a drawing, parents before their parts."""

    nodes: tuple[Placed, ...]
    width: int
    height: int


def lay_out(
    roots: tuple[MergeNode, ...], label_width: Callable[[str], int], write: Write = visible_text
) -> MergeTreeLayout:
    """Place the trees side by side; `label_width` measures a label in pixels."""
    placed: list[Placed] = []
    left = 0.0
    for root in roots:
        left = _place(root, left, 0, -1, placed, write, label_width) + ROOT_GAP_PX
    depth = max((node.y for node in placed), default=-LABEL_PX) + LABEL_PX
    return MergeTreeLayout(tuple(placed), max(0, round(left) - ROOT_GAP_PX), depth)


def _place(
    node: MergeNode,
    left: float,
    level: int,
    parent: int,
    placed: list[Placed],
    write: Write,
    label_width: Callable[[str], int],
) -> float:
    """Place a node and all below it from `left` on; returns where it ends at the right."""
    label = write(node.shown, LABEL_LIMIT)
    half = label_width(label) / 2
    at = len(placed)
    placed.append(Placed(node, label, left + half, level * LEVEL_PX, parent))
    if not node.parts:
        return left + 2 * half
    right, middles = left - GAP_PX, []
    for part in node.parts:
        first = len(placed)
        right = _place(part, right + GAP_PX, level + 1, at, placed, write, label_width)
        middles.append(placed[first].x)
    x = max(sum(middles) / 2, left + half)
    placed[at] = replace(placed[at], x=x)
    return max(right, x + half)
