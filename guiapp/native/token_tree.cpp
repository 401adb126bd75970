#include "token_tree.h"

#include <algorithm>
#include <memory>
#include <numeric>

#include "api.h"

namespace loupe {

namespace {

constexpr std::size_t block = 256;         // rows that a base can lead to
constexpr std::size_t words_per_block = block / 64;
constexpr std::size_t blocks_searched = 4;

std::size_t index(std::int32_t number) { return static_cast<std::size_t>(number); }

// A token to be sorted by its bytes.
struct Entry {
    std::uint64_t key;  // the first eight bytes in big-endian order, padded with zeros
    std::int32_t token;
    std::int32_t rank;  // its index among the ids
};

std::uint64_t key_of(Bytes text) {
    std::uint64_t key = 0;
    for (std::size_t at = 0; at < 8; ++at) key = key << 8 | (at < text.size() ? text[at] : 0);
    return key;
}

std::size_t common_length(Bytes first, Bytes second) {
    const auto shorter = std::min(first.size(), second.size());
    const auto differing = std::mismatch(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(shorter), second.begin());
    return static_cast<std::size_t>(differing.first - first.begin());
}

// Sorted by bytes; of equal tokens the last one of the ids is first. Each token is compared O(log n) times, over its own
// length.
std::vector<Entry> sorted(const Strings& tokens, std::span<const std::int32_t> ids, Watch& watch) {
    std::vector<Entry> entries;
    entries.reserve(ids.size());
    for (const auto token : ids)
        entries.push_back({key_of(tokens[index(token)]), token, static_cast<std::int32_t>(entries.size())});
    const auto comes_before = [&](const Entry& first, const Entry& second) {
        if (first.key != second.key) return first.key < second.key;
        const auto one = tokens[index(first.token)], other = tokens[index(second.token)];
        const auto known = std::min({one.size(), other.size(), std::size_t{8}});
        const auto shorter = std::min(one.size(), other.size());
        const auto compared = shorter > known ? std::memcmp(one.data() + known, other.data() + known, shorter - known) : 0;
        if (compared != 0) return compared < 0;
        return one.size() != other.size() ? one.size() < other.size() : first.rank > second.rank;
    };
    sort_watched(std::span(entries), comes_before, watch);
    return entries;
}

// A node of a trie of sorted tokens; parents and earlier siblings come first.
struct Node {
    std::int32_t parent, next;  // the next child of the same parent, or `absent`
    std::int32_t token;         // the token that matching finds here, or `absent`
    std::int32_t rank;          // the highest rank of the tokens that lead here
    Byte byte;                  // the byte that leads here
};

class Trie {
public:
    explicit Trie(std::size_t longest) : path_(longest + 1, 0) { nodes_.push_back({absent, absent, absent, absent, 0}); }

    // Add the next token, whose first `in_common` bytes are those of the previous one.
    void add(const Entry& entry, Bytes text, std::size_t in_common) {
        if (in_common < depth_) nodes_[index(path_[in_common + 1])].next = static_cast<std::int32_t>(nodes_.size());
        for (auto at = in_common; at < text.size(); ++at) {
            path_[at + 1] = static_cast<std::int32_t>(nodes_.size());
            nodes_.push_back({path_[at], absent, absent, absent, text[at]});
        }
        nodes_.back().token = entry.token;
        nodes_.back().rank = entry.rank;
        depth_ = text.size();
    }

    // The nodes, each with the highest rank of the tokens below it.
    std::vector<Node> ranked() {
        for (auto node = nodes_.size() - 1; node > 0; --node) {
            auto& parent = nodes_[index(nodes_[node].parent)];
            parent.rank = std::max(parent.rank, nodes_[node].rank);
        }
        return std::move(nodes_);
    }

private:
    std::vector<Node> nodes_;
    std::vector<std::int32_t> path_;  // the path to the last token
    std::size_t depth_ = 0;
};

// The order in which nodes get their rows: parents first and high ranks first, so that frequently used rows are close together.
std::vector<std::int32_t> by_rank(const std::vector<Node>& nodes, std::size_t n_ranks) {
    std::vector<std::int32_t> free(n_ranks + 2, 0), order(nodes.size());
    const auto bucket = [&](const Node& node) { return n_ranks - static_cast<std::size_t>(node.rank + 1); };
    for (const auto& node : nodes) ++free[bucket(node) + 1];
    std::partial_sum(free.begin(), free.end(), free.begin());
    for (std::size_t node = 0; node < nodes.size(); ++node)
        order[index(free[bucket(nodes[node])]++)] = static_cast<std::int32_t>(node);
    return order;
}

// Assigns rows to nodes.
class DoubleArray {
public:
    explicit DoubleArray(std::vector<TokenTree::Row>& rows) : rows_(rows) {
        open_block();
        take(0, {0, TokenTree::no_row, absent});
    }

    // Give rows to the children of the node in row `parent`; their numbers are written to `places`.
    void place_children(const std::vector<Node>& nodes, std::size_t parent, std::vector<std::int32_t>& places) {
        children_.clear();
        const auto first = parent + 1;
        if (first == nodes.size() || index(nodes[first].parent) != parent) return;
        for (auto child = static_cast<std::int32_t>(first); child != absent; child = nodes[index(child)].next)
            children_.push_back(child);
        const auto base = base_for(nodes);
        const auto row = places[parent];
        rows_[index(row)].base = static_cast<std::int32_t>(base);
        for (const auto child : children_) {
            const auto& node = nodes[index(child)];
            places[index(child)] = static_cast<std::int32_t>(base ^ node.byte);
            take(base ^ node.byte, {0, row, node.token});
        }
    }

private:
    void open_block() {
        rows_.resize(rows_.size() + block);
        free_.resize(free_.size() + words_per_block, ~std::uint64_t{0});
    }

    bool is_free(std::size_t row) const { return free_[row / 64] >> row % 64 & 1; }

    void take(std::size_t row, TokenTree::Row content) {
        rows_[row] = content;
        free_[row / 64] &= ~(std::uint64_t{1} << row % 64);
    }

    // An only child takes the first free row. Several children need rows that are free together: for these, the last blocks are
    // searched, and if they are too full, a new block is added.
    std::size_t base_for(const std::vector<Node>& nodes) {
        while (first_ < free_.size() && free_[first_] == 0) ++first_;
        const auto last_words = free_.size() - std::min(free_.size(), blocks_searched * words_per_block);
        const auto byte = nodes[index(children_.front())].byte;
        for (auto word = children_.size() == 1 ? first_ : std::max(first_, last_words); word < free_.size(); ++word)
            for (auto left = free_[word]; left != 0; left &= left - 1) {
                const auto base = (word * 64 + static_cast<std::size_t>(std::countr_zero(left))) ^ byte;
                const auto fits = [&](std::int32_t child) { return is_free(base ^ nodes[index(child)].byte); };
                if (std::all_of(children_.begin() + 1, children_.end(), fits)) return base;
            }
        open_block();
        return rows_.size() - block;
    }

    std::vector<TokenTree::Row>& rows_;
    std::vector<std::uint64_t> free_;     // a bit for each row
    std::size_t first_ = 0;               // the first word with a free row
    std::vector<std::int32_t> children_;  // of the current node
};

std::vector<TokenTree::Row> laid_out(const std::vector<Node>& nodes, std::size_t n_ranks, Watch& watch) {
    std::vector<TokenTree::Row> rows;
    rows.reserve(nodes.size() + nodes.size() / 16 + 2 * block);
    DoubleArray array(rows);
    std::vector<std::int32_t> places(nodes.size(), 0);
    for (const auto node : by_rank(nodes, n_ranks)) {
        if (watch.stops(128)) break;
        array.place_children(nodes, index(node), places);
    }
    return rows;
}

// Move the matched token after all others with the same bytes; returns whether there is one.
bool put_match_last(std::span<Entry> same, std::span<bool> is_matched) {
    const auto matched = std::ranges::find_if(same, [&](const Entry& entry) { return is_matched[index(entry.token)]; });
    const auto is_found = matched != same.end();
    for (auto& entry : same) is_matched[index(entry.token)] = false;
    if (is_found) {
        std::rotate(matched, matched + 1, same.end());
        is_matched[index(same.back().token)] = true;
    }
    return is_found;
}

}  // namespace

TokenTree::TokenTree(Strings tokens, std::span<const std::int32_t> ids, MatchColumns columns, Watch& watch)
    : tokens_(tokens), columns_(columns) {
    std::size_t longest = 0;
    for (const auto token : ids) {
        longest = std::max(longest, length(token));
        if (length(token) == 0) columns.is_matched[index(token)] = false;
    }
    auto entries = sorted(tokens, ids, watch);
    if (watch.has_stopped()) return;
    Trie trie(longest);
    Bytes before;                         // the last matched token
    std::vector<std::int32_t> ancestors;  // matched tokens that are its prefixes, itself included
    for (std::size_t first = 0, last = 0; first < entries.size(); first = last) {
        const auto text = tokens[index(entries[first].token)];
        if (watch.stops(64 + 16 * text.size())) return;
        while (last < entries.size() && std::ranges::equal(tokens[index(entries[last].token)], text)) ++last;
        const auto same = std::span(entries).subspan(first, last - first);
        const auto is_found = put_match_last(same, columns.is_matched);
        const auto in_common = common_length(before, text);
        while (!ancestors.empty() && length(ancestors.back()) > in_common) ancestors.pop_back();
        for (std::size_t at = 0; at < same.size(); ++at) {
            columns.order[first + at] = same[at].token;
            columns.parents[index(same[at].token)] = ancestors.empty() ? absent : ancestors.back();
        }
        if (!is_found) continue;
        trie.add(same.back(), text, in_common);
        ancestors.push_back(same.back().token);
        before = text;
    }
    entries = {};
    rows_ = laid_out(trie.ranked(), ids.size(), watch);
}

void TokenTree::fill(const TreeColumns& columns) const {
    const auto root_row = n_tokens();
    const auto row_above = [&](std::int32_t token) { return parent(token) == absent ? root_row : index(parent(token)); };
    std::int32_t place = 0;
    for (const auto token : columns_.order) {
        const auto above = row_above(token);
        columns.depths[index(token)] = above == root_row ? 1 : columns.depths[above] + 1;
        columns.places[index(token)] = place++;
        ++columns.child_offsets[above + 1];
    }
    std::partial_sum(columns.child_offsets.begin(), columns.child_offsets.end(), columns.child_offsets.begin());
    std::vector<std::int32_t> free(columns.child_offsets.begin(), columns.child_offsets.end());
    for (const auto token : columns_.order) columns.children[index(free[row_above(token)]++)] = token;
    for (auto at = columns_.order.size(); at-- > 0;) {
        const auto token = columns_.order[at];
        ++columns.sizes[index(token)];
        if (parent(token) != absent) columns.sizes[index(parent(token))] += columns.sizes[index(token)];
    }
}

}  // namespace loupe

using namespace loupe;

// NULL if offsets or ids do not match, an id occurs twice, or the tree would be too large. The arrays must outlive the tree,
// which fills the last three of them (see MatchColumns).
LOUPE_API TokenTree* loupe_tree_new(Array<const Byte> data, Array<const std::int64_t> offsets, Array<const std::int32_t> ids,
                                    Array<bool> is_matched, Array<std::int32_t> parents, Array<std::int32_t> order,
                                    MayGoOn may_go_on) {
    constexpr std::size_t most_bytes = std::size_t{1} << 26;  // as in token_tree.py
    const Strings tokens{data, offsets};
    if (!are_sound(tokens) || tokens.size() > most_bytes) return nullptr;
    const MatchColumns columns{is_matched, parents, order};
    if (columns.is_matched.size() != tokens.size() || columns.parents.size() != tokens.size()) return nullptr;
    if (items_of(ids).size() != columns.order.size()) return nullptr;
    std::vector<bool> is_known(tokens.size());
    std::size_t n_bytes = 0;
    for (const auto token : items_of(ids)) {
        if (token < 0 || index(token) >= tokens.size() || is_known[index(token)]) return nullptr;
        is_known[index(token)] = true;
        n_bytes += tokens[index(token)].size();
    }
    if (n_bytes > most_bytes) return nullptr;
    Watch watch(may_go_on);
    return unless_stopped(std::make_unique<TokenTree>(tokens, ids, columns, watch), watch);
}

LOUPE_API void loupe_tree_free(TokenTree* tree) { delete tree; }

// The longest token that is a prefix of text[start:], or -1.
LOUPE_API std::int64_t loupe_tree_longest_match(const TokenTree* tree, Array<const Byte> text, std::int64_t start) {
    return start < 0 ? absent : tree->longest_match(items_of(text), static_cast<std::size_t>(start), items_of(text).size());
}

// Fill columns, which must be all zeros, `places` all -1; see TreeColumns. Returns -1 if their sizes are wrong.
LOUPE_API std::int64_t loupe_tree_columns(const TokenTree* tree, Array<std::int32_t> depths, Array<std::int32_t> sizes,
                                          Array<std::int32_t> places, Array<std::int32_t> child_offsets,
                                          Array<std::int32_t> children) {
    const auto n_tokens = static_cast<std::int64_t>(tree->n_tokens());
    if (depths.size != n_tokens || sizes.size != n_tokens || places.size != n_tokens) return -1;
    if (child_offsets.size != n_tokens + 2 || items_of(children).size() != tree->order().size()) return -1;
    tree->fill({depths, sizes, places, child_offsets, children});
    return 0;
}
