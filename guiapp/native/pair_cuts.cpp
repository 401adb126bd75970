#include "pair_cuts.h"

#include "lanes.h"

namespace loupe {

namespace {

constexpr std::uint64_t marked_space_code = 0x8196E2;  // the bytes of U+2581 as a little-endian number
constexpr std::size_t margin = 12;  // bytes of well-formed text after which the starts of characters are certain
constexpr std::size_t word_room = 17;  // bytes that must be available to look for letters
constexpr std::size_t bits_per_byte = 2;  // for all bytes of symbols; makes collisions rare

bool is_ascii_letter(Byte byte) { return static_cast<Byte>((byte | 0x20) - 'a') < 26; }

// The length of the well-formed character at `at`, or 0.
std::size_t whole_character(Bytes text, std::size_t at, std::size_t end) {
    const Byte lead = text[at];
    if (lead < 0x80) return 1;
    const auto length = announced_length(lead);
    if (lead < 0xC2 || lead > 0xF4 || at + length > end) return 0;
    for (auto place = at + 1; place < at + length; ++place)
        if (!is_continuation(text[place])) return 0;
    const Byte second = text[at + 1];
    const bool is_overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
    return is_overlong || (lead == 0xF4 && second > 0x8F) ? 0 : length;
}

std::size_t size_of_symbols(const PairRules& rules) {
    std::size_t size = 0;
    for (std::size_t symbol = 0; symbol < rules.n_symbols(); ++symbol) size += rules.symbol_text(symbol).size();
    return size;
}

}  // namespace

PairCuts::PairCuts(std::size_t size, bool splits_characters, bool marks_spaces, std::uint64_t secret)
    : splits_characters_(splits_characters), marks_spaces_(marks_spaces), spread_(secret | 1) {
    const auto n_bits = std::bit_ceil(bits_per_byte * size + 1024);
    others_.resize(n_bits / 64);
    shift_ = 64 - std::countr_zero(n_bits);
}

PairCuts::PairCuts(const PairRules& rules, std::uint64_t secret, Watch& watch)
    : PairCuts(size_of_symbols(rules), rules.starts_from_bytes(), rules.marks_spaces(), secret) {
    std::vector<Byte> bytes;
    for (std::size_t symbol = 0; symbol < rules.n_symbols() && !watch.stops(32 * (rules.symbol_text(symbol).size() + 1)); ++symbol)
        if (rules.unspell(rules.symbol_text(symbol), bytes)) note(bytes);
}

// A character as a number; below 0x80 for ASCII.
std::uint64_t PairCuts::code_of(Bytes character) const {
    std::uint64_t code = 0;
    for (auto at = character.size(); at > 0; --at) code = code << 8 | character[at - 1];
    return marks_spaces_ && code == marked_space_code ? ' ' : code;
}

void PairCuts::note(Bytes text) {
    std::size_t at = 0;
    while (splits_characters_ && at < text.size() && is_continuation(text[at])) ++at;
    bool follows = at > 0;
    std::uint64_t before = follows ? text[at - 1] : 0;
    while (at < text.size()) {
        const auto stop = at + announced_length(text[at]);
        const bool is_part = stop > text.size() && splits_characters_;
        const auto after = is_part ? text[at] : code_of(text.subspan(at, std::min(stop, text.size()) - at));
        if (follows) add(before, after);
        follows = true, before = after, at = stop;
    }
}

void PairCuts::add(std::uint64_t before, std::uint64_t after) {
    if (before < 0x80 && after < 0x80) {
        ascii_[2 * before + (after >> 6)] |= std::uint64_t{1} << (after & 63);
    } else {
        const auto bit = bit_of(before, after);
        others_[bit >> 6] |= std::uint64_t{1} << (bit & 63);
    }
}

// Whether no token reaches from the character text[start:middle] into the next one, text[middle:end].
bool PairCuts::meet_nowhere(Bytes text, std::size_t start, std::size_t middle, std::size_t end) const {
    const auto before = code_of(text.subspan(start, middle - start)), after = code_of(text.subspan(middle, end - middle));
    if (has(before, after)) return false;
    const auto last = text[middle - 1], first = text[middle];
    return !splits_characters_ || !(has(before, first) || has(last, after) || has(last, first));
}

// A broken character would swallow the bytes after it, so well-formed text must precede a cut.
std::size_t PairCuts::last_cut(Bytes text, std::size_t end) const {
    for (auto middle = end; middle-- > 1;) {
        const auto following = whole_character(text, middle, end);
        if (!following) continue;
        auto start = middle - 1;
        while (start > 0 && start + 4 > middle && is_continuation(text[start])) --start;
        if (whole_character(text, start, middle) != middle - start) continue;
        if (!meet_nowhere(text, start, middle, middle + following)) continue;
        auto at = start > margin ? start - margin : 0;
        while (at > 0 && at < start && is_continuation(text[at])) ++at;
        while (at < start) {
            const auto length = whole_character(text, at, start);
            if (!length) break;
            at += length;
        }
        if (at == start) return middle;
    }
    return 0;
}

std::size_t PairCuts::first_cut(Bytes text, std::size_t position) const {
    std::size_t start = 0, n_whole = 0;
    for (auto at = position; at < text.size();) {
        const auto length = whole_character(text, at, text.size());
        if (length == 0) {
            n_whole = 0, ++at;
            continue;
        }
        if (n_whole >= margin && meet_nowhere(text, start, at, at + length)) return at;
        start = at, n_whole += length, at += length;
    }
    return text.size();
}

void PairCuts::next_parts(Bytes text, std::size_t start, Ends& ends) const {
    while (!ends.is_full() && start < text.size()) {
        if (text[start] >= 0xE0 && !splits_characters_) {
            start = cut_run(text, start, ends);
            if (ends.is_full()) return;
        }
        ends.add(start = part_end(text, start));
    }
}

std::size_t PairCuts::part_end(Bytes text, std::size_t start) const {
    const Byte lead = text[start];
    auto end = std::min(start + announced_length(lead), text.size());
    if (lead < 0x80 && start + word_room <= text.size() && (is_ascii_letter(lead) || lead == ' '))
        end += count_letters(&text[end], 0x20);
    auto before = lead < 0x80 ? text[end - 1] : code_of(text.subspan(start, end - start));
    while (end < text.size()) {
        const auto stop = std::min(end + announced_length(text[end]), text.size());
        const auto after = text[end] < 0x80 ? text[end] : code_of(text.subspan(end, stop - end));
        bool is_joined = has(before, after);
        if (!is_joined && splits_characters_ && (before >= 0x80 || after >= 0x80)) {
            const auto last = text[end - 1], first = text[end];
            is_joined = others_have(bit_of(last, after)) || others_have(bit_of(before, first)) || others_have(bit_of(last, first));
        }
        if (!is_joined) break;
        before = after, end = stop;
    }
    return end;
}

// Write the ends of parts within a run of characters of three bytes other than spaces; returns where the last one begins. The
// loop has no branch on whether there is a cut, because it would be unpredictable.
std::size_t PairCuts::cut_run(Bytes text, std::size_t start, Ends& ends) const {
    constexpr std::uint64_t three_bytes = 0xFFFFFF;
    const auto is_such = [](std::uint64_t code) { return (code & 0xF0) == 0xE0 && code != marked_space_code; };
    if (start + 8 > text.size()) return start;
    auto before = load8(text, start) & three_bytes;
    if (!is_such(before)) return start;
    while (start + 11 <= text.size() && !ends.is_full()) {
        const auto after = load8(text, start + 3) & three_bytes;
        if (!is_such(after)) break;
        start += 3;
        ends.room[ends.count] = static_cast<std::int64_t>(start);
        ends.count += !others_have(bit_of(before, after));
        before = after;
    }
    return start;
}

}  // namespace loupe
