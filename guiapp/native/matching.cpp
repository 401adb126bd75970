// Splits pieces into tokens without merging: the longest tokens, or as few as possible.
#include "pair_encoder.h"
#include "token_tree.h"

namespace loupe {

namespace {

// Take the longest token repeatedly.
void encode_greedy(const PairRules& rules, const TokenTree& tree, Bytes text, Offsets piece_ends, TokenOutput& output) {
    std::size_t start = 0;
    for (const auto piece_end : piece_ends)
        for (const auto end = static_cast<std::size_t>(piece_end); start < end;) {
            auto row = TokenTree::root, token = absent;
            auto stop = start + 1;
            for (auto at = start; at < end && (row = tree.child(row, text[at])) != absent; ++at)
                if (tree.token_at(row) != absent) token = tree.token_at(row), stop = at + 1;
            if (token != absent) output.add(token, start, stop);
            else put_symbol(rules, absent, text, start, stop, output);
            start = stop;
        }
}

// Excludes uses of a token at random, `share` of 2^32 on average (xorshift, Marsaglia 2003).
struct Dropout {
    std::uint32_t share, state;  // the state is not 0

    bool rules_out() {
        if (share == 0) return false;
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        return state < share;
    }
};

// As few tokens as possible, found by the fewest tokens up to each offset. Ties: the longest token goes last.
class Fewest {
public:
    Fewest(const PairRules& rules, const TokenTree& tree, Dropout dropout) : rules_(rules), tree_(tree), dropout_(dropout) {}

    void encode(Bytes text, std::size_t start, std::size_t end, TokenOutput& output) {
        candidates_.assign(end - start + 1, {});
        candidates_[0].n_tokens = 0;
        for (auto at = start; at < end; ++at)
            if (candidates_[at - start].n_tokens != unreached) try_all(text, start, at, end);
        chosen_.clear();
        for (auto at = end; at > start; at -= length(chosen_.back())) chosen_.push_back(candidates_[at - start].last);
        for (; !chosen_.empty(); chosen_.pop_back()) {
            const auto stop = start + length(chosen_.back());
            put_symbol(rules_, chosen_.back(), text, start, stop, output);
            start = stop;
        }
    }

private:
    static constexpr std::int32_t unreached = 0x7FFFFFFF;
    struct Candidate {
        std::int32_t n_tokens = unreached, last = absent;  // absent: a byte without a token
    };

    // The shortest token at an offset is never excluded.
    void try_all(Bytes text, std::size_t start, std::size_t at, std::size_t end) {
        const auto n_tokens = candidates_[at - start].n_tokens + 1;
        auto token = tree_.longest_match(text, at, end);
        do {
            const auto shorter = token == absent ? absent : tree_.parent(token);
            auto& candidate = candidates_[at - start + length(token)];
            const bool is_ruled_out = shorter != absent && dropout_.rules_out();
            if (n_tokens < candidate.n_tokens && !is_ruled_out) candidate = {n_tokens, token};
            token = shorter;
        } while (token != absent);
    }

    std::size_t length(std::int32_t token) const { return token == absent ? 1 : tree_.length(token); }

    const PairRules& rules_;
    const TokenTree& tree_;
    Dropout dropout_;
    std::vector<Candidate> candidates_;       // to each offset of the piece
    std::vector<std::int32_t> chosen_;
};

}  // namespace

}  // namespace loupe

using namespace loupe;

// Both return the number of tokens, or -1 if there is no room for the most tokens that can stand for each byte. The tree has
// the bytes that the model's tokens stand for.
LOUPE_API std::int64_t loupe_greedy_encode(const PairModel* model, const TokenTree* tree, Array<const Byte> text,
                                           Array<const std::int64_t> piece_ends, Array<std::int32_t> ids,
                                           Array<std::int64_t> starts, Array<std::int64_t> ends) {
    TokenOutput output{ids, starts, ends};
    if (!output.has_room(items_of(text).size() * model->rules.most_fallbacks())) return -1;
    encode_greedy(model->rules, *tree, text, piece_ends, output);
    return static_cast<std::int64_t>(output.count);
}

// The upper half of `dropout` is the share, the lower half the seed of the random numbers.
LOUPE_API std::int64_t loupe_fewest_encode(const PairModel* model, const TokenTree* tree, std::uint64_t dropout, Array<const Byte> text,
                                           Array<const std::int64_t> piece_ends, Array<std::int32_t> ids,
                                           Array<std::int64_t> starts, Array<std::int64_t> ends) {
    TokenOutput output{ids, starts, ends};
    if (!output.has_room(items_of(text).size() * model->rules.most_fallbacks())) return -1;
    Fewest fewest(model->rules, *tree, {static_cast<std::uint32_t>(dropout >> 32), static_cast<std::uint32_t>(dropout)});
    std::size_t start = 0;
    for (const auto end : items_of(piece_ends)) {
        fewest.encode(text, start, static_cast<std::size_t>(end), output);
        start = static_cast<std::size_t>(end);
    }
    return static_cast<std::int64_t>(output.count);
}
