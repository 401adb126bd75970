// The position of each node in a picture of the token tree: a range from left to right, and a level.
#pragma once

#include <vector>

#include "bytes.h"

namespace loupe {

// The tree to lay out. Token i, or the root in the last row, has the children children[child_offsets[i] : child_offsets[i +
// 1]].
struct Branches {
    std::span<const std::int32_t> sizes;  // tokens in the subtree of each token
    std::span<const std::int32_t> child_offsets, children;
};

// Nodes level by level and from left to right; node 0 is the root. A leaf is one unit wide, any other node as wide as its
// children, which are side by side below it.
struct LayoutColumns {
    std::span<std::int32_t> tokens;         // `absent` for the root and for groups
    std::span<Byte> kinds;                  // of the token, or of all tokens in a group
    std::span<std::int32_t> parents;        // one level above, `absent` for the root
    std::span<std::int32_t> starts, ends;   // a node covers [start, end)
    std::span<std::int32_t> level_offsets;  // level i has the nodes [level_offsets[i], level_offsets[i + 1])
    std::span<std::int32_t> nodes;          // of each token
};

// The visible range.
struct View {
    double left, right;
};

// If `crowd` or more children of a node are of several kinds, they are grouped, the largest group first. Needs room for
// `most_nodes`.
class TreeLayout {
public:
    TreeLayout(const Branches& tree, std::span<const Byte> kinds, std::size_t crowd, const LayoutColumns& columns);
    static std::size_t most_nodes(std::span<const std::int32_t> child_offsets, std::size_t crowd);

    std::size_t n_nodes() const { return n_nodes_; }
    std::size_t n_levels() const { return n_levels_; }
    std::int32_t start(std::size_t node) const { return columns_.starts[node]; }
    std::int32_t end(std::size_t node) const { return columns_.ends[node]; }
    std::size_t level_begin(std::size_t level) const { return static_cast<std::size_t>(columns_.level_offsets[level]); }

    // The first of the nodes [low, high) of a level that ends to the right of `place`, or `high`.
    std::size_t first_ending_after(std::size_t low, std::size_t high, double place) const;

    // For each level, the share of a view that has nodes; if one node covers the whole view, its visible share, else 1.
    void measure(View view, std::span<double> shares, std::span<double> insides) const;

    // The nodes of which at least least[level] is visible, by level. Returns their number, and stops when `found` is full.
    // Checks only nodes at positions a little less than least[level] apart.
    std::size_t list_wide(View view, std::span<const double> least, std::span<std::int32_t> found) const;

private:
    LayoutColumns columns_;
    std::size_t n_nodes_ = 0, n_levels_ = 0;
    std::vector<std::int64_t> covered_;  // the total width of the nodes before each one
};

}  // namespace loupe
