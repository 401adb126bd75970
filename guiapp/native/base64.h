// Decodes base64.
#pragma once

#include <array>
#include <optional>

#include "bytes.h"

namespace loupe {

constexpr auto values_of_base64 = [] {
    std::array<std::int8_t, 256> values{};
    values.fill(-1);
    constexpr const char* digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (std::int8_t value = 0; value < 64; ++value) values[static_cast<Byte>(digits[value])] = value;
    return values;
}();

// Decode a text, four characters to three bytes; return the number of bytes, or nothing if the text is not base64. `to` must be
// as long as the text, and may be the text itself.
inline std::optional<std::size_t> decode_base64(Bytes text, std::span<Byte> to) {
    std::size_t size = 0, n_padding = 0;
    if (text.size() % 4 != 0) return {};
    while (n_padding < 2 && n_padding < text.size() && text[text.size() - 1 - n_padding] == '=') ++n_padding;
    for (std::size_t at = 0; at < text.size(); at += 4) {
        const auto n_digits = 4 - (at + 4 == text.size() ? n_padding : 0);
        std::int32_t bits = 0;
        for (std::size_t place = 0; place < 4; ++place) {
            const std::int32_t value = place < n_digits ? values_of_base64[text[at + place]] : 0;
            if (value < 0) return {};
            bits = bits << 6 | value;
        }
        for (std::size_t place = 0; place + 1 < n_digits; ++place) to[size++] = static_cast<Byte>(bits >> (16 - 8 * place));
    }
    return size;
}

}  // namespace loupe
