// Token ids of many texts as the rows of one array.
#include <algorithm>

#include "api.h"
#include "bytes.h"

using namespace loupe;

// Writes one row for each text, padded with `filler`, and 1 for each token into the mask, which is all zeros. Text i has
// counts[i] of the ids; `before` and `after` surround it. Of rows with more than `most` ids, the last ids before `after` are
// cut off. Returns -1 if the sizes of the arrays do not match.
LOUPE_API std::int64_t loupe_lay_out(Array<const std::int32_t> ids, Array<const std::int64_t> counts, Array<const std::int32_t> before,
                                     Array<const std::int32_t> after, std::int64_t most, std::int32_t filler,
                                     Array<std::int32_t> rows, Array<Byte> mask) {
    if (counts.size == 0) return 0;
    const auto width = rows.size / counts.size;
    if (rows.size % counts.size || mask.size != rows.size || most < after.size) return -1;
    const auto* next = ids.data;
    auto left = ids.size;
    for (std::int64_t row = 0; row < counts.size; ++row) {
        const auto count = counts.data[row];
        const auto n_before = std::min(before.size, most - after.size), n_ids = std::min(count, most - after.size - n_before);
        const auto length = n_before + n_ids + after.size;
        if (count < 0 || count > left || length > width) return -1;
        auto* to = rows.data + row * width;
        to = std::copy_n(before.data, n_before, to);
        to = std::copy_n(next, n_ids, to);
        to = std::copy_n(after.data, after.size, to);
        std::fill_n(to, width - length, filler);
        std::fill_n(mask.data + row * width, length, Byte{1});
        next += count;
        left -= count;
    }
    return 0;
}
