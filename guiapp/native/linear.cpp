// Exact encoders that do not merge: they search for the one sequence of symbols in which all neighbours are compatible.
#include "derivations.h"
#include "token_tree.h"

namespace loupe {

namespace {

class LinearEncoder {
public:
    // Finds the symbols at the start of a text, up to the first start symbol that no rule knows, and stores them in `run_`.
    using FindRun = void (LinearEncoder::*)(Bytes text);

    // The tree has all reached symbols, by the bytes that they stand for.
    LinearEncoder(const Derivations& derivations, const TokenTree& tree)
        : model_(derivations.model()), derivations_(derivations), tree_(tree), are_compatible_(derivations) {}

    void encode(Bytes text, Offsets piece_ends, FindRun find_run, TokenOutput& output) {
        std::size_t start = 0;
        for (const auto piece_end : piece_ends) {
            const auto end = static_cast<std::size_t>(piece_end);
            if (const auto whole = model_.whole_token(text.subspan(start, end - start)); whole != absent) {
                output.add(whole, start, end);
                start = end;
            }
            while (start < end) {
                (this->*find_run)(text.subspan(start, end - start));
                for (const auto symbol : run_) start = put(symbol, text, start, start + tree_.length(symbol), output);
                if (start < end) start = put(absent, text, start, model_.rules.symbol_end(text.first(end), start), output);
            }
        }
    }

    // Longest match. If it is incompatible with the previous symbol, try the next shorter one, and if none is left, backtrack.
    void backtrack(Bytes text) {
        run_.clear();
        is_dead_.clear();
        std::size_t at = 0;
        for (auto symbol = tree_.longest_match(text, 0, text.size()); symbol != absent;) {
            const auto end = at + tree_.length(symbol);
            const bool is_dead = end < is_dead_.size() && is_dead_[end];
            if (!is_dead && (run_.empty() || fits(text, at, run_.back(), symbol))) {
                run_.push_back(symbol);
                at = end;
                symbol = tree_.longest_match(text, at, text.size());
                continue;
            }
            symbol = tree_.parent(symbol);
            if (symbol != absent || run_.empty()) continue;
            is_dead_.resize(std::max(is_dead_.size(), at + 1));
            is_dead_[at] = true;
            symbol = run_.back();
            run_.pop_back();
            at -= tree_.length(symbol);
        }
    }

    // The last symbol of each prefix, then the path back from the longest prefix.
    void table(Bytes text) {
        last_.assign(1, absent);
        std::size_t reached = 0;
        for (std::size_t at = 0; at < last_.size(); ++at) {
            if (at > 0 && last_[at] == absent) continue;
            reached = at;
            auto symbol = tree_.longest_match(text, at, text.size());
            if (symbol == absent) break;
            last_.resize(std::max(last_.size(), at + tree_.length(symbol) + 1), absent);
            for (; symbol != absent; symbol = tree_.parent(symbol)) {
                auto& last = last_[at + tree_.length(symbol)];
                if (last == absent && (at == 0 || fits(text, at, last_[at], symbol))) last = symbol;
            }
        }
        run_.clear();
        for (; reached > 0; reached -= tree_.length(run_.back())) run_.push_back(last_[reached]);
        std::ranges::reverse(run_);
    }

private:
    // Whether a symbol that begins at `at` is compatible with the previous one.
    bool fits(Bytes text, std::size_t at, std::int32_t before, std::int32_t symbol) {
        return !derivations_.may_join(text[at - 1], text[at]) || are_compatible_(before, symbol);
    }

    std::size_t put(std::int32_t symbol, Bytes text, std::size_t start, std::size_t end, TokenOutput& output) {
        put_symbol(model_.rules, symbol, text, start, end, output);
        return end;
    }

    const PairModel& model_;
    const Derivations& derivations_;
    const TokenTree& tree_;
    Compatibility are_compatible_;
    std::vector<std::int32_t> run_;
    std::vector<bool> is_dead_;       // offsets from which no sequence of symbols reaches the end
    std::vector<std::int32_t> last_;  // the symbol that ends at each offset
};

std::int64_t encode(const Derivations& derivations, const TokenTree& tree, Bytes text, Offsets piece_ends,
                    LinearEncoder::FindRun find_run, TokenOutput output) {
    if (tree.n_tokens() != derivations.n_symbols()) return -1;
    if (!output.has_room(text.size() * derivations.model().rules.most_fallbacks())) return -1;
    LinearEncoder(derivations, tree).encode(text, piece_ends, find_run, output);
    return static_cast<std::int64_t>(output.count);
}

}  // namespace

}  // namespace loupe

using namespace loupe;

// Both return the number of tokens; -1 if there may be no room for the tokens of all bytes, or the tree has other tokens.
LOUPE_API std::int64_t loupe_backtrack_encode(const Derivations* derivations, const TokenTree* tree, Array<const Byte> text,
                                              Array<const std::int64_t> piece_ends, Array<std::int32_t> ids,
                                              Array<std::int64_t> starts, Array<std::int64_t> ends) {
    return encode(*derivations, *tree, text, piece_ends, &LinearEncoder::backtrack, {ids, starts, ends});
}

LOUPE_API std::int64_t loupe_table_encode(const Derivations* derivations, const TokenTree* tree, Array<const Byte> text,
                                          Array<const std::int64_t> piece_ends, Array<std::int32_t> ids,
                                          Array<std::int64_t> starts, Array<std::int64_t> ends) {
    return encode(*derivations, *tree, text, piece_ends, &LinearEncoder::table, {ids, starts, ends});
}
