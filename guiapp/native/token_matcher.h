// Finds the tokens that start at each offset of a text, in linear time, however long tokens and text are.
#pragma once

#include <vector>

#include "strings.h"

namespace loupe {

// All tokens, reversed, in one trie with failure links (Aho & Corasick 1975, https://doi.org/10.1145/360825.360855). The text
// is read from its end to its start. The state at an offset is the longest part of a token that starts there. The longest whole
// token is stored with the state, and every shorter one with the token.
class TokenMatcher {
public:
    static constexpr std::int64_t most_bytes = std::int64_t{1} << 26;  // of all tokens together

    // For the tokens `ids`, which are rows of valid `tokens`. Of equal tokens the last one is found, empty ones never.
    TokenMatcher(Strings tokens, std::span<const std::int32_t> ids, Watch& watch);

    // For each offset of a text, the longest token that starts there, or `absent`.
    void find_longest(Bytes text, Ids found) const;

    std::size_t n_tokens() const { return tokens_.size(); }
    std::size_t longest() const { return longest_; }  // bytes of the longest token

    // The longest other token that is a prefix of this one, or `absent`.
    std::int32_t shorter(std::int32_t token) const { return tokens_[static_cast<std::size_t>(token)].shorter; }
    std::size_t length(std::int32_t token) const {
        return static_cast<std::size_t>(tokens_[static_cast<std::size_t>(token)].length);
    }

private:
    // The children of a node are adjacent, and precede those of the next node. The root is node 0.
    struct Node {
        std::int32_t first_child = 0;
        std::int32_t failure = 0;
        std::int32_t longest = absent;
        std::uint16_t n_children = 0;
        std::uint16_t table = no_table;  // of all its successors, failures included
    };

    struct Token {
        std::int32_t length = 0;
        std::int32_t shorter = absent;
    };

    static constexpr std::uint16_t no_table = 0xFFFF;
    static constexpr std::size_t most_tables = 4096;
    static constexpr std::uint16_t few_children = 12;

    void build_trie(const Strings& tokens, std::span<const std::int32_t> ids, Watch& watch);
    void link(std::int32_t node);
    void fill_table(std::int32_t node);
    std::int32_t child(const Node& node, Byte byte) const;
    std::int32_t successor(std::int32_t node, Byte byte) const;

    std::vector<Node> nodes_;
    std::vector<Byte> bytes_;  // of the edge into each node
    std::vector<std::int32_t> tables_;  // 256 successors each
    std::vector<Token> tokens_;
    std::size_t longest_ = 0;
};

}  // namespace loupe
