// Finds the ends of pieces, 64 bytes at a time, by the groups of four neighbouring characters. Python finds rules that hold for
// all texts by trying all combinations (core/pretokenize). A rule is a product of four sets of groups, a term; a byte has eight
// terms.
#pragma once

#include <array>

#include "lanes.h"

namespace loupe {

class Windows {
public:
    static constexpr std::size_t width = 64;      // bytes in a word of bits
    static constexpr std::size_t most_words = 8;  // at a time
    static constexpr std::size_t before = 4;      // bytes before a cut that matter: the first two only if special

    enum class Known { no_cut, cut, unsure };

    // `table` is empty for patterns without windows; `classes` are the classes of all code points.
    Windows(Bytes table, Bytes classes);

    bool exist() const { return !table_.empty(); }

    // Find the cuts in `n_words` words of text[start:]. One byte after them and `before` bytes before them must exist.
    void mark(Bytes text, std::size_t start, std::size_t n_words);
    std::uint64_t cuts(std::size_t word) const { return cuts_[word]; }      // bit i: before byte i of the word
    std::uint64_t unsure(std::size_t word) const { return unsure_[word]; }  // … or there may be one
    bool is_foreign(std::size_t word) const { return foreign_ >> word & 1; }  // little of it is ASCII, so nothing is known there

    // Whether there is a cut at `at`, where a run of one byte begins, judging by the character after the run.
    Known known_after_run(Bytes text, std::size_t at) const;

private:
    static constexpr std::size_t n_positions = 4, most_rows = 6;

    // Terms: which hold for each position in a window and each group; which hold everywhere rather than only next to special
    // bytes; and their results.
    struct Row {
        std::array<Wide, n_positions> holding;
        Byte everywhere, cuts, unsure, by_absence;
    };

    std::uint64_t sort_bytes(const Byte* from, Byte* groups) const;
    std::uint64_t join_bytes(const Byte* from, std::uint64_t high, Byte* groups) const;
    void look_up(std::size_t word, const Byte* groups);

    Bytes table_, classes_;
    std::array<Byte, 256> group_of_class_{};
    Byte capitals_ = 0, tabs_ = 0;  // their groups
    std::array<Row, most_rows> rows_;
    std::size_t n_rows_ = 0;
    std::array<Byte, (most_words + 1) * width + before + 1> groups_{};
    std::array<std::uint64_t, most_words> cuts_, unsure_;
    unsigned foreign_ = 0;
};

}  // namespace loupe
