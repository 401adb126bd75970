// Every token under its longest proper prefix that is a token, and the longest token at a place in a text.
#pragma once

#include <vector>

#include "strings.h"

namespace loupe {

// What a tree fills in for its owner, who keeps it as long as the tree; tokens that are not in the tree keep what they have.
struct MatchColumns {
    std::span<bool> is_matched;       // of each token: whether it may be matched; becomes whether matching finds it
    std::span<std::int32_t> parents;  // of each token: its longest proper prefix that is a matched token, or `absent`
    std::span<std::int32_t> order;    // the tokens in the tree sorted by their bytes, so that parents come first
};

// The same tree as it is drawn: depth (1 below the root) and size of the subtree of each token, where it stands in `order`, and
// the children of row i, sorted by their bytes: children[child_offsets[i] : child_offsets[i + 1]]; those of the root in the last row.
struct TreeColumns {
    std::span<std::int32_t> depths, sizes, places, child_offsets, children;
};

// For matching, the tokens' bytes form a trie that is laid out as a double array (Aoe 1989, https://doi.org/10.1109/32.31365): the
// child of the node in row r for a byte b, if it has one, is in row base ^ b, and says that its parent is in row r.
class TokenTree {
public:
    struct Row {
        std::int32_t base = 0, parent = free_row, token = absent;
    };
    static constexpr std::int32_t root = 0, free_row = -1, no_row = -2;

    // Of tokens with the same bytes only the last among `ids` that may be matched is; the others, like empty ones, are leaves.
    TokenTree(Strings tokens, std::span<const std::int32_t> ids, MatchColumns columns, Watch& watch);

    // The longest token that text[at:end] begins with, or `absent`; the shorter ones are its ancestors.
    std::int32_t longest_match(Bytes text, std::size_t at, std::size_t end) const {
        auto row = root, found = absent;
        for (; at < end; ++at) {
            row = child(row, text[at]);
            if (row == absent) break;
            if (token_at(row) != absent) found = token_at(row);
        }
        return found;
    }

    // One byte down from a row, to start with from the root; `absent` where no token goes on like this.
    std::int32_t child(std::int32_t row, Byte byte) const {
        const auto following = rows_[static_cast<std::size_t>(row)].base ^ byte;
        return rows_[static_cast<std::size_t>(following)].parent == row ? following : absent;
    }

    // The token whose bytes lead to a row, or `absent`.
    std::int32_t token_at(std::int32_t row) const { return rows_[static_cast<std::size_t>(row)].token; }

    std::int32_t parent(std::int32_t token) const { return columns_.parents[static_cast<std::size_t>(token)]; }
    std::size_t length(std::int32_t token) const { return tokens_[static_cast<std::size_t>(token)].size(); }
    std::size_t n_tokens() const { return tokens_.size(); }
    std::size_t n_rows() const { return rows_.size(); }
    std::span<const std::int32_t> order() const { return columns_.order; }

    void fill(const TreeColumns& columns) const;

private:
    Strings tokens_;
    MatchColumns columns_;
    std::vector<Row> rows_;
};

}  // namespace loupe
