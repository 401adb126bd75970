"""Where the nodes of the tree are on the screen: as an icicle or as a sunburst.  Plain geometry."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import atan2, cos, hypot, pi, sin

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.tree.picture import TreePicture

View = tuple[float, float]
NARROWEST = 0.75  # of a leaf: what a view shows at least
MARGIN_PX = 6  # around a sunburst
LEAST_DISC_PX, FULL_DISC_PX = 18.0, 34.0  # what is smaller in the middle has been passed


@dataclass(frozen=True)
class Icicle:
    """Levels below each other; `view` is what lies between the left and the right edge."""

    picture: TreePicture
    view: View
    width_px: float
    height_px: float

    @cached_property
    def tops(self) -> NDArray[np.float64]:
        return band_tops(self.picture, *self.view, (self.width_px, self.height_px), ICICLE)

    @cached_property
    def edges(self) -> NDArray[np.float64]:
        """`tops` as they are drawn: between two rows of pixels."""
        return np.round(self.tops)

    @property
    def px_per_leaf(self) -> float:
        return self.width_px / (self.view[1] - self.view[0])

    def x(self, place: float) -> float:
        return (place - self.view[0]) * self.px_per_leaf

    def hit(self, x: float, y: float) -> tuple[int, float] | None:
        """Level and place at a point, None outside of all levels."""
        level = int(np.searchsorted(self.edges, y, "right")) - 1
        if not 0 <= x < self.width_px or not 0 <= level < len(self.tops) - 1:
            return None
        return level, self.view[0] + x / self.px_per_leaf

    def share_at(self, x: float, y: float) -> float:
        """How far a point is from the left end of the view to the right, 0 to 1."""
        return min(1.0, max(0.0, x / self.width_px))

    def box(self, node: int) -> tuple[float, float, float, float]:
        """Left, top, right and bottom of a node; reaches beyond the edges."""
        start, end = self.picture.span(node)
        level = self.picture.level(node)
        return self.x(start), float(self.edges[level]), self.x(end), float(self.edges[level + 1])


@dataclass(frozen=True)
class Sunburst:
    """Levels around each other; `view` goes once round, counterclockwise from the top."""

    picture: TreePicture
    view: View
    width_px: float
    height_px: float

    @cached_property
    def size_px(self) -> int:
        """Of the square that the sunburst is painted in."""
        return max(2, int(min(self.width_px, self.height_px)) // 2 * 2)

    @cached_property
    def corner(self) -> tuple[int, int]:
        """Where that square begins."""
        return int(self.width_px - self.size_px) // 2, int(self.height_px - self.size_px) // 2

    @cached_property
    def center(self) -> tuple[float, float]:
        return self.corner[0] + self.size_px / 2, self.corner[1] + self.size_px / 2

    @cached_property
    def radii(self) -> NDArray[np.float64]:
        outer = max(1.0, self.size_px / 2 - MARGIN_PX)
        radii = band_tops(self.picture, *self.view, (2 * pi * outer, outer), SUNBURST)
        grown = np.clip((radii - LEAST_DISC_PX) / (FULL_DISC_PX - LEAST_DISC_PX), 0.0, 1.0)
        return np.asarray(radii * (grown * grown * (3 - 2 * grown)))

    def hit(self, x: float, y: float) -> tuple[int, float] | None:
        right, down = x - self.center[0], y - self.center[1]
        level = int(np.searchsorted(self.radii, hypot(right, down), "right")) - 1
        if not 0 <= level < len(self.radii) - 1:
            return None
        return level, self.view[0] + self.share_at(x, y) * (self.view[1] - self.view[0])

    def share_at(self, x: float, y: float) -> float:
        """How far round a point is, 0 to 1."""
        right, down = x - self.center[0], y - self.center[1]
        return atan2(-right, -down) / (2 * pi) % 1.0

    def share(self, place: float) -> float:
        return (place - self.view[0]) / (self.view[1] - self.view[0])

    def sector(self, node: int) -> tuple[float, float, float, float]:
        """Inner and outer radius of a node, and where round it begins and ends, 0 to 1."""
        start, end = self.picture.span(node)
        level = self.picture.level(node)
        inner, outer = self.radii[level : level + 2].tolist()
        return inner, outer, max(0.0, self.share(start)), min(1.0, self.share(end))

    def point(self, radius: float, share: float) -> tuple[float, float]:
        turn = 2 * pi * share
        return self.center[0] - radius * sin(turn), self.center[1] - radius * cos(turn)


Geometry = Icicle | Sunburst


def within(picture: TreePicture, view: View) -> View:
    """The view of the same width that lies in the picture, or all of it."""
    width = min(max(view[1] - view[0], NARROWEST), float(picture.width))
    middle = (view[0] + view[1]) / 2
    left = min(max(middle - width / 2, 0.0), picture.width - width)
    return left, left + width


def zoomed(picture: TreePicture, view: View, share: float, factor: float) -> View:
    """The view enlarged `factor` times around what lies at `share` of it."""
    width = min(max((view[1] - view[0]) / factor, NARROWEST), float(picture.width))
    left = view[0] + share * (view[1] - view[0] - width)
    left = min(max(left, 0.0), picture.width - width)
    return left, left + width


def on_the_way(start: View, end: View, share: float) -> View:
    """A view between two: the zoom goes steadily, and far away by way of what shows both."""
    widths = start[1] - start[0], end[1] - end[0]
    both = min(start[0], end[0]), max(start[1], end[1])
    if both[1] - both[0] > 3 * max(widths):
        return on_the_way(start, both, 2 * share) if share < 0.5 else on_the_way(both, end, 2 * share - 1)
    width = float(widths[0] * (widths[1] / widths[0]) ** share)
    moved = (width - widths[0]) / (widths[1] - widths[0]) if abs(widths[1] - widths[0]) > 1e-9 else share
    left = start[0] + (end[0] - start[0]) * moved
    return left, left + width


def view_of(picture: TreePicture, node: int) -> View:
    """The view that a node fills."""
    start, end = picture.span(node)
    return within(picture, (float(start), float(end)))


def view_showing(picture: TreePicture, view: View, node: int, least_share: float) -> View:
    """A view in which a node takes at least a share of the width; the present one if it does there."""
    start, end = picture.span(node)
    if view[0] <= start and end <= view[1] and end - start >= least_share * (view[1] - view[0]):
        return view
    if start <= view[0] and end >= view[1]:
        return view
    parent = picture.parent(node)
    around = view_of(picture, node if parent is None else parent)
    width = min(max((end - start) / (2 * least_share), NARROWEST), around[1] - around[0])
    width = max(width, float(end - start))
    left = min(max((start + end) / 2 - width / 2, around[0]), around[1] - width)
    return within(picture, (left, left + width))


@dataclass(frozen=True)
class BandStyle:
    """How levels share the height.

    sparse_power   a level that fills a share of the view is as high as that share to this power
    passed_power   the same for a level of which only a share of one node is seen
    passed         of the height of a full level, what is left of one that shows a small share of one node
    root           height of the root, as a share of a full level
    highest        of a full level, as a share of all that there is
    """

    sparse_power: float
    passed_power: float
    passed: float
    root: float
    highest: float


ICICLE = BandStyle(0.45, 0.45, 0.30, 0.55, 0.5)
SUNBURST = BandStyle(0.9, 1.6, 0.0, 1.4, 0.85)


def band_tops(
    picture: TreePicture, left: float, right: float, size_px: tuple[float, float], style: BandStyle
) -> NDArray[np.float64]:
    """Where each level begins, from 0 at the root, and the end of the last: float64[k + 1].

    `size_px` is the length of a level and the height for all of them.  A level whose nodes in view come to
    less than a pixel fades, so that the others have its room.  The heights follow the view [left, right)
    steadily, so that zooming moves them without a jump.
    """
    shares, insides = picture.layout.measure((left, right))
    length_px, height_px = size_px
    weights = shares**style.sparse_power * np.minimum(shares * length_px, 1.0)
    weights *= np.maximum(insides**style.passed_power, style.passed)
    weights[0] *= style.root
    unit_px = height_px * min(style.highest, 1 / max(float(weights.sum()), 1e-9))
    return np.concatenate([np.zeros(1), np.cumsum(weights * unit_px)])
