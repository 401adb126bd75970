#include "piece_text.h"

#include "api.h"
#include "utf8.h"

namespace loupe {

namespace {

constexpr std::array<Byte, 3> replacement_character{0xEF, 0xBF, 0xBD};
constexpr std::array<Byte, 1> plain_space{' '};

bool begins_with(Bytes text, std::size_t at, Bytes what) {
    return text.size() - at >= what.size() && std::ranges::equal(text.subspan(at, what.size()), what);
}

bool is_surrogate(std::uint32_t code) { return code >= 0xD800 && code < 0xE000; }

// The length of the valid character at an offset, or 0.
std::size_t valid_length(Bytes text, std::size_t at) {
    const auto [code, size] = decode(text, at);
    if (size == 1) return text[at] < 0x80;
    return size == encoded_length(code) && !is_surrogate(code) ? size : 0;
}

// The length of the longest token at an offset, or 0.
std::size_t match_length(const TokenTree& tokens, Bytes text, std::size_t at) {
    const auto token = tokens.longest_match(text, at, text.size());
    return token == absent ? 0 : tokens.length(token);
}

}  // namespace

PieceText::Replacement PieceText::next(Bytes text, std::size_t at) const {
    if (text[at] == ' ' && keeps_space) return {plain_space, 1};
    if (stable.kinds[text[at]] == StableText::in_user_defined)
        if (const auto size = match_length(*user_defined, text, at)) return {text.subspan(at, size), size};
    if (const auto match = charsmap.longest(text, at); match.length > 0) return {charsmap.replacement(match), match.length};
    if (const auto size = valid_length(text, at)) return {text.subspan(at, size), size};
    return {replacement_character, 1};
}

Bytes PieceText::space() const { return spaces == Spaces::marked ? Bytes(space_symbol) : Bytes(plain_space); }

PieceText::Change PieceText::change_in(Bytes text) const {
    if (spaces == Spaces::marked || (spaces == Spaces::compact && holds_space_symbol(text))) return Change::some;
    if (charsmap.units.empty() && !removes_spaces && user_defined->n_tokens() == 0) return is_valid(text) ? Change::none : Change::some;
    bool was_space = removes_spaces;
    auto change = Change::none;
    for (std::size_t at = 0; at < text.size();) {
        if (const auto stop = stable.end(text, at); stop > at) {
            was_space = false, at = stop;
            continue;
        }
        const auto [made, size] = next(text, at);
        if (!std::ranges::equal(made, text.subspan(at, size)) || (was_space && made[0] == ' ')) return Change::some;
        if (last_character(made) > 0) change = Change::of_origins;
        was_space = removes_spaces && made.back() == ' ';
        at += size;
    }
    return was_space && !text.empty() ? Change::some : change;
}

// Append the replacement of text[start:end], with spaces as spelled by pieces.
template <bool has_origins>
void PieceText::add(Bytes made, std::size_t start, std::size_t end, NormalizedText& output) const {
    for (std::size_t at = 0; at < made.size();) {
        const bool is_mark = spaces == Spaces::compact && begins_with(made, at, space_symbol);
        const auto written = is_mark || made[at] == ' ' ? space() : made.subspan(at, 1);
        output.data.insert(output.data.end(), written.begin(), written.end());
        at += is_mark ? space_symbol.size() : 1;
    }
    if (!has_origins || made.empty()) return;
    for (auto at = start; output.starts.size() < output.data.size();) {
        output.starts.push_back(static_cast<std::int64_t>(at));
        at = std::min(at + 1, end);
        output.ends.push_back(static_cast<std::int64_t>(at));
    }
    output.ends.back() = static_cast<std::int64_t>(end);
}

void PieceText::drop_last_spaces(NormalizedText& output) const {
    const auto size = space().size();
    while (output.size() >= size && begins_with(output.data, output.size() - size, space())) {
        output.data.resize(output.size() - size);
        if (!output.starts.empty()) output.starts.resize(output.size()), output.ends.resize(output.size());
    }
}

// The origin of dropped text is added to the previous character, except for spaces at both ends of the text. As in
// SentencePiece, if a character becomes several, the first one has the whole origin; of a user-defined piece, the last
// character has it. The others have an empty origin.
template <bool has_origins>
bool PieceText::normalize(Bytes text, bool begins, NormalizedText& output) const {
    std::size_t at = 0;
    while (begins && removes_spaces && at < text.size()) {
        const auto [made, size] = next(text, at);
        if (!std::ranges::equal(made, plain_space)) break;
        at += size;
    }
    if (at == text.size()) return true;
    if (begins && adds_space && !adds_at_end) add<has_origins>(plain_space, at, at, output);
    bool was_space = begins && removes_spaces;
    while (at < text.size()) {
        if (output.size() > most_bytes) return false;
        if (const auto stop = stable.end(text, at); stop > at) {
            const auto same = text.subspan(at, stop - at);
            if constexpr (has_origins) output.keep(same, at);
            else output.data.insert(output.data.end(), same.begin(), same.end());
            was_space = false, at = stop;
            continue;
        }
        auto [made, size] = next(text, at);
        while (was_space && !made.empty() && made[0] == ' ') made = made.subspan(1);
        if (!made.empty()) {
            const bool is_unchanged = std::ranges::equal(made, text.subspan(at, size));
            const auto cut = is_unchanged ? last_character(made) : first_character(made);
            add<has_origins>(made.first(cut), at, is_unchanged ? at : at + size, output);
            add<has_origins>(made.subspan(cut), is_unchanged ? at : at + size, at + size, output);
            was_space = removes_spaces && made.back() == ' ';
        } else if (has_origins && output.size() > 0) {
            output.ends.back() = static_cast<std::int64_t>(at + size);
        }
        at += size;
    }
    const auto first = output.starts.empty() ? text.size() : static_cast<std::size_t>(output.starts.front());
    if (removes_spaces) drop_last_spaces(output);
    if (adds_space && adds_at_end) {
        const auto end = output.ends.empty() ? first : static_cast<std::size_t>(output.ends.back());
        add<has_origins>(plain_space, end, end, output);
    }
    return output.size() <= most_bytes;
}

template bool PieceText::normalize<false>(Bytes text, bool begins, NormalizedText& output) const;

// Text and pieces are valid, so the first byte of a piece always begins a character.
std::size_t PieceText::find_user_defined(Bytes text, std::span<std::int64_t> places) const {
    std::array<bool, 256> begins;
    std::size_t n_begins = 0;
    Byte last = 0;
    for (unsigned byte = 0; byte < 256; ++byte) {
        begins[byte] = spelled_user_defined->child(TokenTree::root, static_cast<Byte>(byte)) != absent;
        if (begins[byte]) ++n_begins, last = static_cast<Byte>(byte);
    }
    std::size_t count = 0;
    for (std::size_t at = 0;;) {
        if (n_begins == 1) at += find_byte(text.subspan(at), last);
        else
            while (at < text.size() && !begins[text[at]]) ++at;
        if (at == text.size()) return count;
        const auto size = match_length(*spelled_user_defined, text, at);
        for (const auto place : {at, at + size}) {
            if (size == 0) break;
            if (count < places.size()) places[count] = static_cast<std::int64_t>(place);
            ++count;
        }
        at += std::max<std::size_t>(size, 1);
    }
}

}  // namespace loupe

using namespace loupe;

struct PieceTextParts {
    Array<const std::uint32_t> units;
    Array<const Byte> replacements, kinds;
    Array<const bool> is_settled;
    const TokenTree *user_defined, *spelled_user_defined;
    std::int32_t spaces;
    bool adds_space, adds_at_end, removes_spaces, keeps_space;
};

// NULL if the sizes of the parts do not match. Trees and arrays must outlive the result.
LOUPE_API PieceText* loupe_piece_text_new(const PieceTextParts* parts) {
    if (parts->kinds.size != 256 || parts->is_settled.size != 1 << 16) return nullptr;
    return new PieceText{
        .charsmap = {parts->units, parts->replacements},
        .user_defined = parts->user_defined,
        .spelled_user_defined = parts->spelled_user_defined,
        .stable = {parts->kinds, parts->is_settled},
        .spaces = static_cast<Spaces>(parts->spaces),
        .adds_space = parts->adds_space,
        .adds_at_end = parts->adds_at_end,
        .removes_spaces = parts->removes_spaces,
        .keeps_space = parts->keeps_space,
    };
}

LOUPE_API void loupe_piece_text_free(PieceText* text) { delete text; }

LOUPE_API std::int64_t loupe_piece_text_leaves_alone(const PieceText* piece_text, Array<const Byte> text) {
    return static_cast<std::int64_t>(piece_text->change_in(text));
}

// NULL if the text becomes too long.
LOUPE_API NormalizedText* loupe_piece_text_normalize(const PieceText* piece_text, Array<const Byte> text, bool begins) {
    auto normalized = std::make_unique<NormalizedText>();
    normalized->reserve(items_of(text).size() + items_of(text).size() / 2 + 64);
    return piece_text->normalize<true>(text, begins, *normalized) ? normalized.release() : nullptr;
}

LOUPE_API std::int64_t loupe_piece_text_user_defined(const PieceText* piece_text, Array<const Byte> text, Array<std::int64_t> places) {
    return static_cast<std::int64_t>(piece_text->find_user_defined(text, places));
}
