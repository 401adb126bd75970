// Special tokens are cut out of a text before anything else sees it: one after another claims its places in what is left.
#pragma once

#include <array>

#include "token_matcher.h"

namespace loupe {

// A stretch of text and the special token behind it; the last stretch has none.
struct Part {
    std::int64_t raw_start = 0, raw_end = 0;  // without the white space that tokens beside it take away
    std::int64_t token = absent;
    std::int64_t start = 0, end = 0;  // of the token
};

class SpecialTokens {
public:
    static constexpr Byte strips_left = 1, strips_right = 2;  // whether it takes away the white space beside it

    // The token that claims last comes first, so that TokenMatcher takes the right one of equal ones.
    SpecialTokens(Strings texts, std::span<const Byte> strips, Watch& watch);

    std::vector<Part> partition(Bytes text) const;

    // The longest token at each place where one begins, in order; the stretch before each is left empty.
    std::vector<Part> occurrences(Bytes text) const;

    const TokenMatcher& matcher() const { return matcher_; }
    Byte strips(std::int32_t token) const { return strips_[static_cast<std::size_t>(token)]; }

private:
    TokenMatcher matcher_;
    std::vector<Byte> strips_;
    std::array<bool, 256> begins_{};  // whether a token begins with a byte
    std::size_t longest_ = 0;
};

// What special tokens begin with, by which a look tells that a text has none of them.
class Beginnings {
public:
    explicit Beginnings(Strings texts);

    // False where it is plain to see that none is in a text.
    bool may_be_in(Bytes text) const;

private:
    static constexpr std::size_t most_compared = 16;  // bytes, so that no text takes long

    std::vector<std::vector<Byte>> texts_;
};

// Sorts by length, longest first, as GNU's std::sort does it: llama.cpp tries special tokens of one length in the order in
// which that leaves them.
void sort_longest_first(Ids items, std::span<const std::int64_t> lengths, Watch& watch);

}  // namespace loupe
