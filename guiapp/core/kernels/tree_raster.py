"""The token tree as pixels: rows of colours per level, stacked as an icicle or bent to a sunburst.

The cost follows the pixels, not the nodes: what is narrower than a pixel goes into the mean colour of its
column, which takes two look-ups in running sums however many nodes there are.
"""

from __future__ import annotations

from math import atan2, pi, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.compile import kernel, routine
from guiapp.core.kernels.tree_layout import PictureArrays, first_ending_after

Pixels = np.ndarray[tuple[int, int], np.dtype[np.uint32]]
OPAQUE = 0xFF000000
NO_GAP_PX = 3.0  # nodes up to this width touch each other
FULL_GAP_PX = 9.0  # from this width on there is a gap of one pixel
RADIUS_STEPS = 4  # of the table from radius to level, per pixel
FULL_COVER = 256
COVER_BITS = 9


class ColorSums(NamedTuple):
    """The colours of all nodes, and running sums of colour times width.

    colors      uint32[m]     0xRRGGBB
    red_blue    int64[m + 1]  red << 32 + blue, summed over all nodes before each one
    green_width int64[m + 1]  green << 32 + 1
    """

    colors: NDArray[np.uint32]
    red_blue: NDArray[np.int64]
    green_width: NDArray[np.int64]


class Strips(NamedTuple):
    """One row of pixels per level; level i is pixels[offsets[i] : offsets[i + 1]], 0xFFRRGGBB."""

    pixels: NDArray[np.uint32]
    offsets: NDArray[np.int32]


@kernel
def paint_strips(
    picture: PictureArrays,
    sums: ColorSums,
    left: float,
    right: float,
    background: int,
    gap_scale: float,
    first_level: int,
    last_level: int,
    strips: Strips,
) -> None:
    """Colour the strips [first_level, last_level) so that each shows the view [left, right) of its level.

    A pixel gets the mean of what it covers; `gap_scale` times one pixel is left free behind wide nodes, but
    not behind one that fills the view: all the way round there is nothing to tell it from.
    """
    for level in range(first_level, last_level):
        begin = strips.offsets[level]
        n_pixels = strips.offsets[level + 1] - begin
        if n_pixels == 0:
            continue
        low, high = picture.level_offsets[level], picture.level_offsets[level + 1]
        unit = (right - left) / n_pixels
        per_unit, touching = 1 / unit, NO_GAP_PX * unit
        node = first_ending_after(picture.ends, low, high, left)
        stride = 1
        for column in range(n_pixels):
            start = left + column * unit
            end = start + unit
            while node < high and picture.ends[node] <= start:
                node += 1
            if node == high or picture.starts[node] >= end:
                strips.pixels[begin + column] = OPAQUE | background
                continue
            node_start, node_end = float(picture.starts[node]), float(picture.ends[node])
            if node_end - node_start > touching and (node_start > left or node_end < right):
                node_end -= _gap((node_end - node_start) * per_unit) * unit * gap_scale
            if node_start <= start and node_end >= end:
                strips.pixels[begin + column] = OPAQUE | sums.colors[node]
                continue
            weight = max(0.0, min(end, node_end) - max(start, node_start))
            color = int(sums.colors[node])
            red, green = weight * (color >> 16), weight * (color >> 8 & 255)
            blue = weight * (color & 255)
            last = node
            if picture.ends[node] < end and node + 1 < high and picture.starts[node + 1] < end:
                last, step = node + 1, stride
                while last + step < high and picture.starts[last + step] < end:
                    last += step
                    step <<= 1
                while step:
                    if last + step < high and picture.starts[last + step] < end:
                        last += step
                    step >>= 1
                red_blue = sums.red_blue[last] - sums.red_blue[node + 1]
                green_width = sums.green_width[last] - sums.green_width[node + 1]
                red += red_blue >> 32
                blue += red_blue & 0xFFFFFFFF
                green += green_width >> 32
                weight += green_width & 0xFFFFFFFF
                last_start, last_end = float(picture.starts[last]), float(picture.ends[last])
                if last_end - last_start > touching:
                    last_end -= _gap((last_end - last_start) * per_unit) * unit * gap_scale
                part = max(0.0, min(end, last_end) - last_start)
                color = int(sums.colors[last])
                weight += part
                red += part * (color >> 16)
                green += part * (color >> 8 & 255)
                blue += part * (color & 255)
            stride = max(1, (last - node) >> 1)
            node = last
            free = max(0.0, unit - weight)
            red = (red + free * (background >> 16)) * per_unit
            green = (green + free * (background >> 8 & 255)) * per_unit
            blue = (blue + free * (background & 255)) * per_unit
            mean = int(red + 0.5) << 16 | int(green + 0.5) << 8 | int(blue + 0.5)
            strips.pixels[begin + column] = OPAQUE | mean


@routine
def _gap(width_px: float) -> float:
    """What is left free behind a node, in pixels."""
    return min(1.0, (width_px - NO_GAP_PX) / (FULL_GAP_PX - NO_GAP_PX))


@kernel
def stack_strips(
    strips: Strips,
    tops: NDArray[np.int32],
    gap_px: int,
    background: int,
    first: int,
    last: int,
    image: Pixels,
) -> None:
    """Paint the rows [first, last) of an icicle.

    Level i fills the rows from tops[i] to tops[i + 1], of which the last `gap_px` are left free.
    """
    width = image.shape[1]
    level = 0
    for y in range(first, last):
        while level < len(tops) - 1 and tops[level + 1] <= y:
            level += 1
        is_free = level == len(tops) - 1
        if not is_free and tops[level + 1] - tops[level] > 3 * gap_px:
            is_free = y >= tops[level + 1] - gap_px
        if is_free:
            for x in range(width):
                image[y, x] = OPAQUE | background
            continue
        line, strip = image[y], strips.pixels[strips.offsets[level] : strips.offsets[level] + width]
        for x in range(width):
            line[x] = strip[x]


class PolarMap(NamedTuple):
    """For each pixel of a square, where it lies around the middle; both are row by row.

    turns   uint16[size * size]  counterclockwise from the top, in 65536ths of a full turn
    radii   uint16[size * size]  in RADIUS_STEPS of a pixel
    """

    turns: NDArray[np.uint16]
    radii: NDArray[np.uint16]


@kernel
def map_polar(size: int, polar: PolarMap) -> None:
    """Fill in the map of a square."""
    middle = size / 2 - 0.5
    for y in range(size):
        for x in range(size):
            right, down = x - middle, y - middle
            turn = atan2(-right, -down) / (2 * pi)
            polar.turns[y * size + x] = int(turn * 65536 + 65536) & 65535
            polar.radii[y * size + x] = int(sqrt(right * right + down * down) * RADIUS_STEPS)


@kernel
def bend_strips(
    strips: Strips,
    polar: PolarMap,
    size: int,
    rings: NDArray[np.int32],
    background: int,
    corner_x: int,
    corner_y: int,
    step: int,
    first: int,
    last: int,
    image: Pixels,
) -> None:
    """Paint the rows [first, last) of a sunburst into the square of an image that begins at a corner.

    strips  begin with a copy of their last pixel and end with a copy of their first
    rings   for each radius level << COVER_BITS | how much of it is to be seen, up to FULL_COVER; or -1
    step    so many rows look alike: more is faster and coarser
    All in 32 bits without a sign, which takes two thirds of the time.
    """
    ground = np.uint32(OPAQUE | background)
    mask, eight, sixteen, half = np.uint32(0xFF00FF), np.uint32(8), np.uint32(16), np.uint32(32768)
    one, byte, whole = np.uint32(1), np.uint32(255), np.uint32(256)
    for y in range(first, last, step):
        turns, radii = polar.turns[y * size : (y + 1) * size], polar.radii[y * size : (y + 1) * size]
        line = image[corner_y + y]
        ring_before, begin, n_pixels, cover = np.int32(-1), np.uint32(0), one, whole
        for x in range(size):
            ring = rings[radii[x]]
            if ring < 0:
                line[corner_x + x] = ground
                continue
            if ring != ring_before:
                ring_before = ring
                begin = np.uint32(strips.offsets[ring >> COVER_BITS])
                n_pixels = np.uint32(strips.offsets[(ring >> COVER_BITS) + 1]) - begin - one - one
                cover = np.uint32(ring & ((1 << COVER_BITS) - 1))
            place = np.uint32(np.uint32(turns[x]) * n_pixels + half)
            column = np.uint32(begin + (place >> sixteen))
            color, behind = strips.pixels[column], strips.pixels[np.uint32(column + one)]
            if color != behind:
                share = np.uint32((place >> eight) & byte)
                red_blue = (((color & mask) * (whole - share) + (behind & mask) * share) >> eight) & mask
                green = ((color >> eight & mask) * (whole - share) + (behind >> eight & mask) * share) & ~mask
                color = np.uint32(red_blue | green)
            if cover < whole:
                red_blue = (((ground & mask) * (whole - cover) + (color & mask) * cover) >> eight) & mask
                green = ((ground >> eight & mask) * (whole - cover) + (color >> eight & mask) * cover) & ~mask
                color = np.uint32(red_blue | green)
            line[corner_x + x] = color
        for copy in range(y + 1, min(y + step, last)):
            image[corner_y + copy, corner_x : corner_x + size] = line[corner_x : corner_x + size]


@kernel
def bend_partly(
    strips: Strips,
    levels: NDArray[np.int16],
    shape: NDArray[np.float64],
    background: int,
    image: Pixels,
) -> None:
    """Paint a strip that is bent around a far centre: what lies between icicle and sunburst.

    shape   the centre's x and y, the angle of the whole strip, and the radius that becomes depth 0
    levels  the level of each depth, in pixels
    """
    height, width = image.shape
    center_x, center_y, angle, inner = shape[0], shape[1], shape[2], shape[3]
    for y in range(height):
        for x in range(width):
            right, down = x + 0.5 - center_x, y + 0.5 - center_y
            depth = int(sqrt(right * right + down * down) - inner + 1) - 1  # rounded down
            share = atan2(right, down) / angle + 0.5
            image[y, x] = OPAQUE | background
            if 0 <= depth < len(levels) and 0.0 <= share < 1.0 and levels[depth] >= 0:
                begin = strips.offsets[levels[depth]]
                n_pixels = strips.offsets[levels[depth] + 1] - begin
                image[y, x] = strips.pixels[begin + int(share * n_pixels)]
