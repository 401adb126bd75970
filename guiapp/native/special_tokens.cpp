#include "special_tokens.h"

#include <algorithm>
#include <memory>
#include <numeric>

#include "api.h"
#include "lanes.h"
#include "utf8.h"

namespace loupe {

namespace {

bool is_space(Byte byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

std::int64_t wide(std::size_t offset) { return static_cast<std::int64_t>(offset); }

Part part(std::size_t raw_start, std::size_t raw_end, std::int32_t id, std::size_t start, std::size_t end) {
    return {wide(raw_start), wide(raw_end), id, wide(start), wide(end)};
}

std::vector<std::int32_t> all_rows(const Strings& strings) {
    std::vector<std::int32_t> rows(strings.size());
    std::iota(rows.begin(), rows.end(), 0);
    return rows;
}

// Decides between overlapping matches in text[start:end]. Each match first tries its longest token; if that is blocked, it
// tries the next shorter one when it is this token's turn.
class Claims {
public:
    Claims(const SpecialTokens& tokens, Bytes text, std::size_t start, std::size_t end, std::span<const SpecialTokens::Match> matches)
        : tokens_(tokens), text_(text), start_(start), state_(end - start, free_byte), matches_(matches.begin(), matches.end()) {
        std::vector<Turn> turns;
        for (std::size_t match = 0; match < matches_.size(); ++match) turns.push_back({matches_[match].token, match});
        std::make_heap(turns.begin(), turns.end());
        while (!turns.empty()) {
            std::pop_heap(turns.begin(), turns.end());
            const auto turn = turns.back();
            turns.pop_back();
            if (const auto shorter = claim(matches_[turn.match], turn.token); shorter != absent) {
                turns.push_back({shorter, turn.match});
                std::push_heap(turns.begin(), turns.end());
            }
        }
    }

    // The matches with the tokens that they won, or `absent`.
    std::span<const SpecialTokens::Match> matches() const { return matches_; }
    bool is_dropped(std::size_t at) const { return start_ <= at && at < start_ + state_.size() && state_[at - start_] == dropped; }

private:
    enum State : Byte { free_byte, taken, dropped };

    struct Turn {
        std::int32_t token;
        std::size_t match;

        // The token that is last in the list goes first, and of its matches the first.
        bool operator<(const Turn& other) const { return token != other.token ? token < other.token : match > other.match; }
    };

    // Returns the token that the match tries next, or `absent`.
    std::int32_t claim(SpecialTokens::Match& match, std::int32_t token) {
        match.token = absent;
        const auto bytes = std::span(state_).subspan(match.start - start_, tokens_.length(token));
        if (bytes[0] != free_byte) return absent;
        if (!std::ranges::all_of(bytes, [](auto state) { return state == free_byte; })) return tokens_.shorter(token);
        std::ranges::fill(bytes, taken);
        match.token = token, match.end = match.start + bytes.size();
        drop_beside(match.start, match.end, tokens_.kind(token));
        return absent;
    }

    void drop_beside(std::size_t start, std::size_t end, Byte kind) {
        const auto is_droppable = [&](auto at) { return state_[at - start_] == free_byte && is_space(text_[at]); };
        if (kind & SpecialTokens::strips_left)
            while (start > start_ && is_droppable(start - 1)) state_[--start - start_] = dropped;
        if (kind & SpecialTokens::strips_right)
            while (end < start_ + state_.size() && is_droppable(end)) state_[end++ - start_] = dropped;
    }

    const SpecialTokens& tokens_;
    Bytes text_;
    std::size_t start_;
    std::vector<State> state_;  // of each byte
    std::vector<SpecialTokens::Match> matches_;
};

// The size of the Unicode white space character at an offset, or 0.
std::size_t wide_space(Bytes text, std::size_t at) {
    if (at == text.size() || text[at] < 0x80) return at < text.size() && is_space(text[at]);
    const auto [code, size] = decode(text, at);
    const bool is_one = code == 0x85 || code == 0xA0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 ||
                        code == 0x2029 || code == 0x202F || code == 0x205F || code == 0x3000;
    return is_one && size == encoded_length(code) ? size : 0;
}

std::size_t before_wide_spaces(Bytes text, std::size_t end) {
    for (std::size_t size = 1; size <= 3 && size <= end;)
        if (wide_space(text.first(end), end - size) == size) end -= size, size = 1;
        else ++size;
    return end;
}

// GNU's introsort: quicksort with the median of three, heapsort if the recursion gets too deep, insertion sort of short ranges.
class GnuSort {
public:
    GnuSort(Ids items, std::span<const std::int64_t> lengths, Watch& watch) : items_(items), lengths_(lengths), watch_(watch) {}

    void sort() {
        part(0, items_.size(), 2 * static_cast<std::size_t>(std::bit_width(items_.size() | 1) - 1));
        for (std::size_t at = 1; at < items_.size() && !watch_.stops(); ++at) insert(at);
    }

private:
    static constexpr std::size_t short_range = 16;

    bool before(std::int32_t one, std::int32_t other) const { return lengths_[one] > lengths_[other]; }

    void part(std::size_t first, std::size_t last, std::size_t depth_left) {
        while (last - first > short_range) {
            if (watch_.stops(8 * (last - first))) return;
            if (depth_left == 0) return heap_sort(items_.subspan(first, last - first));
            const auto cut = cut_at_median(first, last);
            part(cut, last, --depth_left);
            last = cut;
        }
    }

    std::size_t cut_at_median(std::size_t first, std::size_t last) {
        const auto middle = first + (last - first) / 2;
        const auto a = items_[first + 1], b = items_[middle], c = items_[last - 1];
        const auto median = before(a, b) ? (before(b, c) ? middle : before(a, c) ? last - 1 : first + 1)
                                         : (before(a, c) ? first + 1 : before(b, c) ? last - 1 : middle);
        std::swap(items_[first], items_[median]);
        const auto pivot = items_[first];
        auto left = first + 1, right = last;
        while (true) {
            while (before(items_[left], pivot)) ++left;
            --right;
            while (before(pivot, items_[right])) --right;
            if (left >= right) return left;
            std::swap(items_[left++], items_[right]);
        }
    }

    void heap_sort(Ids heap) {
        for (auto parent = heap.size() / 2; parent-- > 0;) sift(heap, parent, heap[parent]);
        for (auto end = heap.size() - 1; end > 0; --end) {
            const auto item = heap[end];
            heap[end] = heap[0];
            sift(heap.first(end), 0, item);
        }
    }

    // Fill the hole of a heap: go down to a leaf along the later children, then up to the position of `item`.
    void sift(Ids heap, std::size_t hole, std::int32_t item) {
        const auto top = hole;
        while (2 * hole + 1 < heap.size()) {
            auto child = 2 * hole + 2;
            if (child == heap.size() || before(heap[child], heap[child - 1])) --child;
            heap[hole] = heap[child];
            hole = child;
        }
        for (; hole > top && before(heap[(hole - 1) / 2], item); hole = (hole - 1) / 2) heap[hole] = heap[(hole - 1) / 2];
        heap[hole] = item;
    }

    // After the first few items, there is an earlier item nearby that need not move, so the loop ends.
    void insert(std::size_t at) {
        const auto item = items_[at];
        const bool is_first = at < short_range && before(item, items_[0]);
        for (; is_first ? at > 0 : before(item, items_[at - 1]); --at) items_[at] = items_[at - 1];
        items_[at] = item;
    }

    Ids items_;
    std::span<const std::int64_t> lengths_;
    Watch& watch_;
};

}  // namespace

SpecialTokens::SpecialTokens(const TokenTree& tree, Strings texts, std::span<const Byte> kinds, std::span<const std::int32_t> ids,
                             bool from_left, const SpecialTokens* later, Watch& watch)
    : tree_(tree), texts_(texts), kinds_(kinds.begin(), kinds.end()), ids_(ids.begin(), ids.end()), from_left_(from_left), later_(later) {
    for (std::size_t token = 0; token < texts.size(); ++token) {
        longest_ = std::max(longest_, texts[token].size());
        if (!texts[token].empty()) begins_[texts[token][0]] = true;
    }
    if (longest_ > longest_walked) matcher_.emplace(texts, all_rows(texts), watch);
    if (!matcher_) find_jumps();
    for (unsigned byte = 0; byte < 256; ++byte)
        if (begins_[byte]) beginnings_.push_back(static_cast<Byte>(byte));
    strips_ = std::ranges::any_of(kinds_, [](auto kind) { return kind & (strips_left | strips_right); });
}

void SpecialTokens::find_jumps() {
    jumps_.resize(tree_.n_rows());
    std::vector<std::int32_t> n_below(jumps_.size()), rows;
    const auto walk = [&](Bytes token) {
        rows.assign(1, TokenTree::root);
        for (const auto byte : token) rows.push_back(tree_.child(rows.back(), byte));
    };
    for (std::size_t token = 0; token < texts_.size(); ++token) {
        walk(texts_[token]);
        for (const auto row : rows) ++n_below[static_cast<std::size_t>(row)];
    }
    for (std::size_t token = 0; token < texts_.size(); ++token) {
        walk(texts_[token]);
        for (auto depth = rows.size(); depth-- > 0;) {
            const auto row = static_cast<std::size_t>(rows[depth]);
            const bool goes_on = depth + 1 < rows.size() && tree_.token_at(rows[depth]) == absent && n_below[static_cast<std::size_t>(rows[depth + 1])] == n_below[row];
            jumps_[row] = goes_on ? jumps_[static_cast<std::size_t>(rows[depth + 1])] : Jump{rows[depth], static_cast<std::int32_t>(token), depth};
        }
    }
}

// The same result as the tree's, but the part that all remaining tokens share is compared at once.
std::int32_t SpecialTokens::longest_match(Bytes text, std::size_t at) const {
    const auto start = at;
    for (auto row = TokenTree::root, found = absent;; ++at) {
        const auto& jump = jumps_[static_cast<std::size_t>(row)];
        const auto end = start + jump.size;
        if (end > text.size() || (end > at && std::memcmp(&text[at], &texts_[static_cast<std::size_t>(jump.token)][at - start], end - at) != 0)) return found;
        if (tree_.token_at(jump.row) != absent) found = tree_.token_at(jump.row);
        at = end;
        if (at == text.size() || (row = tree_.child(jump.row, text[at])) == absent) return found;
    }
}

std::size_t SpecialTokens::next_beginning(Bytes text, std::size_t at) const {
    if (beginnings_.size() == 1) return at + find_byte(text.subspan(at), beginnings_[0]);
    for (; beginnings_.size() <= few && at + sizeof(Lanes) <= text.size(); at += sizeof(Lanes)) {
        const auto lanes = load_lanes(text.subspan(at, sizeof(Lanes)).data());
        Lanes hits{};
        for (const auto byte : beginnings_) hits |= reinterpret_cast<Lanes>(lanes == byte);
        if (const auto bits = highest_bits(hits)) return at + static_cast<std::size_t>(std::countr_zero(bits));
    }
    while (at < text.size() && !begins_[text[at]]) ++at;
    return at;
}

// Visit the longest token at each offset; `visit` returns where to continue. Skips bytes that begin no token: most of most
// texts.
template <class Visit>
void SpecialTokens::visit_token_matches(Bytes text, Visit visit) const {
    const auto next = [&](std::size_t at, std::int32_t token) {
        return token == absent ? at + 1 : visit(Match{at, at + length(token), token});
    };
    std::vector<std::int32_t> longest;
    for (auto at = next_beginning(text, 0); at < text.size(); at = next_beginning(text, at)) {
        if (!matcher_) {
            at = next(at, longest_match(text, at));
            continue;
        }
        const auto start = at;
        auto end = start + 1;  // of bytes that may belong to a token that begins here, or within another such token
        for (auto inner = start; inner < end; ++inner)
            if (begins_[text[inner]]) end = std::min(inner + longest_, text.size());
        longest.resize(end - start);
        matcher_->find_longest(text.subspan(start, end - start), longest);
        while (at < end) at = next(at, longest[at - start]);
    }
}

std::vector<Part> SpecialTokens::occurrences(Bytes text) const {
    std::vector<Part> found;
    visit_token_matches(text, [&](const Match& match) {
        found.push_back(part(match.start, match.start, id(match.token), match.start, match.end));
        return match.start + 1;
    });
    if (!later_) return found;
    std::vector<Part> all;
    std::ranges::merge(found, later_->occurrences(text), std::back_inserter(all), {}, &Part::start, &Part::start);
    return all;
}

bool SpecialTokens::are_in(Bytes text) const {
    bool result = later_ && later_->are_in(text);
    if (!result) visit_token_matches(text, [&](const Match&) { return result = true, text.size(); });
    return result;
}

void SpecialTokens::partition(Bytes text, std::vector<Part>& parts) const {
    parts.clear();
    if (!from_left_) return partition_by_claims(text, parts);
    const auto start = partition_from_left(text, 0, text.size(), parts);
    parts.push_back(part(start, text.size(), absent, text.size(), text.size()));
}

// Matches that overlap, or have only white space between them that one may strip, compete as a group; usually the first one
// wins.
void SpecialTokens::partition_by_claims(Bytes text, std::vector<Part>& parts) const {
    std::vector<Match> matches;
    std::size_t raw_start = 0, end = 0, reach = 0;  // `reach`: `end` plus the white space after it
    const auto before_spaces = [&](std::size_t at) {
        while (at > raw_start && is_space(text[at - 1])) --at;
        return at;
    };
    const auto after_spaces = [&](std::size_t at) {
        while (at < text.size() && is_space(text[at])) ++at;
        return at;
    };
    const auto resolve_overlaps = [&] {
        const auto first = matches[0];
        const auto loses = [&](const Match& other) { return other.end <= first.end && other.token < first.token; };
        if (std::ranges::all_of(std::span(matches).subspan(1), loses)) {
            const auto raw_end = kind(first.token) & strips_left ? before_spaces(first.start) : first.start;
            parts.push_back(part(raw_start, raw_end, id(first.token), first.start, first.end));
            raw_start = kind(first.token) & strips_right ? after_spaces(first.end) : first.end;
        } else {
            const Claims claims(*this, text, strips_ ? before_spaces(first.start) : first.start, reach, matches);
            for (const auto& match : claims.matches()) {
                if (match.token == absent) continue;
                auto raw_end = match.start;
                while (raw_end > raw_start && claims.is_dropped(raw_end - 1)) --raw_end;
                parts.push_back(part(raw_start, raw_end, id(match.token), match.start, match.end));
                for (raw_start = match.end; claims.is_dropped(raw_start);) ++raw_start;
            }
        }
        matches.clear();
    };
    visit_token_matches(text, [&](const Match& match) {
        const bool meets = match.start < reach || (strips_ && match.start == reach && end > 0 && is_space(text[end - 1]));
        if (!matches.empty() && !meets) resolve_overlaps();
        if (matches.empty() || match.end > end) end = match.end, reach = !strips_ ? end : end < reach ? reach : after_spaces(end);
        matches.push_back(match);
        return match.start + 1;
    });
    if (!matches.empty()) resolve_overlaps();
    parts.push_back(part(raw_start, text.size(), absent, text.size(), text.size()));
}

// Partition text[start:end]; returns where its last segment begins. The search continues after the longest token at an offset,
// even if that token is not used.
std::size_t SpecialTokens::partition_from_left(Bytes text, std::size_t start, std::size_t end, std::vector<Part>& parts) const {
    const auto searched = text.first(end).subspan(start);
    auto done = start;
    visit_token_matches(searched, [&](const Match& match) {
        auto from = match.start, to = match.end;
        if (kind(match.token) & hides) return match.end;
        if (kind(match.token) & strips_left) from = before_wide_spaces(searched, from);
        if (kind(match.token) & strips_right)
            while (const auto size = wide_space(searched, to)) to += size;
        if (start + to <= done) return match.end;  // the previous token has stripped all of it
        from = std::max(start + from, done), to += start;
        const auto raw_start = later_ ? later_->partition_from_left(text, done, from, parts) : done;
        parts.push_back(part(raw_start, from, id(match.token), from, to));
        done = to;
        return match.end;
    });
    return later_ ? later_->partition_from_left(text, done, end, parts) : done;
}

void sort_longest_first(Ids items, std::span<const std::int64_t> lengths, Watch& watch) { GnuSort(items, lengths, watch).sort(); }

}  // namespace loupe

using namespace loupe;

// NULL if the sizes of the arrays do not match, or the tokens exceed a TokenMatcher's limit. All must outlive the result.
LOUPE_API SpecialTokens* loupe_special_new(const TokenTree* tree, Array<const Byte> data, Array<const std::int64_t> offsets,
                                           Array<const Byte> kinds, Array<const std::int32_t> ids, bool from_left,
                                           const SpecialTokens* later, MayGoOn may_go_on) {
    const Strings texts{data, offsets};
    if (!are_sound(texts) || data.size > TokenMatcher::most_bytes || tree->n_tokens() != texts.size()) return nullptr;
    if (items_of(kinds).size() != texts.size() || items_of(ids).size() != texts.size()) return nullptr;
    Watch watch(may_go_on);
    return unless_stopped(std::make_unique<SpecialTokens>(*tree, texts, kinds, ids, from_left, later, watch), watch);
}

LOUPE_API void loupe_special_free(SpecialTokens* tokens) { delete tokens; }

LOUPE_API std::int64_t loupe_special_are_in(const SpecialTokens* tokens, const Byte* text, std::int64_t size) {
    return tokens->are_in({text, static_cast<std::size_t>(size)});
}

LOUPE_API std::vector<Part>* loupe_special_occurrences(const SpecialTokens* tokens, Array<const Byte> text) {
    return new std::vector<Part>(tokens->occurrences(text));
}

LOUPE_API std::vector<Part>* loupe_special_partition(const SpecialTokens* tokens, Array<const Byte> text) {
    auto* parts = new std::vector<Part>;
    tokens->partition(text, *parts);
    return parts;
}

LOUPE_API std::int64_t loupe_parts_size(const std::vector<Part>* parts) { return static_cast<std::int64_t>(parts->size()); }

// Copies as many parts as fit, five numbers each.
LOUPE_API void loupe_parts_copy(const std::vector<Part>* parts, Array<std::int64_t> numbers) {
    const auto count = std::min(parts->size(), static_cast<std::size_t>(numbers.size) / 5);
    if (count) std::memcpy(numbers.data, parts->data(), count * sizeof(Part));
}

LOUPE_API void loupe_parts_free(std::vector<Part>* parts) { delete parts; }

// Sorts row numbers of `lengths`; -1 if one is out of range.
LOUPE_API std::int64_t loupe_sort_longest_first(Array<std::int32_t> items, Array<const std::int64_t> lengths, MayGoOn may_go_on) {
    for (const auto item : items_of(items))
        if (item < 0 || item >= lengths.size) return -1;
    Watch watch(may_go_on);
    sort_longest_first(items, lengths, watch);
    return items.size;
}
