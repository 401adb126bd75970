// Joins the bytes of tokens, and removes added spaces; see core/encode/detokenizing.py for the rules.
#include <algorithm>
#include <array>
#include <utility>

#include "api.h"
#include "strings.h"

namespace loupe {

namespace {

// Drops the spaces before bytes for which `drops(at)` is true, in place. `drops` may skip bytes, which are dropped as well.
template <class Drops>
std::span<Byte> without_spaces(std::span<Byte> text, Drops drops) {
    std::size_t n_left = 0;
    Byte previous = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const auto byte = text[at], before = std::exchange(previous, byte);
        const auto here = at;
        if (before == ' ' && drops(at)) {
            --n_left;
            if (at != here) previous = 0;  // skipped bytes do not count
        }
        text[n_left++] = byte;
    }
    return text.first(n_left);
}

bool follows(std::span<Byte> text, std::size_t at, Byte first, Byte second = 0) {
    return text.size() - at > 1 && text[at + 1] == first && (!second || (text.size() - at > 2 && text[at + 2] == second));
}

// In three passes, as in llama.cpp: before punctuation, around a lone apostrophe, before 's, 'm, 're and 've.
std::size_t clean_spaces(std::span<Byte> text) {
    text = without_spaces(text, [&](std::size_t at) {
        return text[at] == '?' || text[at] == '!' || text[at] == '.' || text[at] == ',';
    });
    text = without_spaces(text, [&](std::size_t& at) {
        const bool is_lone = text[at] == '\'' && follows(text, at, ' ');
        at += is_lone;
        return is_lone;
    });
    text = without_spaces(text, [&](std::size_t at) {
        return text[at] == '\'' && (follows(text, at, 's') || follows(text, at, 'm') || follows(text, at, 'r', 'e') ||
                                    follows(text, at, 'v', 'e'));
    });
    return text.size();
}

// Writes texts as long as whole ones fit.
struct Writer {
    std::span<Byte> room;
    std::size_t size = 0;  // of all texts, written or not

    void write(Bytes text) {
        if (size + text.size() <= room.size()) std::ranges::copy(text, room.data() + size);
        size += text.size();
    }

    void write(std::uint64_t number) {
        std::array<Byte, 20> digits;
        auto first = digits.size();
        do digits[--first] = static_cast<Byte>('0' + number % 10);
        while (number /= 10);
        write(Bytes(digits).subspan(first));
    }

    void write_spaces(std::int64_t count) {
        static constexpr Byte space[] = {' '};
        for (; count > 0; --count) write(Bytes(space));
    }
};

std::int64_t n_digits(std::int64_t number) {
    std::int64_t count = 1;
    while (number /= 10) ++count;
    return count;
}

}  // namespace

}  // namespace loupe

using namespace loupe;

// Writes the bytes of tokens as long as whole ones fit. Returns the size of all tokens, or -1 for an invalid id.
LOUPE_API std::int64_t loupe_decode(Array<const std::int32_t> ids, Array<const Byte> data, Array<const std::int64_t> offsets,
                                    Array<Byte> out) {
    const Strings tokens{data, offsets};
    Writer writer{out};
    for (const auto id : items_of(ids)) {
        if (id < 0 || id >= offsets.size - 1) return -1;
        writer.write(tokens[static_cast<std::size_t>(id)]);
    }
    return static_cast<std::int64_t>(writer.size);
}

// The same for rows: row i has n numbers, none negative, between n + 1 texts, which start at text (n + 1) * row. Spaces pad a
// number to its width; there are n or more `widths`, or none. If the next width is 0, the width is for both numbers.
LOUPE_API std::int64_t loupe_fill_in(Array<const std::int32_t> rows, Array<const std::int64_t> numbers,
                                     Array<const std::int32_t> widths, Array<const Byte> data, Array<const std::int64_t> offsets,
                                     Array<Byte> out) {
    if (rows.size == 0) return 0;
    const Strings texts{data, offsets};
    const auto n = static_cast<std::size_t>(numbers.size / rows.size);
    if (widths.size && static_cast<std::size_t>(widths.size) < n) return -1;
    Writer writer{out};
    const auto* number = numbers.data;
    for (const auto row : items_of(rows)) {
        const auto first = static_cast<std::size_t>(row) * (n + 1);
        if (row < 0 || first + n >= texts.size()) return -1;
        for (std::size_t at = 0; at < n; ++at, ++number) {
            writer.write(texts[first + at]);
            if (widths.size && widths.data[at]) {
                const bool has_next = at + 1 < n && !widths.data[at + 1];
                writer.write_spaces(widths.data[at] - n_digits(number[0]) - (has_next ? n_digits(number[1]) : 0));
            }
            writer.write(static_cast<std::uint64_t>(*number));
        }
        writer.write(texts[first + n]);
    }
    return static_cast<std::int64_t>(writer.size);
}

// Drops spaces in place; returns the number of remaining bytes.
LOUPE_API std::int64_t loupe_clean_spaces(Array<Byte> text) { return static_cast<std::int64_t>(clean_spaces(text)); }
