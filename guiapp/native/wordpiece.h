// WordPiece (BERT and its family): the words of a text, and the longest tokens of each word.
#pragma once

#include <array>
#include <optional>

#include "lanes.h"
#include "normalized.h"
#include "token_tree.h"
#include "unicode.h"
#include "spaced_words.h"

namespace loupe {

// Two methods find the same tokens of a word: repeated longest match, and a single walk over the bytes with failure links (Song
// et al. 2021, https://aclanthology.org/2021.emnlp-main.160). Where the tree ends, the walk takes the tokens that are certain
// and continues at the node for the remaining bytes.
class WordPiece {
public:
    // The treatment of a character, as in core/text/normalizers.py.
    enum Action { skip, end_word, stand_alone, extend_word };

    // `actions` has the number to add to each code point, times 4, plus the action; the tree finds all `tokens`.
    WordPiece(CodeTable actions, Strings tokens, const TokenTree& tree, std::int32_t unknown, Watch& watch);

    std::int32_t unknown() const { return unknown_; }
    std::size_t length(std::int32_t token) const { return tree_.length(token); }

    // The next word from `at` on.
    Word next_word(Bytes text, std::size_t at) const;
    // Write the starts and ends of the next words, as many as fit; returns their number.
    std::size_t find_words(Bytes text, std::size_t at, std::span<std::int64_t> starts, std::span<std::int64_t> ends) const;

    // Append a word of the text as tokens spell it: U+2581 and its characters. Skipped characters belong to the previous one.
    template <class Output>
    void normalize(Bytes text, Word word, Output& words) const {
        words.append(space_symbol, word.start, word.start);
        for (auto at = word.start; at < word.end;) {
            const auto [code, size, action] = character(text, at);
            if (action != skip) words.append(target(code), at, at + size);
            else words.extend(at + size);
            at += size;
        }
    }

    // Append the tokens of a normalized word; false, with nothing appended, if one is missing.
    bool take_longest(Bytes word, std::vector<std::int32_t>& ids) const;
    bool take_linked(Bytes word, std::vector<std::int32_t>& ids) const;

    // The last offset up to `position` where a word ends whatever follows `position`, or 0.
    std::size_t break_before(Bytes text, std::size_t position) const;
    // The first offset from `position` on where a word ends whatever precedes `position`, or the end of the text.
    std::size_t break_after(Bytes text, std::size_t position) const;

private:
    struct Character {
        std::uint32_t code;
        std::size_t size;
        Action action;
    };
    // What to do at a row of the tree if the text does not continue there: take a list of tokens, and continue from `left`,
    // which is `absent` if no token fits. A list is a token or, from `n_tokens` on, two lists, which may be shared.
    struct Link {
        std::int32_t left = not_linked, taken = absent;
    };
    struct Pair {
        std::int32_t first, second, size;
    };
    static constexpr std::int32_t not_linked = -2;
    static constexpr std::size_t most_steps = 32;  // for each byte

    Character character(Bytes text, std::size_t at) const {
        if (text[at] < 0x80) return {text[at], 1, ascii_actions_[text[at]]};
        const auto [code, size] = decode(text, at);
        return {code, size, static_cast<Action>(actions_[code] & 3)};
    }
    // The replacement of a character.
    Encoded target(std::uint32_t code) const { return encode(code + static_cast<std::uint32_t>(actions_[code] >> 2)); }
    bool begins_apart(Bytes text, std::size_t at) const;
    bool is_end(Byte byte) const;
    std::size_t find_ascii_words(Bytes block, std::size_t at, std::span<std::int64_t> starts, std::span<std::int64_t> ends,
                                 std::size_t& count) const;
    Link link(std::int32_t row, std::int32_t parent, Byte byte);
    std::int32_t size_of(std::int32_t list) const { return list < n_tokens_ ? 1 : pairs_[pair_of(list)].size; }
    std::size_t pair_of(std::int32_t list) const { return static_cast<std::size_t>(list - n_tokens_); }
    void append(std::int32_t list, std::vector<std::int32_t>& ids) const;

    CodeTable actions_;
    std::array<Action, 128> ascii_actions_;
    std::array<Byte, 256> word_flags_{};  // of ASCII characters that are not skipped
    const TokenTree& tree_;
    std::int32_t n_tokens_, unknown_;
    std::vector<Link> links_;  // by row
    std::vector<Pair> pairs_;
};

}  // namespace loupe
