// A tree in which a token's parent is its longest proper prefix that is a token; finds the longest token at an offset of a
// text.
#pragma once

#include <vector>

#include "strings.h"

namespace loupe {

// Columns that a tree fills for its owner, which must outlive the tree. Tokens that are not in the tree keep their values.
struct MatchColumns {
    std::span<bool> is_matched;       // of each token, in: whether it may be matched; out: whether matching finds it
    std::span<std::int32_t> parents;  // of each token: its longest proper prefix that is a matched token, or `absent`
    std::span<std::int32_t> order;    // the tokens in the tree sorted by their bytes, so that parents come first
};

// The same tree for drawing: depth (1 below the root) and subtree size of each token, its index in `order`, and the children of
// row i, sorted by their bytes: children[child_offsets[i] : child_offsets[i + 1]]. The last row has the root's children.
struct TreeColumns {
    std::span<std::int32_t> depths, sizes, places, child_offsets, children;
};

// For matching, the tokens' bytes form a trie, stored as a double array (Aoe 1989, https://doi.org/10.1109/32.31365): the child
// of the node in row r for a byte b, if it exists, is in row base ^ b, whose parent is r.
class TokenTree {
public:
    struct Row {
        std::int32_t base = 0, parent = free_row, token = absent;
    };
    static constexpr std::int32_t root = 0, free_row = -1, no_row = -2;

    // Of equal tokens, only the last one among `ids` that may be matched is matched. The others, like empty tokens, are leaves.
    TokenTree(Strings tokens, std::span<const std::int32_t> ids, MatchColumns columns, Watch& watch);

    // The longest token that is a prefix of text[at:end], or `absent`; the shorter ones are its ancestors.
    std::int32_t longest_match(Bytes text, std::size_t at, std::size_t end) const {
        auto row = root, found = absent;
        for (; at < end; ++at) {
            row = child(row, text[at]);
            if (row == absent) break;
            if (token_at(row) != absent) found = token_at(row);
        }
        return found;
    }

    // One byte down from a row, at first from the root; `absent` if no token continues with this byte.
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
