// Colours for the tokens of several tokenizers over one text: equal spans have equal colours.
#include <algorithm>

#include "api.h"
#include "bytes.h"

namespace loupe {

namespace {

// Tokens of one tokenizer, which do not overlap. Tokens without text are not coloured.
struct Tinted {
    Array<const std::int64_t> starts, ends;
    Array<Byte> tints;
    std::int64_t before, behind;  // colours of the tokens before and after these; out of range if there are none

    bool is_sound() const { return ends.size == starts.size && tints.size == starts.size; }
};

// Visits all columns at once, in the order of starts and ends.
class Tinting {
public:
    Tinting(std::span<Tinted> columns, std::span<std::int64_t> places, int n_tints)
        : columns_(columns), places_(places), n_tints_(n_tints) {}

    void run() {
        for (std::size_t row = 0; row < columns_.size(); ++row) skip_empty(row);
        while (find_next()) give(free_tint());
    }

private:
    bool is_at_end(std::size_t row) const { return places_[row] >= columns_[row].starts.size; }
    std::int64_t start(std::size_t row) const { return columns_[row].starts.data[places_[row]]; }
    std::int64_t end(std::size_t row) const { return columns_[row].ends.data[places_[row]]; }
    bool has_next(std::size_t row) const { return !is_at_end(row) && start(row) == start_ && end(row) == end_; }

    void skip_empty(std::size_t row) {
        while (!is_at_end(row) && start(row) == end(row)) columns_[row].tints.data[places_[row]++] = 0;
    }

    bool find_next() {
        auto is_found = false;
        for (std::size_t row = 0; row < columns_.size(); ++row) {
            if (is_at_end(row)) continue;
            if (!is_found || start(row) < start_ || (start(row) == start_ && end(row) < end_)) {
                start_ = start(row);
                end_ = end(row);
                is_found = true;
            }
        }
        return is_found;
    }

    // The next colour in turn that no neighbour has, in any of the columns with this span; if all are used, the next one.
    int free_tint() const {
        std::uint64_t taken = 0;
        const auto take = [&](std::int64_t tint) {
            if (tint < n_tints_) taken |= std::uint64_t{1} << tint;
        };
        for (std::size_t row = 0; row < columns_.size(); ++row)
            if (has_next(row)) {
                take(columns_[row].before);
                if (is_last(row)) take(columns_[row].behind);
            }
        for (auto step = 1; step <= n_tints_; ++step)
            if (const auto tint = (last_ + step) % n_tints_; !(taken >> tint & 1)) return tint;
        return (last_ + 1) % n_tints_;
    }

    bool is_last(std::size_t row) const {
        const auto& column = columns_[row];
        auto at = places_[row] + 1;
        while (at < column.starts.size && column.starts.data[at] == column.ends.data[at]) ++at;
        return at == column.starts.size;
    }

    void give(int tint) {
        last_ = tint;
        for (std::size_t row = 0; row < columns_.size(); ++row)
            if (has_next(row)) {
                columns_[row].tints.data[places_[row]++] = static_cast<Byte>(tint);
                columns_[row].before = tint;
                skip_empty(row);
            }
    }

    std::span<Tinted> columns_;
    std::span<std::int64_t> places_;  // the next token of each column
    int n_tints_, last_ = -1;
    std::int64_t start_ = 0, end_ = 0;
};

}  // namespace

}  // namespace loupe

using namespace loupe;

// Gives each token with text one of at most 64 colours. `places` has a zero for each column. Returns -1 if sizes do not match.
LOUPE_API std::int64_t loupe_tint_spans(Tinted* columns, Array<std::int64_t> places, std::int64_t n_tints) {
    const std::span all{columns, static_cast<std::size_t>(places.size)};
    if (n_tints < 1 || n_tints > 64 || !std::ranges::all_of(all, &Tinted::is_sound)) return -1;
    Tinting(all, places, static_cast<int>(n_tints)).run();
    return 0;
}
