#include "wordpiece.h"

#include <memory>

#include "tokens.h"

namespace loupe {

namespace {

bool ends(WordPiece::Action action) { return action == WordPiece::end_word || action == WordPiece::stand_alone; }

}  // namespace

// Level by level, because the link of a node depends on links at a lesser depth.
WordPiece::WordPiece(CodeTable actions, Strings tokens, const TokenTree& tree, std::int32_t unknown, Watch& watch)
    : actions_(actions),
      tree_(tree),
      n_tokens_(static_cast<std::int32_t>(tokens.size())),
      unknown_(unknown),
      links_(tree.n_rows()) {
    for (std::uint32_t code = 0; code < 128; ++code) {
        const auto action = ascii_actions_[code] = static_cast<Action>(actions_[code] & 3);
        word_flags_[code] = static_cast<Byte>(action == extend_word ? 1 : action == stand_alone ? 2 : action == end_word ? 4 : 0);
    }
    struct Walk {
        std::int32_t token, row;
    };
    std::vector<Walk> walks;
    for (std::int32_t token = 0; token < n_tokens_; ++token) walks.push_back({token, TokenTree::root});
    links_[TokenTree::root] = {absent, absent};
    for (std::size_t depth = 0; !walks.empty(); ++depth) {
        std::size_t n_left = 0;
        for (auto [token, parent] : walks) {
            const auto text = tokens[static_cast<std::size_t>(token)];
            if (watch.stops()) return;
            if (text.size() == depth) continue;
            const auto row = tree_.child(parent, text[depth]);
            if (row == absent) continue;
            if (links_[row].left == not_linked) links_[row] = link(row, parent, text[depth]);
            walks[n_left++] = {token, row};
        }
        walks.resize(n_left);
    }
    pairs_.shrink_to_fit();
}

// Follow links from the parent's link on until the last byte fits. Each pair shortens what is left by at least a byte, so there
// are at most as many pairs as the tokens have bytes.
WordPiece::Link WordPiece::link(std::int32_t row, std::int32_t parent, Byte byte) {
    if (const auto token = tree_.token_at(row); token != absent) return {TokenTree::root, token};
    auto [left, taken] = links_[parent];
    while (left != absent) {
        if (const auto following = tree_.child(left, byte); following != absent) return {following, taken};
        const auto more = links_[left];
        left = more.left;
        if (left == absent) break;
        pairs_.push_back({taken, more.taken, size_of(taken) + size_of(more.taken)});
        taken = n_tokens_ + static_cast<std::int32_t>(pairs_.size()) - 1;
    }
    return {absent, absent};
}

Word WordPiece::next_word(Bytes text, std::size_t at) const {
    auto start = at;
    auto action = skip;
    while (at < text.size() && action < stand_alone) {
        const auto first = character(text, start = at);
        action = first.action;
        at += first.size;
    }
    if (action < stand_alone) return {text.size(), text.size()};
    while (action == extend_word && at < text.size()) {
        if (at + 16 <= text.size()) at += count_letters(text.data() + at, 0x20);
        if (at == text.size()) break;
        const auto following = character(text, at);
        if (ends(following.action)) break;
        at += following.size;
    }
    return {start, at};
}

std::size_t WordPiece::find_words(Bytes text, std::size_t at, std::span<std::int64_t> starts, std::span<std::int64_t> ends) const {
    std::size_t count = 0;
    while (count < starts.size() && at < text.size()) {
        if (text[at] < 0x80 && text.size() - at >= 64 && starts.size() - count >= 64) {
            const auto end = find_ascii_words(text.subspan(at, 64), at, starts, ends, count);
            at += end;
            if (end > 0) continue;
        }
        const auto word = next_word(text, at);
        if (!word.exists()) break;
        starts[count] = static_cast<std::int64_t>(word.start);
        ends[count++] = static_cast<std::int64_t>(at = word.end);
    }
    return count;
}

// The same for 64 bytes if all are ASCII and none is skipped, without a branch that depends on where words end. Returns the
// number of bytes that are certain: a word at their end may continue.
std::size_t WordPiece::find_ascii_words(Bytes block, std::size_t at, std::span<std::int64_t> starts, std::span<std::int64_t> ends,
                                        std::size_t& count) const {
    const auto [extending, alone, between] = marks<3>(block, std::span<const Byte, 256>(word_flags_));
    if (~(extending | alone | between)) return 0;
    const auto n_open = static_cast<unsigned>(std::countl_one(extending));
    if (n_open == 64) return 0;
    const auto known = ~std::uint64_t{0} >> n_open, after_word = (extending | alone) << 1, after_alone = alone << 1;
    auto n_ends = count;
    write_offsets((alone | (extending & ~(extending << 1))) & known, at, starts, count);
    write_offsets((after_word & (~extending | after_alone)) & known, at, ends, n_ends);
    if (n_ends < count) ends[n_ends] = static_cast<std::int64_t>(at + 64 - n_open);
    return 64 - n_open;
}

bool WordPiece::take_longest(Bytes word, std::vector<std::int32_t>& ids) const {
    const auto first = ids.size();
    std::size_t n_steps = 0;
    for (std::size_t at = 0; at < word.size();) {
        auto row = TokenTree::root, found = absent;
        auto end = at, found_end = at;
        while (end < word.size() && (row = tree_.child(row, word[end])) != absent) {
            ++end;
            if (tree_.token_at(row) != absent) found = tree_.token_at(row), found_end = end;
        }
        n_steps += end - at;
        if (found == absent || n_steps > most_steps * word.size()) {  // too slow if tokens are as long as texts
            ids.resize(first);
            return found != absent && take_linked(word, ids);
        }
        ids.push_back(found);
        at = found_end;
    }
    return true;
}

bool WordPiece::take_linked(Bytes word, std::vector<std::int32_t>& ids) const {
    const auto first = ids.size();
    auto row = TokenTree::root;
    for (std::size_t at = 0; at < word.size() || row != TokenTree::root;) {
        const auto following = at < word.size() ? tree_.child(row, word[at]) : absent;
        if (following != absent) {
            row = following;
            ++at;
            continue;
        }
        const auto [left, taken] = links_[row];
        if (left == absent) {
            ids.resize(first);
            return false;
        }
        append(taken, ids);
        row = left;
    }
    return true;
}

// A list that is not expanded yet is stored at the position of its first token.
void WordPiece::append(std::int32_t list, std::vector<std::int32_t>& ids) const {
    auto at = ids.size();
    ids.resize(at + static_cast<std::size_t>(size_of(list)));
    for (ids[at] = list; at < ids.size(); ++at) {
        while (ids[at] >= n_tokens_) {
            const auto& pair = pairs_[pair_of(ids[at])];
            ids[at] = pair.first;
            ids[at + static_cast<std::size_t>(size_of(pair.first))] = pair.second;
        }
    }
}

// Whether a byte is a character after which no word continues.
bool WordPiece::is_end(Byte byte) const { return byte < 0x80 && ends(ascii_actions_[byte]); }

// Whether a character begins at `at` that does not belong to the previous word.
bool WordPiece::begins_apart(Bytes text, std::size_t at) const {
    return !is_continuation(text[at]) && ends(character(text, at).action);
}

std::size_t WordPiece::break_before(Bytes text, std::size_t position) const {
    const auto seen = text.first(position);
    for (auto at = position; at > 0; --at)
        if (is_end(seen[at - 1]) || (at < position && begins_apart(seen, at))) return at;
    return 0;
}

std::size_t WordPiece::break_after(Bytes text, std::size_t position) const {
    for (auto at = position; at < text.size(); ++at)
        if (begins_apart(text, at) || (at > position && is_end(text[at - 1]))) return at;
    return text.size();
}

}  // namespace loupe

using namespace loupe;

// NULL if the sizes of the parts do not match. The tree and the arrays must outlive the result.
LOUPE_API WordPiece* loupe_wordpiece_new(const CodeTable* actions, Array<const Byte> data, Array<const std::int64_t> offsets,
                                         const TokenTree* tree, std::int32_t unknown, MayGoOn may_go_on) {
    const Strings tokens{data, offsets};
    const auto fits = actions->is_sound() && are_sound(tokens) && tokens.size() == tree->n_tokens();
    if (!fits) return nullptr;
    Watch watch(may_go_on);
    return unless_stopped(std::make_unique<WordPiece>(*actions, tokens, *tree, unknown, watch), watch);
}

LOUPE_API void loupe_wordpiece_free(WordPiece* model) { delete model; }

// The concatenated words of a text. Writes their ends, at most one a byte, and their number.
LOUPE_API NormalizedText* loupe_wordpiece_words(const WordPiece* model, Array<const Byte> text, Array<std::int64_t> ends,
                                                Array<std::int64_t> count) {
    if (ends.size < text.size || count.size < 1) return nullptr;
    auto words = std::make_unique<NormalizedText>();
    words->reserve(items_of(text).size() * 2);
    *count.data = 0;
    for (auto word = model->next_word(text, 0); word.exists(); word = model->next_word(text, word.end)) {
        model->normalize(text, word, *words);
        ends.data[(*count.data)++] = static_cast<std::int64_t>(words->size());
    }
    return words.release();
}

// Write the tokens of all words and their spans, at most one a byte; returns their number.
LOUPE_API std::int64_t loupe_wordpiece_encode(const WordPiece* model, Array<const Byte> data, Array<const std::int64_t> word_ends,
                                              bool is_linked, Array<std::int32_t> ids, Array<std::int64_t> starts,
                                              Array<std::int64_t> ends) {
    const Bytes bytes = data;
    TokenOutput output{ids, starts, ends};
    if (!output.has_room(bytes.size())) return -1;
    std::vector<std::int32_t> taken;
    std::size_t start = 0;
    for (const auto offset : items_of(word_ends)) {
        const auto word_end = static_cast<std::size_t>(offset);
        if (word_end < start || word_end > bytes.size()) return -1;
        const auto word = bytes.subspan(start, word_end - start);
        taken.clear();
        const auto is_known = is_linked ? model->take_linked(word, taken) : model->take_longest(word, taken);
        if (!is_known) output.add(model->unknown(), start, word_end);
        for (const auto token : taken) {
            output.add(token, start, start + model->length(token));
            start += model->length(token);
        }
        start = word_end;
    }
    return static_cast<std::int64_t>(output.count);
}

// The nearest offset, before `position` or from there on, where a word ends whatever the text beyond `position` is.
LOUPE_API std::int64_t loupe_wordpiece_break(const WordPiece* model, Array<const Byte> text, std::int64_t position, bool is_before) {
    if (position < 0 || position > text.size) return -1;
    const auto place = static_cast<std::size_t>(position);
    return static_cast<std::int64_t>(is_before ? model->break_before(text, place) : model->break_after(text, place));
}
