// Special tokens are cut out of a text before anything else sees it.
#pragma once

#include <array>
#include <optional>

#include "token_matcher.h"
#include "token_tree.h"

namespace loupe {

// A stretch of text and the special token behind it; the last stretch has none.
struct Part {
    std::int64_t raw_start = 0, raw_end = 0;  // without the white space that tokens beside it take away
    std::int64_t token = absent;              // its id
    std::int64_t start = 0, end = 0;          // of the token

    bool has_text() const { return raw_start < raw_end; }
    Bytes text_in(Bytes text) const { return text.subspan(static_cast<std::size_t>(raw_start), static_cast<std::size_t>(raw_end - raw_start)); }
};

// As llama.cpp does it, one token after another claims its places in what is left, or as Hugging Face's `tokenizers` do, the text is
// searched from left to right for the longest token at each place, and white space that a token takes along belongs to it.
class SpecialTokens {
public:
    enum Kind : Byte { strips_left = 1, strips_right = 2, hides = 4 };  // white space beside it is gone; others are not found in its place

    // The tree is of all tokens, those that claim last first.  `later`, if any, searches what this leaves; only from left to right.
    SpecialTokens(const TokenTree& tree, Strings texts, std::span<const Byte> kinds, std::span<const std::int32_t> ids, bool from_left,
                  const SpecialTokens* later, Watch& watch);

    // All parts of a text, in order.
    void partition(Bytes text, std::vector<Part>& parts) const;

    // The longest token at each place where one begins, in order; the stretch before each is left empty.
    std::vector<Part> occurrences(Bytes text) const;

    // Whether a token begins somewhere in a text.
    bool are_in(Bytes text) const;

    std::size_t length(std::int32_t token) const { return tree_.length(token); }
    // The longest other token that one begins with, or `absent`.
    std::int32_t shorter(std::int32_t token) const { return tree_.parent(token); }
    Byte kind(std::int32_t token) const { return kinds_[static_cast<std::size_t>(token)]; }

    // A place of a text where a token begins, by its row.
    struct Place {
        std::size_t start, end;
        std::int32_t token;
    };

private:
    static constexpr std::size_t longest_walked = 128;  // bytes; at each place of a text a walk down the tree may go as far
    static constexpr std::size_t few = 8;               // bytes that are looked for at once

    template <class Visit>
    void visit_places(Bytes text, Visit visit) const;
    std::int32_t id(std::int32_t token) const { return ids_[static_cast<std::size_t>(token)]; }
    void find_jumps();
    std::int32_t longest_match(Bytes text, std::size_t at) const;
    std::size_t next_beginning(Bytes text, std::size_t at) const;
    void partition_by_claims(Bytes text, std::vector<Part>& parts) const;
    std::size_t partition_from_left(Bytes text, std::size_t start, std::size_t end, std::vector<Part>& parts) const;

    const TokenTree& tree_;
    std::optional<TokenMatcher> matcher_;  // where some token is so long that to walk down the tree takes too long
    Strings texts_;
    // All tokens below a row of the tree go on like `token` up to some size, which leads to `row`.
    struct Jump {
        std::int32_t row, token;
        std::size_t size;
    };
    std::vector<Jump> jumps_;
    std::vector<Byte> kinds_;
    std::vector<std::int32_t> ids_;
    bool from_left_, strips_ = false;
    const SpecialTokens* later_;
    std::array<bool, 256> begins_{};  // whether a token begins with a byte
    std::vector<Byte> beginnings_;    // the same, as a list
    std::size_t longest_ = 0;
};

// How a text is taken apart before it is encoded.
struct TextOptions {
    const SpecialTokens* special;  // to be cut out; NULL where there are none
    const SpecialTokens* excluded;  // with one of these in it, or with anything that is not valid, a text is not encoded; or NULL
    bool adds_space;               // in front of each stretch, but see `begins`
    bool marks_spaces;             // as U+2581 where they are
    bool begins;                   // false for a text that goes on behind something else: none is added in front of its first stretch

    bool adds_space_to(const Part& part) const { return adds_space && (begins || part.raw_start > 0); }
    void partition(Bytes text, std::vector<Part>& parts) const {
        const auto size = static_cast<std::int64_t>(text.size());
        if (special) special->partition(text, parts);
        else parts.assign(1, {0, size, absent, size, size});
    }
};

// Sorts by length, longest first, as GNU's std::sort does it: llama.cpp tries special tokens of one length in the order in
// which that leaves them.
void sort_longest_first(Ids items, std::span<const std::int64_t> lengths, Watch& watch);

}  // namespace loupe
