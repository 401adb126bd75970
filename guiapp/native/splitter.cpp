#include "splitter.h"

#include <algorithm>
#include <memory>

#include "lanes.h"
#include "utf8.h"

namespace loupe {

namespace {

constexpr std::int64_t numbers_by_three = -1, digits_by_three = -2;  // in place of the offset of an initial row

// In an entry of the transition table, below the offset of the next row:
constexpr std::uint32_t accepts = 1;     // a match may end before this character
constexpr std::uint32_t to_letters = 2;  // a-z do not change the next state, and a match may end at any of them
constexpr std::uint32_t open = 4;        // the levels below may cut the match that ends here
constexpr unsigned row_shift = 3;
constexpr std::uint32_t dead = 0;

constexpr Byte no_start = 1, unsettled = 2;

// A level's table of words, by the first byte of a piece: a mask for the number of letters after it, the row of the piece
// without letters, and with letters. Rows show which following bytes end the piece.
constexpr std::size_t reach = 0, alone = 256, led = 512, fold_at = 768, rows_at = 1024;
constexpr std::size_t word_room = 18;  // bytes from a piece's start that must be available to look for letters

constexpr std::size_t pieces_per_word = 16;  // the approximate number of pieces that end in a word of marked bytes
constexpr std::size_t far = 64;              // bytes that may be read in vain without much loss

std::size_t width_at(Bytes text, std::size_t at) { return announced_length(text[at]); }

std::size_t start_of_character(Bytes text, std::size_t at) {
    while (at > 0 && at < text.size() && is_continuation(text[at])) --at;
    return at;
}

// The first offset from `at` on that is not a-z; near the end, it may stop a few letters early.
std::size_t after_small_letters(Bytes text, std::size_t at) {
    for (; at + 8 <= text.size(); at += 8) {
        const auto word = load8(text, at), low = word & ~high_bits;
        const auto others = ~((low + 0x1F1F1F1F1F1F1F1F) & ~(low + 0x0505050505050505) & ~word) & high_bits;
        if (others) return at + first_set_byte(others);
    }
    return at;
}

}  // namespace

std::size_t Splitter::class_at(Bytes text, std::size_t at) const { return items_of(tables_.classes)[code_at(text, at)]; }

std::size_t Splitter::last_cut(Bytes text, std::size_t position) const {
    auto following = start_of_character(text, position);
    for (std::ptrdiff_t right = -1; following > 0;) {
        const auto at = start_of_character(text, following - 1);
        const auto left = class_at(text, at);
        if (right >= 0 && is_cut(left, static_cast<std::size_t>(right))) return following;
        right = static_cast<std::ptrdiff_t>(left), following = at;
    }
    return 0;
}

std::size_t Splitter::first_cut(Bytes text, std::size_t position) const {
    auto at = position;
    while (at < text.size() && is_continuation(text[at])) ++at;
    for (std::ptrdiff_t left = -1; at < text.size(); at += width_at(text, at)) {
        const auto right = class_at(text, at);
        if (left >= 0 && is_cut(static_cast<std::size_t>(left), right)) return at;
        left = static_cast<std::ptrdiff_t>(right);
    }
    return text.size();
}

bool Visits::is_again(std::size_t at, std::uint32_t row) {
    const auto number = (at - start_) / interval_ * n_states_ + row / row_size_;
    if (number / bits >= visited_.size()) visited_.resize(number / bits + 1);
    auto& word = visited_[number / bits];
    const auto bit = std::uint64_t{1} << number % bits;
    const bool was_visited = word & bit;
    word |= bit;
    return was_visited;
}

Splitting::Splitting(const Splitter& splitter)
    : splitter_(splitter),
      windows_(items_of(splitter.tables_.windows), items_of(splitter.tables_.classes)),
      visits_(splitter.n_states(), splitter.row_size()) {
    levels_.reserve(items_of(splitter.tables_.levels).size());
}

void Splitting::begin(std::size_t start, std::size_t end) {
    position_ = start;
    levels_.clear();
    visits_.begin(start);
    if (start < end) levels_.push_back({.number = 0, .limit = end});
}

void Splitting::next(Bytes text, Ends& ends) {
    readable_ = text;
    while (!levels_.empty() && !ends.is_full()) {
        auto& level = levels_.back();
        if (cut_level(text.first(level.limit), level, ends)) continue;
        while (!levels_.empty() && levels_.back().limit == position_) levels_.pop_back();
    }
}

void Splitting::all_matches(Bytes text, Ends& ends, std::span<Byte> are_matches) {
    if (levels_.empty()) return;
    auto& level = levels_.back();
    const auto kind = items_of(splitter_.tables_.levels)[level.number];
    while (position_ < text.size() && !ends.is_full()) {
        const bool is_pending = level.pending > position_;
        const auto piece = next_piece(text, level, kind);
        are_matches[ends.count] = is_pending || level.pending <= position_;
        ends.add(position_ = piece.end);
    }
    levels_.clear();
}

// Cut until the level ends or the room is full. True if it found an open piece, whose level was entered.
bool Splitting::cut_level(Bytes text, Level& level, Ends& ends) {
    const auto kind = items_of(splitter_.tables_.levels)[level.number];
    while (position_ < text.size() && !ends.is_full()) {
        if (kind >= 0 && level.pending <= position_) {
            const auto count = ends.count;
            window_ends(text, position_, level, ends);
            if (ends.count > count) {
                position_ = ends.last();
                continue;
            }
        }
        const auto piece = next_piece(text, level, kind);
        if (piece.is_open) {
            levels_.push_back({.number = level.number + 1, .limit = piece.end});
            return true;
        }
        ends.add(position_ = piece.end);
    }
    return false;
}

Splitting::Piece Splitting::next_piece(Bytes text, Level& level, std::int64_t kind) {
    const bool is_last = level.number + 1 == items_of(splitter_.tables_.levels).size();
    if (kind == numbers_by_three) return {end_of_numbers(text, level), !is_last};
    if (kind == digits_by_three) return {end_of_digits(text, level), !is_last};
    if (level.pending > position_) return {level.pending, level.is_pending_open};
    const auto starts = items_of(splitter_.tables_.starts).subspan(256 * level.number, 256);
    Piece match{text.size(), level.is_pending_open};
    Byte gap = 0;
    auto attempt = position_;
    while (attempt < text.size()) {
        const Byte flags = starts[text[attempt]];
        if (!(flags & no_start) && match_carefully(text, attempt, level, match)) break;
        gap |= flags;
        attempt += flags & no_start ? 1 : width_at(text, attempt);
    }
    level.is_pending_open = match.is_open;
    if (attempt == position_) return match;
    level.pending = match.end;
    return {attempt, (gap & unsettled) && attempt > position_ + 1};
}

// Follow the automaton until no longer match is possible, and take the last offset where a match could end.
bool Splitting::match_carefully(Bytes text, std::size_t start, const Level& level, Piece& match) {
    const auto classes = items_of(splitter_.tables_.classes);
    const auto transitions = items_of(splitter_.tables_.transitions);
    auto row = first_row_of(level);
    bool is_found = false;
    auto at = start, next_recorded = visits_.next_recorded(start);
    while (true) {
        const auto seen = at < text.size() ? classes[code_at(text, at)] : static_cast<std::uint32_t>(splitter_.end_class_);
        const auto entry = transitions[row + seen];
        if (entry & accepts) is_found = true, match = {at, (entry & open) != 0};
        row = entry >> row_shift;
        if (row == dead) return is_found;
        at += width_at(text, at);
        if (entry & to_letters) {
            at = after_small_letters(text, at);
        } else if (at < next_recorded) {
            continue;
        } else if (visits_.is_again(at, row)) {
            return is_found;
        }
        next_recorded = visits_.next_recorded(at);
    }
}

// A run of numbers is cut into a first group of one to three, then threes; the text before a run belongs to its first piece.
std::size_t Splitting::end_of_numbers(Bytes text, Level& level) const {
    auto at = position_;
    std::size_t size = 3;
    if (position_ >= level.run_end) {
        while (at < text.size() && !splitter_.is_number(text, at)) at += width_at(text, at);
        const auto run = at;
        std::size_t count = 0;
        for (; at < text.size() && splitter_.is_number(text, at); ++count) at += width_at(text, at);
        if (count == 0) return text.size();
        level.run_end = at;
        size = (count - 1) % 3 + 1, at = run;
    }
    for (; size > 0; --size) at += width_at(text, at);
    return at;
}

// Cut where a multiple of three digits remains in a run.
std::size_t Splitting::end_of_digits(Bytes text, Level& level) const {
    const auto is_digit = [&](std::size_t at) { return text[at] >= '0' && text[at] <= '9'; };
    if (position_ + 3 < level.run_end) return position_ + 3;
    for (auto at = std::max(position_, level.run_end); at < text.size();) {
        const auto run = at;
        while (at < text.size() && is_digit(at)) ++at;
        if (at - run >= 3) {
            auto cut = run + (at - run) % 3;
            if (cut == position_) cut += 3;
            level.run_end = at;
            if (cut < at) return cut;
        }
        while (at < text.size() && !is_digit(at)) ++at;
    }
    return text.size();
}

Bytes Splitting::words_of(const Level& level) const {
    const auto words = items_of(splitter_.tables_.words);
    const auto size = words.size() / items_of(splitter_.tables_.levels).size();
    return words.subspan(level.number * size, size);
}

std::uint32_t Splitting::first_row_of(const Level& level) const {
    return static_cast<std::uint32_t>(items_of(splitter_.tables_.levels)[level.number]);
}

// Add the ends of final matches with at most one character between them; with `stops_at_ascii`, up to a piece that begins with
// ASCII, but at least one. Nearly all pieces are like that. The rest is left to `match_carefully`: other gaps, open matches,
// and matches that need a long lookahead.
void Splitting::plain_ends(Bytes text, std::size_t position, const Level& level, Ends& ends, bool stops_at_ascii) const {
    const auto words = words_of(level);
    const auto first_row = first_row_of(level);
    const auto count_before = ends.count;
    auto start = position;
    while (!ends.is_full() && start < text.size()) {
        if (stops_at_ascii && ends.count > count_before && text[start] < 0x80) return;
        if (start == position)
            if (const auto end = word_end(text, start, words)) {
                ends.add(position = start = end);
                continue;
            }
        const auto match = match_plainly(text, position, start, first_row);
        if (match.is_undecided || (!match.is_found && start > position)) return;
        if (!match.is_found) {
            start += width_at(text, start);
            continue;
        }
        if (start > position) {
            ends.add(start);
            if (ends.is_full()) return;
        }
        ends.add(position = start = match.end);
    }
}

// The end of a piece of one ASCII character and letters after it, if this can be seen at these; else 0.
[[gnu::always_inline]] inline std::size_t Splitting::word_end(Bytes text, std::size_t start, Bytes words) const {
    if (start + word_room > text.size()) return 0;
    const std::size_t lead = text[start];
    const auto n_letters = count_letters(&text[start + 1], words[fold_at]) & words[reach + lead];
    const auto at = start + 1 + n_letters;
    const std::size_t row = words[(n_letters ? led : alone) + lead];
    return words[rows_at + (row << 8) + text[at]] ? at : 0;
}

Splitting::Match Splitting::match_plainly(Bytes text, std::size_t position, std::size_t start, std::uint32_t first_row) const {
    const auto classes = items_of(splitter_.tables_.classes);
    const auto transitions = items_of(splitter_.tables_.transitions);
    auto row = first_row;
    Match match{0, false, false};
    for (auto at = start;;) {
        std::size_t width = 1;
        auto seen = static_cast<std::uint32_t>(splitter_.end_class_);
        if (at < text.size()) {
            const Byte byte = text[at];
            seen = classes[byte];
            if (byte >= 0x80) width = announced_length(byte), seen = classes[code_at(text, at)];
        }
        const auto entry = transitions[row + seen];
        if (entry == accepts) return {at, true, false};  // most matches end here: a branch that is easily predicted
        if (entry & accepts) match = {at, true, false};
        const bool is_same = row == entry >> row_shift;
        row = entry >> row_shift;
        if (entry & open || (!(entry & accepts) && at > position + far)) return {0, false, true};
        if (row == dead) return match;
        at += width;
        if (entry & to_letters && width == 1) {
            at = after_small_letters(text, at);
        } else if (is_same && entry & accepts) {
            at = skip_same(text, at, width, seen);
            match = {at - width, true, false};
        }
    }
}

// Skip repetitions of the same byte, or characters of three bytes of the same class.
std::size_t Splitting::skip_same(Bytes text, std::size_t at, std::size_t width, std::uint32_t seen) const {
    const auto classes = items_of(splitter_.tables_.classes);
    if (width == 1)
        for (const Byte byte = text[at - 1]; at < text.size() && text[at] == byte;) ++at;
    else if (width == 3)
        while (at + 3 <= text.size() && (text[at] & 0xF0) == 0xE0 && classes[code_at(text, at)] == seen) at += 3;
    return at;
}

// Add the same ends as `plain_ends`, most of them by windows if there are any. The number of words marked at a time doubles
// until something interrupts, but is limited to what the room for ends probably needs.
void Splitting::window_ends(Bytes text, std::size_t position, const Level& level, Ends& ends) {
    auto start = position, at = position;
    std::size_t n_words = 1;
    while (windows_.exist() && !ends.is_full() && at + Windows::before < text.size() && at + Windows::width < readable_.size()) {
        if (at < Windows::before || (start == at && text[at] >= 0x80)) {
            const auto count = ends.count;
            plain_ends(text, start, level, ends, true);
            if (ends.count == count) return;
            start = at = ends.last();
            n_words = 1;
            continue;
        }
        const auto n_whole = std::max<std::size_t>((text.size() - at - 1) / Windows::width, 1);
        n_words = std::min({n_words, n_whole, 1 + (ends.room.size() - ends.count) / pieces_per_word});
        windows_.mark(readable_, at, n_words);
        for (std::size_t word = 0; word < n_words; ++word) {
            if (!take_word(text, word, at, start, level, ends)) return;
            at += Windows::width;
            if (ends.is_full()) break;
            if (start < text.size() && text[start] >= 0x80 && windows_.is_foreign(word)) {
                at = start;
                break;
            }
        }
        at = std::max(at, start);
        n_words = std::min(2 * n_words, Windows::most_words);
    }
    if (!ends.is_full() && start < text.size()) plain_ends(text, start, level, ends, false);
}

// Add the ends among the 64 bytes from `at` on, and move `start` after them; false if another method has to continue.
[[gnu::always_inline]] inline bool Splitting::take_word(Bytes text, std::size_t word, std::size_t at, std::size_t& start,
                                                        const Level& level, Ends& ends) {
    const auto following = at + Windows::width;
    const auto unsure = windows_.unsure(word);
    auto left = windows_.cuts(word) | unsure;
    if (following >= text.size()) left &= ~(~std::uint64_t{0} << (last_character(text) - at));  // bytes after the end mean nothing
    if (start >= at) left &= start < following ? ~std::uint64_t{0} << (start - at) << 1 : 0;
    if (!unsure && left && ends.count + Windows::width <= ends.room.size()) {
        const auto added = ends.room.subspan(ends.count, static_cast<std::size_t>(std::popcount(left)));
        for (auto& end : added) {
            end = static_cast<std::int64_t>(at) + std::countr_zero(left);
            left &= left - 1;
        }
        ends.count += added.size();
        start = ends.last();
    }
    while (left && !ends.is_full()) {
        const auto place = static_cast<std::size_t>(std::countr_zero(left)), end = at + place;
        left &= left - 1;
        auto known = Windows::Known::cut;
        if (unsure >> place & 1) known = windows_.known_after_run(text, end);
        if (known == Windows::Known::no_cut) continue;
        if (known == Windows::Known::cut) {
            ends.add(start = end);
            continue;
        }
        while (start < end && !ends.is_full()) {
            Ends one{ends.room.first(ends.count + 1), ends.count};
            plain_ends(text, start, level, one, false);
            if (one.count == ends.count) return false;
            start = one.last();
            ends.count = one.count;
        }
        if (start >= std::min(following, text.size()) || (text[start] >= 0x80 && windows_.is_foreign(word))) break;
        left &= ~std::uint64_t{0} << (start - at) << 1;
    }
    return true;
}

}  // namespace loupe

using namespace loupe;

LOUPE_API Splitter* loupe_splitter_new(const SplitTables* tables) { return new Splitter(*tables); }

LOUPE_API void loupe_splitter_free(Splitter* splitter) { delete splitter; }

// Write the ends of the pieces of well-formed, concatenated texts; there must be room for one a byte.
LOUPE_API std::int64_t loupe_split(const Splitter* splitter, Array<const Byte> text, Array<const std::int64_t> text_ends,
                                   Array<std::int64_t> to) {
    Splitting splitting(*splitter);
    Ends ends{to};
    std::size_t start = 0;
    for (const auto offset : items_of(text_ends)) {
        const auto end = static_cast<std::size_t>(offset);
        const auto own = items_of(text).subspan(start, end - start);
        const auto first = ends.count;
        splitting.begin(0, own.size());
        splitting.next(own, ends);
        if (start > 0)
            for (auto& place : ends.room.subspan(first, ends.count - first)) place += static_cast<std::int64_t>(start);
        start = end;
    }
    return static_cast<std::int64_t>(ends.count);
}

// The same for a splitter of one pattern. Also writes 1 for each piece that the pattern matches, 0 for text between matches.
LOUPE_API std::int64_t loupe_split_matches(const Splitter* splitter, Array<const Byte> text, Array<const std::int64_t> text_ends,
                                           Array<std::int64_t> to, Array<Byte> are_matches) {
    Splitting splitting(*splitter);
    Ends ends{items_of(to)};
    std::size_t start = 0;
    for (const auto offset : items_of(text_ends)) {
        const auto end = static_cast<std::size_t>(offset);
        const auto first = ends.count;
        splitting.begin(0, end - start);
        splitting.all_matches(items_of(text).subspan(start, end - start), ends, items_of(are_matches));
        for (auto& place : ends.room.subspan(first, ends.count - first)) place += static_cast<std::int64_t>(start);
        start = end;
    }
    return static_cast<std::int64_t>(ends.count);
}

LOUPE_API std::int64_t loupe_last_cut(const Splitter* splitter, Array<const Byte> text, std::int64_t position) {
    return static_cast<std::int64_t>(splitter->last_cut(text, static_cast<std::size_t>(position)));
}

LOUPE_API std::int64_t loupe_first_cut(const Splitter* splitter, Array<const Byte> text, std::int64_t position) {
    return static_cast<std::int64_t>(splitter->first_cut(text, static_cast<std::size_t>(position)));
}
