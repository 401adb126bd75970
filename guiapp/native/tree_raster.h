// Paints the token tree: each level is a row of colours, stacked as an icicle or bent to a sunburst.
//
// The cost depends on the pixels, not the nodes: nodes narrower than a pixel are averaged in their column, by two look-ups in
// running sums, however many nodes there are.
#pragma once

#include <algorithm>

#include "tree_layout.h"

namespace loupe {

using Color = std::uint32_t;  // 0xRRGGBB
using Pixel = std::uint32_t;  // 0xFFRRGGBB

// The colours of all nodes of a layout, and running sums of colour times width.
struct NodeColors {
    NodeColors(const TreeLayout& layout, std::span<const Color> colors);

    const TreeLayout& layout;
    std::span<const Color> colors;
    std::vector<std::int64_t> red_blue;     // red << 32 + blue, summed over all nodes before each one
    std::vector<std::int64_t> green_width;  // green << 32 + 1, summed likewise
};

// The picture to paint.
struct Painting {
    const NodeColors& nodes;
    View view;
    Color ground;   // the background
    bool has_gaps;  // whether to leave up to a pixel free after wide nodes
    std::span<Pixel> image;
    std::size_t width;

    std::span<Pixel> line(std::size_t y) const { return image.subspan(y * width, width); }
};

// The rows [first, last) of an icicle: level i fills the rows from edges[i] to edges[i + 1], but leaves the last one free.
void paint_icicle(const Painting& painting, std::span<const std::int32_t> edges, std::size_t first, std::size_t last);

// The polar coordinates of each pixel in the upper left quarter of a square.
struct PolarMap {
    std::span<const std::uint16_t> turns;  // from the vertical, in 65536ths of a full turn
    std::span<const std::uint16_t> radii;  // in quarters of a pixel
    std::size_t size;

    std::size_t n_steps() const { return 6 * size; }  // more than any radius
    bool is_sound() const { return std::ranges::max(turns) <= 1 << 14 && std::ranges::max(radii) < n_steps(); }
    std::span<const std::uint16_t> turns_of(std::size_t y) const { return turns.subspan(y * size, size); }
    std::span<const std::uint16_t> radii_of(std::size_t y) const { return radii.subspan(y * size, size); }
};

// A quarter of a sunburst, 0 to 3 counterclockwise from the top; its square begins at a corner of the image.
struct Quarter {
    std::size_t corner_x, corner_y, number;
    bool is_coarse;  // unmixed pixels of coarser strips, in pairs of equal rows
};

// Level i is the ring from radii[i] to radii[i + 1].
void paint_quarter(const Painting& painting, std::span<const double> radii, const PolarMap& polar, const Quarter& quarter);

// A strip bent around a far centre: the transition between icicle and sunburst.
struct Bend {
    double center_x, center_y, angle;  // of the whole strip
    double inner;                      // the radius of depth 0
};

void paint_bent(const Painting& painting, std::span<const std::int32_t> edges, const Bend& bend);

}  // namespace loupe
