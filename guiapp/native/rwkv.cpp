// RWKV World: the longest token at the start of the remaining text, repeatedly.
#include <algorithm>

#include "api.h"
#include "special_tokens.h"
#include "tokens.h"

namespace loupe {

namespace {

constexpr std::size_t least_chunk = 1 << 16;

// Block by block: tokens that start in a block depend on at most the longest token's length after it.
void encode_rwkv(const TokenMatcher& matcher, Bytes text, std::size_t at, std::int32_t unknown, std::vector<std::int32_t>& found,
                 TokenOutput& output) {
    const auto longest = matcher.longest(), chunk = std::max(longest, least_chunk);
    while (at < text.size()) {
        const auto first = at, end = std::min(text.size(), first + chunk);
        const auto seen = text.subspan(first, std::min(text.size() - first, chunk + longest));
        found.resize(std::max(found.size(), seen.size()));
        matcher.find_longest(seen, found);
        while (at < end) {
            const auto token = found[at - first];
            const auto length = token == absent ? 1 : matcher.length(token);
            output.add(token == absent ? unknown : token, at, at + length);
            at += length;
        }
    }
}

}  // namespace

}  // namespace loupe

using namespace loupe;

// Returns the number of tokens of a text, also special ones, at most one a byte; `unknown` stands for bytes that begin no
// token.
LOUPE_API std::int64_t loupe_rwkv_encode(const TokenMatcher* matcher, const TextOptions* options, Array<const Byte> text,
                                         std::int32_t unknown, Array<std::int32_t> ids, Array<std::int64_t> starts,
                                         Array<std::int64_t> ends) {
    TokenOutput output{ids, starts, ends};
    if (!output.has_room(items_of(text).size())) return -1;
    std::vector<Part> parts;
    std::vector<std::int32_t> found;
    options->partition(text, parts);
    for (const auto& [raw_start, raw_end, token, start, end] : parts) {
        encode_rwkv(*matcher, items_of(text).first(static_cast<std::size_t>(raw_end)), static_cast<std::size_t>(raw_start), unknown, found, output);
        if (token != absent) output.add(static_cast<std::int32_t>(token), static_cast<std::size_t>(start), static_cast<std::size_t>(end));
    }
    return static_cast<std::int64_t>(output.count);
}
