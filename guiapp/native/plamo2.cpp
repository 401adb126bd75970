// PLaMo 2: the cheapest segmentation of a text into tokens, found from the end to the start.
#include "api.h"
#include "token_matcher.h"
#include "tokens.h"
#include "utf8.h"

namespace loupe {

namespace {

constexpr std::int64_t unknown_cost = 10'000'000, unreached = std::int64_t{1} << 60;
constexpr std::uint32_t byte_order_mark = 0xFEFF;
constexpr std::size_t longest_character = 4;

// A character in shortest form, even above U+10FFFF, or U+FFFD for a byte that begins none.
Decoded decode_wide(Bytes text, std::size_t at) {
    const auto decoded = decode(text, at);
    if (decoded.code != replacement || decoded.size > 1 || text[at] < 0xF4 || text[at] > 0xF7 || text.size() - at < 4) return decoded;
    if (!is_continuation(text[at + 1]) || !is_continuation(text[at + 2]) || !is_continuation(text[at + 3])) return decoded;
    return {code_at(text, at), 4};
}

// A byte order mark at the start is dropped.
NormalizedText normalize_plamo2(Bytes text) {
    NormalizedText normalized;
    normalized.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const auto [code, size] = decode_wide(text, at);
        if (at > 0 || code != byte_order_mark) normalized.append(encode(code), at, at + size);
        at += size;
        const auto n_plain = plain_prefix(text.subspan(at));
        normalized.keep(text.subspan(at, n_plain), at);
        at += n_plain;
    }
    return normalized;
}

// The tokens of a text in shortest form. Unknown characters become bytes. Ties go to the longest token, then to a known one.
struct Plamo2 {
    const TokenMatcher& matcher;
    std::span<const std::int32_t> costs;  // by token
    std::span<const std::int32_t> byte_ids;

    void encode(Bytes text, TokenOutput& output) const {
        std::vector<std::int32_t> tokens(text.size());  // the longest at each offset, then the best
        matcher.find_longest(text, tokens);
        choose(text, tokens);
        for (std::size_t at = 0; at < text.size();) {
            const auto end = end_of(text, at, tokens[at]);
            if (tokens[at] != absent) {
                output.add(tokens[at], at, end);
                at = end;
            }
            for (; at < end; ++at) output.add(byte_ids[text[at]], at, at + 1);
        }
    }

private:
    // Costs from each character to the end are stored only as far ahead as tokens reach.
    void choose(Bytes text, Ids tokens) const {
        const auto reach = std::min(text.size(), std::max(matcher.longest(), longest_character));
        const auto mask = std::bit_ceil(reach + 1) - 1;
        std::vector<std::int64_t> path_costs(mask + 1, unreached);
        path_costs[text.size() & mask] = 0;
        for (auto at = text.size(); at-- > 0;) {
            if (is_continuation(text[at])) continue;
            auto best = unreached;
            auto best_token = absent;
            for (auto token = tokens[at]; token != absent; token = matcher.shorter(token)) {
                const auto cost = path_costs[(at + matcher.length(token)) & mask] + costs[static_cast<std::size_t>(token)];
                if (cost < best) best = cost, best_token = token;
            }
            const auto cost = path_costs[end_of(text, at, absent) & mask] + unknown_cost;
            path_costs[at & mask] = std::min(best, cost);
            tokens[at] = cost < best ? absent : best_token;
        }
    }

    std::size_t end_of(Bytes text, std::size_t at, std::int32_t token) const {
        return token != absent ? at + matcher.length(token) : std::min(text.size(), at + announced_length(text[at]));
    }
};

}  // namespace

}  // namespace loupe

using namespace loupe;

// NULL if the text needs no change.
LOUPE_API NormalizedText* loupe_plamo2_normalize(Array<const Byte> text) {
    const Bytes bytes = text;
    const bool is_marked = bytes.size() >= 3 && std::ranges::equal(bytes.first(3), Bytes(encode(byte_order_mark)));
    return plain_prefix(bytes) == bytes.size() && !is_marked ? nullptr : new NormalizedText(normalize_plamo2(bytes));
}

// Returns the number of tokens of a normalized text, at most one a byte, or -1 if the arrays are too small.
LOUPE_API std::int64_t loupe_plamo2_encode(const TokenMatcher* matcher, Array<const Byte> text, Array<const std::int32_t> costs,
                                           Array<const std::int32_t> byte_ids, Array<std::int32_t> ids,
                                           Array<std::int64_t> starts, Array<std::int64_t> ends) {
    TokenOutput output{ids, starts, ends};
    if (items_of(costs).size() < matcher->n_tokens() || byte_ids.size < 256) return -1;
    if (!output.has_room(items_of(text).size())) return -1;
    Plamo2{*matcher, costs, byte_ids}.encode(text, output);
    return static_cast<std::int64_t>(output.count);
}
