// The bytes that each token of a vocabulary stands for: llama.cpp's token_to_piece for all ids at once.
#include <algorithm>
#include <string_view>

#include "api.h"
#include "byte_alphabet.h"
#include "strings.h"
#include "utf8.h"

namespace loupe {

namespace {

// How tokens spell their text: with U+2581 for a space; with GPT-2's printable characters for bytes; with escapes like \n and
// \xHH (RWKV); unchanged (PLaMo 2).
enum Spelling : std::int64_t { marked_spaces, stand_ins, escapes, plain };

constexpr std::uint16_t normal = 4, byte_bit = 32;            // bits of vocabulary.Attribute
constexpr std::uint16_t taken_as_written = 1 | 8 | 16;        // unknown, control, user-defined
constexpr std::string_view hex_digits = "0123456789abcdef";

int hex_digit(Byte character) {
    if (character >= '0' && character <= '9') return character - '0';
    const auto lower = character | 0x20;
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// `a` and higher characters count from ten, lower ones from `0`, whether valid or not.
int rwkv_digit(Byte character) { return static_cast<signed char>(character) >= 'a' ? character - 'a' + 10 : character - '0'; }

// The byte of <0xHH>: the value that C's strtol gives for the fourth and fifth character.
Byte named_byte(Bytes text) {
    const int first = text.size() > 3 ? hex_digit(text[3]) : -1, second = text.size() > 4 ? hex_digit(text[4]) : -1;
    if (first >= 0) return static_cast<Byte>(second >= 0 ? first * 16 + second : first);
    if (second < 0) return 0;
    const auto sign = text[3];
    if (sign == '-') return static_cast<Byte>(-second);
    return static_cast<Byte>(sign == '+' || sign == ' ' || (sign >= '\t' && sign <= '\r') ? second : 0);
}

// Writes as long as there is room, and keeps counting after that.
class Writer {
public:
    explicit Writer(std::span<Byte> room) : room_(room) {}

    std::size_t size() const { return size_; }
    void put(int byte) {
        if (size_ < room_.size()) room_[size_] = static_cast<Byte>(byte);
        ++size_;
    }
    void copy(Bytes bytes) {
        if (size_ < room_.size()) std::ranges::copy(bytes.first(std::min(bytes.size(), room_.size() - size_)), room_.begin() + size_);
        size_ += bytes.size();
    }

    void unmark_spaces(Bytes text) {
        for (std::size_t at = 0; at < text.size(); ++at) {
            const bool is_space = text.size() - at >= 3 && text[at] == 0xE2 && text[at + 1] == 0x96 && text[at + 2] == 0x81;
            put(is_space ? ' ' : text[at]);
            at += is_space ? 2 : 0;
        }
    }

    // Decode \t, \n, \r, \xHH, and \ before any other character.
    void unescape(Bytes text) {
        for (std::size_t at = 0; at < text.size(); ++at) {
            if (text[at] != '\\') {
                put(text[at]);
                continue;
            }
            if (++at == text.size()) return;
            if (text[at] != 'x') {
                put(text[at] == 't' ? '\t' : text[at] == 'n' ? '\n' : text[at] == 'r' ? '\r' : text[at]);
                continue;
            }
            if (text.size() - at < 3) return;
            put(rwkv_digit(text[at + 1]) * 16 + rwkv_digit(text[at + 2]));
            at += 2;
        }
    }

    // of_code[code point] is the byte that a character stands for, or -1. Other characters stay, or are named as in llama.cpp.
    void unspell(Bytes text, std::span<const std::int32_t> of_code, bool name_unknown) {
        for (std::size_t at = 0; at < text.size();) {
            const auto [code, size] = decode(text, at);
            if (code < of_code.size() && of_code[code] >= 0)
                put(of_code[code]);
            else if (name_unknown)
                put_name(code, text);
            else
                copy(text.subspan(at, size));
            at += size;
        }
    }

private:
    // [UNK_BYTE_0x, the character's UTF-8 in hexadecimal, the whole token and ].
    void put_name(std::uint32_t code, Bytes text) {
        for (const auto letter : std::string_view("[UNK_BYTE_0x")) put(letter);
        const auto character = encode(code);
        for (const auto byte : Bytes(character)) put(hex_digits[byte >> 4]), put(hex_digits[byte & 15]);
        copy(text);
        put(']');
    }

    std::span<Byte> room_;
    std::size_t size_ = 0;
};

}  // namespace

}  // namespace loupe

using namespace loupe;

// Writes the bytes of token i to out[ends[i] : ends[i + 1]] as long as there is room; returns the size of all tokens, or -1.
LOUPE_API std::int64_t loupe_spell_out(Array<const Byte> data, Array<const std::int64_t> offsets, Array<const std::uint16_t> attributes,
                                       std::int64_t spelling, Array<const std::int32_t> of_code, bool name_unknown,
                                       Array<Byte> out, Array<std::int64_t> ends, MayGoOn may_go_on) {
    Watch watch(may_go_on);
    const Strings texts{data, offsets};
    if (!are_sound(texts) || items_of(attributes).size() != texts.size() || ends.size != offsets.size) return -1;
    Writer writer(out);
    ends.data[0] = 0;
    for (std::size_t row = 0; row < texts.size(); ++row) {
        const auto text = texts[row];
        const auto bits = attributes.data[row];
        if (watch.stops(32 * (text.size() + 1))) return -1;
        if (spelling == escapes)
            writer.unescape(text);
        else if (spelling == plain ? bits & byte_bit : !(bits & (taken_as_written | normal)) && bits & byte_bit)
            writer.put(named_byte(text));
        else if (spelling == plain || bits & taken_as_written)
            writer.copy(text);
        else if (bits & normal && spelling == marked_spaces)
            writer.unmark_spaces(text);
        else if (bits & normal)
            writer.unspell(text, of_code, name_unknown);
        ends.data[row + 1] = static_cast<std::int64_t>(writer.size());
    }
    return static_cast<std::int64_t>(writer.size());
}

// Write GPT-2's printable characters for the bytes of texts, and the new offsets. Returns the number of bytes, or -1. There
// must be room for twice as many.
LOUPE_API std::int64_t loupe_spell_bytes(Array<const Byte> data, Array<const std::int64_t> offsets, Array<Byte> to, Array<std::int64_t> to_offsets) {
    const Strings texts{data, offsets};
    if (!are_sound(texts) || to.size / 2 < data.size || to_offsets.size != offsets.size) return -1;
    std::size_t size = 0;
    to_offsets.data[0] = 0;
    for (std::size_t row = 0; row < texts.size(); ++row) {
        for (const Byte byte : texts[row])
            for (const auto character = encode(codes_of_bytes[byte]); const Byte part : Bytes(character)) to.data[size++] = part;
        to_offsets.data[row + 1] = static_cast<std::int64_t>(size);
    }
    return static_cast<std::int64_t>(size);
}
