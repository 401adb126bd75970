// Cuts that no token can cross: between two characters that are neighbours in no symbol.
//
// Merging only makes strings that some rule makes. So if character d follows character c in none of them, nothing merges across
// c|d, and the text before the cut is encoded independently of the text after it. In byte-level vocabularies, tokens may begin
// and end within a character: such a part counts by its byte next to the cut, as a neighbour of its own kind.
#pragma once

#include "pair_rules.h"
#include "splitter.h"

namespace loupe {

class PairCuts {
public:
    // At first, every cut is certain; `size`: of all symbols, in bytes. `splits_characters`: they may contain parts of
    // characters.
    PairCuts(std::size_t size, bool splits_characters, bool marks_spaces, std::uint64_t secret);
    PairCuts(const PairRules& rules, std::uint64_t secret, Watch& watch);

    // Add all neighbours in the text of a symbol.
    void note(Bytes text);

    // The last cut in text[:end] that does not depend on the following text, or 0.
    std::size_t last_cut(Bytes text, std::size_t end) const;

    // The first cut after `position` that does not depend on the preceding text, or the size.
    std::size_t first_cut(Bytes text, std::size_t position) const;

    // Write the ends of the next parts of text[start:], a text or one piece, as many as fit. Not all cuts are used: cuts within
    // ASCII words are not searched for.
    void next_parts(Bytes text, std::size_t start, Ends& ends) const;

private:
    static constexpr std::uint64_t first_spread = 0x9E3779B1;

    std::uint64_t code_of(Bytes character) const;
    void add(std::uint64_t before, std::uint64_t after);
    std::size_t bit_of(std::uint64_t before, std::uint64_t after) const {
        return (before * first_spread + after) * spread_ >> shift_;
    }
    bool ascii_has(std::uint64_t before, std::uint64_t after) const {
        return ascii_[2 * before + (after >> 6)] >> (after & 63) & 1;
    }
    bool others_have(std::size_t bit) const { return others_[bit >> 6] >> (bit & 63) & 1; }
    bool has(std::uint64_t before, std::uint64_t after) const {
        return before < 0x80 && after < 0x80 ? ascii_has(before, after) : others_have(bit_of(before, after));
    }
    bool meet_nowhere(Bytes text, std::size_t start, std::size_t middle, std::size_t end) const;
    std::size_t part_end(Bytes text, std::size_t start) const;
    std::size_t cut_run(Bytes text, std::size_t start, Ends& ends) const;

    bool splits_characters_, marks_spaces_;
    std::array<std::uint64_t, 256> ascii_{};  // of c and d: bit d & 63 of word 2 c + (d >> 6)
    std::vector<std::uint64_t> others_;       // a hashed bit set; a collision only loses a cut
    std::uint64_t spread_;
    int shift_;
};

}  // namespace loupe
