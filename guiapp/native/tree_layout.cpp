#include "tree_layout.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "api.h"

namespace loupe {

namespace {

constexpr std::size_t n_kinds = 256;
constexpr double denser = 0.999;  // so that rounding does not skip a node that is just wide enough

using Children = std::span<const std::int32_t>;

// Adds nodes, level by level.
class Grower {
public:
    Grower(const Branches& tree, std::span<const Byte> kinds, std::size_t crowd, const LayoutColumns& columns)
        : tree_(tree), kinds_(kinds), crowd_(crowd), columns_(columns) {
        add(absent, absent, 0);
    }

    std::size_t n_nodes() const { return n_nodes_; }

    void add_children(std::size_t node) {
        const auto token = columns_.tokens[node];
        const auto is_group = token == absent && node > 0;
        const auto children = is_group ? std::exchange(groups_[next_group_++], {}) : std::vector<std::int32_t>{};
        const auto below = is_group ? Children(children) : children_of(token == absent ? tree_.sizes.size() : index(token));
        if (!is_group && below.size() >= crowd_ && add_groups(node, below)) return;
        for (const auto child : below) {
            columns_.nodes[index(child)] = static_cast<std::int32_t>(n_nodes_);
            add(static_cast<std::int32_t>(node), child, kinds_[index(child)]);
        }
    }

private:
    static std::size_t index(std::int32_t number) { return static_cast<std::size_t>(number); }

    void add(std::int32_t parent, std::int32_t token, Byte kind) {
        columns_.parents[n_nodes_] = parent;
        columns_.tokens[n_nodes_] = token;
        columns_.kinds[n_nodes_++] = kind;
    }

    Children children_of(std::size_t row) const {
        const auto first = index(tree_.child_offsets[row]);
        return tree_.children.subspan(first, index(tree_.child_offsets[row + 1]) - first);
    }

    // Add a group for each kind, the one with the most tokens first; false if there is only one kind.
    bool add_groups(std::size_t node, Children children) {
        std::array<std::int64_t, n_kinds> sizes{};
        std::array<std::vector<std::int32_t>, n_kinds> members;
        for (const auto child : children) {
            sizes[kinds_[index(child)]] += tree_.sizes[index(child)];
            members[kinds_[index(child)]].push_back(child);
        }
        std::array<std::size_t, n_kinds> order;
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::sort(order.begin(), order.end(), [&](std::size_t first, std::size_t second) {
            return sizes[first] != sizes[second] ? sizes[first] > sizes[second] : first < second;
        });
        if (sizes[order[1]] == 0) return false;
        for (const auto kind : order) {
            if (members[kind].empty()) break;
            add(static_cast<std::int32_t>(node), absent, static_cast<Byte>(kind));
            groups_.push_back(std::move(members[kind]));
        }
        return true;
    }

    Branches tree_;
    std::span<const Byte> kinds_;
    std::size_t crowd_;
    LayoutColumns columns_;
    std::size_t n_nodes_ = 0;
    std::vector<std::vector<std::int32_t>> groups_;  // their members, in the order of their nodes
    std::size_t next_group_ = 0;
};

}  // namespace

TreeLayout::TreeLayout(const Branches& tree, std::span<const Byte> kinds, std::size_t crowd,
                       const LayoutColumns& columns)
    : columns_(columns) {
    Grower grower(tree, kinds, crowd, columns);
    for (std::size_t first = 0; first < grower.n_nodes();) {
        const auto last = grower.n_nodes();
        columns.level_offsets[n_levels_++] = static_cast<std::int32_t>(first);
        for (; first < last; ++first) grower.add_children(first);
    }
    n_nodes_ = grower.n_nodes();
    columns.level_offsets[n_levels_] = static_cast<std::int32_t>(n_nodes_);
    auto& widths = columns.ends;  // temporarily
    std::fill(widths.begin(), widths.end(), 0);
    for (auto node = n_nodes_ - 1; node > 0; --node) {
        widths[node] = std::max(widths[node], 1);
        widths[static_cast<std::size_t>(columns.parents[node])] += widths[node];
    }
    columns.starts[0] = 0;
    for (std::size_t node = 1; node < n_nodes_; ++node) {
        const auto parent = columns.parents[node];
        const auto is_first = parent != columns.parents[node - 1];
        columns.starts[node] = is_first ? columns.starts[static_cast<std::size_t>(parent)] : columns.ends[node - 1];
        columns.ends[node] = columns.starts[node] + widths[node];
    }
    covered_.assign(n_nodes_ + 1, 0);
    for (std::size_t node = 0; node < n_nodes_; ++node) covered_[node + 1] = covered_[node] + end(node) - start(node);
}

std::size_t TreeLayout::most_nodes(std::span<const std::int32_t> child_offsets, std::size_t crowd) {
    std::size_t count = 1;
    for (std::size_t row = 0; row + 1 < child_offsets.size(); ++row) {
        const auto n_children = static_cast<std::size_t>(child_offsets[row + 1] - child_offsets[row]);
        count += n_children + (n_children >= crowd ? std::min(n_children, n_kinds) : 0);
    }
    return count;
}

std::size_t TreeLayout::first_ending_after(std::size_t low, std::size_t high, double place) const {
    const auto ends = columns_.ends.subspan(low, high - low);
    const auto found = std::upper_bound(ends.begin(), ends.end(), place, [](double wanted, std::int32_t end) { return wanted < end; });
    return low + static_cast<std::size_t>(found - ends.begin());
}

void TreeLayout::measure(View view, std::span<double> shares, std::span<double> insides) const {
    const auto seen = view.right - view.left;
    for (std::size_t level = 0; level < n_levels_; ++level) {
        shares[level] = 0.0, insides[level] = 1.0;
        const auto high = level_begin(level + 1);
        const auto first = first_ending_after(level_begin(level), high, view.left);
        if (first == high || start(first) >= view.right) continue;
        auto last = first_ending_after(first, high, view.right);
        if (last == high || start(last) >= view.right) --last;
        auto width = static_cast<double>(covered_[last + 1] - covered_[first]);
        width -= std::max(0.0, view.left - start(first)) + std::max(0.0, end(last) - view.right);
        shares[level] = width / seen;
        if (first == last && start(first) <= view.left && end(first) >= view.right)
            insides[level] = seen / (end(first) - start(first));
    }
}

std::size_t TreeLayout::list_wide(View view, std::span<const double> least, std::span<std::int32_t> found) const {
    std::size_t count = 0;
    for (std::size_t level = 0; level < n_levels_; ++level) {
        const auto high = level_begin(level + 1);
        auto node = first_ending_after(level_begin(level), high, view.left);
        auto place = view.left;
        while (node < high && start(node) < view.right && count < found.size()) {
            const auto seen_to = std::min<double>(view.right, end(node));
            if (seen_to - std::max<double>(view.left, start(node)) >= least[level])
                found[count++] = static_cast<std::int32_t>(node);
            place = std::max(place + denser * least[level], seen_to);
            node = first_ending_after(node + 1, high, place);
        }
    }
    return count;
}

}  // namespace loupe

using namespace loupe;

namespace {

struct LayoutArrays {
    Array<std::int32_t> tokens;
    Array<Byte> kinds;
    Array<std::int32_t> parents, starts, ends, level_offsets, nodes;

    LayoutColumns columns() const { return {tokens, kinds, parents, starts, ends, level_offsets, nodes}; }
};

bool is_forest(std::span<const std::int32_t> child_offsets, std::span<const std::int32_t> children, std::size_t n_tokens) {
    if (child_offsets.size() != n_tokens + 2 || child_offsets.front() != 0 || !std::ranges::is_sorted(child_offsets)) return false;
    if (static_cast<std::size_t>(child_offsets.back()) != children.size()) return false;
    std::vector<bool> is_known(n_tokens);
    for (const auto child : children) {
        if (child < 0 || static_cast<std::size_t>(child) >= n_tokens || is_known[static_cast<std::size_t>(child)]) return false;
        is_known[static_cast<std::size_t>(child)] = true;
    }
    return true;
}

}  // namespace

// NULL if sizes do not match or are too small. `sizes`, `child_offsets` and `children` as from `loupe_tree_columns`. `filled`,
// which must outlive the layout, gets the nodes, and `counts` the number of nodes and of levels.
LOUPE_API TreeLayout* loupe_layout_new(Array<const std::int32_t> sizes, Array<const std::int32_t> child_offsets,
                                       Array<const std::int32_t> children, Array<const Byte> kinds, std::int64_t crowd,
                                       const LayoutArrays* filled, Array<std::int32_t> counts) {
    const auto columns = filled->columns();
    const auto n_tokens = items_of(kinds).size();
    const auto least_group = static_cast<std::size_t>(std::max<std::int64_t>(crowd, 1));
    if (items_of(sizes).size() != n_tokens || columns.nodes.size() != n_tokens || counts.size != 2) return nullptr;
    if (!is_forest(items_of(child_offsets), items_of(children), n_tokens)) return nullptr;
    const auto room = std::min({columns.tokens.size(), columns.kinds.size(), columns.parents.size(), columns.starts.size(),
                                columns.ends.size(), columns.level_offsets.size() - 1});
    if (room < TreeLayout::most_nodes(items_of(child_offsets), least_group)) return nullptr;
    auto* const layout = new TreeLayout({sizes, child_offsets, children}, kinds, least_group, columns);
    counts.data[0] = static_cast<std::int32_t>(layout->n_nodes());
    counts.data[1] = static_cast<std::int32_t>(layout->n_levels());
    return layout;
}

LOUPE_API void loupe_layout_free(TreeLayout* layout) { delete layout; }

LOUPE_API std::int64_t loupe_layout_measure(const TreeLayout* layout, double left, double right, Array<double> shares,
                                            Array<double> insides) {
    const auto n_levels = static_cast<std::int64_t>(layout->n_levels());
    if (shares.size != n_levels || insides.size != n_levels) return -1;
    layout->measure({left, right}, shares, insides);
    return 0;
}

LOUPE_API std::int64_t loupe_layout_list_wide(const TreeLayout* layout, double left, double right, Array<const double> least,
                                              Array<std::int32_t> found) {
    if (items_of(least).size() != layout->n_levels()) return -1;
    return static_cast<std::int64_t>(layout->list_wide({left, right}, least, found));
}
