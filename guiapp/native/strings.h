// Concatenated strings, and a table to look them up.
#pragma once

#include <vector>

#include "bytes.h"
#include "large_array.h"
#include "watch.h"

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

// Finds strings by their bytes; of equal ones the first. The hash is a polynomial modulo 2^61 - 1 at a secret point, so that
// the author of a vocabulary cannot choose strings that collide.
class StringTable {
public:
    StringTable(Strings strings, std::uint64_t secret, Watch& watch);  // unusable if the watch has stopped

    std::int32_t find(Bytes text) const { return find(text, hash(text)); }

    // The same in two steps, to prefetch memory when looking up many strings.
    std::uint64_t hash(Bytes text) const;
    void fetch(std::uint64_t hashed) const { prefetch(&slots_[hashed & (slots_.size() - 1)]); }
    std::int32_t find(Bytes text, std::uint64_t hashed) const;

    const Strings& strings() const { return strings_; }
    std::size_t longest() const { return longest_; }

    // Two equal strings, the pair whose second row is lowest; `absent` if all differ.
    std::int32_t first_duplicate() const { return first_duplicate_; }
    std::int32_t second_duplicate() const { return second_duplicate_; }

private:
    struct Slot {
        std::uint32_t fingerprint;
        std::int32_t next_row;  // the row + 1; 0: the slot is empty
    };

    Strings strings_;
    std::uint64_t point_;
    LargeArray<Slot> slots_;  // at most half of them are used
    std::size_t longest_ = 0;
    std::int32_t first_duplicate_ = absent, second_duplicate_ = absent;
};

}  // namespace loupe
