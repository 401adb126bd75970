// The printable characters that stand for bytes in byte-level vocabularies, as defined by GPT-2.
#pragma once

#include <array>

#include "bytes.h"

namespace loupe {

constexpr std::size_t n_alphabet_codes = 0x144;

// The byte that each code point stands for, or -1.
constexpr auto bytes_of_codes = [] {
    std::array<std::int16_t, n_alphabet_codes> bytes{};
    bytes.fill(-1);
    std::size_t next = 0x100;
    for (int byte = 0; byte < 256; ++byte) {
        const bool is_itself = (byte > 0x20 && byte < 0x7F) || (byte > 0xA0 && byte != 0xAD);
        bytes[is_itself ? static_cast<std::size_t>(byte) : next++] = static_cast<std::int16_t>(byte);
    }
    return bytes;
}();

// The code point that stands for each byte.
constexpr auto codes_of_bytes = [] {
    std::array<std::uint16_t, 256> codes{};
    for (std::size_t code = 0; code < n_alphabet_codes; ++code)
        if (bytes_of_codes[code] >= 0) codes[static_cast<std::size_t>(bytes_of_codes[code])] = static_cast<std::uint16_t>(code);
    return codes;
}();

}  // namespace loupe
