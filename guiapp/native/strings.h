// Strings that lie one behind the other, and which of them has certain bytes.
#pragma once

#include <vector>

#include "bytes.h"

namespace loupe {

// String i is data[offsets[i] : offsets[i + 1]].
struct Strings {
    Bytes data;
    Offsets offsets;

    std::size_t size() const { return offsets.size() - 1; }
    Bytes operator[](std::size_t row) const {
        const auto start = static_cast<std::size_t>(offsets[row]);
        return data.subspan(start, static_cast<std::size_t>(offsets[row + 1]) - start);
    }
};

// Whether offsets begin at 0, never decrease, and end within the data.
bool are_sound(const Strings& strings);

// Finds strings by their bytes; of equal ones the first.  The hash is a polynomial modulo 2^61 - 1 at a secret point, so
// that whoever writes a vocabulary cannot choose strings that collide.
class StringTable {
public:
    StringTable(Strings strings, std::uint64_t secret);

    std::int32_t find(Bytes text) const;
    const Strings& strings() const { return strings_; }
    std::size_t longest() const { return longest_; }

    // Two equal strings, the pair whose second row is lowest; `absent` where all differ.
    std::int32_t first_twin() const { return first_twin_; }
    std::int32_t second_twin() const { return second_twin_; }

private:
    std::uint64_t hash(Bytes text) const;

    Strings strings_;
    std::uint64_t point_;
    std::vector<std::int32_t> slots_;   // at most half of them in use
    std::vector<std::uint32_t> fingerprints_;  // by slot
    std::size_t longest_ = 0;
    std::int32_t first_twin_ = absent, second_twin_ = absent;
};

}  // namespace loupe
