// Where pieces end, found 64 bytes at a time: a table tells it for each byte by its group and those of three neighbours.
// Python makes the table (core/split): what holds for all texts, found by trying all of them at once.
#pragma once

#include <array>

#include "bytes.h"

namespace loupe {

class Windows {
public:
    static constexpr std::size_t width = 64;      // bytes in a word of bits
    static constexpr std::size_t most_words = 8;  // at a time
    static constexpr std::size_t before = 2;      // bytes of a window before the cut

    enum class Known { no_cut, cut, unsure };

    explicit Windows(Bytes table);  // an empty one for patterns without

    bool exist() const { return !table_.empty(); }

    // Find the cuts in `n_words` words of text[start:].  One byte more must exist, and two before.
    void mark(Bytes text, std::size_t start, std::size_t n_words);
    std::uint64_t cuts(std::size_t word) const { return cuts_[word]; }      // bit i: before byte i of the word
    std::uint64_t unsure(std::size_t word) const { return unsure_[word]; }  // … or there may be one

    // Whether what follows a run of one byte, which begins at `at`, tells about a cut there.
    Known known_behind_run(Bytes text, std::size_t at) const;

private:
    void sort_bytes(const Byte* from, Byte* groups) const;
    void look_up(const Byte* groups, Byte* flags) const;

    Bytes table_;
    Byte capitals_ = 0, tabs_ = 0;  // their groups
    std::array<Byte, most_words * width + 32> groups_{};
    std::array<Byte, most_words * width> flags_;  // of windows
    std::array<std::uint64_t, most_words> cuts_, unsure_;
};

}  // namespace loupe
