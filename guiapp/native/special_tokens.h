// Special tokens are cut out of a text before anything else is done with it.
#pragma once

#include <array>
#include <optional>

#include "token_matcher.h"
#include "token_tree.h"

namespace loupe {

// A segment of text and the special token after it; the last segment has none.
struct Part {
    std::int64_t raw_start = 0, raw_end = 0;  // without the white space that adjacent tokens strip
    std::int64_t token = absent;              // its id
    std::int64_t start = 0, end = 0;          // of the token

    bool has_text() const { return raw_start < raw_end; }
    Bytes text_in(Bytes text) const { return text.subspan(static_cast<std::size_t>(raw_start), static_cast<std::size_t>(raw_end - raw_start)); }
};

// As in llama.cpp, one token after another takes its matches in the remaining text. Or, as in Hugging Face's `tokenizers`, the
// text is searched from left to right for the longest token at each offset, and stripped white space belongs to the token.
class SpecialTokens {
public:
    enum Kind : Byte { strips_left = 1, strips_right = 2, hides = 4 };  // strips white space next to it; hides other tokens

    // The tree has all tokens; the last ones are matched first. `later`, only from left to right, searches the remaining text,
    // if any.
    SpecialTokens(const TokenTree& tree, Strings texts, std::span<const Byte> kinds, std::span<const std::int32_t> ids, bool from_left,
                  const SpecialTokens* later, Watch& watch);

    void partition(Bytes text, std::vector<Part>& parts) const;

    // The longest token at each offset where one begins, in order; the segments before them are left empty.
    std::vector<Part> occurrences(Bytes text) const;

    // Whether a text contains a token.
    bool are_in(Bytes text) const;

    std::size_t length(std::int32_t token) const { return tree_.length(token); }
    // The longest other token that is a prefix of this one, or `absent`.
    std::int32_t shorter(std::int32_t token) const { return tree_.parent(token); }
    Byte kind(std::int32_t token) const { return kinds_[static_cast<std::size_t>(token)]; }

    // A match: a position in a text where a token begins, with the token's row.
    struct Match {
        std::size_t start, end;
        std::int32_t token;
    };

private:
    static constexpr std::size_t longest_walked = 128;  // bytes; at each offset, walking down the tree may take as many steps
    static constexpr std::size_t few = 8;               // bytes to search for at once

    template <class Visit>
    void visit_token_matches(Bytes text, Visit visit) const;
    std::int32_t id(std::int32_t token) const { return ids_[static_cast<std::size_t>(token)]; }
    void find_jumps();
    std::int32_t longest_match(Bytes text, std::size_t at) const;
    std::size_t next_beginning(Bytes text, std::size_t at) const;
    void partition_by_claims(Bytes text, std::vector<Part>& parts) const;
    std::size_t partition_from_left(Bytes text, std::size_t start, std::size_t end, std::vector<Part>& parts) const;

    const TokenTree& tree_;
    std::optional<TokenMatcher> matcher_;  // used if some token is too long for walking down the tree
    Strings texts_;
    // All tokens below a row of the tree continue like `token` up to some size, which leads to `row`.
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

// How a text is split into parts before it is encoded.
struct TextOptions {
    const SpecialTokens* special;  // to cut out; NULL if there are none
    const SpecialTokens* excluded;  // a text that contains one of these, or invalid UTF-8, is not encoded; or NULL
    bool adds_space;               // before each segment, but see `begins`
    bool marks_spaces;             // replaces spaces by U+2581
    bool begins;                   // false if the text continues other text: then no space is added before its first segment

    bool adds_space_to(const Part& part) const { return adds_space && (begins || part.raw_start > 0); }
    void partition(Bytes text, std::vector<Part>& parts) const {
        const auto size = static_cast<std::int64_t>(text.size());
        if (special) special->partition(text, parts);
        else parts.assign(1, {0, size, absent, size, size});
    }
};

// Sorts by length, longest first, with the same result as GNU's std::sort: llama.cpp tries special tokens of equal length in
// the order that this algorithm leaves.
void sort_longest_first(Ids items, std::span<const std::int64_t> lengths, Watch& watch);

}  // namespace loupe
