#include "windows.h"

#include "utf8.h"

namespace loupe {

namespace {

// Groups of bytes. The table assigns groups to capital letters and tabs.
constexpr Byte rare = 0, small = 1, digit = 3, space = 4, newline = 5, apostrophe = 6, mark_group = 7;
constexpr std::size_t group_bits = 3, n_windows = 1 << 4 * group_bits;
constexpr std::size_t capitals_at = 0, tabs_at = 1, group_of = 2, runs_at = group_of + 256, rows_at = runs_at + n_windows;
constexpr std::size_t longest_run = 64;
constexpr Byte cut_flag = 1;
constexpr int most_high = 36;  // if a word has more bytes above 0x7F, its characters are not classified

// A byte's kind is a mask for each of its two halves; the byte has the kinds that both masks share. Letters have two kinds,
// because the columns of "aA" begin at 1 and those of "pP" end at A; printable bytes have the kind 0x80, too.
constexpr Byte a_to_o = 1, p_to_z = 2, of_digits = 4, of_space = 8, of_apostrophe = 16, of_newlines = 32, of_tabs = 64, printed = 128;
constexpr Byte by_low(unsigned low) {
    return static_cast<Byte>((low >= 1 ? a_to_o : 0) | (low <= 10 ? p_to_z : 0) | (low <= 9 ? of_digits : 0) | (low == 0 ? of_space : 0) |
                             (low == 7 ? of_apostrophe : 0) | (low == 10 || low == 13 ? of_newlines : 0) |
                             (low == 9 || low == 11 || low == 12 ? of_tabs : 0) | printed);
}
constexpr Lanes kinds_by_low{by_low(0), by_low(1), by_low(2),  by_low(3),  by_low(4),  by_low(5),  by_low(6),  by_low(7),
                             by_low(8), by_low(9), by_low(10), by_low(11), by_low(12), by_low(13), by_low(14), by_low(15)};
constexpr Lanes kinds_by_high{of_newlines | of_tabs, 0, of_space | of_apostrophe | printed, of_digits | printed,
                              a_to_o | printed,      p_to_z | printed, a_to_o | printed, p_to_z | printed};

}  // namespace

Windows::Windows(Bytes table, Bytes classes) : table_(table), classes_(classes) {
    if (table.empty()) return;
    for (std::size_t byte = 0; byte < 0x80; ++byte)
        if (const Byte group = table[group_of + byte]; group != rare && group != apostrophe) group_of_class_[classes[byte]] = group;
    capitals_ = table[capitals_at], tabs_ = table[tabs_at];
    for (auto at = rows_at; at < table.size() && n_rows_ < most_rows; ++n_rows_) {
        auto& row = rows_[n_rows_];
        for (auto& holding : row.holding) holding = spread(load_lanes(&table[at])), at += sizeof(Lanes);
        for (auto* const mask : {&row.everywhere, &row.cuts, &row.unsure, &row.by_absence}) *mask = table[at++];
    }
}

// The groups by the lower and upper half of the kinds, joined by "xor" if both have one. Returns bits for bytes above 0x7F.
std::uint64_t Windows::sort_bytes(const Byte* from, Byte* groups) const {
    const Byte letter = small ^ mark_group;
    const Lanes lower{0, letter, letter, 0, digit ^ mark_group, 0, 0, 0, space ^ mark_group};
    const Lanes upper{rare, 0, newline, 0, tabs_, 0, 0, 0, mark_group, apostrophe};
    const Wide by_lower = spread(lower), by_upper = spread(upper), by_low = spread(kinds_by_low), by_high = spread(kinds_by_high);
    std::uint64_t high = 0;
    for (std::size_t at = 0; at < width; at += sizeof(Wide)) {
        const Wide bytes = load_wide(from + at);
        high |= highest_bits(bytes) << at;
        const Wide kinds = picked(by_low, bytes & 0x8F) & picked(by_high, bytes >> 4);
        Wide found = picked(by_lower, kinds & 0x0F) ^ picked(by_upper, kinds >> 4);
        found &= ~reinterpret_cast<Wide>(bytes == 0x7F);
        if (capitals_ != small)
            found ^= reinterpret_cast<Wide>(found == small) & reinterpret_cast<Wide>((bytes & 0x20) == 0) & static_cast<Byte>(small ^ capitals_);
        store_wide(groups + at, found);
    }
    return high;
}

// Give each multi-byte character one group, that of an ASCII character of its class. Returns the bytes that have no group of
// their own then. Bytes after the text's end may be anything.
std::uint64_t Windows::join_bytes(const Byte* from, std::uint64_t high, Byte* groups) const {
    std::array<Byte, 2 * width> own{};
    std::copy_n(groups, width, own.begin());
    std::uint64_t joined = 0;
    for (auto left = high; left;) {
        const auto at = static_cast<std::size_t>(std::countr_zero(left)), length = announced_length(from[at]);
        left &= left - 1;
        if (length == 1 || at + length > width) continue;
        const auto code = code_at({from + at, length}, 0);
        const auto position = at - static_cast<std::size_t>(std::popcount(joined));
        groups[position] = code < classes_.size() ? group_of_class_[classes_[code]] : rare;
        std::copy_n(&own[at + length], width, &groups[position + 1]);
        const auto others = ((std::uint64_t{2} << (length - 1)) - 2) << at;
        left &= ~others, joined |= others;
    }
    return joined;
}

// Evaluate the terms at each byte of a word.
void Windows::look_up(std::size_t word, const Byte* groups) {
    const Wide special = spread(Lanes{0xFF, 0, 0, 0, 0, 0, 0xFF});  // groups: rare, apostrophe
    std::uint64_t cuts = 0, unsure = 0;
    for (std::size_t at = 0; at < width; at += sizeof(Wide)) {
        const Wide beside_special = picked(special, load_wide(groups + at)) | picked(special, load_wide(groups + at + 1));
        Wide cut{}, is_unsure{};
        for (std::size_t number = 0; number < n_rows_; ++number) {
            const auto& row = rows_[number];
            Wide terms = beside_special | row.everywhere;
            for (std::size_t position = 0; position < n_positions; ++position)
                terms &= picked(row.holding[position], load_wide(groups + at + before - 2 + position));
            cut |= terms & row.cuts;
            is_unsure |= (terms ^ row.by_absence) & row.unsure;
        }
        cuts |= highest_bits(reinterpret_cast<Wide>(cut != 0)) << at;
        unsure |= highest_bits(reinterpret_cast<Wide>(is_unsure != 0)) << at;
    }
    cuts_[word] = cuts, unsure_[word] = unsure;
}

void Windows::mark(Bytes text, std::size_t start, std::size_t n_words) {
    const auto seen = text.subspan(start - before, before + n_words * width + 1);
    std::array<std::size_t, most_words> firsts;
    std::array<std::uint64_t, most_words> joined{};
    std::size_t count = 0;  // in characters
    foreign_ = 0;
    for (; count < before; ++count) groups_[count] = table_[group_of + seen[count]];
    for (std::size_t word = 0; word < n_words; ++word) {
        const Byte* const from = &seen[before + width * word];
        firsts[word] = count - before;
        const auto high = sort_bytes(from, &groups_[count]);
        if (std::popcount(high) > most_high) foreign_ |= 1u << word;
        else if (high) joined[word] = join_bytes(from, high, &groups_[count]);
        count += width - static_cast<std::size_t>(std::popcount(joined[word]));
    }
    groups_[count] = table_[group_of + seen.back()];
    for (std::size_t word = 0; word < n_words; ++word) {
        look_up(word, &groups_[firsts[word]]);
        for (auto left = joined[word]; left; left &= left - 1) {
            const auto before_it = (left & -left) - 1;
            for (auto* const bits : {&cuts_[word], &unsure_[word]}) *bits += *bits & ~before_it;
        }
    }
}

Windows::Known Windows::known_after_run(Bytes text, std::size_t at) const {
    const Byte byte = text[at];
    auto end = at + 1;
    if (end == text.size() || text[end] != byte) return Known::unsure;
    std::uint64_t difference = 0;
    for (const auto same = byte * 0x0101010101010101u; end + 8 <= text.size() && end < at + longest_run; end += 8)
        if ((difference = load8(text, end) ^ same)) break;
    if (!difference) return Known::unsure;
    end += first_set_byte(difference);
    std::size_t window = 0;
    for (const auto position : {at - 2, at - 1, at, end}) window = window << group_bits | table_[group_of + text[position]];
    const Byte known = table_[runs_at + window];
    return known == cut_flag ? Known::cut : known == 0 ? Known::no_cut : Known::unsure;
}

}  // namespace loupe
