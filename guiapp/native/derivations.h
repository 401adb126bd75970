// How pair merging makes each symbol, and which symbols it leaves as neighbours.
//
// Merging goes through a text by rank and, for equal ranks, from left to right. The merges inside a final symbol do not depend
// on anything around it, so two final symbols are neighbours exactly if no merge ever crosses between them: they are
// *compatible*. A text's symbols are the one sequence in which all neighbours are compatible (github/rust-gems, crates/bpe,
// corollaries).
#pragma once

#include "pair_encoder.h"

namespace loupe {

class Derivations {
public:
    static constexpr std::size_t longest_symbol = 1 << 12;  // bytes; comparing neighbours may take quadratic time

    // `model` must be valid.
    explicit Derivations(const PairModel& model);

    // Whether a symbol ends within a character, so that it fits only at the end of a text.
    static bool has_part_of_character(const PairRules& rules);

    // Whether merging a symbol's text results in the symbol.
    bool is_reached(std::int32_t symbol) const { return at(symbol).rank != unreached; }
    std::size_t n_symbols() const { return derived_.size(); }

    // Whether two bytes are neighbours in some symbol. Nothing is ever merged across any other two bytes.
    bool may_join(Byte before, Byte following) const { return pairs_[std::size_t{before} << 8 | following]; }

    // Whether two symbols, both reached, can be neighbours after merging.
    bool are_compatible(std::int32_t left, std::int32_t right) const { return stay_apart(left, right, no_limit); }

    const PairModel& model() const { return model_; }

private:
    static constexpr std::int32_t start = -1, unreached = -2;  // ranks of symbols that no rule makes
    static constexpr std::int32_t no_limit = no_rank;

    // The two symbols that a symbol's last merge joins, its rank, and the highest rank among its merges.
    struct Derived {
        std::int32_t left = absent, right = absent, rank = unreached, peak = start;
        std::int32_t size = 1;  // in start symbols
    };

    const Derived& at(std::int32_t symbol) const { return derived_[static_cast<std::size_t>(symbol)]; }
    std::int32_t rank_of(std::int32_t left, std::int32_t right) const {
        return static_cast<std::int32_t>(model_.rules.find(left, right).rank);
    }
    void find_start_symbols();
    void derive();
    bool stay_apart(std::int32_t left, std::int32_t right, std::int32_t limit) const;
    bool make_apart(std::int32_t left, std::int32_t right) const;
    void write_parts(std::int32_t symbol, Ids parts) const;

    const PairModel& model_;
    std::vector<Derived> derived_;
    std::vector<bool> pairs_;
};

// Caches answers: a text repeats few pairs of neighbours often.
class Compatibility {
public:
    explicit Compatibility(const Derivations& derivations) : derivations_(derivations), answers_(n_answers, none) {}

    bool operator()(std::int32_t left, std::int32_t right) {
        const auto key = std::uint64_t{static_cast<std::uint32_t>(left)} << 32 | static_cast<std::uint32_t>(right);
        auto& answer = answers_[key * spread >> 52];
        if (answer >> 1 != key) answer = key << 1 | derivations_.are_compatible(left, right);
        return answer & 1;
    }

private:
    static constexpr std::uint64_t none = ~std::uint64_t{0}, spread = 0x9E3779B97F4A7C15;
    static constexpr std::size_t n_answers = 1 << 12;

    const Derivations& derivations_;
    std::vector<std::uint64_t> answers_;
};

}  // namespace loupe
