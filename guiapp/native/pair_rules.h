// Merge rules: which two neighbouring symbols become one, and which of several goes first.
//
// A *symbol* is a string that occurs in merging. Every token is one, numbered by its row; strings of rules that are not tokens
// are numbered after the tokens; a start symbol that occurs in no rule is `absent`.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "api.h"
#include "large_array.h"
#include "strings.h"

namespace loupe {

constexpr std::uint32_t no_rank = 0x7FFFFFFF;

struct Rule {
    std::uint32_t rank = no_rank;
    std::int32_t made = absent;
};

// Values by 64-bit keys, with open addressing; of equal keys the first one stays. `secret` prevents the author of a vocabulary
// from choosing keys that collide.
template <class Value>
class KeyTable {
public:
    explicit KeyTable(std::size_t most = 0, std::uint64_t secret = 0)
        : spread_(secret | 1), shift_(64 - std::bit_width(most + most / 2 + 15)), rows_(std::size_t{1} << (64 - shift_)) {}

    void add(std::uint64_t key, Value value) {
        auto& row = rows_[slot_of_key(key)];
        if (row.next_key == 0) row = {key + 1, value};
    }

    const Value* find(std::uint64_t key) const {
        const auto& row = rows_[slot_of_key(key)];
        return row.next_key == 0 ? nullptr : &row.value;
    }

    void fetch(std::uint64_t key) const { prefetch(&rows_[key * spread_ >> shift_]); }

    template <class Visit>
    void for_each(Visit visit) const {
        for (std::size_t slot = 0; slot < rows_.size(); ++slot)
            if (const auto& row = rows_[slot]; row.next_key != 0) visit(row.next_key - 1, row.value);
    }

private:
    struct Row {
        std::uint64_t next_key;  // the key + 1; 0: the row is empty
        Value value;
    };

    // The row of a key, or the empty row for it.
    std::size_t slot_of_key(std::uint64_t key) const {
        auto slot = key * spread_ >> shift_;
        while (rows_[slot].next_key != key + 1 && rows_[slot].next_key != 0) slot = (slot + 1) & (rows_.size() - 1);
        return slot;
    }

    std::uint64_t spread_;
    int shift_;
    LargeArray<Row> rows_;
};

// The merge rules and settings of a vocabulary.
struct PairSource {
    Array<const Byte> merge_data;             // rules by rank, each two texts with `separator` between
    Array<const std::int64_t> merge_offsets;  // empty if any two symbols merge whose texts make a token
    Array<const std::int32_t> token_ranks;    // in that case: the rank of this token; `no_rank`, `stays_whole`: none
    Array<const bool> is_unused;              // of each token: whether it is split again at the end; empty if none is
    std::int32_t unknown;                     // the token for bytes without one; `none` omits them
    std::int32_t is_byte_level;               // tokens spell bytes with GPT-2's printable characters
    std::int32_t marks_spaces;                // tokens spell a space as U+2581
    std::int32_t byte_tokens;                 // which tokens stand for bytes
    std::int32_t separator;                   // a byte; the first one with text before it counts
    std::int32_t n_dropped;                   // bytes at the start of a right side that the result omits
    std::int32_t last_stays;                  // of several rules for one pair, rather than the first
    std::uint64_t secret;

    enum ByteTokens : std::int32_t { no_tokens, named, named_or_raw };  // like <0x0A>; or a single byte
    static constexpr std::int32_t stays_whole = -1;  // a piece with this text is not merged
    static constexpr std::int32_t none = -2;  // -1 in the output marks a byte that the vocabulary cannot express
};

class PairRules {
public:
    static constexpr std::size_t most_cuts = 1 << 25;  // of tokens into two symbols, if rules are not listed

    PairRules(const StringTable& tokens, const PairSource& source, Watch& watch);

    bool is_complete() const { return is_complete_; }  // false after too many cuts, or if the watch stopped

    Rule find(std::int32_t left, std::int32_t right) const {
        if (left < 0 || right < 0) return {};
        const auto key = key_of(left, right);
        if (!may_have(key)) return {};
        const Rule* rule = rules_.find(key);
        return rule ? *rule : Rule{};
    }

    // Prefetch what `find` will read.
    void fetch(std::int32_t left, std::int32_t right) const {
        const auto key = key_of(left, right);
        prefetch(&filter_[filter_bit(key) >> 6]);
        rules_.fetch(key);
    }

    // The rule for two bytes that are start symbols.
    Rule of_bytes(Byte left, Byte right) const { return of_bytes_[static_cast<std::size_t>(left) << 8 | right]; }

    std::int32_t n_tokens() const { return n_tokens_; }
    std::size_t n_symbols() const { return static_cast<std::size_t>(n_tokens_) + other_offsets_.size() - 1; }
    Bytes symbol_text(std::size_t symbol) const;  // as spelled by tokens
    bool is_token(std::int32_t symbol) const { return 0 <= symbol && symbol < n_tokens_; }
    bool starts_from_bytes() const { return is_byte_level_; }
    bool marks_spaces() const { return marks_spaces_; }
    bool has_unused() const { return !is_unused_.empty(); }
    bool is_unused(std::int32_t symbol) const { return is_token(symbol) && has_unused() && is_unused_[static_cast<std::size_t>(symbol)]; }
    bool stays_whole(std::int32_t token) const { return !stay_whole_.empty() && stay_whole_[static_cast<std::size_t>(token)]; }

    // The end of the start symbol at `start`.
    std::size_t symbol_end(Bytes text, std::size_t start) const {
        return std::min(start + lengths_[text[start]], text.size());
    }
    std::int32_t start_symbol(Bytes symbol) const;
    std::int32_t start_byte(Byte byte) const { return of_byte_[byte]; }

    // A token for a byte of a symbol that is not a token; `leads`: the first one for the byte.
    struct Fallback {
        std::int32_t token;
        bool leads;
    };
    std::span<const Fallback> fallbacks(Byte byte) const {
        return std::span(fallbacks_).subspan(fallback_offsets_[byte], fallback_offsets_[byte + 1u] - fallback_offsets_[byte]);
    }
    std::size_t most_fallbacks() const { return most_fallbacks_; }  // for one byte, at least 1

    // Bytes for which ids alone do not determine the spans of tokens: bytes that may be omitted, or become several tokens, or a
    // token that can also stand for more bytes.
    bool is_ambiguous(Byte byte) const { return ambiguous_[byte]; }
    bool has_ambiguous() const { return has_ambiguous_; }

    // How many bytes of a text each token stands for; `of_marked`: of a text whose spaces are U+2581 already.
    std::vector<std::int32_t> token_lengths(bool of_marked) const;

    // The spelling of a byte of a text in tokens.
    Bytes spelled(Byte byte) const { return Bytes(spelled_[byte].bytes).first(spelled_[byte].size); }

    // Write the bytes of a text that a symbol stands for, with spaces as such; false if it cannot stand for any.
    bool unspell(Bytes symbol, std::vector<Byte>& bytes) const;

    template <class Visit>
    void for_each(Visit visit) const {
        rules_.for_each([&](std::uint64_t key, const Rule& rule) {
            visit(static_cast<std::int32_t>(key >> 32), static_cast<std::int32_t>(key), rule);
        });
    }

private:
    struct Spelled {
        std::array<Byte, 3> bytes;
        std::uint8_t size;
    };
    struct Named {
        std::int32_t left, right, made;
        std::uint32_t rank;
    };
    class Naming;

    static std::uint64_t key_of(std::int32_t left, std::int32_t right) {
        return static_cast<std::uint64_t>(left) << 32 | static_cast<std::uint32_t>(right);
    }
    std::size_t filter_bit(std::uint64_t key) const { return key * filter_spread_ >> filter_shift_; }
    bool may_have(std::uint64_t key) const { return filter_[filter_bit(key) >> 6] >> (filter_bit(key) & 63) & 1; }

    template <class Visit>
    void for_each_spelled(Bytes text, Visit visit) const;
    void spell_bytes();
    std::vector<Named> listed_rules(const PairSource& source, Naming& naming, Watch& watch) const;
    std::vector<Named> rules_of_cuts(const PairSource& source, Naming& naming, Watch& watch) const;
    void enter(const std::vector<Named>& rules, Watch& watch);
    void find_start_symbols(const StringTable& tokens, Watch& watch);
    void find_fallbacks(const StringTable& tokens, const PairSource& source);
    void find_ambiguous(const std::vector<Named>& rules);

    const StringTable& tokens_;
    std::int32_t n_tokens_;
    bool is_byte_level_, marks_spaces_, is_complete_ = false;
    std::vector<Byte> other_data_;
    std::vector<std::int64_t> other_offsets_{0};
    std::array<Spelled, 256> spelled_;
    std::array<std::uint8_t, 256> lengths_;
    std::array<std::int32_t, 256> of_byte_;
    KeyTable<Rule> rules_;
    std::uint64_t filter_spread_;
    int filter_shift_;
    std::vector<std::uint64_t> filter_;  // a bit set that rejects most pairs without a rule
    std::vector<Rule> of_bytes_;
    KeyTable<std::int32_t> characters_;  // start symbols of several bytes
    std::vector<Fallback> fallbacks_;
    std::array<std::uint32_t, 257> fallback_offsets_{};
    std::size_t most_fallbacks_ = 1;
    std::vector<std::int32_t> byte_tokens_;  // tokens that always stand for one byte of a text
    std::array<bool, 256> is_in_other_{};         // whether a symbol that is not a token contains a byte
    std::array<bool, 256> ambiguous_{};
    std::vector<bool> is_unused_, stay_whole_;
    bool has_ambiguous_ = false;
};

}  // namespace loupe
