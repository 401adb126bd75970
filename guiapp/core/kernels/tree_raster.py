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
Quarter = np.ndarray[tuple[int, int], np.dtype[np.uint16]]
OPAQUE = 0xFF000000
NO_GAP_PX = 3.0  # nodes up to this width touch each other
FULL_GAP_PX = 9.0  # from this width on there is a gap of one pixel
RADIUS_STEPS = 4  # of the table from radius to level, per pixel
FULL_COVER = 256
COVER_BITS = 9
LEAST_RING_PX = 0.1
QUARTER_TURN = 16384
FEW = 12  # one of so many


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
    """A row of pixels per level; that of level i is pixels[offsets[i] : offsets[i + 1]], 0xFFRRGGBB.

    It begins with column firsts[i] of the counts[i] that the whole view has on this level; what is beyond
    either end comes from the other end.
    """

    pixels: NDArray[np.uint32]
    offsets: NDArray[np.int32]
    firsts: NDArray[np.int32]
    counts: NDArray[np.int32]


@kernel
def paint_strips(
    picture: PictureArrays,
    sums: ColorSums,
    left: float,
    right: float,
    background: int,
    gap_scale: float,
    strips: Strips,
) -> None:
    """Colour the strips so that each shows its part of the view [left, right) of its level.

    A pixel gets the mean of what it covers; `gap_scale` times one pixel is left free behind wide nodes, but
    not behind one that fills the view: all the way round there is nothing to tell it from.  What is free, and
    what one node fills, is painted many columns at a time: most of a large tree's picture is free.
    """
    for level in range(len(strips.counts)):
        begin, n_columns = strips.offsets[level], strips.counts[level]
        n_pixels = strips.offsets[level + 1] - begin
        if n_pixels == 0:
            continue
        low, high = picture.level_offsets[level], picture.level_offsets[level + 1]
        unit = (right - left) / n_columns
        per_unit, touching = 1 / unit, NO_GAP_PX * unit
        node, stride, first_column = low, 1, strips.firsts[level] % n_columns
        at = 0
        while at < n_pixels:
            column = first_column + at
            while column >= n_columns:
                column -= n_columns
            start = left + column * unit
            end = start + unit
            if at == 0 or column == 0:
                node = first_ending_after(picture.ends, low, high, start)
            while node < high and picture.ends[node] <= start:
                node += 1
            if node == high or picture.starts[node] >= end:
                until = right if node == high else float(picture.starts[node])
                n_alike = _columns_until((until - left) * per_unit, column, n_columns, n_pixels - at)
                strips.pixels[begin + at : begin + at + n_alike] = OPAQUE | background
                at += n_alike
                continue
            node_start, node_end = float(picture.starts[node]), float(picture.ends[node])
            if node_end - node_start > touching and (node_start > left or node_end < right):
                node_end -= _gap((node_end - node_start) * per_unit) * unit * gap_scale
            if node_start <= start and node_end >= end:
                n_alike = _columns_until((node_end - left) * per_unit, column, n_columns, n_pixels - at)
                strips.pixels[begin + at : begin + at + n_alike] = OPAQUE | sums.colors[node]
                at += n_alike
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
            strips.pixels[begin + at] = OPAQUE | mean
            at += 1


@routine
def _columns_until(place_px: float, column: int, n_columns: int, most: int) -> int:
    """How many columns from one on surely end before a place, and that one itself."""
    return max(1, min(min(int(place_px) - 1, n_columns) - column, most))


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
    ground, level = np.uint32(OPAQUE | background), 0
    for y in range(first, last):
        while level < len(tops) - 1 and tops[level + 1] <= y:
            level += 1
        is_free = level == len(tops) - 1
        if not is_free and tops[level + 1] - tops[level] > 3 * gap_px:
            is_free = y >= tops[level + 1] - gap_px
        line = image[y]
        if is_free:
            for x in range(len(line)):
                line[x] = ground
            continue
        strip = strips.pixels[strips.offsets[level] : strips.offsets[level + 1]]
        for x in range(len(line)):
            line[x] = strip[x]


class PolarMap(NamedTuple):
    """For each pixel of the upper left quarter of a square, where it lies around the middle of the square.

    turns   uint16[n, n]  from the vertical, in 65536ths of a full turn
    radii   uint16[n, n]  in RADIUS_STEPS of a pixel
    """

    turns: Quarter
    radii: Quarter


@kernel
def map_polar(polar: PolarMap) -> None:
    """Fill in the map of a square."""
    size = len(polar.turns)
    for y in range(size):
        for x in range(size):
            up, left = size - y - 0.5, size - x - 0.5
            polar.turns[y, x] = int(atan2(left, up) / (2 * pi) * 65536 + 0.5)
            polar.radii[y, x] = int(sqrt(up * up + left * left) * RADIUS_STEPS)


@kernel
def list_rings(radii: NDArray[np.float64], gap_px: float, rings: NDArray[np.int32]) -> None:
    """For each step of the radius level << COVER_BITS | how much of it is to be seen; -1 outside of all.

    Level i is from radii[i] to radii[i + 1]; rings have soft edges, where up to FULL_COVER is seen.
    """
    level = 0
    for at in range(len(rings)):
        radius = (at + 0.5) / RADIUS_STEPS
        while level < len(radii) - 1 and radii[level + 1] <= radius:
            level += 1
        rings[at] = -1
        if level == len(radii) - 1:
            continue
        height = radii[level + 1] - radii[level]
        gap = gap_px if height > 3 * gap_px else 0.0
        cover = min(max(radii[level + 1] - gap - radius + 0.5, 0.0), 1.0) * min(2 * height, 1.0)
        if cover > 0 and height >= LEAST_RING_PX:
            rings[at] = level << COVER_BITS | int(cover * FULL_COVER + 0.5)


@kernel
def bend_strips(
    strips: Strips,
    polar: PolarMap,
    rings: NDArray[np.int32],
    background: int,
    corner_x: int,
    corner_y: int,
    quarter: int,
    image: Pixels,
) -> None:
    """Paint a quarter of the sunburst in the square of an image that begins at a corner.

    quarter  0 to 3, counterclockwise from the top
    strips   of this quarter, with one column more at each end
    rings    see `list_rings`
    Red, green and blue of two neighbours are mixed at once, as numbers of 16 bits within one of 64.  Equal
    neighbours are left as they are where that is the rule: elsewhere asking takes longer than mixing.
    """
    is_varied = np.empty(len(strips.counts), np.bool_)
    for level in range(len(is_varied)):
        is_varied[level] = _is_varied(strips.pixels[strips.offsets[level] : strips.offsets[level + 1]])
    size = len(polar.turns)
    ground, mask, whole = np.uint32(OPAQUE | background), np.uint64(0x00FF00FF00FF00FF), np.uint64(256)
    eight, apart, byte = np.uint64(8), np.uint64(24), np.uint64(255)
    none, one, sixteen, half = np.uint32(0), np.uint32(1), np.uint32(16), np.uint32(32768)
    behind = (np.uint64(ground) | np.uint64(ground) << apart) & mask
    is_mirrored, is_right, is_low = quarter % 2 == 1, quarter >= 2, quarter in (1, 2)
    outermost = np.uint32(corner_x + 2 * size - 1) if is_right else np.uint32(corner_x)
    inwards = np.uint32(-1 & 0xFFFFFFFF) if is_right else one
    for y in range(size):
        turns, radii = polar.turns[y], polar.radii[y]
        line = image[corner_y + (2 * size - 1 - y if is_low else y)]
        ring_before, begin, around, zero, cover = np.int32(-1), none, none, half, whole
        to, is_mixed = outermost, True
        for x in range(size):
            ring = rings[radii[x]]
            if ring < 0:
                line[to] = ground
                to = np.uint32(to + inwards)
                continue
            if ring != ring_before:
                ring_before = ring
                begin = np.uint32(strips.offsets[ring >> COVER_BITS])
                around = np.uint32(strips.counts[ring >> COVER_BITS])
                cover = np.uint64(ring & ((1 << COVER_BITS) - 1))
                is_mixed = bool(is_varied[ring >> COVER_BITS] or cover < whole)
                if is_mirrored:
                    zero = np.uint32(half + np.uint32(QUARTER_TURN) * around)
                    around = np.uint32(none - around)
            place = np.uint32(np.uint32(turns[x]) * around + zero)
            column = np.uint32(begin + (place >> sixteen))
            color = np.uint64(strips.pixels[column])
            next_color = np.uint64(strips.pixels[np.uint32(column + one)])
            if is_mixed or color != next_color:
                color = (color | color << apart) & mask
                next_color = (next_color | next_color << apart) & mask
                share = np.uint64(place) >> eight & byte
                color = (color * (whole - share) + next_color * share) >> eight & mask
                if cover < whole:
                    color = (behind * (whole - cover) + color * cover) >> eight & mask
                color |= color >> apart
            line[to] = np.uint32(color)
            to = np.uint32(to + inwards)


@routine
def _is_varied(strip: NDArray[np.uint32]) -> bool:
    """Whether more than a few pixels differ from the next one."""
    n_different = 0
    for at in range(len(strip) - 1):
        n_different += strip[at] != strip[at + 1]
    return n_different * FEW > len(strip)


@kernel
def bend_coarsely(
    strips: Strips,
    polar: PolarMap,
    rings: NDArray[np.int32],
    background: int,
    corner_x: int,
    corner_y: int,
    quarter: int,
    image: Pixels,
) -> None:
    """The same as `bend_strips` with the nearest pixels of strips, and pairs of rows that look alike."""
    size = len(polar.turns)
    ground, none, one = np.uint32(OPAQUE | background), np.uint32(0), np.uint32(1)
    sixteen, whole = np.uint32(16), np.uint32(65536)
    is_mirrored, is_right, is_low = quarter % 2 == 1, quarter >= 2, quarter in (1, 2)
    first = corner_x + (size if is_right else 0)
    outermost = np.uint32(size - 1 if is_right else 0)
    inwards = np.uint32(-1 & 0xFFFFFFFF) if is_right else one
    for y in range(0, size, 2):
        turns, radii = polar.turns[y], polar.radii[y]
        row = corner_y + (2 * size - 1 - y if is_low else y)
        line = image[row, first : first + size]
        ring_before, begin, around, zero, to = np.int32(-1), none, none, whole, outermost
        for x in range(size):
            ring = rings[radii[x]]
            if ring != ring_before:
                ring_before = ring
                if ring >= 0:
                    begin = np.uint32(strips.offsets[ring >> COVER_BITS])
                    around = np.uint32(strips.counts[ring >> COVER_BITS])
                    if is_mirrored:
                        zero = np.uint32(whole + np.uint32(QUARTER_TURN) * around)
                        around = np.uint32(none - around)
            if ring < 0:
                line[to] = ground
            else:
                place = np.uint32(np.uint32(turns[x]) * around + zero)
                line[to] = strips.pixels[np.uint32(begin + (place >> sixteen))]
            to = np.uint32(to + inwards)
        if y + 1 < size:
            same = image[row - 1 if is_low else row + 1, first : first + size]
            for x in range(size):
                same[x] = line[x]


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
