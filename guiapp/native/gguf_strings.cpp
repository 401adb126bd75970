// Arrays of strings in a GGUF file: each follows its length, in eight bytes. C cuts a string at its first NUL.
#include <algorithm>
#include <array>
#include <string_view>

#include "api.h"
#include "strings.h"

namespace loupe {

namespace {

constexpr std::size_t length_bytes = 8;
constexpr std::string_view empty_name = "[EMPTY_";

// Reads string after string; the lengths are not trusted.
class StringReader {
public:
    StringReader(Bytes data, std::int64_t at) : data_(data), at_(std::min(static_cast<std::size_t>(at), data.size())) {}

    // False if no whole string is left.
    bool next() {
        const auto left = data_.size() - at_;
        if (left < length_bytes) return false;
        const auto length = load8(data_, at_);
        if (length > left - length_bytes) return false;
        text_ = data_.subspan(at_ + length_bytes, length);
        at_ += length_bytes + length;
        return true;
    }

    std::size_t at() const { return at_; }
    Bytes text() const { return text_; }
    Bytes text_before_nul() const { return text_.first(find_byte(text_, 0)); }

private:
    Bytes data_, text_;
    std::size_t at_;
};

// Writes [EMPTY_row]; returns its size, at most `longest_name`.
constexpr std::size_t longest_name = 27;
std::size_t write_name(std::size_t row, Byte* to) {
    std::array<Byte, longest_name> digits;
    auto first = digits.end();
    do *--first = static_cast<Byte>('0' + row % 10);
    while (row /= 10);
    auto* const end = std::copy(first, digits.end(), std::ranges::copy(empty_name, to).out);
    *end = ']';
    return static_cast<std::size_t>(end + 1 - to);
}

}  // namespace

}  // namespace loupe

using namespace loupe;

// The number of whole strings from `at` on, at most `count`; writes where the last one ends.
LOUPE_API std::int64_t loupe_gguf_skip(Array<const Byte> data, std::int64_t at, std::int64_t count, Array<std::int64_t> end) {
    StringReader reader(data, at);
    std::int64_t n_whole = 0;
    while (n_whole < count && reader.next()) ++n_whole;
    end.data[0] = static_cast<std::int64_t>(reader.at());
    return n_whole;
}

// Copies the n strings from `at` on, cut at the first NUL and concatenated, and fills offsets[n + 1]; `name_empty` gives empty
// strings a name. Returns how many are cut or empty, or -1 if a string is incomplete or there is no room.
LOUPE_API std::int64_t loupe_gguf_pack(Array<const Byte> data, std::int64_t at, bool name_empty, Array<std::int64_t> offsets,
                                       Array<Byte> packed, MayGoOn may_go_on) {
    Watch watch(may_go_on);
    StringReader reader(data, at);
    std::size_t n_odd = 0, size = 0;
    const auto room = static_cast<std::size_t>(packed.size);
    for (std::int64_t row = 0; row < offsets.size; ++row) {
        offsets.data[row] = static_cast<std::int64_t>(size);
        if (row + 1 == offsets.size) break;
        if (!reader.next()) return -1;
        const auto text = reader.text_before_nul();
        if (watch.stops(16 + text.size() / 4)) return -1;
        n_odd += text.empty() || text.size() < reader.text().size();
        if (std::max(text.size(), longest_name) > room - size) return -1;
        if (text.empty() && name_empty) size += write_name(static_cast<std::size_t>(row), packed.data + size);
        else std::ranges::copy(text, packed.data + size), size += text.size();
    }
    return static_cast<std::int64_t>(n_odd);
}

// The number of strings without a space after their first byte, which cannot be split into the two sides of a merge.
LOUPE_API std::int64_t loupe_count_unsplittable(Array<const Byte> data, Array<const std::int64_t> offsets,
                                                MayGoOn may_go_on) {
    Watch watch(may_go_on);
    const Strings merges{data, offsets};
    if (!are_sound(merges)) return -1;
    std::int64_t count = 0;
    for (std::size_t row = 0; row < merges.size(); ++row) {
        const auto text = merges[row];
        if (watch.stops(16 + text.size() / 4)) return -1;
        count += text.empty() || find_byte(text.subspan(1), ' ') == text.size() - 1;
    }
    return count;
}
