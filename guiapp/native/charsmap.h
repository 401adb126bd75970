// The character map of a Unigram vocabulary: which byte sequences are replaced by which others.
#pragma once

#include <algorithm>

#include "bytes.h"

namespace loupe {

// A double array in units of 32 bits, and the replacements of its keys, each ended by a NUL. core/text/charsmap.py has checked
// all entries that a text can reach, so matching needs no checks.
struct Charsmap {
    std::span<const std::uint32_t> units;
    Bytes replacements;

    struct Match {
        std::size_t length = 0;  // of the key; 0: no match
        std::size_t replacement = 0;
    };

    // The longest key that is a prefix of text[at:].
    Match longest(Bytes text, std::size_t at) const {
        Match match;
        if (units.empty()) return match;
        auto node = base(units[0]);
        const auto end = std::min(text.size(), at + longest_key);
        for (auto position = at; position < end; ++position) {
            const std::uint32_t byte = text[position];
            node ^= byte;
            const auto unit = units[node];
            if (byte == 0 || (unit & value_and_label) != byte) break;
            node ^= base(unit);
            if (unit & is_leaf) match = {position - at + 1, units[node] & value};
        }
        return match;
    }

    Bytes replacement(Match match) const {
        const auto from = replacements.subspan(match.replacement);
        std::size_t size = 0;
        while (from[size] != 0) ++size;
        return from.first(size);
    }

private:
    static constexpr std::size_t longest_key = 1024;  // stops in the cycles of a damaged map
    static constexpr std::uint32_t value_and_label = 0x800000FF, value = 0x7FFFFFFF, is_leaf = 0x100;

    static std::size_t base(std::uint32_t unit) { return std::size_t{unit >> 10} << ((unit & 0x200) >> 6); }
};

}  // namespace loupe
