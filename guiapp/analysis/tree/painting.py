"""Pictures of the tree as arrays of pixels, for whoever shows or saves them."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.tree.picture import TreePicture
from guiapp.native import token_tree as native
from guiapp.native.token_tree import View

Pixels = np.ndarray[tuple[int, int], np.dtype[np.uint32]]
HALVES = ((0, 1), (2, 3))  # quarters of a sunburst
TURN = 1 << 16
RADIUS_STEPS = 4  # per pixel


@dataclass(frozen=True, eq=False)
class NodeColors:
    """The colours of all nodes of a picture, ready to be painted.

    values  uint32[m]  0xRRGGBB
    ground  the colour behind them
    lit     the nodes that are not dimmed; None where none is
    """

    picture: TreePicture
    values: NDArray[np.uint32]
    ground: int
    lit: NDArray[np.bool_] | None = None

    @cached_property
    def painter(self) -> native.NodePainter:
        return native.NodePainter(self.picture.layout, self.values)

    def of(self, node: int) -> int:
        return int(self.values[node])

    def is_lit(self, node: int) -> bool:
        """Whether a node is not dimmed."""
        return self.lit is None or bool(self.lit[node])


def paint_icicle(
    colors: NodeColors, view: View, tops: NDArray[np.float64], image: Pixels, has_gaps: bool = True
) -> None:
    """Fill an image; level i is drawn from round(tops[i]) to round(tops[i + 1]), wide nodes with gaps."""
    edges, height = np.round(tops).astype(np.int32), len(image)
    middle = min(int(edges[np.searchsorted(edges[:-1], int(edges[-1]) / 2)]), height)
    frame = colors.painter.frame(view, colors.ground, image, has_gaps)
    share_work(
        *(partial(native.paint_icicle, frame, edges, rows) for rows in ((0, middle), (middle, height)))
    )


def paint_sunburst(
    colors: NodeColors,
    view: View,
    radii: NDArray[np.float64],
    image: Pixels,
    corner: tuple[int, int] = (0, 0),
    size: int | None = None,
    is_coarse: bool = False,
) -> None:
    """Fill a square of an image; level i is the ring from radii[i] to radii[i + 1] around its middle.

    The side of the square is even.
    """
    frame = colors.painter.frame(view, colors.ground, image)
    polar = polar_map((min(image.shape) if size is None else size) // 2)

    def paint(half: tuple[int, int]) -> None:
        for quarter in half:
            native.paint_quarter(frame, radii, polar, (*corner, quarter, is_coarse))

    share_work(*(partial(paint, half) for half in HALVES))


def paint_between(
    colors: NodeColors,
    view: View,
    tops: NDArray[np.float64],
    shape: tuple[float, float, float, float],
    image: Pixels,
) -> None:
    """Fill an image with an icicle on its way to a sunburst, bent as `native.paint_bent` says."""
    frame = colors.painter.frame(view, colors.ground, image)
    native.paint_bent(frame, np.round(tops).astype(np.int32), shape)


def share_work(own: Callable[[], None], other: Callable[[], None]) -> None:
    """Do two things at once; both here, one after the other, where another thread does not come to it."""
    helped = _helper().submit(other)
    try:
        own()
    finally:
        if not helped.cancel():
            wait([helped])
    if helped.cancelled():
        other()
    else:
        helped.result()


@cache
def _helper() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, "tree-painter")


@lru_cache(2)
def polar_map(size: int) -> tuple[NDArray[np.uint16], NDArray[np.uint16]]:
    """For a square whose quarters have this size, kept for the next frame; see `native.paint_quarter`."""
    away = size - np.arange(size) - 0.5
    turns = np.arctan2(away, away[:, np.newaxis]) * (TURN / (2 * np.pi)) + 0.5
    return turns.astype(np.uint16), (np.hypot(away, away[:, np.newaxis]) * RADIUS_STEPS).astype(np.uint16)
