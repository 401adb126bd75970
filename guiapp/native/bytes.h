// Reading several bytes at once.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

namespace loupe {

using Byte = std::uint8_t;
using Bytes = std::span<const Byte>;
using Ids = std::span<std::int32_t>;
using Offsets = std::span<const std::int64_t>;

constexpr std::int32_t absent = -1;  // in the place of a token, a symbol or a row

static_assert(std::endian::native == std::endian::little);

inline std::uint64_t load8(const Byte* from) {
    std::uint64_t word;
    std::memcpy(&word, from, 8);
    return word;
}

inline std::uint64_t load8(Bytes text, std::size_t at) { return load8(text.subspan(at, 8).data()); }

inline void prefetch(const void* place) { __builtin_prefetch(place); }

constexpr std::uint64_t high_bits = 0x8080808080808080;

// How many bytes lie before the lowest one with a bit set; `word` is not 0.
inline std::size_t first_set_byte(std::uint64_t word) { return static_cast<std::size_t>(std::countr_zero(word)) >> 3; }

// How many bytes a character has by its first one, as llama.cpp's encoders see it.
constexpr std::size_t announced_length(Byte lead) { return 1u + (lead >= 0xC0) + (lead >= 0xE0) + (lead >= 0xF0); }

constexpr bool is_continuation(Byte byte) { return (byte & 0xC0) == 0x80; }

// How many letters a-z from[0:16] begins with; with a `fold` of 0x20, A-Z are letters, too.
inline std::size_t count_letters(const Byte* from, Byte fold) {
#if defined(__SSE2__)
    auto lanes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
    lanes = _mm_sub_epi8(_mm_or_si128(lanes, _mm_set1_epi8(static_cast<char>(fold))), _mm_set1_epi8('a'));
    const auto letters = _mm_cmpeq_epi8(_mm_min_epu8(lanes, _mm_set1_epi8(25)), lanes);
    return static_cast<std::size_t>(std::countr_one(static_cast<unsigned>(_mm_movemask_epi8(letters))));
#else
    std::size_t count = 0;
    while (count < 16 && static_cast<Byte>((from[count] | fold) - 'a') < 26) ++count;
    return count;
#endif
}

// Bit i tells whether from[i] has a bit of `mask`, which is a single bit; of 64 bytes.
inline std::uint64_t marks(const Byte* from, Byte mask) {
    std::uint64_t found = 0;
#if defined(__SSE2__)
    const auto wanted = _mm_set1_epi8(static_cast<char>(mask));
    for (unsigned part = 0; part < 4; ++part) {
        const auto lanes = _mm_and_si128(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from) + part), wanted);
        const auto bits = static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(lanes, wanted)));
        found |= static_cast<std::uint64_t>(bits) << 16 * part;
    }
#elif defined(__ARM_NEON)
    static constexpr Byte places[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    for (unsigned part = 0; part < 4; ++part) {
        const auto lanes = vandq_u8(vtstq_u8(vld1q_u8(from + 16 * part), vdupq_n_u8(mask)), vld1q_u8(places));
        const std::uint64_t bits = vaddv_u8(vget_low_u8(lanes)) | static_cast<unsigned>(vaddv_u8(vget_high_u8(lanes))) << 8;
        found |= bits << 16 * part;
    }
#else
    for (unsigned at = 0; at < 64; ++at) found |= static_cast<std::uint64_t>((from[at] & mask) != 0) << at;
#endif
    return found;
}

}  // namespace loupe
