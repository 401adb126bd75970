// Cut text into the pieces that merges never cross, by automata that Python makes of a pre-tokenizer's patterns
// (core/pretokenize).  A list of patterns is a list of levels: each cuts the pieces of the level above, and a piece that
// no lower level can cut is final where it is found.
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#include "api.h"
#include "windows.h"

namespace loupe {

// The automata of a list of patterns, over common classes of characters.  With c classes and k levels:
struct SplitTables {
    Array<const Byte> classes;               // of each code point
    Array<const std::uint32_t> transitions;  // rows of c + 1 entries, for each class and for the end of the text
    Array<const std::int64_t> levels;        // k: offset of the initial row, or numbers_by_three, digits_by_three
    Array<const Byte> starts;                // k rows of 256: no_start and unsettled, of the first bytes of characters
    Array<const Byte> numbers;               // c: 1 for classes of numbers
    Array<const Byte> words;                 // k rows: where a look at a few bytes tells the end of a piece
    Array<const Byte> windows;               // see windows.h; only where there is one level
    Array<const Byte> cuts;                  // c rows of c: 1 where two neighbours are always in different pieces
};

// Where attempts to match were in which state, noted once in a stretch of text.  An attempt that comes to where another
// one was finds nothing from there on: had the other one found something, pieces would end behind that place, and nobody
// would come by again.  So splitting takes a time of at most text times states (T. Reps, "Maximal-munch" tokenization in
// linear time, 1998), and a byte of memory for each one of text.
class Visits {
public:
    Visits(std::size_t n_states, std::size_t row_size)
        : n_states_(n_states), row_size_(row_size), stretch_(std::bit_ceil(std::max(least_stretch, n_states / 8))) {}

    void begin(std::size_t start) { start_ = start, visited_.clear(); }

    // The first place behind `at` where to ask `is_again`.
    std::size_t next_place(std::size_t at) const { return at + stretch_ - (at - start_) % stretch_; }

    // Whether there was an attempt in this state at the first character of this stretch; from now on, there was.
    bool is_again(std::size_t at, std::uint32_t row);

private:
    static constexpr std::size_t least_stretch = 16, bits = 64;

    std::size_t n_states_, row_size_, stretch_, start_ = 0;
    std::vector<std::uint64_t> visited_;  // a bit for each state in each stretch
};

// Where pieces end, written one behind the other.
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

    // Always-cuts, whatever is around them: the last whose two characters lie before `position`, or 0; the first
    // whose characters lie at or behind `position`, or the size.
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

// Goes through one text after the other, piece by piece; with the memory that this takes.
class Splitting {
public:
    explicit Splitting(const Splitter& splitter);

    void begin(std::size_t start, std::size_t end);
    bool is_done() const { return levels_.empty(); }

    // Write the ends of the next pieces of a well-formed text, as many as there is room for; fewer only behind the last one.  What lies
    // behind the end that `begin` had is not looked at, but it may be read.
    void next(Bytes text, Ends& ends);

    // The same for all pieces of a text and only one pattern, and for each piece whether it is a match.
    void all_matches(Bytes text, Ends& ends, std::span<Byte> are_matches);

private:
    struct Level {
        std::size_t number, limit;  // which, and the end of what it cuts
        std::size_t pending = 0;    // the end of a match ahead
        bool is_pending_open = false;
        std::size_t run_end = 0;    // of numbers
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
    std::vector<Level> levels_;  // those on the way to the present piece
    Visits visits_;
};

}  // namespace loupe
