// Whole words: text between white space is looked up as a token, or else unknown.
#include "api.h"
#include "token_tree.h"
#include "tokens.h"

namespace loupe {

namespace {

constexpr Byte space = ' ';

bool is_space(Byte byte) { return byte == space || (byte >= '\t' && byte <= '\r'); }

// The token of a whole word, or `absent`.
std::int32_t find_word(const TokenTree& tree, Bytes word) {
    auto row = TokenTree::root;
    for (const auto byte : word)
        if (row = tree.child(row, byte); row == absent) return absent;
    return tree.token_at(row);
}

// A word that follows a space is looked up with that space first.
void encode_words(const TokenTree& tree, std::int32_t unknown, Bytes text, TokenOutput& output) {
    for (std::size_t end = 0;;) {
        auto start = end;
        while (start < text.size() && is_space(text[start])) ++start;
        if (start == text.size()) return;
        end = start + 1;
        while (end < text.size() && !is_space(text[end])) ++end;
        auto first = start - (start > 0 && text[start - 1] == space);
        auto token = find_word(tree, text.subspan(first, end - first));
        if (token == absent && first != start) {
            first = start;
            token = find_word(tree, text.subspan(start, end - start));
        }
        if (token == absent) token = unknown, first = start;
        if (token != absent) output.add(token, first, end);
    }
}

}  // namespace

}  // namespace loupe

using namespace loupe;

// Returns the number of tokens, at most one for every two bytes and one more. Unknown words become `unknown`, or nothing if it
// is -1.
LOUPE_API std::int64_t loupe_words_encode(const TokenTree* tree, Array<const Byte> text, std::int32_t unknown,
                                          Array<std::int32_t> ids, Array<std::int64_t> starts, Array<std::int64_t> ends) {
    TokenOutput output{ids, starts, ends};
    if (!output.has_room(items_of(text).size() / 2 + 1)) return -1;
    encode_words(*tree, unknown, text, output);
    return static_cast<std::int64_t>(output.count);
}
