// Splits text into pieces, which merges never cross, by automata that Python makes from a pre-tokenizer's patterns
// (core/pretokenize). Each pattern of a list is a level that cuts the pieces of the level above; a piece that no lower level
// can cut is final at once.
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#include "api.h"
#include "windows.h"

namespace loupe {

// The automata of a list of patterns, over common character classes. With c classes and k levels:
struct SplitTables {
    Array<const Byte> classes;               // of each code point
    Array<const std::uint32_t> transitions;  // rows of c + 1 entries: one for each class, and one for the end of the text
    Array<const std::int64_t> levels;        // k: offset of the initial row, or numbers_by_three, digits_by_three
    Array<const Byte> starts;                // k rows of 256: no_start and unsettled, by the first byte of a character
    Array<const Byte> numbers;               // c: 1 for classes of numbers
    Array<const Byte> words;                 // k rows: when a few bytes show the end of a piece
    Array<const Byte> windows;               // see windows.h; only for a single level
    Array<const Byte> cuts;                  // c rows of c: 1 if two neighbours are always in different pieces
};

// The states of previous attempts to match, stored once a block of text. An attempt that reaches the position and state of an
// earlier one finds nothing from there on: otherwise the earlier attempt would have ended a piece after that position, and no
// later attempt would reach it. So splitting takes at most time proportional to text size times states (T. Reps,
// "Maximal-munch" tokenization in linear time, 1998), and one byte of memory a byte of text.
class Visits {
public:
    Visits(std::size_t n_states, std::size_t row_size)
        : n_states_(n_states), row_size_(row_size), interval_(std::bit_ceil(std::max(least_interval, n_states / 8))) {}

    void begin(std::size_t start) { start_ = start, visited_.clear(); }

    // The first offset after `at` where `is_again` must be called.
    std::size_t next_recorded(std::size_t at) const { return at + interval_ - (at - start_) % interval_; }

    // Whether an earlier attempt had this state at the first character of this block; stores the state.
    bool is_again(std::size_t at, std::uint32_t row);

private:
    static constexpr std::size_t least_interval = 16, bits = 64;

    std::size_t n_states_, row_size_, interval_, start_ = 0;
    std::vector<std::uint64_t> visited_;  // a bit for each state in each block
};

// The ends of pieces, appended in order.
struct Ends {
    std::span<std::int64_t> room;
    std::size_t count = 0;

    bool is_full() const { return count == room.size(); }
    void add(std::size_t end) { room[count++] = static_cast<std::int64_t>(end); }
    std::size_t last() const { return static_cast<std::size_t>(room[count - 1]); }
};

class Splitter {
public:
    explicit Splitter(const SplitTables& tables) : tables_(tables), end_class_(tables.numbers.size) {}

    // Cuts that do not depend on their context: the last one whose two characters lie before `position`, or 0; the first one
    // whose characters lie at or after `position`, or the size.
    std::size_t last_cut(Bytes text, std::size_t position) const;
    std::size_t first_cut(Bytes text, std::size_t position) const;

private:
    friend class Splitting;

    std::size_t row_size() const { return static_cast<std::size_t>(end_class_) + 1; }
    std::size_t n_states() const { return static_cast<std::size_t>(tables_.transitions.size) / row_size(); }
    std::size_t class_at(Bytes text, std::size_t at) const;
    bool is_number(Bytes text, std::size_t at) const { return items_of(tables_.numbers)[class_at(text, at)]; }
    bool is_cut(std::size_t left, std::size_t right) const {
        return items_of(tables_.cuts)[left * static_cast<std::size_t>(end_class_) + right];
    }

    SplitTables tables_;
    std::int64_t end_class_;
};

// Splits text after text, piece by piece, with reused memory.
class Splitting {
public:
    explicit Splitting(const Splitter& splitter);

    void begin(std::size_t start, std::size_t end);
    bool is_done() const { return levels_.empty(); }

    // Write the ends of the next pieces of a well-formed text, as many as fit; fewer only after the last one. Bytes after the
    // end given to `begin` are ignored, but may be read.
    void next(Bytes text, Ends& ends);

    // The same for all pieces of a text and a single pattern, and for each piece whether it is a match.
    void all_matches(Bytes text, Ends& ends, std::span<Byte> are_matches);

private:
    struct Level {
        std::size_t number, limit;  // the level, and the end of the piece that it cuts
        std::size_t pending = 0;    // the end of a match that was found ahead
        bool is_pending_open = false;
        std::size_t run_end = 0;    // the end of a run of numbers
    };
    struct Piece {
        std::size_t end;
        bool is_open;  // lower levels may cut it
    };
    struct Match {
        std::size_t end;
        bool is_found, is_undecided;
    };

    bool cut_level(Bytes text, Level& level, Ends& ends);
    Piece next_piece(Bytes text, Level& level, std::int64_t kind);
    bool match_carefully(Bytes text, std::size_t start, const Level& level, Piece& match);
    std::size_t end_of_numbers(Bytes text, Level& level) const;
    std::size_t end_of_digits(Bytes text, Level& level) const;

    void plain_ends(Bytes text, std::size_t position, const Level& level, Ends& ends, bool stops_at_ascii) const;
    std::size_t word_end(Bytes text, std::size_t start, Bytes words) const;
    Match match_plainly(Bytes text, std::size_t position, std::size_t start, std::uint32_t first_row) const;
    std::size_t skip_same(Bytes text, std::size_t at, std::size_t width, std::uint32_t seen) const;
    void window_ends(Bytes text, std::size_t position, const Level& level, Ends& ends);
    bool take_word(Bytes text, std::size_t word, std::size_t at, std::size_t& start, const Level& level, Ends& ends);
    Bytes words_of(const Level& level) const;
    std::uint32_t first_row_of(const Level& level) const;

    const Splitter& splitter_;
    Windows windows_;
    Bytes readable_;
    std::size_t position_ = 0;
    std::vector<Level> levels_;  // the levels down to the current piece
    Visits visits_;
};

}  // namespace loupe
