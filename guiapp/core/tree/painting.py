"""Pictures of the tree as arrays of pixels, for whoever shows or saves them."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.tree_raster import (
    COVER_BITS,
    FULL_COVER,
    RADIUS_STEPS,
    ColorSums,
    PolarMap,
    Strips,
    bend_partly,
    bend_strips,
    map_polar,
    paint_strips,
    stack_strips,
)
from guiapp.core.tree.picture import TreePicture

Pixels = np.ndarray[tuple[int, int], np.dtype[np.uint32]]
GAP_PX = 1
FINER = 1.05  # pixels of a strip for each one on the circle that it becomes
COARSE_STEP = 2  # rows that look alike, and pixels of a circle for one of its strip, while a picture moves


@dataclass(frozen=True, eq=False)
class NodeColors:
    """The colours of all nodes of a picture, 0xRRGGBB, ready to be painted, and what is behind them."""

    picture: TreePicture
    sums: ColorSums
    ground: int

    def of(self, node: int) -> int:
        return int(self.sums.colors[node])


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
    view: tuple[float, float],
    tops: NDArray[np.float64],
    background: int,
    image: Pixels,
    gap_scale: float = 1.0,
) -> None:
    """Fill an image; level i is drawn from round(tops[i]) to round(tops[i + 1])."""
    width = image.shape[1]
    edges = np.round(tops).astype(np.int32)
    counts = np.where((np.diff(edges) > 0) & (edges[:-1] < image.shape[0]), width, 0)
    strips = _strips(counts)
    _color(picture, sums, view, background, gap_scale, strips)
    _by_halves(image.shape[0], partial(stack_strips, strips, edges, GAP_PX, background), image)


def paint_sunburst(
    picture: TreePicture,
    sums: ColorSums,
    view: tuple[float, float],
    radii: NDArray[np.float64],
    background: int,
    image: Pixels,
    corner: tuple[int, int] = (0, 0),
    size: int | None = None,
    is_coarse: bool = False,
) -> None:
    """Fill a square of an image; level i is the ring from radii[i] to radii[i + 1] around its middle."""
    size = min(image.shape) if size is None else size
    step = COARSE_STEP if is_coarse else 1
    counts = np.ceil(2 * np.pi * radii[1:] * FINER / step).astype(np.int64)
    counts[np.diff(radii) < 0.1] = 0
    strips = _strips(counts)
    _color(picture, sums, view, background, 1.0, strips)
    rings = _rings(radii, size)
    bend = partial(bend_strips, _closed(strips), polar_map(size), size, rings, background, *corner, step)
    _by_halves(size, bend, image)


def paint_between(
    picture: TreePicture,
    sums: ColorSums,
    view: tuple[float, float],
    tops: NDArray[np.float64],
    background: int,
    shape: tuple[float, float, float, float],
    image: Pixels,
) -> None:
    """Fill an image with an icicle on its way to a sunburst, bent as `shape` says; see `bend_partly`."""
    edges = np.round(tops).astype(np.int64)
    strips = _strips(np.where(np.diff(edges) > 0, 2 * image.shape[1], 0))
    _color(picture, sums, view, background, 1.0, strips)
    levels = np.repeat(np.arange(len(edges) - 1), np.diff(edges)).astype(np.int16)
    bend_partly(strips, levels, np.array(shape), background, image)


def _closed(strips: Strips) -> Strips:
    """The same with the last pixel of each strip before its first, and the first behind its last."""
    n_strips = len(strips.offsets) - 1
    offsets = (strips.offsets + 2 * np.arange(n_strips + 1)).astype(np.int32)
    pixels = np.empty(offsets[-1], np.uint32)
    for at in np.flatnonzero(np.diff(strips.offsets)).tolist():
        strip = strips.pixels[strips.offsets[at] : strips.offsets[at + 1]]
        begin, end = offsets[at], offsets[at + 1]
        pixels[begin + 1 : end - 1] = strip
        pixels[begin], pixels[end - 1] = strip[-1], strip[0]
    return Strips(pixels, offsets)


def _color(
    picture: TreePicture,
    sums: ColorSums,
    view: tuple[float, float],
    background: int,
    gap_scale: float,
    strips: Strips,
) -> None:
    """Colour all strips."""
    left, right = float(view[0]), float(view[1])
    n_levels = len(strips.offsets) - 1
    half = min(int(np.searchsorted(strips.offsets, strips.offsets[-1] // 2)), n_levels)
    paint = partial(paint_strips, picture.arrays, sums, left, right, background, gap_scale)
    _both(partial(paint, 0, half, strips), partial(paint, half, n_levels, strips))


def _by_halves(n_rows: int, paint: Callable[[int, int, Pixels], None], image: Pixels) -> None:
    """Paint the upper half of some rows and the lower half at once."""
    _both(partial(paint, 0, n_rows // 2, image), partial(paint, n_rows // 2, n_rows, image))


def _both(one: Callable[[], None], other: Callable[[], None]) -> None:
    """Do one thing in another thread and the other here."""
    started = _helper().submit(one)
    other()
    started.result()


@cache
def _helper() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, "tree-painter")


def _strips(counts: NDArray[np.int64]) -> Strips:
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)]).astype(np.int32)
    return Strips(np.empty(offsets[-1], np.uint32), offsets)


@lru_cache(2)
def polar_map(size: int) -> PolarMap:
    """The map of a square, kept for the next frame."""
    polar = PolarMap(np.empty(size * size, np.uint16), np.empty(size * size, np.uint16))
    map_polar(size, polar)
    return polar


def _rings(radii: NDArray[np.float64], size: int) -> NDArray[np.int32]:
    """What `bend_strips` wants to know about each step of the radius; rings have soft edges."""
    steps = (np.arange(size * RADIUS_STEPS * 3 // 4) + 0.5) / RADIUS_STEPS
    levels = np.searchsorted(radii, steps, "right") - 1
    is_outside = levels >= len(radii) - 1
    levels[is_outside] = 0
    inner, outer = radii[levels], radii[levels + 1]
    gap = np.where(outer - inner > 3 * GAP_PX, GAP_PX, 0.0)
    covers = np.clip(outer - gap - steps + 0.5, 0, 1) * np.clip((outer - inner) * 2, 0, 1)
    is_outside |= (covers == 0) | (outer - inner < 0.1)
    rings = levels << COVER_BITS | np.round(covers * FULL_COVER).astype(np.int64)
    return np.where(is_outside, -1, rings).astype(np.int32)
