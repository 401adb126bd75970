"""Where the nodes of a merge tree are drawn."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from guiapp.analysis.explain.merge_tree import MergeNode
from guiapp.kit.widgets.token_card import BRANCH_GAP_PX, LABEL_PX, LEVEL_PX, layout_of

symbols = st.text("ab", min_size=1, max_size=8).map(lambda text: MergeNode(text.encode()))
nodes = st.recursive(
    symbols,
    lambda parts: st.tuples(parts, parts).map(lambda pair: MergeNode(pair[0].shown, 1, pair)),
    max_leaves=12,
)


def label_width(label: str) -> int:
    return 8 * len(label)


@given(st.lists(nodes, max_size=3))
def test_labels_never_overlap_and_stay_inside(roots):
    layout = layout_of(tuple(roots), label_width)
    levels = {}
    for placed in layout.nodes:
        half = label_width(placed.label) / 2
        assert placed.x - half >= -0.01
        assert placed.x + half <= layout.width + 0.51
        assert placed.y + LABEL_PX <= layout.height
        levels.setdefault(placed.y, []).append((placed.x - half, placed.x + half))
    for boxes in levels.values():
        boxes.sort()
        assert all(left[1] + BRANCH_GAP_PX <= right[0] + 0.01 for left, right in pairwise(boxes))


@given(nodes)
def test_parts_are_below_their_merge_on_both_sides(root):
    placed = layout_of((root,), label_width).nodes
    for at, node in enumerate(placed):
        below = [part for part in placed if part.parent == at]
        assert [part.y for part in below] == [node.y + LEVEL_PX] * len(node.node.parts)
        if below:
            assert below[0].x < node.x < below[1].x or label_width(node.label) > below[1].x - below[0].x
