"""Which nodes of the tree get a label, and where it goes.  Plain geometry."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.tree.picture import TreePicture
from guiapp.pages.tree.geometry import Geometry, Icicle, Sunburst

Floats = NDArray[np.float64]
PADDING_PX = 5
LEAST_PADDING_PX, PADDING_SHARE = 2, 0.08  # of narrow nodes, with levels below each other
DOWNWARDS = 90.0
HEIGHTS_PX = np.array([15, 28, 44, 66, 96])  # of bands, from which on letters are larger
SIZES_PX = np.array([0, 12, 14, 18, 24, 32])  # the first that can be read without effort
LOWEST_PX = float(HEIGHTS_PX[0])
NARROWEST_PX = 14
LINE_HEIGHT = 1.25  # of the size of its letters
UPRIGHT_PX = 22  # narrower nodes have their label downwards
LEAST_DOWN_PX = 24  # height of a node with a label downwards
WIDER = 1.3  # times its width a node may be high for letters that go with its height
DISC = 1.6  # of the radius, a line through the middle
ROUNDER = 6  # radians of a ring from which on a label goes in the middle of the disc
FIRST_LABELLED = 400  # as large a part of the whole tree
LARGEST_HOLE_PX = 1.0  # in the middle of a disc


class LabelSlot(NamedTuple):
    """Room for the label of a node: its middle line from (x, y), so long, turned by `degrees` clockwise.

    Where `is_centered`, (x, y) is the middle instead of the beginning.  A label up to `upright_px` long need
    not be turned; one that does not fit may go downwards where there are `down_px` for that.  What
    `is_middle` of a sunburst tells the whole token, as there is nothing around that it would add to.
    """

    node: int
    x: float
    y: float
    room_px: float
    size_px: int
    degrees: float = 0.0
    is_centered: bool = False
    upright_px: float = 0.0
    down_px: float = 0.0
    is_middle: bool = False


def places(geometry: Geometry) -> list[LabelSlot]:
    """The labels of all nodes that are large enough, those near the root first."""
    return icicle_places(geometry) if isinstance(geometry, Icicle) else sunburst_places(geometry)


def first_labelled(picture: TreePicture) -> list[int]:
    """The nodes that are the first to get labels as somebody comes nearer."""
    least = np.full(picture.n_levels, picture.width / FIRST_LABELLED)
    nodes: list[int] = picture.wide_nodes(0.0, float(picture.width), least).tolist()
    return nodes


def letter_size(height_px: Floats) -> NDArray[np.int64]:
    """The size of letters for bands, 0 where there is no room for any."""
    sizes: NDArray[np.int64] = SIZES_PX[np.searchsorted(HEIGHTS_PX, height_px, "right")]
    return sizes


def icicle_places(icicle: Icicle) -> list[LabelSlot]:
    """Labels at the left of what is seen of each node that is wide enough."""
    picture, left, scale = icicle.picture, icicle.view[0], icicle.px_per_leaf
    edges, heights = icicle.edges, np.diff(icicle.edges)
    narrowest = np.where(heights >= LEAST_DOWN_PX, NARROWEST_PX, UPRIGHT_PX) / scale
    nodes = picture.wide_nodes(*icicle.view, np.where(heights < LOWEST_PX, np.inf, narrowest))
    levels = _levels(icicle, nodes)
    starts = np.maximum((picture.layout.starts[nodes] - left) * scale, 0.0)
    widths = np.minimum((picture.layout.ends[nodes] - left) * scale, icicle.width_px) - starts
    is_down = widths < UPRIGHT_PX
    padding = np.clip(PADDING_SHARE * widths, LEAST_PADDING_PX, PADDING_PX)
    downwards = heights[levels] - 6
    sizes = letter_size(np.where(is_down, widths + 1, np.minimum(heights[levels], WIDER * widths)))
    return _listed(
        sizes,
        nodes,
        starts + np.where(is_down, widths / 2, padding),
        ((edges[:-1] + edges[1:] - 1) / 2)[levels],
        np.where(is_down, downwards, widths - 2 * padding),
        sizes,
        np.where(is_down, DOWNWARDS, 0.0),
        is_down,
        np.where(is_down, widths, 0.0),
        np.where(is_down, 0.0, downwards),
        np.full(len(nodes), False),
    )


def sunburst_places(sunburst: Sunburst) -> list[LabelSlot]:
    """Labels along the ring where they fit, else from the middle outwards."""
    picture, (left, right) = sunburst.picture, sunburst.view
    radii = sunburst.radii
    heights = np.diff(radii)
    least = LOWEST_PX / (2 * np.pi * (radii[:-1] + 0.4 * heights).clip(1e-9)) * (right - left)
    nodes = picture.wide_nodes(left, right, np.where(heights < LOWEST_PX, np.inf, least))
    levels = _levels(sunburst, nodes)
    starts = np.maximum((picture.layout.starts[nodes] - left) / (right - left), 0.0)
    ends = np.minimum((picture.layout.ends[nodes] - left) / (right - left), 1.0)
    inner, outer, height = radii[levels], radii[levels + 1], heights[levels]
    middle, turns = (inner + outer) / 2, np.pi * (starts + ends)
    arcs = (ends - starts) * 2 * np.pi * middle
    is_disc = (inner < LARGEST_HOLE_PX) & (arcs > ROUNDER * middle)
    is_along = is_disc | (arcs > 1.1 * height)
    radius = np.where(is_disc, 0.0, middle)
    sizes = letter_size(
        np.where(is_disc, DISC * outer, np.where(is_along, np.minimum(height, WIDER * arcs), arcs))
    )
    straight = 2 * np.sqrt(
        np.maximum(outer**2 - (middle + LINE_HEIGHT / 2 * sizes) ** 2, 0)
    )  # within the ring
    along = np.minimum(arcs - 2 * PADDING_PX, straight)
    wide = 2 * middle * np.sin(np.minimum(arcs / (2 * middle), np.pi / 2))  # of a circle between the sides
    return _listed(
        sizes,
        nodes,
        sunburst.center[0] - radius * np.sin(turns),
        sunburst.center[1] - radius * np.cos(turns),
        np.where(is_disc, DISC * outer, np.where(is_along, along, height - 6)),
        sizes,
        np.where(is_disc, 0.0, _readable(-np.rad2deg(turns) - np.where(is_along, 0, 90))),
        np.full(len(nodes), True),
        np.where(is_disc, 0.0, _longest_within(np.minimum(height, wide), sizes)),
        np.zeros(len(nodes)),
        is_disc,
    )


def _levels(geometry: Geometry, nodes: NDArray[np.int32]) -> NDArray[np.int64]:
    return np.searchsorted(geometry.picture.layout.level_offsets, nodes, "right") - 1


def _readable(degrees: Floats) -> Floats:
    """The same lines, none of them upside down."""
    along = degrees % 360
    return np.where((along > 90) & (along < 270), along - 180, along)


def _longest_within(diameters_px: Floats, sizes_px: NDArray[np.int64]) -> Floats:
    """The length of the longest line of letters that lies in a circle."""
    return np.sqrt(np.maximum(0.0, (diameters_px - 2) ** 2 - (LINE_HEIGHT * sizes_px) ** 2))


def _listed(sizes_px: NDArray[np.int64], *columns: NDArray[np.generic]) -> list[LabelSlot]:
    """The places that have letters, from the columns of `LabelSlot`."""
    has_letters = sizes_px > 0
    return list(map(LabelSlot._make, zip(*(column[has_letters].tolist() for column in columns), strict=True)))
