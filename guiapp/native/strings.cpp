#include "strings.h"

#include <algorithm>
#include <memory>

#include "api.h"

namespace loupe {

namespace {

constexpr std::uint64_t modulus = (std::uint64_t{1} << 61) - 1;
constexpr std::size_t bytes_per_word = 7;  // so that a word is less than the modulus

std::uint64_t multiplied(std::uint64_t value, std::uint64_t point) {
    const auto product = static_cast<unsigned __int128>(value) * point;
    const auto folded = static_cast<std::uint64_t>(product & modulus) + static_cast<std::uint64_t>(product >> 61);
    return folded >= modulus ? folded - modulus : folded;
}

}  // namespace

bool are_sound(const Strings& strings) {
    const auto& offsets = strings.offsets;
    return !offsets.empty() && offsets.front() == 0 && std::ranges::is_sorted(offsets) &&
           static_cast<std::uint64_t>(offsets.back()) <= strings.data.size();
}

StringTable::StringTable(Strings strings, std::uint64_t secret, Watch& watch)
    : strings_(strings),
      point_(secret % (modulus >> 1) + (modulus >> 2)),
      slots_(std::bit_ceil(std::max<std::size_t>(16, 2 * strings.size()))) {
    for (std::size_t row = 0; row < strings.size(); ++row) {
        const auto text = strings[row];
        if (watch.stops(64 + text.size())) return;
        longest_ = std::max(longest_, text.size());
        const auto hashed = hash(text);
        const auto fingerprint = static_cast<std::uint32_t>(hashed >> 32);
        auto slot = hashed & (slots_.size() - 1);
        for (; slots_[slot].next_row != 0; slot = (slot + 1) & (slots_.size() - 1)) {
            if (slots_[slot].fingerprint != fingerprint) continue;
            const auto earlier = slots_[slot].next_row - 1;
            if (!std::ranges::equal(strings[static_cast<std::size_t>(earlier)], text)) continue;
            if (first_duplicate_ == absent) first_duplicate_ = earlier, second_duplicate_ = static_cast<std::int32_t>(row);
            break;
        }
        if (slots_[slot].next_row == 0) slots_[slot] = {fingerprint, static_cast<std::int32_t>(row) + 1};
    }
}

std::int32_t StringTable::find(Bytes text, std::uint64_t hashed) const {
    if (text.size() > longest_) return absent;
    const auto fingerprint = static_cast<std::uint32_t>(hashed >> 32);
    for (auto slot = hashed & (slots_.size() - 1);; slot = (slot + 1) & (slots_.size() - 1)) {
        const auto [stored, next_row] = slots_[slot];
        if (next_row == 0) return absent;
        const auto row = next_row - 1;
        if (stored == fingerprint && std::ranges::equal(strings_[static_cast<std::size_t>(row)], text)) return row;
    }
}

// The last word, of up to seven bytes, ends in a one bit, so that strings of different lengths differ.
std::uint64_t StringTable::hash(Bytes text) const {
    std::uint64_t value = 0;
    std::size_t at = 0;
    for (; at + 8 <= text.size(); at += bytes_per_word)
        value = multiplied(value + (load8(text, at) & (~std::uint64_t{0} >> 8)), point_);
    std::uint64_t word = 1;
    for (auto left = text.size(); left > at; --left) word = word << 8 | text[left - 1];
    value = multiplied(value + word, point_);
    value = (value ^ value >> 32) * 0x9E3779B97F4A7C15;
    return value ^ value >> 29;
}

}  // namespace loupe

using namespace loupe;

// NULL if the offsets do not match the data. The arrays must outlive the table.
LOUPE_API StringTable* loupe_strings_new(Array<const Byte> data, Array<const std::int64_t> offsets, std::uint64_t secret,
                                         MayGoOn may_go_on) {
    const Strings strings{data, offsets};
    if (!are_sound(strings)) return nullptr;
    Watch watch(may_go_on);
    return unless_stopped(std::make_unique<StringTable>(strings, secret, watch), watch);
}

LOUPE_API void loupe_strings_free(StringTable* table) { delete table; }

// The row of each text, or -1.
LOUPE_API std::int64_t loupe_strings_find(const StringTable* table, Array<const Byte> data, Array<const std::int64_t> offsets,
                                          Array<std::int32_t> rows) {
    const Strings texts{data, offsets};
    if (!are_sound(texts) || items_of(rows).size() < texts.size()) return -1;
    for (std::size_t row = 0; row < texts.size(); ++row) rows.data[row] = table->find(texts[row]);
    return 0;
}

// The lowest row whose string equals that of an earlier row, or -1; the earlier row is written.
LOUPE_API std::int64_t loupe_strings_duplicate(const StringTable* table, Array<std::int32_t> earlier) {
    if (earlier.size > 0) earlier.data[0] = table->first_duplicate();
    return table->second_duplicate();
}

// Write the texts of some rows, and their offsets. Returns the number of bytes, or -1 if there is no room or no such row.
LOUPE_API std::int64_t loupe_take_strings(Array<const Byte> data, Array<const std::int64_t> offsets, Array<const std::int64_t> rows,
                                          Array<Byte> to, Array<std::int64_t> to_offsets) {
    const Strings texts{data, offsets};
    if (!are_sound(texts) || to_offsets.size != rows.size + 1) return -1;
    std::span<Byte> room = to;
    to_offsets.data[0] = 0;
    for (std::int64_t at = 0; at < rows.size; ++at) {
        const auto row = static_cast<std::size_t>(rows.data[at]);
        if (row >= texts.size() || texts[row].size() > room.size()) return -1;
        std::ranges::copy(texts[row], room.begin());
        room = room.subspan(texts[row].size());
        to_offsets.data[at + 1] = to.size - static_cast<std::int64_t>(room.size());
    }
    return to_offsets.data[rows.size];
}
