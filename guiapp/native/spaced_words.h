// Shared by vocabularies whose words begin with U+2581.
#pragma once

#include <algorithm>
#include <array>

#include "bytes.h"

namespace loupe {

constexpr std::array<Byte, 3> space_symbol{0xE2, 0x96, 0x81};  // U+2581

// Whether a text contains U+2581.
inline bool holds_space_symbol(Bytes text) {
    for (std::size_t at = 0; (at += find_byte(text.subspan(at), space_symbol[0])) + 2 < text.size(); ++at)
        if (text[at + 1] == space_symbol[1] && text[at + 2] == space_symbol[2]) return true;
    return false;
}

// A word of a text; without one, start and end are the end of the text.
struct Word {
    std::size_t start, end;

    bool exists() const { return start < end; }
    Bytes in(Bytes text) const { return text.subspan(start, end - start); }
};

// For each of the lowest bits of flags[byte], which of up to 64 bytes have it.
template <std::size_t n_flags, class Flags>
std::array<std::uint64_t, n_flags> marks(Bytes bytes, std::span<const Flags, 256> flags) {
    std::array<std::uint64_t, n_flags> found{};
    std::array<Byte, 64> rest{};
    if (bytes.size() < 64) std::ranges::copy(bytes, rest.begin());
    const auto all = bytes.size() < 64 ? std::span<const Byte, 64>(rest) : bytes.first<64>();
    for (std::size_t part = 0; part < 64; part += 8) {
        std::uint64_t word = 0;
        for (std::size_t at = 0; at < 8; ++at) word |= std::uint64_t{flags[all[part + at]]} << 8 * at;
        for (std::size_t flag = 0; flag < n_flags; ++flag)  // gathers one bit of each of eight bytes
            found[flag] |= ((word >> flag & 0x0101010101010101) * 0x0102040810204080) >> 56 << part;
    }
    return found;
}

// Append the positions of set bits, counted from `base` on, after the first `count` ones.
inline void write_offsets(std::uint64_t bits, std::size_t base, std::span<std::int64_t> offsets, std::size_t& count) {
    for (; bits; bits &= bits - 1) offsets[count++] = static_cast<std::int64_t>(base) + std::countr_zero(bits);
}

}  // namespace loupe
