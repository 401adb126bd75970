// Unigram (T5, XLM-RoBERTa): a character map, then the most probable segmentation.
#pragma once

#include <algorithm>

#include "charsmap.h"
#include "normalized.h"
#include "pair_cuts.h"
#include "stable_text.h"
#include "spaced_words.h"
#include "token_matcher.h"
#include "token_tree.h"

namespace loupe {

// The normalization of a Unigram vocabulary; reference implementation: core/text/normalizers.py.
struct UnigramNormalizer {
    // Whether a space was added before the first word, and whether a word has begun.
    struct State {
        bool has_prefix = false, in_word = false;
    };

    Charsmap charsmap;
    const TokenTree* user_defined;  // the user-defined tokens
    StableText stable;
    bool add_space_prefix, removes_spaces;

    // Append a normalized text to an output like a NormalizedText.
    template <class Output>
    void normalize(Bytes text, State& state, Output& output) const {
        for (std::size_t at = 0; at < text.size() && !output.is_full();) {
            if (const auto stop = stable.end(text, at); stop > at) {
                begin_word(state, at, output);
                output.append(text.subspan(at, stop - at), at, stop);
                at = stop;
                continue;
            }
            const auto [made, size] = next(text, at);
            const bool is_unchanged = std::ranges::equal(made, text.subspan(at, size));
            std::size_t first = 0;
            while (!is_unchanged && removes_spaces && first < made.size() && made[first] == ' ') ++first;
            const auto stop = is_unchanged ? made.size() : first + first_character(made.subspan(first));
            for (std::size_t index = 0; index < made.size(); ++index) {
                const auto start = index < first ? at : index < stop ? at + std::min(index - first, size) : at + size;
                const auto end = index + 1 < stop ? std::min(start + (index >= first), at + size) : at + size;
                if (made[index] != ' ') {
                    begin_word(state, start, output);
                    output.append(made.subspan(index, 1), start, end);
                    continue;
                }
                state.in_word = false;
                if (!removes_spaces) output.append(space_symbol, start, end);
            }
            at += size;
        }
    }

private:
    struct Replacement {
        Bytes made;  // the replacement
        std::size_t size;
    };

    template <class Output>
    void begin_word(State& state, std::size_t at, Output& output) const {
        if (state.in_word) return;
        state.in_word = true;
        if (!removes_spaces && (!add_space_prefix || state.has_prefix)) return;
        state.has_prefix = true;
        output.append(space_symbol, at, at);
    }

    Replacement next(Bytes text, std::size_t at) const;
    std::size_t user_defined_length(Bytes text, std::size_t at) const;
};

// The tables of a vocabulary.
struct Unigram {
    static constexpr std::size_t most_bytes = std::size_t{1} << 28;  // of a normalized text
    static constexpr double farthest_sum = 100'000;  // beyond this, SentencePiece resets sums to 0
    static constexpr std::size_t most_growth = 128, least_limit = 1024;  // NFKC makes at most 11 times as many

    UnigramNormalizer normalizer;
    std::size_t most_made;         // the most bytes that one byte of a text can become
    std::span<const bool> is_cut;  // [256]: bytes that always become a space; words begin there
    const TokenTree* tree;
    const TokenMatcher* matcher;  // NULL unless some token is too long for walking down the tree
    std::span<const double> scores;
    double unknown_score;
    std::int32_t unknown;
    bool is_bounded;  // whether all sums of scores are finite, so that each character can be reached
    bool is_single;   // sums are rounded to 32 bits, and reset if they leave SentencePiece's range
    PairCuts cuts;    // that no token crosses

    // Write the starts and ends of the next words: at least one if there is any, and about as many as fit. Returns their
    // number. A word begins with the byte that becomes its space, unless spaces are removed.
    std::size_t find_words(Bytes text, std::size_t at, std::span<std::int64_t> starts, std::span<std::int64_t> ends) const;

    // Whether a text becomes more than `most` bytes.
    bool makes_more_than(std::size_t most, Bytes text) const;
    // Whether a whole text grows so much that the character map must have been made for this purpose.
    bool explodes(Bytes text) const { return makes_more_than(most_growth * text.size() + least_limit, text); }
};

// Viterbi: the segmentation with the highest sum of scores; reference implementation: core/encode/reference/viterbi.py.
class Lattice {
public:
    struct Token {
        std::int32_t id;
        std::uint32_t start, end;  // in the normalized text
    };

    // Append the tokens of a normalized text. `score`, the sum of the scores before it, is updated, because sums are rounded as
    // in one continuous text. Ties go to the token that starts first; neighbouring unknown tokens are joined.
    void segment(const Unigram& model, Bytes text, double& score, std::vector<Token>& tokens);

private:
    struct Candidate {
        double score;
        std::uint32_t origin;
        std::int32_t token;
    };

    bool walk(const Unigram& model, Bytes text, std::size_t at, std::size_t character_end);
    bool visit_matches(const Unigram& model, std::size_t at, std::size_t character_end);
    void restart(std::size_t at);
    void reach(std::size_t end, Candidate candidate);
    void open(std::size_t end);
    void follow_back(std::vector<Token>& tokens, std::size_t first);

    std::vector<Candidate> candidates_;  // the best one to each offset from begin_ up to end_
    std::size_t begin_ = 0, end_ = 0;
    std::int32_t unknown_ = absent;
    bool is_single_ = false;
    std::vector<std::int32_t> longest_;  // at each offset, found by the matcher
};

}  // namespace loupe
