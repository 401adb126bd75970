#include "unigram.h"

#include <cmath>
#include <limits>

#include "tokens.h"
#include "utf8.h"

namespace loupe {

namespace {

constexpr std::array<Byte, 3> replacement_character{0xEF, 0xBF, 0xBD};
constexpr double least = -std::numeric_limits<double>::max();
constexpr double largest_score = 1e30;  // with larger scores, sums may be NaN

// The length of the character at an offset, whatever its value; 0 if it is not complete.
std::size_t character_length(Bytes text, std::size_t at) {
    const auto size = announced_length(text[at]);
    if (size == 1) return text[at] < 0x80;
    if (text[at] >= 0xF8 || text.size() - at < size) return 0;
    return std::ranges::all_of(text.subspan(at + 1, size - 1), is_continuation) ? size : 0;
}

struct Counter {
    std::size_t most, size = 0;
    bool is_full() const { return size > most; }
    void append(Bytes output, std::size_t, std::size_t) { size += output.size(); }
};

}  // namespace

UnigramNormalizer::Replacement UnigramNormalizer::next(Bytes text, std::size_t at) const {
    if (stable.kinds[text[at]] == StableText::in_user_defined)
        if (const auto size = user_defined_length(text, at)) return {text.subspan(at, size), size};
    if (const auto match = charsmap.longest(text, at); match.length > 0) return {charsmap.replacement(match), match.length};
    if (const auto size = character_length(text, at)) return {text.subspan(at, size), size};
    return {replacement_character, 1};
}

// The length of the longest prefix of a user-defined token at an offset, even if the rest does not follow.
std::size_t UnigramNormalizer::user_defined_length(Bytes text, std::size_t at) const {
    auto end = at;
    for (auto row = TokenTree::root; end < text.size(); ++end)
        if ((row = user_defined->child(row, text[end])) == absent) break;
    return end - at;
}

// Reads 64 bytes at a time, without a branch that depends on where words end.
std::size_t Unigram::find_words(Bytes text, std::size_t at, std::span<std::int64_t> starts, std::span<std::int64_t> ends) const {
    std::size_t n_starts = 0, n_ends = 0;
    for (std::uint64_t is_first = 1, was_cut = 1; at < text.size() && n_starts + 64 <= starts.size(); at += 64, is_first = 0) {
        const auto block = text.subspan(at, std::min<std::size_t>(64, text.size() - at));
        const auto there = ~std::uint64_t{0} >> (64 - block.size());
        const auto cut = marks<1>(block, is_cut.first<256>())[0] & there, after_cut = cut << 1 | was_cut;
        write_offsets(normalizer.removes_spaces ? ~cut & after_cut & there : cut | is_first, at, starts, n_starts);
        write_offsets(normalizer.removes_spaces ? cut & ~after_cut : cut & ~is_first, at, ends, n_ends);
        was_cut = cut >> 63;
    }
    if (at >= text.size() && n_ends < n_starts) ends[n_ends++] = static_cast<std::int64_t>(text.size());
    return n_ends;
}

bool Unigram::makes_more_than(std::size_t most, Bytes text) const {
    if (text.size() <= most / most_made) return false;
    Counter counter{most};
    UnigramNormalizer::State state;
    normalizer.normalize(text, state, counter);
    return counter.is_full();
}

// If no token crosses an offset, all segmentations pass through it, so the best one up to there is final. This requires a
// segmentation up to each character; otherwise, unreached text counts as one unknown token from the beginning.
void Lattice::segment(const Unigram& model, Bytes text, double& score, std::vector<Token>& tokens) {
    const auto first = tokens.size();
    unknown_ = model.unknown;
    is_single_ = model.is_single;
    if (model.matcher) {
        longest_.resize(text.size());
        model.matcher->find_longest(text, longest_);
    }
    if (candidates_.empty()) candidates_.resize(256);
    begin_ = end_ = 0;
    candidates_[0] = {score, 0, unknown_};
    for (std::size_t at = 0; at < text.size();) {
        if (at == end_ && model.is_bounded) follow_back(tokens, first);
        if (is_single_) restart(at);
        const auto character_end = std::min(text.size(), at + announced_length(text[at]));
        open(character_end);
        const auto is_known =
            model.matcher ? visit_matches(model, at, character_end) : walk(model, text, at, character_end);
        const auto score_here = candidates_[at - begin_].score;
        if (!is_known) reach(character_end, {score_here + model.unknown_score, static_cast<std::uint32_t>(at), unknown_});
        at = character_end;
    }
    follow_back(tokens, first);
    score = candidates_[0].score;
}

// Try all tokens that start at an offset; returns whether the character there is a token.
bool Lattice::walk(const Unigram& model, Bytes text, std::size_t at, std::size_t character_end) {
    const auto score_here = candidates_[at - begin_].score;
    bool is_known = false;
    auto row = TokenTree::root;
    for (auto end = at; end < text.size();) {
        row = model.tree->child(row, text[end++]);
        if (row == absent) break;
        const auto token = model.tree->token_at(row);
        if (token == absent) continue;
        is_known |= end == character_end;
        reach(end, {score_here + model.scores[static_cast<std::size_t>(token)], static_cast<std::uint32_t>(at), token});
    }
    return is_known;
}

bool Lattice::visit_matches(const Unigram& model, std::size_t at, std::size_t character_end) {
    const auto score_here = candidates_[at - begin_].score;
    bool is_known = false;
    for (auto token = longest_[at]; token != absent; token = model.matcher->shorter(token)) {
        const auto end = at + model.matcher->length(token);
        is_known |= end == character_end;
        reach(end, {score_here + model.scores[static_cast<std::size_t>(token)], static_cast<std::uint32_t>(at), token});
    }
    return is_known;
}

// If the best sum at an offset is too far from 0, subtract it from the sums at this and all later offsets reached so far.
void Lattice::restart(std::size_t at) {
    const auto offset = candidates_[at - begin_].score;
    if (std::abs(offset) <= Unigram::farthest_sum) return;
    for (auto place = at; place <= end_; ++place)
        if (auto& score = candidates_[place - begin_].score; score != least) score = static_cast<float>(score - offset);
}

void Lattice::reach(std::size_t end, Candidate candidate) {
    if (is_single_) candidate.score = static_cast<float>(candidate.score);
    open(end);
    auto& best = candidates_[end - begin_];
    if (candidate.score > best.score) best = candidate;
}

// Open the offsets up to `end`, with no segmentation yet.
void Lattice::open(std::size_t end) {
    if (end - begin_ >= candidates_.size()) candidates_.resize(2 * (end - begin_));
    while (end_ < end) candidates_[++end_ - begin_] = {least, static_cast<std::uint32_t>(begin_), unknown_};
}

// Append the tokens of the best segmentation up to end_, where the lattice begins from then on. Neighbouring unknown tokens,
// from `first` on, are joined.
void Lattice::follow_back(std::vector<Token>& tokens, std::size_t first) {
    const auto n_before = tokens.size();
    for (auto end = static_cast<std::uint32_t>(end_); end > begin_;) {
        const auto& candidate = candidates_[end - begin_];
        tokens.push_back({candidate.token, candidate.origin, end});
        end = candidate.origin;
    }
    std::ranges::reverse(tokens.begin() + static_cast<std::ptrdiff_t>(n_before), tokens.end());
    auto n_joined = n_before;
    for (auto at = n_before; at < tokens.size(); ++at) {
        if (n_joined > first && tokens[at].id == unknown_ && tokens[n_joined - 1].id == unknown_)
            tokens[n_joined - 1].end = tokens[at].end;
        else
            tokens[n_joined++] = tokens[at];
    }
    tokens.resize(n_joined);
    candidates_[0].score = candidates_[end_ - begin_].score;
    begin_ = end_;
}

}  // namespace loupe

using namespace loupe;

struct UnigramParts {
    Array<const Byte> token_data;
    Array<const std::int64_t> token_offsets;
    Array<const std::int32_t> token_ids;  // those that text can become
    Array<const std::uint32_t> units;
    Array<const Byte> replacements, kinds;
    Array<const bool> is_settled, is_cut;
    Array<const double> scores;
    const TokenTree *user_defined, *tree;
    const TokenMatcher* matcher;
    std::uint64_t secret;
    double unknown_score;
    std::int32_t unknown;
    bool add_space_prefix, removes_spaces, is_single;
};

namespace {

// No token crosses a cut between two characters that are neighbours in no token. So the best segmentation of a text consists of
// the best ones of both sides, and after the cut, all sums differ by the same amount.
PairCuts cuts_between(const Strings& tokens, const UnigramParts& parts, Watch& watch) {
    bool splits_characters = false;
    std::size_t size = 0;
    for (const auto id : items_of(parts.token_ids)) {
        const auto token = tokens[static_cast<std::size_t>(id)];
        splits_characters |= plain_prefix(token) < token.size();
        size += token.size();
    }
    PairCuts cuts(size, splits_characters, false, parts.secret);
    for (const auto id : items_of(parts.token_ids)) {
        if (watch.stops(16 * (tokens[static_cast<std::size_t>(id)].size() + 1))) break;
        cuts.note(tokens[static_cast<std::size_t>(id)]);
    }
    return cuts;
}

}  // namespace

// NULL if the sizes of the parts do not match. Trees, matcher and arrays must outlive the result.
LOUPE_API Unigram* loupe_unigram_new(const UnigramParts* parts, MayGoOn may_go_on) {
    const Strings tokens{parts->token_data, parts->token_offsets};
    const auto n_tokens = static_cast<std::size_t>(parts->scores.size);
    if (parts->kinds.size != 256 || parts->is_cut.size != 256 || parts->is_settled.size != 1 << 16) return nullptr;
    if (!are_sound(tokens) || tokens.size() != n_tokens || parts->tree->n_tokens() != n_tokens) return nullptr;
    if (parts->matcher && parts->matcher->n_tokens() != n_tokens) return nullptr;
    for (const auto id : items_of(parts->token_ids))
        if (id < 0 || static_cast<std::size_t>(id) >= n_tokens) return nullptr;
    std::size_t longest = 1, size = 0;
    for (const auto byte : items_of(parts->replacements)) longest = std::max(longest, size = byte ? size + 1 : 0);
    bool is_bounded = std::abs(parts->unknown_score) < largest_score;
    for (const auto score : items_of(parts->scores)) is_bounded &= std::abs(score) < largest_score;
    Watch watch(may_go_on);
    auto model = std::unique_ptr<Unigram>(new Unigram{
        .normalizer = {.charsmap = {parts->units, parts->replacements},
                       .user_defined = parts->user_defined,
                       .stable = {parts->kinds, parts->is_settled},
                       .add_space_prefix = parts->add_space_prefix,
                       .removes_spaces = parts->removes_spaces},
        .most_made = std::max(space_symbol.size() * (longest + 1), 2 * space_symbol.size()),
        .is_cut = parts->is_cut,
        .tree = parts->tree,
        .matcher = parts->matcher,
        .scores = parts->scores,
        .unknown_score = parts->unknown_score,
        .unknown = parts->unknown,
        .is_bounded = is_bounded,
        .is_single = parts->is_single,
        .cuts = cuts_between(tokens, *parts, watch),
    });
    return unless_stopped(std::move(model), watch);
}

LOUPE_API void loupe_unigram_free(Unigram* model) { delete model; }

// NULL if the text becomes too long.
LOUPE_API NormalizedText* loupe_unigram_normalize(const Unigram* model, Array<const Byte> text) {
    if (model->makes_more_than(Unigram::most_bytes, text)) return nullptr;
    auto* normalized = new NormalizedText;
    normalized->reserve(items_of(text).size() + 64);
    UnigramNormalizer::State state;
    model->normalizer.normalize(items_of(text), state, *normalized);
    return normalized;
}

LOUPE_API std::int64_t loupe_unigram_explodes(const Unigram* model, Array<const Byte> text) { return model->explodes(text); }

// Write the tokens of a normalized text and their spans, at most one a byte; returns their number. Updates `score`, the sum of
// scores before the text, to the sum after it.
LOUPE_API std::int64_t loupe_unigram_segment(const Unigram* model, Array<const Byte> text, Array<double> score,
                                             Array<std::int32_t> ids, Array<std::int64_t> starts, Array<std::int64_t> ends) {
    TokenOutput output{ids, starts, ends};
    if (score.size < 1 || !output.has_room(items_of(text).size()) || items_of(text).size() > Unigram::most_bytes) return -1;
    std::vector<Lattice::Token> tokens;
    Lattice().segment(*model, text, *score.data, tokens);
    for (const auto& token : tokens) output.add(token.id, token.start, token.end);
    return static_cast<std::int64_t>(output.count);
}

namespace {

// The token that is the whole text, or `absent`.
std::int32_t whole_token(const TokenTree& tree, Bytes text) {
    auto row = TokenTree::root;
    for (const auto byte : text)
        if ((row = tree.child(row, byte)) == absent) return absent;
    return tree.token_at(row);
}

}  // namespace

// The same for adjacent pieces, each encoded on its own. Unknown text becomes the token with the same text, if any, or else the
// tokens of its bytes, if each has one.
LOUPE_API std::int64_t loupe_unigram_segment_each(const Unigram* model, Array<const Byte> text, Array<const std::int64_t> piece_ends,
                                                  Array<const std::int32_t> byte_ids, Array<std::int32_t> ids,
                                                  Array<std::int64_t> starts, Array<std::int64_t> ends) {
    const Bytes bytes = text;
    const auto of_bytes = items_of(byte_ids);
    TokenOutput output{ids, starts, ends};
    if (of_bytes.size() != 256 || !output.has_room(bytes.size()) || bytes.size() > Unigram::most_bytes) return -1;
    Lattice lattice;
    std::vector<Lattice::Token> tokens;
    std::size_t start = 0;
    for (const auto offset : items_of(piece_ends)) {
        const auto end = static_cast<std::size_t>(offset);
        if (end < start || end > bytes.size()) return -1;
        const auto piece = bytes.subspan(start, end - start);
        double score = 0;
        tokens.clear();
        lattice.segment(*model, piece, score, tokens);
        for (const auto& token : tokens) {
            const auto part = piece.subspan(token.start, token.end - token.start);
            const auto is_unknown = token.id == model->unknown;
            const auto whole = is_unknown ? whole_token(*model->tree, part) : token.id;
            if (is_unknown && whole == absent && std::ranges::all_of(part, [&](Byte byte) { return of_bytes[byte] >= 0; }))
                for (auto at = start + token.start; at < start + token.end; ++at) output.add(of_bytes[bytes[at]], at, at + 1);
            else
                output.add(whole == absent ? model->unknown : whole, start + token.start, start + token.end);
        }
        start = end;
    }
    return static_cast<std::int64_t>(output.count);
}
