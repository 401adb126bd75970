#include "special_tokens.h"

#include <algorithm>
#include <memory>
#include <numeric>

#include "api.h"

namespace loupe {

namespace {

bool is_space(Byte byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

std::vector<std::int32_t> all_rows(const Strings& strings) {
    std::vector<std::int32_t> rows(strings.size());
    std::iota(rows.begin(), rows.end(), 0);
    return rows;
}

// Who has which bytes of a text.  At each place the longest token is tried first; where it is blocked, the next shorter one
// gets its turn when its own comes.
class Claims {
public:
    Claims(const SpecialTokens& tokens, Bytes text) : tokens_(tokens), text_(text), state_(text.size(), free_byte) {
        waiting_.assign(tokens.matcher().n_tokens(), nobody);
        const auto found = tokens.occurrences(text);
        places_.reserve(found.size());
        for (auto at = found.rbegin(); at != found.rend(); ++at) {
            places_.push_back({static_cast<std::size_t>(at->start), nobody, absent});
            wait(places_.size() - 1, static_cast<std::int32_t>(at->token));
        }
    }

    // Let a token claim its places, the first in the text first; that is the last one of `places_`.
    void serve(std::int32_t token) {
        turn_.clear();
        for (auto place = waiting_[token]; place != nobody; place = places_[place].next) turn_.push_back(place);
        const auto descending = [](auto one, auto other) { return one > other; };
        if (!std::ranges::is_sorted(turn_, descending)) std::ranges::sort(turn_, descending);
        for (const auto place : turn_) claim(place, token);
    }

    std::vector<Part> parts() const {
        std::vector<Part> parts;
        std::size_t start = 0;
        for (auto place = places_.rbegin(); place != places_.rend(); ++place) {
            if (place->token == absent) continue;
            parts.push_back(part(start, place->start, place->token));
            start = place->start + tokens_.matcher().length(place->token);
        }
        parts.push_back(part(start, text_.size(), absent));
        return parts;
    }

private:
    enum State : Byte { free_byte, taken, dropped };
    static constexpr std::size_t nobody = ~std::size_t{0};

    struct Place {
        std::size_t start;
        std::size_t next;  // that waits for the same token
        std::int32_t token;  // that has it
    };

    void wait(std::size_t place, std::int32_t token) {
        places_[place].next = waiting_[token];
        waiting_[token] = place;
    }

    void claim(std::size_t place, std::int32_t token) {
        const auto start = places_[place].start, end = start + tokens_.matcher().length(token);
        if (state_[start] != free_byte) return;
        const auto bytes = std::span(state_).subspan(start, end - start);
        if (std::ranges::all_of(bytes, [](auto state) { return state == free_byte; })) {
            std::ranges::fill(bytes, taken);
            drop_beside(start, end, tokens_.strips(token));
            places_[place].token = token;
        } else if (const auto shorter = tokens_.matcher().shorter(token); shorter != absent) {
            wait(place, shorter);
        }
    }

    void drop_beside(std::size_t start, std::size_t end, Byte strips) {
        const auto is_dropped = [&](auto at) { return state_[at] == free_byte && is_space(text_[at]); };
        if (strips & SpecialTokens::strips_left)
            while (start > 0 && is_dropped(start - 1)) state_[--start] = dropped;
        if (strips & SpecialTokens::strips_right)
            while (end < text_.size() && is_dropped(end)) state_[end++] = dropped;
    }

    Part part(std::size_t start, std::size_t end, std::int32_t token) const {
        auto raw_start = start, raw_end = end;
        while (raw_end > raw_start && state_[raw_end - 1] == dropped) --raw_end;
        while (raw_start < raw_end && state_[raw_start] == dropped) ++raw_start;
        const auto token_end = token == absent ? end : end + tokens_.matcher().length(token);
        const auto wide = [](auto offset) { return static_cast<std::int64_t>(offset); };
        return {wide(raw_start), wide(raw_end), token, wide(end), wide(token_end)};
    }

    const SpecialTokens& tokens_;
    Bytes text_;
    std::vector<State> state_;  // of each byte
    std::vector<Place> places_;  // where tokens begin, from the last to the first
    std::vector<std::size_t> waiting_;  // the first place for each token
    std::vector<std::size_t> turn_;
};

// GNU's introsort: quicksort around the median of three down to short ranges, heapsort where that goes too deep, insertion sort
// in the end.
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

    // Fill the hole of a heap: go down to a leaf along the later children, then up to where `item` fits.
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

    // Behind the first few, an earlier item that does not come after this one is near.
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

SpecialTokens::SpecialTokens(Strings texts, std::span<const Byte> strips, Watch& watch)
    : matcher_(texts, all_rows(texts), watch), strips_(strips.begin(), strips.end()) {
    for (std::size_t token = 0; token < texts.size(); ++token) {
        longest_ = std::max(longest_, texts[token].size());
        if (!texts[token].empty()) begins_[texts[token][0]] = true;
    }
}

// What no token begins in is left out: most of most texts.
std::vector<Part> SpecialTokens::occurrences(Bytes text) const {
    std::vector<Part> found;
    std::vector<std::int32_t> longest;
    for (std::size_t start = 0; start < text.size(); ++start) {
        if (!begins_[text[start]]) continue;
        auto end = start + 1;  // of what may belong to a token that begins here, or within that
        for (auto at = start; at < end; ++at)
            if (begins_[text[at]]) end = std::min(at + longest_, text.size());
        longest.resize(end - start);
        matcher_.find_longest(text.subspan(start, end - start), longest);
        for (std::size_t at = 0; at < longest.size(); ++at) {
            if (longest[at] == absent) continue;
            const auto place = static_cast<std::int64_t>(start + at);
            const auto length = static_cast<std::int64_t>(matcher_.length(longest[at]));
            found.push_back({place, place, longest[at], place, place + length});
        }
        start = end - 1;
    }
    return found;
}

std::vector<Part> SpecialTokens::partition(Bytes text) const {
    Claims claims(*this, text);
    for (auto token = static_cast<std::int32_t>(matcher_.n_tokens()); token-- > 0;) claims.serve(token);
    return claims.parts();
}

Beginnings::Beginnings(Strings texts) {
    for (std::size_t row = 0; row < texts.size(); ++row) {
        const auto text = texts[row].first(std::min(texts[row].size(), most_compared));
        texts_.emplace_back(text.begin(), text.end());
    }
}

bool Beginnings::may_be_in(Bytes text) const {
    return std::ranges::any_of(texts_, [&](Bytes beginning) {
        if (beginning.empty()) return true;
        for (std::size_t at = 0;; ++at) {
            at += find_byte(text.subspan(at), beginning[0]);
            if (text.size() - at < beginning.size()) return false;
            if (std::ranges::equal(text.subspan(at, beginning.size()), beginning)) return true;
        }
    });
}

void sort_longest_first(Ids items, std::span<const std::int64_t> lengths, Watch& watch) { GnuSort(items, lengths, watch).sort(); }

}  // namespace loupe

using namespace loupe;

// NULL where the arrays do not fit each other, or where the tokens are more than a TokenMatcher takes.
LOUPE_API SpecialTokens* loupe_special_new(Array<const Byte> data, Array<const std::int64_t> offsets, Array<const Byte> strips,
                                           MayGoOn may_go_on) {
    const Strings texts{data, offsets};
    if (!are_sound(texts) || items_of(strips).size() != texts.size() || data.size > TokenMatcher::most_bytes) return nullptr;
    Watch watch(may_go_on);
    return unless_stopped(std::make_unique<SpecialTokens>(texts, strips, watch), watch);
}

LOUPE_API void loupe_special_free(SpecialTokens* tokens) { delete tokens; }

LOUPE_API Beginnings* loupe_beginnings_new(Array<const Byte> data, Array<const std::int64_t> offsets) {
    const Strings texts{data, offsets};
    return are_sound(texts) ? new Beginnings(texts) : nullptr;
}

LOUPE_API void loupe_beginnings_free(Beginnings* beginnings) { delete beginnings; }

LOUPE_API std::int64_t loupe_beginnings_may_be_in(const Beginnings* beginnings, const Byte* text, std::int64_t size) {
    return beginnings->may_be_in({text, static_cast<std::size_t>(size)});
}

LOUPE_API std::vector<Part>* loupe_special_occurrences(const SpecialTokens* tokens, Array<const Byte> text) {
    return new std::vector<Part>(tokens->occurrences(text));
}

LOUPE_API std::vector<Part>* loupe_special_partition(const SpecialTokens* tokens, Array<const Byte> text) {
    return new std::vector<Part>(tokens->partition(text));
}

LOUPE_API std::int64_t loupe_parts_size(const std::vector<Part>* parts) { return static_cast<std::int64_t>(parts->size()); }

// Copies as many parts as there is room for, five numbers each.
LOUPE_API void loupe_parts_copy(const std::vector<Part>* parts, Array<std::int64_t> numbers) {
    const auto count = std::min(parts->size(), static_cast<std::size_t>(numbers.size) / 5);
    if (count) std::memcpy(numbers.data, parts->data(), count * sizeof(Part));
}

LOUPE_API void loupe_parts_free(std::vector<Part>* parts) { delete parts; }

// Sorts rows of `lengths`; -1 where one is none.
LOUPE_API std::int64_t loupe_sort_longest_first(Array<std::int32_t> items, Array<const std::int64_t> lengths, MayGoOn may_go_on) {
    for (const auto item : items_of(items))
        if (item < 0 || item >= lengths.size) return -1;
    Watch watch(may_go_on);
    sort_longest_first(items, lengths, watch);
    return items.size;
}
