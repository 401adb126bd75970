// Text as llama.cpp decodes it: a byte that begins no complete character is one U+FFFD; overlong forms and surrogates are
// accepted; code points above U+10FFFF are broken.
#pragma once

#include <array>

#include "normalized.h"

namespace loupe {

constexpr std::uint32_t replacement = 0xFFFD, last_code = 0x10FFFF;

struct Decoded {
    std::uint32_t code;
    std::uint32_t size;  // the number of bytes in the text
};

// The number of bytes in the shortest form of a code point.
constexpr std::uint32_t encoded_length(std::uint32_t code) { return 1u + (code >= 0x80) + (code >= 0x800) + (code >= 0x10000); }

// The character at `at`, in any text.
constexpr Decoded decode(Bytes text, std::size_t at) {
    const std::uint32_t lead = text[at];
    if (lead < 0x80) return {lead, 1};
    const std::uint32_t size = 2u + (lead >= 0xE0) + (lead >= 0xF0);
    if (lead < 0xC0 || lead >= 0xF8 || text.size() - at < size) return {replacement, 1};
    auto code = lead & (0x7Fu >> size);
    for (std::uint32_t offset = 1; offset < size; ++offset) {
        if (!is_continuation(text[at + offset])) return {replacement, 1};
        code = code << 6 | (text[at + offset] & 0x3Fu);
    }
    return code > last_code ? Decoded{replacement, 1} : Decoded{code, size};
}

// The code point at `at`, where a character begins, in plain text.
constexpr std::uint32_t code_at(Bytes text, std::size_t at) {
    const std::uint32_t lead = text[at];
    if (lead < 0x80) return lead;
    const auto low_bits = [&](std::size_t offset) { return text[at + offset] & 0x3Fu; };
    if (lead < 0xE0) return (lead & 0x1F) << 6 | low_bits(1);
    if (lead < 0xF0) return (lead & 0x0F) << 12 | low_bits(1) << 6 | low_bits(2);
    return (lead & 0x07) << 18 | low_bits(1) << 12 | low_bits(2) << 6 | low_bits(3);
}

// A code point in UTF-8; its Bytes are valid only during its own lifetime.
struct Encoded {
    std::array<Byte, 4> bytes;
    std::size_t size;

    operator Bytes() const { return Bytes(bytes).first(size); }
};

constexpr Encoded encode(std::uint32_t code) {
    const auto tail = [&](unsigned shift) { return static_cast<Byte>(0x80 | (code >> shift & 0x3F)); };
    if (code < 0x80) return {{static_cast<Byte>(code)}, 1};
    if (code < 0x800) return {{static_cast<Byte>(0xC0 | code >> 6), tail(0)}, 2};
    if (code < 0x10000) return {{static_cast<Byte>(0xE0 | code >> 12), tail(6), tail(0)}, 3};
    return {{static_cast<Byte>(0xF0 | code >> 18), tail(12), tail(6), tail(0)}, 4};
}

// The number of bytes below 0x80 at the start of the text.
std::size_t ascii_prefix(Bytes text);

// The length of the plain prefix, that is, of characters in shortest form: the size if there is nothing to repair.
std::size_t plain_prefix(Bytes text);

// Whether a text is UTF-8 as Unicode defines it, without surrogates.
bool is_valid(Bytes text);

// The text as llama.cpp sees it, in shortest form.
NormalizedText repair(Bytes text);

}  // namespace loupe
