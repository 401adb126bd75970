// Vectors of sixteen bytes: operations for which compilers have no operator.
#pragma once

#include "bytes.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif
#if defined(__SSE2__)
#include <emmintrin.h>
#endif
#if defined(__SSSE3__)
#include <tmmintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

namespace loupe {

typedef Byte Lanes __attribute__((vector_size(16)));

inline Lanes load_lanes(const Byte* from) {
    Lanes lanes;
    std::memcpy(&lanes, from, sizeof lanes);
    return lanes;
}

inline void store_lanes(Byte* to, Lanes lanes) { std::memcpy(to, &lanes, sizeof lanes); }

constexpr Lanes all_lanes(Byte byte) { return Lanes{} + byte; }

// table[index] for each index, or 0 if the index is 0x80 or more. Other indices must be below 16.
inline Lanes picked(Lanes table, Lanes indices) {
#if defined(__SSSE3__)
    return reinterpret_cast<Lanes>(_mm_shuffle_epi8(reinterpret_cast<__m128i>(table), reinterpret_cast<__m128i>(indices)));
#elif defined(__ARM_NEON)
    return reinterpret_cast<Lanes>(vqtbl1q_u8(reinterpret_cast<uint8x16_t>(table), reinterpret_cast<uint8x16_t>(indices)));
#else
    Lanes found{};
    for (unsigned at = 0; at < 16; ++at) found[at] = indices[at] < 16 ? table[indices[at]] : 0;
    return found;
#endif
}

// Bit i is the highest bit of lane i.
inline std::uint64_t highest_bits(Lanes lanes) {
#if defined(__SSE2__)
    return static_cast<unsigned>(_mm_movemask_epi8(reinterpret_cast<__m128i>(lanes)));
#elif defined(__ARM_NEON)
    const auto bits = reinterpret_cast<uint8x16_t>((lanes >> 7) << Lanes{0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7});
    return vaddv_u8(vget_low_u8(bits)) | static_cast<unsigned>(vaddv_u8(vget_high_u8(bits))) << 8;
#else
    std::uint64_t bits = 0;
    for (unsigned at = 0; at < 16; ++at) bits |= static_cast<std::uint64_t>(lanes[at] >> 7) << at;
    return bits;
#endif
}

// As many bytes as the processor handles at once. Tables for `picked` are repeated for each sixteen bytes.
#if defined(__AVX2__)
typedef Byte Wide __attribute__((vector_size(32)));

inline Wide spread(Lanes table) { return reinterpret_cast<Wide>(_mm256_broadcastsi128_si256(reinterpret_cast<__m128i>(table))); }
inline Wide picked(Wide table, Wide indices) {
    return reinterpret_cast<Wide>(_mm256_shuffle_epi8(reinterpret_cast<__m256i>(table), reinterpret_cast<__m256i>(indices)));
}
inline std::uint64_t highest_bits(Wide lanes) {
    return static_cast<std::uint32_t>(_mm256_movemask_epi8(reinterpret_cast<__m256i>(lanes)));
}
#else
using Wide = Lanes;
inline Wide spread(Lanes table) { return table; }
#endif

inline Wide load_wide(const Byte* from) {
    Wide lanes;
    std::memcpy(&lanes, from, sizeof lanes);
    return lanes;
}

inline void store_wide(Byte* to, Wide lanes) { std::memcpy(to, &lanes, sizeof lanes); }

// The number of letters a-z at the start of from[0:16]; with a `fold` of 0x20, A-Z count as well.
inline std::size_t count_letters(const Byte* from, Byte fold) {
    const Lanes behind_a = (load_lanes(from) | fold) - Byte{'a'};
    const auto others = highest_bits(reinterpret_cast<Lanes>(behind_a >= 26));
    return static_cast<std::size_t>(std::countr_zero(others | 1u << 16));
}

}  // namespace loupe
