// Text that a character map does not change; see core/text/charsmap.py.
#pragma once

#include "bytes.h"

namespace loupe {

struct StableText {
    // What may begin with a byte. A plain byte is not a space, and does not change before ASCII or the end.
    enum Kind : Byte { anything, plain, in_user_defined, two_bytes, three_bytes };

    std::span<const Byte> kinds;       // [256]
    std::span<const bool> is_settled;  // [65536]: characters that do not change next to each other and to plain bytes

    // The end of the unchanged text that begins at `at`.
    std::size_t end(Bytes text, std::size_t at) const {
        auto last = at;
        while (at < text.size()) {
            const std::uint32_t lead = text[at];
            const auto kind = kinds[lead];
            if (kind == plain) {
                last = at++;
                continue;
            }
            if (lead < 0x80) return at;
            const std::size_t size = kind == two_bytes ? 2 : 3;
            if (kind < two_bytes || text.size() - at < size || !is_continuation(text[at + 1])) return last;
            auto code = (lead & (size == 2 ? 0x1F : 0x0F)) << 6 | (text[at + 1] & 0x3Fu);
            if (size == 3) {
                if (!is_continuation(text[at + 2])) return last;
                code = code << 6 | (text[at + 2] & 0x3Fu);
                if (code < 0x800) return last;  // overlong encoding
            }
            if (!is_settled[code]) return last;
            last = at;
            at += size;
        }
        return at;
    }
};

}  // namespace loupe
