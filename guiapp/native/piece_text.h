// What SentencePiece makes of a text before it looks for pieces; readable twin: core/text/piece_text.py.
#pragma once

#include "charsmap.h"
#include "normalized.h"
#include "settled_text.h"
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
    static constexpr std::size_t most_bytes = std::size_t{1} << 28;  // of a text that changed

    Charsmap charsmap;
    const TokenTree* user_defined;         // as they stand in a text
    const TokenTree* spelled_user_defined;  // as they stand in what became of one
    SettledText settled;
    Spaces spaces;
    bool adds_space, adds_at_end, removes_spaces;
    bool keeps_space;  // whether one is one wherever it stands

    // Whether nothing changes in a text but for the space that is put around it, and each byte stands for itself, which is not so in
    // user-defined pieces of several characters; may say no where that holds.
    enum class Change : std::int64_t { some, of_places, none };
    Change change_in(Bytes text) const;

    // Append what a text becomes, which `begins` a document or goes on behind something that is no space, and where it comes from if
    // that is asked for; false where it is too long.
    template <bool has_places>
    bool normalize(Bytes text, bool begins, NormalizedText& output) const;

    // Write where each user-defined piece of such a text begins and ends: the longest one at each place where one can begin, from
    // left to right; how many numbers these are.
    std::size_t find_user_defined(Bytes text, std::span<std::int64_t> places) const;

private:
    struct Stretch {
        Bytes made;  // what it becomes
        std::size_t size;
    };

    Stretch next(Bytes text, std::size_t at) const;
    Bytes space() const;
    template <bool has_places>
    void add(Bytes made, std::size_t start, std::size_t end, NormalizedText& output) const;
    void drop_last_spaces(NormalizedText& output) const;
};

}  // namespace loupe
