// Arrays of strings as they lie in a GGUF file: each behind its length, in eight bytes.  C sees them cut at the first NUL.
#include <algorithm>
#include <string_view>

#include "api.h"
#include "strings.h"

namespace loupe {

namespace {

constexpr std::size_t length_bytes = 8;
constexpr std::string_view empty_name = "[EMPTY_";

// Goes from string to string; nothing is known of the lengths.
class StringReader {
public:
    StringReader(Bytes data, std::int64_t at) : data_(data), at_(std::min(static_cast<std::size_t>(at), data.size())) {}

    // False where no whole string is left.
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
    Bytes text_before_nul() const {
        return text_.first(static_cast<std::size_t>(std::ranges::find(text_, Byte{0}) - text_.begin()));
    }

private:
    Bytes data_, text_;
    std::size_t at_;
};

std::size_t count_digits(std::size_t number) {
    std::size_t count = 1;
    for (; number >= 10; number /= 10) ++count;
    return count;
}

std::size_t name_size(std::size_t row) { return empty_name.size() + count_digits(row) + 1; }

// [EMPTY_row]
void write_name(std::size_t row, Byte* to) {
    std::ranges::copy(empty_name, to);
    auto* digit = to + name_size(row) - 1;
    *digit = ']';
    do *--digit = static_cast<Byte>('0' + row % 10);
    while (row /= 10);
}

}  // namespace

}  // namespace loupe

using namespace loupe;

// How many whole strings, at most `count`, begin at `at`; where the last of them ends is written.
LOUPE_API std::int64_t loupe_gguf_skip(Array<const Byte> data, std::int64_t at, std::int64_t count, Array<std::int64_t> end) {
    StringReader reader(data, at);
    std::int64_t n_whole = 0;
    while (n_whole < count && reader.next()) ++n_whole;
    end.data[0] = static_cast<std::int64_t>(reader.at());
    return n_whole;
}

// Fills offsets[n + 1] for the n strings that begin at `at`, cut at the first NUL; `name_empty` gives those of no bytes a
// name.  Returns how many are cut or empty; -1 where a string is not whole.
LOUPE_API std::int64_t loupe_gguf_measure(Array<const Byte> data, std::int64_t at, bool name_empty, Array<std::int64_t> offsets) {
    StringReader reader(data, at);
    std::int64_t n_odd = 0, size = 0;
    for (std::int64_t row = 0; row < offsets.size; ++row) {
        offsets.data[row] = size;
        if (row + 1 == offsets.size) break;
        if (!reader.next()) return -1;
        const auto length = reader.text_before_nul().size();
        n_odd += length == 0 || length < reader.text().size();
        size += static_cast<std::int64_t>(length == 0 && name_empty ? name_size(static_cast<std::size_t>(row)) : length);
    }
    return n_odd;
}

// Copies the strings to where loupe_gguf_measure put them; -1 where these are not those.
LOUPE_API std::int64_t loupe_gguf_pack(Array<const Byte> data, std::int64_t at, Array<const std::int64_t> offsets,
                                       Array<Byte> packed) {
    const Strings targets{{packed.data, static_cast<std::size_t>(packed.size)}, offsets};
    if (!are_sound(targets)) return -1;
    StringReader reader(data, at);
    for (std::size_t row = 0; row < targets.size(); ++row) {
        if (!reader.next()) return -1;
        const auto text = reader.text_before_nul();
        const auto size = targets[row].size();
        auto* to = packed.data + offsets.data[row];
        if (size == text.size())
            std::ranges::copy(text, to);
        else if (text.empty() && size == name_size(row))
            write_name(row, to);
        else
            return -1;
    }
    return 0;
}

// How many strings have no space behind their first byte, and so do not name the two sides of a merge.
LOUPE_API std::int64_t loupe_count_unsplittable(Array<const Byte> data, Array<const std::int64_t> offsets) {
    const Strings merges{data, offsets};
    if (!are_sound(merges)) return -1;
    std::int64_t count = 0;
    for (std::size_t row = 0; row < merges.size(); ++row) {
        const auto text = merges[row];
        count += text.empty() || std::ranges::find(text.subspan(1), Byte{' '}) == text.end();
    }
    return count;
}
