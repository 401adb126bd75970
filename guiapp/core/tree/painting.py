"""Pictures of the tree as arrays of pixels, for whoever shows or saves them."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.tree_raster import (
    FULL_COVER,
    LEAST_RING_PX,
    RADIUS_STEPS,
    ColorSums,
    PolarMap,
    Strips,
    bend_coarsely,
    bend_partly,
    bend_strips,
    list_rings,
    map_polar,
    paint_strips,
    stack_strips,
)
from guiapp.core.tree.picture import TreePicture

Pixels = np.ndarray[tuple[int, int], np.dtype[np.uint32]]
View = tuple[float, float]
HALVES = ((0, 1), (2, 3))  # quarters of a sunburst
GAP_PX = 1
FINER = 1.05  # pixels of a strip for each one on the circle that it becomes
COARSE_STEP = 2  # pixels of a circle for one of its strip, while a picture moves


@dataclass(frozen=True, eq=False)
class NodeColors:
    """The colours of all nodes of a picture, 0xRRGGBB, ready to be painted, and what is behind them.

    lit  the nodes that are not dimmed; None where none is
    """

    picture: TreePicture
    sums: ColorSums
    ground: int
    lit: NDArray[np.bool_] | None = None

    def of(self, node: int) -> int:
        return int(self.sums.colors[node])

    def is_lit(self, node: int) -> bool:
        """Whether a node is not dimmed."""
        return self.lit is None or bool(self.lit[node])


def color_sums(picture: TreePicture, colors: NDArray[np.uint32]) -> ColorSums:
    """What painting needs to know about the colour 0xRRGGBB of each node."""
    widths = np.diff(picture.covered)
    wide = colors.astype(np.int64)
    zero = np.zeros(1, np.int64)
    red_blue = np.cumsum(((wide >> 16 & 255) << 32 | wide & 255) * widths)
    green_width = np.cumsum(((wide >> 8 & 255) << 32 | 1) * widths)
    return ColorSums(colors, np.concatenate([zero, red_blue]), np.concatenate([zero, green_width]))


def paint_icicle(
    picture: TreePicture,
    sums: ColorSums,
    view: View,
    tops: NDArray[np.float64],
    background: int,
    image: Pixels,
    gap_scale: float = 1.0,
) -> None:
    """Fill an image; level i is drawn from round(tops[i]) to round(tops[i + 1])."""
    edges, (height, width) = np.round(tops).astype(np.int32), image.shape
    middle = min(int(edges[np.searchsorted(edges[:-1], int(edges[-1]) / 2)]), height)

    def paint(first: int, last: int) -> None:
        is_seen = (edges[:-1] < last) & (edges[1:] > np.maximum(first, edges[:-1]))
        counts = np.where(is_seen, width, 0).astype(np.int32)
        strips = _strips(counts, np.zeros_like(counts), counts)
        paint_strips(picture.arrays, sums, float(view[0]), float(view[1]), background, gap_scale, strips)
        stack_strips(strips, edges, GAP_PX, background, first, last, image)

    share_work(partial(paint, 0, middle), partial(paint, middle, height))


def paint_sunburst(
    picture: TreePicture,
    sums: ColorSums,
    view: View,
    radii: NDArray[np.float64],
    background: int,
    image: Pixels,
    corner: tuple[int, int] = (0, 0),
    size: int | None = None,
    is_coarse: bool = False,
) -> None:
    """Fill a square of an image; level i is the ring from radii[i] to radii[i + 1] around its middle.

    The side of the square is even.
    """
    size = min(image.shape) if size is None else size
    bend, step = (bend_coarsely, COARSE_STEP) if is_coarse else (bend_strips, 1)
    quarters = np.ceil(np.pi / 2 * radii[1:] * FINER / step).astype(np.int32)
    quarters[np.diff(radii) < LEAST_RING_PX] = 0
    rings = np.empty(size * RADIUS_STEPS * 3 // 4, np.int32)
    list_rings(radii, float(GAP_PX), rings)
    if is_coarse:
        rings[(rings & 2 * FULL_COVER - 1) < FULL_COVER // 2] = -1
    polar = polar_map(size // 2)

    lengths = np.where(quarters > 0, quarters + 2, 0)
    strips = [_strips(4 * quarters, quarter * quarters - 1, lengths) for quarter in range(4)]

    def paint(half: tuple[int, int]) -> None:
        for quarter in half:
            own = strips[quarter]
            paint_strips(picture.arrays, sums, float(view[0]), float(view[1]), background, 1.0, own)
            bend(own, polar, rings, background, *corner, quarter, image)

    share_work(*(partial(paint, half) for half in HALVES))


def paint_between(
    picture: TreePicture,
    sums: ColorSums,
    view: View,
    tops: NDArray[np.float64],
    background: int,
    shape: tuple[float, float, float, float],
    image: Pixels,
) -> None:
    """Fill an image with an icicle on its way to a sunburst, bent as `shape` says; see `bend_partly`."""
    edges = np.round(tops).astype(np.int64)
    counts = np.where(np.diff(edges) > 0, 2 * image.shape[1], 0).astype(np.int32)
    strips = _strips(counts, np.zeros_like(counts), counts)
    paint_strips(picture.arrays, sums, float(view[0]), float(view[1]), background, 1.0, strips)
    levels = np.repeat(np.arange(len(edges) - 1), np.diff(edges)).astype(np.int16)
    bend_partly(strips, levels, np.array(shape), background, image)


def share_work(own: Callable[[], None], other: Callable[[], None]) -> None:
    """Do two things at once; both here, one after the other, where another thread does not come to it."""
    helped = _helper().submit(other)
    own()
    if helped.cancel():
        other()
    else:
        helped.result()


@cache
def _helper() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, "tree-painter")


def _strips(counts: NDArray[np.int32], firsts: NDArray[np.int32], lengths: NDArray[np.int32]) -> Strips:
    offsets = np.zeros(len(counts) + 1, np.int32)
    np.cumsum(lengths, out=offsets[1:])
    return Strips(np.empty(offsets[-1], np.uint32), offsets, firsts.astype(np.int32), counts)


@lru_cache(2)
def polar_map(size: int) -> PolarMap:
    """The map of a square whose quarters have this size, kept for the next frame."""
    polar = PolarMap(np.empty((size, size), np.uint16), np.empty((size, size), np.uint16))
    map_polar(polar)
    return polar
