#include "token_matcher.h"

#include <algorithm>
#include <memory>

#include "api.h"

namespace loupe {

TokenMatcher::TokenMatcher(Strings tokens, std::span<const std::int32_t> ids, Watch& watch) : tokens_(tokens.size()) {
    for (std::size_t row = 0; row < tokens.size(); ++row) tokens_[row].length = static_cast<std::int32_t>(tokens[row].size());
    build_trie(tokens, ids, watch);
    for (std::size_t node = 0; node < nodes_.size() && !watch.stops(128); ++node) link(static_cast<std::int32_t>(node));
}

// Breadth first: a node holds the tokens that end in its text, which are divided among its children by the byte before it.
void TokenMatcher::build_trie(const Strings& tokens, std::span<const std::int32_t> ids, Watch& watch) {
    struct Range {
        std::uint32_t start, end;
    };
    std::vector<std::uint64_t> left;  // the next byte of a token in the upper half, the token in the lower one
    for (const auto id : ids) {
        if (length(id) > 0) left.push_back(static_cast<std::uint32_t>(id));
        longest_ = std::max(longest_, length(id));
    }
    std::vector<Range> level{{0, static_cast<std::uint32_t>(left.size())}}, next;
    nodes_.emplace_back();
    bytes_.push_back(0);
    auto node = nodes_.size() - 1;
    for (std::size_t depth = 0; !level.empty(); ++depth, level.swap(next), next.clear()) {
        for (const auto [start, end] : level) {
            auto keys = std::span(left).subspan(start, end - start);
            if (watch.stops(32 * keys.size())) return;
            std::size_t n_ended = 0;
            for (auto& key : keys) {
                const auto token = key & 0xFFFFFFFF;
                const auto text = tokens[token];
                const bool has_ended = text.size() == depth;
                if (has_ended) nodes_[node].longest = std::max(nodes_[node].longest, static_cast<std::int32_t>(token));
                n_ended += has_ended;
                key = token | (has_ended ? 0 : std::uint64_t{1} << 40 | std::uint64_t{text[text.size() - 1 - depth]} << 32);
            }
            if (keys.size() > 1) sort_watched(keys, [](auto one, auto other) { return one < other; }, watch);
            nodes_[node].first_child = static_cast<std::int32_t>(nodes_.size());
            for (auto at = n_ended, after = at; at < keys.size(); at = after) {
                while (after < keys.size() && keys[after] >> 32 == keys[at] >> 32) ++after;
                next.push_back({start + static_cast<std::uint32_t>(at), start + static_cast<std::uint32_t>(after)});
                nodes_.emplace_back();
                bytes_.push_back(static_cast<Byte>(keys[at] >> 32));
                ++nodes_[node].n_children;
            }
            ++node;
        }
    }
    nodes_.shrink_to_fit();
    bytes_.shrink_to_fit();
}

// Link the children of a node. Nodes at lesser depths than theirs are linked; those at lesser depths than `node` have tables.
void TokenMatcher::link(std::int32_t node) {
    if (node == 0 || (nodes_[node].n_children > few_children && tables_.size() < 256 * most_tables)) fill_table(node);
    const auto first = nodes_[node].first_child;
    for (auto at = first; at < first + nodes_[node].n_children; ++at) {
        auto& linked = nodes_[at];
        if (node != 0) linked.failure = successor(nodes_[node].failure, bytes_[at]);
        const auto shorter = nodes_[linked.failure].longest;
        if (linked.longest == absent)
            linked.longest = shorter;
        else
            tokens_[linked.longest].shorter = shorter;
    }
}

void TokenMatcher::fill_table(std::int32_t node) {
    const auto start = tables_.size();
    tables_.resize(start + 256);
    for (unsigned byte = 0; byte < 256; ++byte) {
        const auto found = child(nodes_[node], static_cast<Byte>(byte));
        const auto otherwise = node == 0 ? 0 : successor(nodes_[node].failure, static_cast<Byte>(byte));
        tables_[start + byte] = found != absent ? found : otherwise;
    }
    nodes_[node].table = static_cast<std::uint16_t>(start / 256);
}

std::int32_t TokenMatcher::child(const Node& node, Byte byte) const {
    const auto* bytes = bytes_.data() + node.first_child;
    for (std::int32_t at = 0; at < node.n_children; ++at)
        if (bytes[at] == byte) return node.first_child + at;
    return absent;
}

// The root has a table, so this terminates.
std::int32_t TokenMatcher::successor(std::int32_t node, Byte byte) const {
    while (true) {
        const auto& at = nodes_[node];
        if (at.table != no_table) return tables_[256 * std::size_t{at.table} + byte];
        if (const auto found = child(at, byte); found != absent) return found;
        node = at.failure;
    }
}

void TokenMatcher::find_longest(Bytes text, Ids found) const {
    std::int32_t node = 0;
    for (auto at = text.size(); at-- > 0;) {
        node = successor(node, text[at]);
        found[at] = nodes_[node].longest;
    }
}

}  // namespace loupe

using namespace loupe;

// NULL if offsets or ids do not match, or the tokens have more than `most_bytes`.
LOUPE_API TokenMatcher* loupe_matcher_new(Array<const Byte> data, Array<const std::int64_t> offsets, Array<const std::int32_t> ids,
                                            MayGoOn may_go_on) {
    const Strings tokens{data, offsets};
    if (!are_sound(tokens) || offsets.size > TokenMatcher::most_bytes) return nullptr;
    std::int64_t n_bytes = 0;
    for (const auto id : items_of(ids)) {
        if (id < 0 || static_cast<std::size_t>(id) >= tokens.size()) return nullptr;
        n_bytes += static_cast<std::int64_t>(tokens[static_cast<std::size_t>(id)].size());
        if (n_bytes > TokenMatcher::most_bytes) return nullptr;
    }
    Watch watch(may_go_on);
    return unless_stopped(std::make_unique<TokenMatcher>(tokens, ids, watch), watch);
}

LOUPE_API void loupe_matcher_free(TokenMatcher* matcher) { delete matcher; }

// The longest token at each offset of a text, or -1.
LOUPE_API std::int64_t loupe_matcher_find(const TokenMatcher* matcher, Array<const Byte> text, Array<std::int32_t> found) {
    if (found.size < text.size) return -1;
    matcher->find_longest(text, found);
    return text.size;
}

// For each token, the longest other token that is a prefix of it, or -1.
LOUPE_API std::int64_t loupe_matcher_shorter(const TokenMatcher* matcher, Array<std::int32_t> shorter) {
    if (static_cast<std::size_t>(shorter.size) != matcher->n_tokens()) return -1;
    for (std::int32_t token = 0; token < shorter.size; ++token) shorter.data[token] = matcher->shorter(token);
    return shorter.size;
}
