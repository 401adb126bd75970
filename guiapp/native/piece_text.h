// SentencePiece's normalization of a text; reference implementation: core/text/piece_text.py.
#pragma once

#include "charsmap.h"
#include "normalized.h"
#include "stable_text.h"
#include "spaced_words.h"
#include "token_tree.h"

namespace loupe {

enum class Spaces : std::int32_t {
    as_they_are,
    marked,   // U+2581
    compact,  // one byte for each U+2581, whether it was typed or stands for a space
};

class PieceText {
public:
    static constexpr std::size_t most_bytes = std::size_t{1} << 28;  // of a normalized text

    Charsmap charsmap;
    const TokenTree* user_defined;         // as written in a text
    const TokenTree* spelled_user_defined;  // as spelled in a normalized text
    StableText stable;
    Spaces spaces;
    bool adds_space, adds_at_end, removes_spaces;
    bool keeps_space;  // whether every space remains a space

    // What normalization changes. `none`: only the added space, and each byte is its own origin; `of_origins`: only origins,
    // because of user-defined pieces of several characters. May report more than changes.
    enum class Change : std::int64_t { some, of_origins, none };
    Change change_in(Bytes text) const;

    // Append a normalized text, and its origins if `has_origins`; `begins`: at the start of a document, else after text that
    // does not end in a space. False if it becomes too long.
    template <bool has_origins>
    bool normalize(Bytes text, bool begins, NormalizedText& output) const;

    // Write the start and end of each user-defined piece in a normalized text: from left to right, the longest one at each
    // offset. Returns the count of these numbers.
    std::size_t find_user_defined(Bytes text, std::span<std::int64_t> places) const;

private:
    struct Replacement {
        Bytes made;  // the replacement
        std::size_t size;
    };

    Replacement next(Bytes text, std::size_t at) const;
    Bytes space() const;
    template <bool has_origins>
    void add(Bytes made, std::size_t start, std::size_t end, NormalizedText& output) const;
    void drop_last_spaces(NormalizedText& output) const;
};

}  // namespace loupe
