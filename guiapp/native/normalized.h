// A normalized text with the origin of each byte.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "bytes.h"

namespace loupe {

// Byte i of `data` came from source[starts[i] : ends[i]]; see core/text/normalized.py for the rule.
struct NormalizedText {
    std::vector<Byte> data;
    std::vector<std::int64_t> starts, ends;

    std::size_t size() const { return data.size(); }
    static constexpr bool is_full() { return false; }
    void reserve(std::size_t size) { data.reserve(size), starts.reserve(size), ends.reserve(size); }
    void clear() { data.clear(), starts.clear(), ends.clear(); }

    // Adds source[start : start + size of `same`] unchanged.
    void keep(Bytes same, std::size_t start) {
        data.insert(data.end(), same.begin(), same.end());
        starts.resize(data.size());
        ends.resize(data.size());
        std::iota(starts.end() - static_cast<std::ptrdiff_t>(same.size()), starts.end(), static_cast<std::int64_t>(start));
        std::iota(ends.end() - static_cast<std::ptrdiff_t>(same.size()), ends.end(), static_cast<std::int64_t>(start) + 1);
    }

    // Adds `output`, which replaces source[start : end]; for inserted text, this range is empty.
    void append(Bytes output, std::size_t start, std::size_t end) {
        const auto stop = static_cast<std::int64_t>(end);
        auto from = static_cast<std::int64_t>(start);
        for (const auto byte : output) {
            data.push_back(byte);
            starts.push_back(from);
            from = std::min(from + 1, stop);
            ends.push_back(from);
        }
        if (!output.empty()) ends.back() = stop;
    }

    // Extends the origin of the last byte to `end`; there must be a byte.
    void extend(std::size_t end) { ends.back() = static_cast<std::int64_t>(end); }
};

}  // namespace loupe
