#include "utf8.h"

#include "api.h"

namespace loupe {

namespace {

// The bit pattern of several characters of equal length in a word of eight bytes.
struct Shape {
    std::uint64_t mask, wanted;  // the bits that identify lead and continuation bytes
    std::uint64_t codes, least;  // bits of which each lead byte has at least one, unless the form is overlong; the lowest of them

    // 0 if the word matches: the sum overflows into the bit above the codes exactly if they are at least `least`.
    std::uint64_t mismatch(std::uint64_t word) const {
        const auto above = codes + least;
        return ((word & mask) ^ wanted) | (~((word & codes) + codes) & above);
    }
};

constexpr Shape four_of_two{0xC0E0C0E0C0E0C0E0, 0x80C080C080C080C0, 0x001E001E001E001E, 0x0002000200020002};
constexpr Shape two_of_three{0x0000C0C0F0C0C0F0, 0x00008080E08080E0, 0x0F00000F, 0x01000001};

// The end of the run of two-byte characters that begins at `at`, read four at once.
std::size_t behind_twos(Bytes text, std::size_t at) {
    while (at + 8 <= text.size() && !four_of_two.mismatch(load8(text, at))) at += 8;
    return at;
}

// The same for characters of three bytes, as in most Asian text; a lead byte of 0xE0 may begin an overlong form.
std::size_t behind_threes(Bytes text, std::size_t at) {
    while (at + 14 <= text.size() && !(two_of_three.mismatch(load8(text, at)) | two_of_three.mismatch(load8(text, at + 6))))
        at += 12;
    while (at + 3 <= text.size() && text[at] > 0xE0 && text[at] < 0xF0 && is_continuation(text[at + 1]) &&
           is_continuation(text[at + 2]))
        at += 3;
    return at;
}

}  // namespace

std::size_t ascii_prefix(Bytes text) {
    std::size_t at = 0;
    for (; at + 32 <= text.size(); at += 32) {
        const auto low = load8(text, at) | load8(text, at + 8), high = load8(text, at + 16) | load8(text, at + 24);
        if ((low | high) & high_bits) break;
    }
    for (; at + 8 <= text.size(); at += 8)
        if (const auto marked = load8(text, at) & high_bits) return at + first_set_byte(marked);
    while (at < text.size() && text[at] < 0x80) ++at;
    return at;
}

std::size_t plain_prefix(Bytes text) {
    std::size_t at = 0;
    while (at < text.size()) {
        const auto lead = text[at];
        if (lead < 0x80)
            at += ascii_prefix(text.subspan(at));
        else
            at = lead < 0xE0 ? behind_twos(text, at) : behind_threes(text, at);
        if (at == text.size() || text[at] < 0x80) continue;
        const auto [code, size] = decode(text, at);
        if (size != encoded_length(code)) return at;
        at += size;
    }
    return at;
}

bool is_valid(Bytes text) {
    if (plain_prefix(text) < text.size()) return false;
    for (std::size_t at = 0; (at += find_byte(text.subspan(at), 0xED)) < text.size(); ++at)
        if (text[at + 1] >= 0xA0) return false;
    return true;
}

NormalizedText repair(Bytes text) {
    NormalizedText repaired;
    repaired.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const auto n_plain = plain_prefix(text.subspan(at));
        repaired.keep(text.subspan(at, n_plain), at);
        at += n_plain;
        if (at == text.size()) break;
        const auto [code, size] = decode(text, at);
        repaired.append(encode(code), at, at + size);
        at += size;
    }
    return repaired;
}

}  // namespace loupe

using namespace loupe;

// NULL if the text needs no repair.
LOUPE_API NormalizedText* loupe_repair(Array<const Byte> text) {
    const Bytes bytes = text;
    return plain_prefix(bytes) == bytes.size() ? nullptr : new NormalizedText(repair(bytes));
}
