// Reading several bytes at once.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace loupe {

using Byte = std::uint8_t;
using Bytes = std::span<const Byte>;
using Ids = std::span<std::int32_t>;
using Offsets = std::span<const std::int64_t>;

constexpr std::int32_t absent = -1;  // no token, symbol or row

static_assert(std::endian::native == std::endian::little);

inline std::uint64_t load8(const Byte* from) {
    std::uint64_t word;
    std::memcpy(&word, from, 8);
    return word;
}

inline std::uint64_t load8(Bytes text, std::size_t at) { return load8(text.subspan(at, 8).data()); }

// Let the processor prefetch what is read next, or only after some hundred reads: then into the second-level cache.
inline void prefetch(const void* place) { __builtin_prefetch(place); }
inline void prefetch_early(const void* place) { __builtin_prefetch(place, 0, 2); }

// The offset of the first such byte, or the size.
inline std::size_t find_byte(Bytes text, Byte byte) {
    const void* const found = text.empty() ? nullptr : std::memchr(text.data(), byte, text.size());
    return found ? static_cast<std::size_t>(static_cast<const Byte*>(found) - text.data()) : text.size();
}

constexpr std::uint64_t high_bits = 0x8080808080808080;

// The number of bytes before the lowest one with a bit set; `word` is not 0.
inline std::size_t first_set_byte(std::uint64_t word) { return static_cast<std::size_t>(std::countr_zero(word)) >> 3; }

// The length of a character in bytes according to its first byte, as in llama.cpp's encoders.
constexpr std::size_t announced_length(Byte lead) { return 1u + (lead >= 0xC0) + (lead >= 0xE0) + (lead >= 0xF0); }

constexpr bool is_continuation(Byte byte) { return (byte & 0xC0) == 0x80; }

// The offset where the last character of a text begins, and where the first one ends.
inline std::size_t last_character(Bytes text) {
    auto at = text.size();
    while (at > 0 && is_continuation(text[--at])) {}
    return at;
}

inline std::size_t first_character(Bytes text) {
    std::size_t end = !text.empty();
    while (end < text.size() && is_continuation(text[end])) ++end;
    return end;
}

}  // namespace loupe
