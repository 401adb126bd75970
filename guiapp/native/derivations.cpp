#include "derivations.h"

namespace loupe {

Derivations::Derivations(const PairModel& model) : model_(model), derived_(model.rules.n_symbols()), pairs_(256 * 256) {
    std::vector<Byte> bytes;
    for (std::size_t symbol = 0; symbol < derived_.size(); ++symbol) {
        if (!model.rules.unspell(model.rules.symbol_text(symbol), bytes)) continue;
        for (std::size_t at = 1; at < bytes.size(); ++at) pairs_[std::size_t{bytes[at - 1]} << 8 | bytes[at]] = true;
    }
    find_start_symbols();
    derive();
}

bool Derivations::has_part_of_character(const PairRules& rules) {
    if (rules.starts_from_bytes()) return false;
    for (std::size_t symbol = 0; symbol < rules.n_symbols(); ++symbol)
        if (const auto text = rules.symbol_text(symbol); !text.empty() && text.size() < announced_length(text[0])) return true;
    return false;
}

void Derivations::find_start_symbols() {
    const auto& rules = model_.rules;
    for (unsigned byte = 0; byte < 256; ++byte)
        if (const auto symbol = rules.start_byte(static_cast<Byte>(byte)); symbol != absent)
            derived_[static_cast<std::size_t>(symbol)].rank = start;
    if (rules.starts_from_bytes()) return;
    for (std::size_t symbol = 0; symbol < derived_.size(); ++symbol) {
        const auto text = rules.symbol_text(symbol);
        const bool is_character = text.size() > 1 && text.size() == announced_length(text[0]);
        if (is_character && rules.start_symbol(text) == static_cast<std::int32_t>(symbol)) derived_[symbol].rank = start;
    }
}

// In order of the results' lengths, because longer results depend on shorter ones.
void Derivations::derive() {
    struct Use {
        std::size_t length;
        std::int32_t left, right;
        Rule rule;
    };
    std::vector<Use> uses;
    model_.rules.for_each([&](std::int32_t left, std::int32_t right, Rule rule) {
        uses.push_back({model_.rules.symbol_text(static_cast<std::size_t>(rule.made)).size(), left, right, rule});
    });
    std::ranges::sort(uses, [](const Use& one, const Use& other) { return one.length < other.length; });
    for (const auto& [length, left, right, rule] : uses) {
        if (!is_reached(left) || !is_reached(right) || !stay_apart(left, right, 0)) continue;
        const auto rank = static_cast<std::int32_t>(rule.rank);
        derived_[static_cast<std::size_t>(rule.made)] = {
            left, right, rank, std::max({rank, at(left).peak, at(right).peak}), at(left).size + at(right).size};
    }
}

// Whether no rule of a rank below `limit` joins two symbols, and no rule joins parts of them.
//
// This undoes merges, starting with the later one of the last merges of both sides. A rule for the two neighbours that this
// uncovers crosses the border if its turn is before the undone merge's. Merges of two sides are ordered by their *peaks*, and
// the left side goes first if the peaks are equal.
bool Derivations::stay_apart(std::int32_t left, std::int32_t right, std::int32_t limit) const {
    const auto whole_left = left, whole_right = right;
    auto peak = limit, lower_limit = limit;
    while (true) {
        const auto rank = rank_of(left, right);
        const auto &on_left = at(left), &on_right = at(right);
        if (rank < limit) {
            if (rank < lower_limit || std::max(on_left.peak, on_right.peak) < peak) return false;
            return make_apart(whole_left, whole_right);
        }
        if (on_left.peak > on_right.peak) {
            limit = peak = on_left.peak;
            lower_limit = on_left.rank;
            left = on_left.right;
        } else if (on_right.peak >= 0) {
            peak = on_right.peak;
            limit = peak + 1;
            lower_limit = on_right.rank + 1;
            right = on_right.left;
        } else {
            return true;
        }
    }
}

// Whether two symbols are completed before a merge crosses their border, found by making them.
//
// Needed if a merge of a low rank waited for one of a higher rank, because peaks do not determine its turn then.
bool Derivations::make_apart(std::int32_t left, std::int32_t right) const {
    auto border = static_cast<std::size_t>(at(left).size);
    std::vector<std::int32_t> parts(border + static_cast<std::size_t>(at(right).size));
    write_parts(left, std::span(parts).first(border));
    write_parts(right, std::span(parts).subspan(border));
    while (true) {
        Rule best;
        std::size_t best_at = 0;
        for (std::size_t at = 0; at + 1 < parts.size(); ++at)
            if (const auto rule = model_.rules.find(parts[at], parts[at + 1]); rule.rank < best.rank) best = rule, best_at = at;
        if (best.rank == no_rank || best_at + 1 == border) return border == 1 && parts.size() == 2;
        parts[best_at] = best.made;
        parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(best_at) + 1);
        border -= best_at < border;
    }
}

// The start symbols of a symbol. A symbol that is not yet taken apart is stored at the position of its first part.
void Derivations::write_parts(std::int32_t symbol, Ids parts) const {
    parts[0] = symbol;
    for (std::size_t place = 0; place < parts.size(); ++place) {
        auto whole = parts[place];
        while (at(whole).rank != start) {
            const auto& derived = at(whole);
            whole = derived.left;
            parts[place + static_cast<std::size_t>(at(whole).size)] = derived.right;
        }
        parts[place] = whole;
    }
}

}  // namespace loupe

using namespace loupe;

// The length in bytes of the longest symbol as spelled, or -1 if a symbol ends within a character.
LOUPE_API std::int64_t loupe_pairs_longest_symbol(const PairModel* model) {
    std::size_t longest = 0;
    for (std::size_t symbol = 0; symbol < model->rules.n_symbols(); ++symbol)
        longest = std::max(longest, model->rules.symbol_text(symbol).size());
    return Derivations::has_part_of_character(model->rules) ? -1 : static_cast<std::int64_t>(longest);
}

// NULL for a model with symbols that are too long or end within a character. Fills `is_reached` for all symbols.
LOUPE_API Derivations* loupe_derivations_new(const PairModel* model, Array<bool> is_reached) {
    const auto longest = loupe_pairs_longest_symbol(model);
    if (longest < 0 || static_cast<std::size_t>(longest) > Derivations::longest_symbol) return nullptr;
    if (static_cast<std::size_t>(is_reached.size) != model->rules.n_symbols()) return nullptr;
    auto* derivations = new Derivations(*model);
    for (std::int32_t symbol = 0; symbol < is_reached.size; ++symbol) is_reached.data[symbol] = derivations->is_reached(symbol);
    return derivations;
}

LOUPE_API void loupe_derivations_free(Derivations* derivations) { delete derivations; }

// Whether merging leaves two symbols as neighbours; -1 if merging never makes one of them.
LOUPE_API std::int64_t loupe_are_compatible(const Derivations* derivations, std::int32_t left, std::int32_t right) {
    for (const auto symbol : {left, right})
        if (symbol < 0 || static_cast<std::size_t>(symbol) >= derivations->n_symbols() || !derivations->is_reached(symbol)) return -1;
    return derivations->are_compatible(left, right);
}
