// Finds where several tokenizers have the same spans in a text, and where they differ.
#include <algorithm>

#include "api.h"
#include "bytes.h"

namespace loupe {

namespace {

// The tokens of one tokenizer: starts and ends never decrease, and no token begins before the previous one ends.
struct Column {
    Array<const std::int64_t> starts, ends;
    Array<const bool> are_special;  // distinguishes empty tokens at the same offset
    Array<Byte> shares;             // the number of columns with a token's span

    std::int64_t size() const { return starts.size; }
    bool is_sound() const { return ends.size == size() && are_special.size == size() && shares.size == size(); }
    bool is_empty(std::int64_t token) const { return starts.data[token] == ends.data[token]; }

    // Doubled offsets have room for empty tokens between bytes: byte b is [2b + 1, 2b + 2], empty tokens before it [2b, 2b +
    // 1].
    std::int64_t left(std::int64_t token) const { return 2 * starts.data[token] + !is_empty(token); }
    std::int64_t right(std::int64_t token) const { return 2 * ends.data[token] + is_empty(token); }

    // The end of the run of empty tokens at the offset of `token`, which is empty.
    std::int64_t end_of_empty(std::int64_t token, std::int64_t last) const {
        const auto place = starts.data[token];
        while (token < last && starts.data[token] == place && is_empty(token)) ++token;
        return token;
    }
};

// Tokens [first, last) of a column.
struct Part {
    const Column& column;
    std::int64_t first, last;

    std::int64_t count_special() const {
        return std::count(column.are_special.data + first, column.are_special.data + last, true);
    }
};

// Counts matches of the other part's tokens for the spans of this one's. Of empty tokens at one offset, the first special one
// matches the first special one of the other part, and so on.
void count_matches(Part part, Part other) {
    const auto& [column, first, last] = part;
    for (auto token = first, at = other.first; token < last && at < other.last;) {
        if (other.column.left(at) < column.left(token)) {
            ++at;
        } else if (column.is_empty(token)) {
            const auto end = column.end_of_empty(token, last);
            const auto exists = other.column.is_empty(at) && other.column.starts.data[at] == column.starts.data[token];
            const Part found{other.column, at, exists ? other.column.end_of_empty(at, other.last) : at};
            std::int64_t left_of[2] = {0, found.count_special()};
            left_of[0] = found.last - found.first - left_of[1];
            for (; token < end; ++token) column.shares.data[token] += left_of[column.are_special.data[token]]-- > 0;
        } else {
            column.shares.data[token] +=
                other.column.starts.data[at] == column.starts.data[token] && other.column.ends.data[at] == column.ends.data[token];
            ++token;
        }
    }
}

// Walks over all columns at once, from one offset that no token crosses to the next.
class Walk {
public:
    Walk(std::span<const Column> columns, std::span<std::int64_t> places) : columns_(columns), places_(places) {}

    // Goes to the end of the next segment with tokens; false after the last one.
    bool advance() {
        auto reach = std::int64_t{-1};
        for (std::size_t row = 0; row < columns_.size(); ++row) {
            places_[2 * row] = places_[2 * row + 1];
            if (const auto next = places_[2 * row]; next < columns_[row].size())
                reach = reach < 0 ? columns_[row].left(next) : std::min(reach, columns_[row].left(next));
        }
        if (reach < 0) return false;
        start_ = reach++ / 2;
        for (auto grows = true; grows;) {
            grows = false;
            for (std::size_t row = 0; row < columns_.size(); ++row)
                for (auto& at = places_[2 * row + 1]; at < columns_[row].size() && columns_[row].left(at) < reach; ++at, grows = true)
                    reach = std::max(reach, columns_[row].right(at));
        }
        end_ = reach / 2;
        return true;
    }

    // Counts for each token of the segment how many columns have its span; returns whether a span is not in all columns.
    bool differs() const {
        if (is_one_span()) {
            for (std::size_t row = 0; row < columns_.size(); ++row) columns_[row].shares.data[places_[2 * row]] = count();
            return false;
        }
        auto is_different = false;
        for (std::size_t row = 0; row < columns_.size(); ++row) {
            const auto part = part_of(row);
            std::fill(part.column.shares.data + part.first, part.column.shares.data + part.last, Byte{1});
            for (std::size_t other = 0; other < columns_.size(); ++other)
                if (other != row) count_matches(part, part_of(other));
            for (auto token = part.first; token < part.last; ++token) is_different |= part.column.shares.data[token] < count();
        }
        return is_different;
    }

    // Start and end, and for each column the first token and the one after the last.
    void write(std::int64_t* to) const {
        *to++ = start_;
        *to++ = end_;
        std::copy(places_.begin(), places_.end(), to);
    }

private:
    Byte count() const { return static_cast<Byte>(columns_.size()); }
    Part part_of(std::size_t row) const { return {columns_[row], places_[2 * row], places_[2 * row + 1]}; }

    // Whether each column has one token, which is not empty, and all have the same span.
    bool is_one_span() const {
        for (std::size_t row = 0; row < columns_.size(); ++row) {
            const auto [column, first, last] = part_of(row);
            if (last != first + 1 || column.is_empty(first)) return false;
            if (column.starts.data[first] != start_ || column.ends.data[first] != end_) return false;
        }
        return true;
    }

    std::span<const Column> columns_;
    std::span<std::int64_t> places_;  // two for each column: the segment's first token, and the one after its last
    std::int64_t start_ = 0, end_ = 0;
};

}  // namespace

}  // namespace loupe

using namespace loupe;

// Counts for each token how many of at most 255 columns have its span; returns the number of segments that differ. Writes as
// many of these as fit, 2 + 2n numbers each: see Walk::write. `places` has 2n zeros. Returns -1 if sizes do not match.
LOUPE_API std::int64_t loupe_share_spans(const Column* columns, Array<std::int64_t> places, Array<std::int64_t> differences) {
    const std::span all{columns, static_cast<std::size_t>(places.size / 2)};
    if (places.size % 2 || all.size() > 255 || !std::ranges::all_of(all, &Column::is_sound)) return -1;
    Walk walk(all, places);
    const auto width = 2 + places.size;
    std::int64_t count = 0;
    while (walk.advance())
        if (walk.differs()) {
            if ((count + 1) * width <= differences.size) walk.write(differences.data + count * width);
            ++count;
        }
    return count;
}
