#include "tree_raster.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "api.h"

namespace loupe {

namespace {

constexpr Pixel opaque = 0xFF000000;
constexpr double no_gap_px = 3.0;    // nodes up to this width touch each other
constexpr double full_gap_px = 9.0;  // from this width on, there is a gap of one pixel
constexpr std::size_t gap_px = 1;    // between levels
constexpr double steps_per_px = 4.0;  // of the radii of a polar map
constexpr double least_ring_px = 0.1;
constexpr double finer = 1.05;      // pixels of a strip for each pixel on its circle
constexpr double coarse_step = 2.0;  // pixels of a circle for each pixel of its strip, while a picture moves
constexpr std::int32_t full_cover = 256;
constexpr std::size_t few = 12;  // a ring is varied if more than one in `few` pixels differs from the next

// A weighted sum of red, green and blue.
struct Sum {
    double weight = 0, red = 0, green = 0, blue = 0;

    void add(Color color, double amount) {
        weight += amount;
        red += amount * (color >> 16);
        green += amount * (color >> 8 & 255);
        blue += amount * (color & 255);
    }

    Color mean(double per_unit) const {
        const auto level = [&](double sum) { return static_cast<Color>(sum * per_unit + 0.5); };
        return level(red) << 16 | level(green) << 8 | level(blue);
    }
};

// Colours columns of one level; the whole view has `n_columns`. Columns beyond either end wrap around.
class StripPainter {
public:
    StripPainter(const Painting& painting, std::size_t level, std::size_t n_columns)
        : painting_(painting),
          layout_(painting.nodes.layout),
          low_(layout_.level_begin(level)),
          high_(layout_.level_begin(level + 1)),
          n_columns_(n_columns),
          unit_((painting.view.right - painting.view.left) / static_cast<double>(n_columns)),
          per_unit_(1 / unit_) {}

    // Paints many columns at a time if they are free or one node fills them: most of a large tree's picture is free.
    void paint(std::size_t column, std::span<Pixel> pixels) {
        const auto& view = painting_.view;
        for (std::size_t at = 0; at < pixels.size();) {
            const auto start = view.left + static_cast<double>(column) * unit_, end = start + unit_;
            if (at == 0 || column == 0) node_ = layout_.first_ending_after(low_, high_, start), stride_ = 1;
            while (node_ < high_ && layout_.end(node_) <= start) ++node_;
            auto until = start;
            Color color;
            if (node_ == high_ || layout_.start(node_) >= end) {
                until = node_ == high_ ? view.right : layout_.start(node_);
                color = painting_.ground;
            } else if (const auto node_end = painted_end(node_); layout_.start(node_) <= start && node_end >= end) {
                until = node_end;
                color = painting_.nodes.colors[node_];
            } else {
                color = mean(start, end);
            }
            const auto n_alike = std::min(columns_until(until, column), pixels.size() - at);
            std::fill_n(pixels.begin() + static_cast<std::ptrdiff_t>(at), n_alike, opaque | color);
            at += n_alike;
            column = column + n_alike == n_columns_ ? 0 : column + n_alike;
        }
    }

private:
    // The number of columns from `column` on that certainly end before `place`, at least 1.
    std::size_t columns_until(double place, std::size_t column) const {
        const auto last = std::min((place - painting_.view.left) * per_unit_ - 1, static_cast<double>(n_columns_));
        return last > static_cast<double>(column) ? std::max<std::size_t>(1, static_cast<std::size_t>(last) - column) : 1;
    }

    // Wide nodes leave a gap, unless they fill the view: a full circle needs no separator.
    double painted_end(std::size_t node) const {
        const double start = layout_.start(node), end = layout_.end(node), width_px = (end - start) * per_unit_;
        const auto is_all = start <= painting_.view.left && end >= painting_.view.right;
        if (!painting_.has_gaps || end - start <= no_gap_px * unit_ || is_all) return end;
        return end - std::min(1.0, (width_px - no_gap_px) / (full_gap_px - no_gap_px)) * unit_;
    }

    // The mean colour between two positions, beginning with the current node; the last node there becomes the current one.
    Color mean(double start, double end) {
        Sum sum;
        const auto first = node_, last = last_beginning_before(end);
        sum.add(painting_.nodes.colors[first], std::max(0.0, std::min(end, painted_end(first)) - std::max<double>(start, layout_.start(first))));
        if (last > first) {
            const auto red_blue = painting_.nodes.red_blue[last] - painting_.nodes.red_blue[first + 1];
            const auto green_width = painting_.nodes.green_width[last] - painting_.nodes.green_width[first + 1];
            sum.red += static_cast<double>(red_blue >> 32);
            sum.blue += static_cast<double>(red_blue & 0xFFFFFFFF);
            sum.green += static_cast<double>(green_width >> 32);
            sum.weight += static_cast<double>(green_width & 0xFFFFFFFF);
            sum.add(painting_.nodes.colors[last], std::max(0.0, std::min(end, painted_end(last)) - layout_.start(last)));
        }
        stride_ = std::bit_floor(std::max<std::size_t>(1, (last - first) / 2));
        node_ = last;
        sum.add(painting_.ground, std::max(0.0, unit_ - sum.weight));
        return sum.mean(per_unit_);
    }

    // Exponential search, beginning with half of the stride that the last column needed. Strides are powers of two.
    std::size_t last_beginning_before(double end) const {
        auto last = node_;
        const auto begins = [&](std::size_t node) { return node < high_ && layout_.start(node) < end; };
        if (layout_.end(last) >= end || !begins(last + 1)) return last;
        ++last;
        auto stride = stride_;
        for (; begins(last + stride); stride *= 2) last += stride;
        for (; stride > 0; stride /= 2)
            if (begins(last + stride)) last += stride;
        return last;
    }

    const Painting& painting_;
    const TreeLayout& layout_;
    std::size_t low_, high_, n_columns_;
    double unit_, per_unit_;
    std::size_t node_ = 0, stride_ = 1;
};

std::size_t as_size(std::int32_t number) { return static_cast<std::size_t>(std::max(number, 0)); }

}  // namespace

NodeColors::NodeColors(const TreeLayout& own_layout, std::span<const Color> own_colors)
    : layout(own_layout), colors(own_colors), red_blue(colors.size() + 1), green_width(colors.size() + 1) {
    for (std::size_t node = 0; node < colors.size(); ++node) {
        const std::int64_t color = colors[node], width = layout.end(node) - layout.start(node);
        red_blue[node + 1] = red_blue[node] + ((color >> 16 & 255) << 32 | (color & 255)) * width;
        green_width[node + 1] = green_width[node] + ((color >> 8 & 255) << 32 | 1) * width;
    }
}

void paint_icicle(const Painting& painting, std::span<const std::int32_t> edges, std::size_t first, std::size_t last) {
    std::vector<Pixel> strip(painting.width);
    const auto fill_ground = [&](std::size_t from, std::size_t to) {
        if (from < to) std::ranges::fill(painting.image.subspan(from * painting.width, (to - from) * painting.width), opaque | painting.ground);
    };
    auto y = first;
    for (std::size_t level = 0; level + 1 < edges.size(); ++level) {
        const auto begin = as_size(edges[level]), end = as_size(edges[level + 1]);
        const auto gap = end - begin > 3 * gap_px ? std::size_t{gap_px} : 0;
        if (end <= std::max(begin, y) || begin >= last) continue;
        StripPainter(painting, level, painting.width).paint(0, strip);
        for (; y < std::min(end - gap, last); ++y) std::ranges::copy(strip, painting.line(y).begin());
        fill_ground(y, std::min(end, last));
        y = std::max(y, std::min(end, last));
    }
    fill_ground(y, last);
}

namespace {

// A level bent to a quarter of a ring: its pixels, with one more column at each end, and the mapping from turns to pixels.
struct Ring {
    std::vector<Pixel> strip;
    std::uint32_t per_turn = 0, zero = 0;  // in 65536ths of a column
    bool is_varied = false;                // more than a few pixels differ from the next one

    // A mirrored ring begins at the end of the turn.
    void measure(std::size_t n_columns, bool is_mirrored, std::uint32_t first) {
        const auto around = static_cast<std::uint32_t>(4 * n_columns);
        per_turn = is_mirrored ? 0 - around : around;
        zero = first + (is_mirrored ? (around << 14) : 0);
        std::size_t n_different = 0;
        for (std::size_t at = 0; at + 1 < strip.size(); ++at) n_different += strip[at] != strip[at + 1];
        is_varied = n_different * few > strip.size();
    }
};

// For a step of the radius: the level and its coverage, because rings have soft edges; or `nothing`.
using Step = std::int32_t;
constexpr Step nothing = -1;

constexpr Step step_of(std::size_t level, Step cover) { return static_cast<Step>(level << 9) | cover; }
constexpr std::size_t level_of(Step step) { return static_cast<std::size_t>(step >> 9); }
constexpr std::uint64_t cover_of(Step step) { return static_cast<std::uint64_t>(step & 511); }

std::vector<Step> steps_of(std::span<const double> radii, std::size_t n_steps, bool is_coarse) {
    std::vector<Step> steps(n_steps, nothing);
    std::size_t level = 0;
    for (std::size_t at = 0; at < n_steps; ++at) {
        const auto radius = (static_cast<double>(at) + 0.5) / steps_per_px;
        while (level + 1 < radii.size() && radii[level + 1] <= radius) ++level;
        if (level + 1 == radii.size()) break;
        const auto height = radii[level + 1] - radii[level], gap = height > 3 * gap_px ? double{gap_px} : 0.0;
        const auto seen = std::clamp(radii[level + 1] - gap - radius + 0.5, 0.0, 1.0) * std::min(2 * height, 1.0);
        const auto cover = static_cast<Step>(seen * full_cover + 0.5);
        if (seen <= 0 || height < least_ring_px || (is_coarse && cover < full_cover / 2)) continue;
        steps[at] = step_of(level, is_coarse ? full_cover : cover);
    }
    return steps;
}

// Red, green and blue of a pixel are mixed at once, as 16-bit numbers in a 64-bit one.
constexpr std::uint64_t channels = 0x00FF00FF00FF00FF;

constexpr std::uint64_t apart(Pixel pixel) { return (pixel | std::uint64_t{pixel} << 24) & channels; }

constexpr std::uint64_t mixed(std::uint64_t first, std::uint64_t second, std::uint64_t share) {
    return (first * (256 - share) + second * share) >> 8 & channels;
}

constexpr Pixel together(std::uint64_t channels_apart) { return static_cast<Pixel>(channels_apart | channels_apart >> 24); }

// The polar map was checked as a whole, so reading it needs no check for each pixel.
class QuarterPainter {
public:
    QuarterPainter(const Painting& painting, std::span<const double> radii, const PolarMap& polar, const Quarter& quarter)
        : painting_(painting),
          polar_(polar),
          quarter_(quarter),
          ground_(opaque | painting.ground),
          steps_(steps_of(radii, polar.n_steps(), quarter.is_coarse)),
          rings_(radii.size() - 1) {
        for (std::size_t level = 0; level + 1 < radii.size(); ++level)
            if (radii[level + 1] - radii[level] >= least_ring_px) rings_[level] = ring(level, radii[level + 1]);
    }

    void paint() const {
        const auto size = polar_.size;
        const auto is_right = quarter_.number >= 2, is_low = quarter_.number == 1 || quarter_.number == 2;
        for (std::size_t y = 0; y < size; y += quarter_.is_coarse ? 2 : 1) {
            const auto row = is_low ? 2 * size - 1 - y : y;
            const auto line = part_of_line(row);
            Pixel* const outermost = is_right ? line.data() + line.size() - 1 : line.data();
            if (!quarter_.is_coarse) {
                paint_line(y, outermost, is_right ? -1 : 1);
                continue;
            }
            paint_coarse_line(y, outermost, is_right ? -1 : 1);
            if (y + 1 < size) std::ranges::copy(line, part_of_line(is_low ? row - 1 : row + 1).begin());
        }
    }

private:
    Ring ring(std::size_t level, double radius) const {
        const auto px_per_column = finer / (quarter_.is_coarse ? coarse_step : 1);
        const auto length = std::numbers::pi / 2 * radius * px_per_column;
        const auto whole = static_cast<std::size_t>(length), n_columns = whole + (static_cast<double>(whole) < length);
        Ring ring{std::vector<Pixel>(n_columns + 2)};
        const auto first = (quarter_.number * n_columns + 4 * n_columns - 1) % (4 * n_columns);
        StripPainter(painting_, level, 4 * n_columns).paint(first, ring.strip);
        ring.measure(n_columns, quarter_.number % 2 == 1, quarter_.is_coarse ? 65536 : 32768);
        return ring;
    }

    std::span<Pixel> part_of_line(std::size_t row) const {
        const auto first = quarter_.corner_x + (quarter_.number >= 2 ? polar_.size : 0);
        return painting_.line(quarter_.corner_y + row).subspan(first, polar_.size);
    }

    // Does not mix equal neighbours if they are frequent; otherwise, the comparison takes longer than mixing.
    void paint_line(std::size_t y, Pixel* to, std::ptrdiff_t inwards) const {
        const auto *const turns = polar_.turns_of(y).data(), *const radii = polar_.radii_of(y).data();
        const auto* const steps = steps_.data();
        const auto behind = apart(ground_);
        for (std::size_t x = 0; x < polar_.size;) {
            const auto step = steps[radii[x]];
            if (step == nothing) {
                *to = ground_, to += inwards, ++x;
                continue;
            }
            const auto& ring = rings_[level_of(step)];
            const auto* const strip = ring.strip.data();
            const auto per_turn = ring.per_turn, zero = ring.zero;
            const auto cover = cover_of(step);
            const auto may_be_even = !ring.is_varied && cover == full_cover;
            for (; x < polar_.size && steps[radii[x]] == step; ++x, to += inwards) {
                const auto place = turns[x] * per_turn + zero;
                const auto color = strip[place >> 16], next = strip[(place >> 16) + 1];
                if (may_be_even && color == next) {
                    *to = color;
                    continue;
                }
                auto mix = mixed(apart(color), apart(next), place >> 8 & 255);
                if (cover < full_cover) mix = mixed(behind, mix, cover);
                *to = together(mix);
            }
        }
    }

    void paint_coarse_line(std::size_t y, Pixel* to, std::ptrdiff_t inwards) const {
        const auto *const turns = polar_.turns_of(y).data(), *const radii = polar_.radii_of(y).data();
        const auto* const steps = steps_.data();
        for (std::size_t x = 0; x < polar_.size;) {
            const auto step = steps[radii[x]];
            if (step == nothing) {
                *to = ground_, to += inwards, ++x;
                continue;
            }
            const auto& ring = rings_[level_of(step)];
            const auto* const strip = ring.strip.data();
            const auto per_turn = ring.per_turn, zero = ring.zero;
            for (; x < polar_.size && steps[radii[x]] == step; ++x, to += inwards)
                *to = strip[(turns[x] * per_turn + zero) >> 16];
        }
    }

    const Painting& painting_;
    const PolarMap& polar_;
    const Quarter& quarter_;
    Pixel ground_;
    std::vector<Step> steps_;
    std::vector<Ring> rings_;
};

}  // namespace

void paint_quarter(const Painting& painting, std::span<const double> radii, const PolarMap& polar, const Quarter& quarter) {
    QuarterPainter(painting, radii, polar, quarter).paint();
}

namespace {

// The angle of a point from straight down, to 0.00001, because C's function is not available on every platform.
double angle_of(double right, double down) {
    const auto wide = std::abs(right), high = std::abs(down);
    const auto ratio = std::min(wide, high) / std::max({wide, high, 1e-300}), square = ratio * ratio;
    auto angle = 0.05265332 - 0.01172120 * square;  // Hastings 1955, sheet 13
    for (const auto factor : {-0.11643287, 0.19354346, -0.33262347, 0.99997726}) angle = angle * square + factor;
    angle *= ratio;
    if (wide > high) angle = std::numbers::pi / 2 - angle;
    if (down < 0) angle = std::numbers::pi - angle;
    return right < 0 ? -angle : angle;
}

}  // namespace

void paint_bent(const Painting& painting, std::span<const std::int32_t> edges, const Bend& bend) {
    std::vector<std::vector<Pixel>> strips(edges.size() - 1);
    std::vector<std::size_t> levels;  // the level at each depth in pixels
    for (std::size_t level = 0; level < strips.size(); ++level) {
        if (edges[level + 1] <= edges[level]) continue;
        levels.resize(as_size(edges[level + 1]), level);
        strips[level].resize(2 * painting.width);
        StripPainter(painting, level, strips[level].size()).paint(0, strips[level]);
    }
    const auto height = painting.image.size() / painting.width;
    for (std::size_t y = 0; y < height; ++y) {
        const auto line = painting.line(y);
        for (std::size_t x = 0; x < line.size(); ++x) {
            const auto right = static_cast<double>(x) + 0.5 - bend.center_x, down = static_cast<double>(y) + 0.5 - bend.center_y;
            const auto depth = std::sqrt(right * right + down * down) - bend.inner;
            const auto share = angle_of(right, down) / bend.angle + 0.5;
            line[x] = opaque | painting.ground;
            if (!(depth >= 0 && depth < static_cast<double>(levels.size()) && share >= 0 && share < 1)) continue;
            const auto& strip = strips[levels[static_cast<std::size_t>(depth)]];
            line[x] = strip[static_cast<std::size_t>(share * static_cast<double>(strip.size()))];
        }
    }
}

}  // namespace loupe

using namespace loupe;

namespace {

constexpr std::int32_t deepest_px = 1 << 16;
constexpr std::int64_t largest_quarter_px = 10000;  // so that radii in a polar map fit 16 bits, and positions in a strip 32

struct Frame {
    const NodeColors* nodes;
    double left, right;
    Array<Pixel> image;
    std::int64_t width;
    Color ground;
    bool has_gaps;

    bool is_sound() const {
        return std::isfinite(left) && std::isfinite(right) && left < right && width > 0 && image.size % width == 0;
    }

    std::int64_t height() const { return image.size / width; }

    Painting painting() const {
        return {*nodes, {left, right}, ground, has_gaps, image, static_cast<std::size_t>(width)};
    }

    // Whether these are the starts of all levels, and the end of the last one.
    template <class Edge>
    bool fits(std::span<const Edge> edges, Edge most) const {
        const auto is_seen = [&](Edge edge) { return edge >= 0 && edge <= most; };
        return edges.size() == nodes->layout.n_levels() + 1 && std::ranges::all_of(edges, is_seen) && std::ranges::is_sorted(edges);
    }
};

}  // namespace

// NULL unless each node has a colour. Layout and colours must outlive the result.
LOUPE_API NodeColors* loupe_node_colors_new(const TreeLayout* layout, Array<const Color> colors) {
    return items_of(colors).size() == layout->n_nodes() ? new NodeColors(*layout, colors) : nullptr;
}

LOUPE_API void loupe_node_colors_free(NodeColors* colors) { delete colors; }

// Returns -1 if the sizes of the arrays do not match.
LOUPE_API std::int64_t loupe_paint_icicle(const Frame* frame, Array<const std::int32_t> edges, std::int64_t first,
                                          std::int64_t last) {
    if (!frame->is_sound() || !frame->fits(items_of(edges), deepest_px) || first < 0 || last > frame->height()) return -1;
    paint_icicle(frame->painting(), edges, static_cast<std::size_t>(first), static_cast<std::size_t>(last));
    return 0;
}

// `turns` and `radii_of_pixels` as in PolarMap; `square`: the corner's x and y, the quarter, whether it is coarse, and its
// size.
LOUPE_API std::int64_t loupe_paint_quarter(const Frame* frame, Array<const double> radii, Array<const std::uint16_t> turns,
                                           Array<const std::uint16_t> radii_of_pixels, Array<const std::int64_t> square) {
    if (!frame->is_sound() || !frame->fits(items_of(radii), double{largest_quarter_px}) || square.size != 5) return -1;
    const auto x = square.data[0], y = square.data[1], number = square.data[2], size = square.data[4];
    if (size < 1 || size > largest_quarter_px || turns.size != size * size || radii_of_pixels.size != size * size) return -1;
    if (x < 0 || y < 0 || x + 2 * size > frame->width || y + 2 * size > frame->height() || number < 0 || number > 3) return -1;
    const PolarMap polar{turns, radii_of_pixels, static_cast<std::size_t>(size)};
    if (!polar.is_sound()) return -1;
    const Quarter quarter{static_cast<std::size_t>(x), static_cast<std::size_t>(y), static_cast<std::size_t>(number), square.data[3] != 0};
    paint_quarter(frame->painting(), radii, polar, quarter);
    return 0;
}

LOUPE_API std::int64_t loupe_paint_bent(const Frame* frame, Array<const std::int32_t> edges, double center_x,
                                        double center_y, double angle, double inner) {
    if (!frame->is_sound() || !frame->fits(items_of(edges), deepest_px)) return -1;
    paint_bent(frame->painting(), edges, {center_x, center_y, angle, inner});
    return 0;
}
