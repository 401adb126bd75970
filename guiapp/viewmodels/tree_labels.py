"""Which nodes of the tree get a label, and where it goes.  Plain geometry."""

from __future__ import annotations

from collections.abc import Iterator
from math import degrees, pi, sin, sqrt
from typing import NamedTuple

import numpy as np

from guiapp.viewmodels.tree_geometry import Icicle, Sunburst

PADDING_PX = 5
SIZES_PX = ((34, 14), (21, 12), (13, 11))  # bands of at least this height get letters of this size
NARROWEST_PX = 12
LINE_HEIGHT = 1.25  # of the size of its letters
UPRIGHT_PX = 22  # narrower nodes have their label downwards
LEAST_DOWN_PX = 24  # height of a node with a label downwards
MOST_LEVEL = 160  # labels on one level
MOST_TURNED = 140


class Place(NamedTuple):
    """Room for the label of a node: its middle line from (x, y), so long, turned by `degrees` clockwise.

    Where `is_centered`, (x, y) is the middle instead of the beginning.  A label up to `upright_px` long need
    not be turned.
    """

    node: int
    x: float
    y: float
    room_px: float
    size_px: int
    degrees: float = 0.0
    is_centered: bool = False
    upright_px: float = 0.0


def letter_size(height_px: float) -> int:
    """The size of letters for a band, 0 where there is no room for any."""
    for least, size in SIZES_PX:
        if height_px >= least:
            return size
    return 0


def icicle_places(icicle: Icicle) -> Iterator[Place]:
    """Labels at the left of what is seen of each node that is wide enough."""
    picture, (left, right) = icicle.picture, icicle.view
    edges = np.round(icicle.tops).tolist()
    for level in range(picture.n_levels):
        height = edges[level + 1] - edges[level]
        size = letter_size(height)
        if not size:
            continue
        narrowest = NARROWEST_PX if height >= LEAST_DOWN_PX else UPRIGHT_PX
        nodes = picture.wide_nodes(level, left, right, narrowest / icicle.px_per_leaf)
        starts = np.maximum((picture.arrays.starts[nodes] - left) * icicle.px_per_leaf, 0.0)
        ends = np.minimum((picture.arrays.ends[nodes] - left) * icicle.px_per_leaf, icicle.width_px)
        room = ends - starts - 2 * PADDING_PX
        if len(nodes) > MOST_LEVEL:
            kept = np.sort(np.argsort(-room, kind="stable")[:MOST_LEVEL])
            nodes, starts, room = nodes[kept], starts[kept], room[kept]
        middle = (edges[level] + edges[level + 1] - 1) / 2
        for node, x, length in zip(nodes.tolist(), starts.tolist(), room.tolist(), strict=True):
            if length + 2 * PADDING_PX >= UPRIGHT_PX:
                yield Place(node, x + PADDING_PX, middle, length, size)
            else:
                width = length + 2 * PADDING_PX
                size = letter_size(width + 1)
                yield Place(node, x + width / 2, middle, height - 6, size, 90.0, True, width - 2)


def sunburst_places(sunburst: Sunburst) -> Iterator[Place]:
    """Labels along the ring where they fit, else from the middle outwards; the largest nodes first."""
    picture, (left, right) = sunburst.picture, sunburst.view
    radii = sunburst.radii.tolist()
    count = 0
    for level in range(picture.n_levels):
        inner, outer = radii[level], radii[level + 1]
        if outer - inner < SIZES_PX[-1][0]:
            continue
        middle = (inner + outer) / 2
        around = 2 * pi * middle
        least = SIZES_PX[-1][0] / (2 * pi * (inner + 0.4 * (outer - inner))) * (right - left)
        nodes = picture.wide_nodes(level, left, right, least)
        shares = np.maximum((picture.arrays.starts[nodes] - left) / (right - left), 0.0)
        ends = np.minimum((picture.arrays.ends[nodes] - left) / (right - left), 1.0)
        for node, share, end in zip(nodes.tolist(), shares.tolist(), ends.tolist(), strict=True):
            place = _in_sector(sunburst, node, (inner, outer), (share + end) / 2, (end - share) * around)
            if not place.size_px:
                continue
            yield place
            count += 1
            if count >= MOST_TURNED:
                return


def _in_sector(
    sunburst: Sunburst, node: int, radii: tuple[float, float], share: float, arc_px: float
) -> Place:
    inner, outer = radii
    if inner < SIZES_PX[-1][0] and arc_px > 6 * (inner + outer) / 2:
        x, y = sunburst.center
        return Place(node, x, y, 1.6 * outer, letter_size(outer), 0.0, True)
    x, y = sunburst.point((inner + outer) / 2, share)
    wide = (inner + outer) * sin(min(arc_px / (inner + outer), pi / 2))  # of a circle between the sides
    turn = -degrees(2 * pi * share)  # of the way outwards, clockwise from the top
    if arc_px > 1.1 * (outer - inner):
        along = turn % 360
        upright = along - 180 if 90 < along < 270 else along
        reach = min(arc_px, 1.2 * ((inner + outer) / 2))  # a straight line leaves a ring sooner or later
        size = letter_size(outer - inner)
        lying = _longest_within(min(outer - inner, wide), size)
        return Place(node, x, y, reach - 2 * PADDING_PX, size, upright, True, lying)
    along = (turn - 90) % 360
    upright = along - 180 if 90 < along < 270 else along
    size = letter_size(arc_px)
    lying = _longest_within(min(outer - inner, wide), size)
    return Place(node, x, y, outer - inner - 6, size, upright, True, lying)


def _longest_within(diameter_px: float, size_px: int) -> float:
    """The length of the longest line of letters that lies in a circle."""
    return sqrt(max(0.0, (diameter_px - 2) ** 2 - (LINE_HEIGHT * size_px) ** 2))
