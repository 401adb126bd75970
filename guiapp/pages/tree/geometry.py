"""The positions of nodes and labels on the screen: as an icicle or as a sunburst."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import atan2, cos, hypot, pi, sin
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.tree.picture import TreePicture

Floats = NDArray[np.float64]
PADDING_PX = 5
LEAST_PADDING_PX, PADDING_SHARE = 2, 0.08  # of narrow nodes of an icicle
DOWNWARDS = 90.0
HEIGHTS_PX = np.array([15, 28, 44, 66, 96])  # band heights from which on letters are larger
SIZES_PX = np.array([0, 12, 14, 18, 24, 32])  # font sizes; 12 is the smallest that is easy to read
LOWEST_PX = float(HEIGHTS_PX[0])
NARROWEST_PX = 14
LINE_HEIGHT = 1.25  # times the font size
UPRIGHT_PX = 22  # narrower nodes have vertical labels
LEAST_DOWN_PX = 24  # least height of a node with a vertical label
WIDER = 1.3  # the height that sets the font size counts up to this multiple of the width
DISC = 1.6  # width of a label in the disc, in radii
ROUNDER = 6  # radians of an arc from which on its label is in the middle of the disc
LARGEST_HOLE_PX = 1.0  # in the middle of a disc
View = tuple[float, float]
NARROWEST = 0.75  # width of the narrowest view, in leaves
MARGIN_PX = 6  # around a sunburst
LEAST_DISC_PX, FULL_DISC_PX = 18.0, 34.0  # smaller inner discs shrink away


@dataclass(frozen=True)
class Icicle:
    """Levels below each other; `view` is the range of leaves between the left and the right edge."""

    picture: TreePicture
    view: View
    width_px: float
    height_px: float

    @cached_property
    def tops(self) -> NDArray[np.float64]:
        return band_tops(self.picture, *self.view, (self.width_px, self.height_px), ICICLE)

    @cached_property
    def edges(self) -> NDArray[np.float64]:
        """`tops`, rounded to whole pixels."""
        return np.round(self.tops)

    @property
    def px_per_leaf(self) -> float:
        return self.width_px / (self.view[1] - self.view[0])

    def x(self, position: float) -> float:
        return (position - self.view[0]) * self.px_per_leaf

    def hit(self, x: float, y: float) -> tuple[int, float] | None:
        """The level and leaf position at a point; None outside of all levels."""
        level = int(np.searchsorted(self.edges, y, "right")) - 1
        if not 0 <= x < self.width_px or not 0 <= level < len(self.tops) - 1:
            return None
        return level, self.view[0] + x / self.px_per_leaf

    def share_at(self, x: float, y: float) -> float:
        """The share of the view to the left of a point, 0 to 1."""
        return min(1.0, max(0.0, x / self.width_px))

    def box(self, node: int) -> tuple[float, float, float, float]:
        start, end = self.picture.span(node)
        level = self.picture.level(node)
        return self.x(start), float(self.edges[level]), self.x(end), float(self.edges[level + 1])


@dataclass(frozen=True)
class Sunburst:
    """Levels around each other; `view` goes once around, counterclockwise from the top."""

    picture: TreePicture
    view: View
    width_px: float
    height_px: float

    @cached_property
    def size_px(self) -> int:
        """The side of the square around the sunburst."""
        return max(2, int(min(self.width_px, self.height_px)) // 2 * 2)

    @cached_property
    def corner(self) -> tuple[int, int]:
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
        """The share of a turn at a point, 0 to 1."""
        right, down = x - self.center[0], y - self.center[1]
        return atan2(-right, -down) / (2 * pi) % 1.0

    def share(self, position: float) -> float:
        return (position - self.view[0]) / (self.view[1] - self.view[0])

    def sector(self, node: int) -> tuple[float, float, float, float]:
        """The inner and outer radius of a node, and the start and end of its arc as shares of a turn."""
        start, end = self.picture.span(node)
        level = self.picture.level(node)
        inner, outer = self.radii[level : level + 2].tolist()
        return inner, outer, max(0.0, self.share(start)), min(1.0, self.share(end))

    def point(self, radius: float, share: float) -> tuple[float, float]:
        turn = 2 * pi * share
        return self.center[0] - radius * sin(turn), self.center[1] - radius * cos(turn)


Geometry = Icicle | Sunburst


def within(picture: TreePicture, view: View) -> View:
    """Move a view into the picture, at the same width if possible."""
    width = min(max(view[1] - view[0], NARROWEST), float(picture.width))
    middle = (view[0] + view[1]) / 2
    left = min(max(middle - width / 2, 0.0), picture.width - width)
    return left, left + width


def zoomed(picture: TreePicture, view: View, share: float, factor: float) -> View:
    """Magnify a view by `factor` around the point at `share` of its width."""
    width = min(max((view[1] - view[0]) / factor, NARROWEST), float(picture.width))
    left = view[0] + share * (view[1] - view[0] - width)
    left = min(max(left, 0.0), picture.width - width)
    return left, left + width


def on_the_way(start: View, end: View, share: float) -> View:
    """Interpolate between two views: zoom evenly, and for distant views zoom out to show both first."""
    widths = start[1] - start[0], end[1] - end[0]
    both = min(start[0], end[0]), max(start[1], end[1])
    if both[1] - both[0] > 3 * max(widths):
        return on_the_way(start, both, 2 * share) if share < 0.5 else on_the_way(both, end, 2 * share - 1)
    width = float(widths[0] * (widths[1] / widths[0]) ** share)
    moved = (width - widths[0]) / (widths[1] - widths[0]) if abs(widths[1] - widths[0]) > 1e-9 else share
    left = start[0] + (end[0] - start[0]) * moved
    return left, left + width


def view_of(picture: TreePicture, node: int) -> View:
    start, end = picture.span(node)
    return within(picture, (float(start), float(end)))


def view_showing(picture: TreePicture, view: View, node: int, least_share: float) -> View:
    """A view in which a node has at least a share of the width; the present view if it has already."""
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

    sparse_power   a level that fills a share s of the view has a height of s to this power
    passed_power   the same for a level that shows only a share of a single node
    passed         the least height of such a level, as a share of a full level
    root           height of the root, as a share of a full level
    highest        greatest height of a full level, as a share of the total
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
    """The start of each level, from 0 at the root, and the end of the last: float64[k + 1].

    `size_px` is the length of a level and the height of all levels.  A level whose visible nodes cover less
    than a pixel shrinks, which leaves its room to the others.  The heights change continuously with the
    view [left, right), so that zooming is smooth.
    """
    shares, insides = picture.layout.measure((left, right))
    length_px, height_px = size_px
    weights = shares**style.sparse_power * np.minimum(shares * length_px, 1.0)
    weights *= np.maximum(insides**style.passed_power, style.passed)
    weights[0] *= style.root
    unit_px = height_px * min(style.highest, 1 / max(float(weights.sum()), 1e-9))
    return np.concatenate([np.zeros(1), np.cumsum(weights * unit_px)])


class LabelSlot(NamedTuple):
    """Room for the label of a node: a line from (x, y), `room_px` long, rotated by `degrees` clockwise.

    If `is_centered`, (x, y) is the middle instead of the beginning.  A label of up to `upright_px` need not
    be rotated; one that does not fit may be vertical, within `down_px`.  The label `is_middle` of a sunburst
    is the whole token, since no ring inside it shows the beginning.
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


def label_slots(geometry: Geometry) -> list[LabelSlot]:
    return icicle_slots(geometry) if isinstance(geometry, Icicle) else sunburst_slots(geometry)


def letter_size(height_px: Floats) -> NDArray[np.int64]:
    sizes: NDArray[np.int64] = SIZES_PX[np.searchsorted(HEIGHTS_PX, height_px, "right")]
    return sizes


def icicle_slots(icicle: Icicle) -> list[LabelSlot]:
    """Label slots at the left of the visible part of each node that is wide enough."""
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


def sunburst_slots(sunburst: Sunburst) -> list[LabelSlot]:
    """Label slots along the ring if they fit, else along the radius."""
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
    letters_px = np.where(is_along, np.minimum(height, WIDER * arcs), arcs)
    sizes = letter_size(np.where(is_disc, DISC * outer, letters_px))
    upper = middle + LINE_HEIGHT / 2 * sizes
    straight = 2 * np.sqrt(np.maximum(outer**2 - upper**2, 0))  # length of a straight line within the ring
    along = np.minimum(arcs - 2 * PADDING_PX, straight)
    wide = 2 * middle * np.sin(np.minimum(arcs / (2 * middle), np.pi / 2))  # circle between the sides
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
    along = degrees % 360
    return np.where((along > 90) & (along < 270), along - 180, along)


def _longest_within(diameters_px: Floats, sizes_px: NDArray[np.int64]) -> Floats:
    """The length of the longest line of text that fits in a circle."""
    return np.sqrt(np.maximum(0.0, (diameters_px - 2) ** 2 - (LINE_HEIGHT * sizes_px) ** 2))


def _listed(sizes_px: NDArray[np.int64], *columns: NDArray[np.generic]) -> list[LabelSlot]:
    """The slots with a font size above 0, from the columns of `LabelSlot`."""
    has_letters = sizes_px > 0
    return list(map(LabelSlot._make, zip(*(column[has_letters].tolist() for column in columns), strict=True)))
