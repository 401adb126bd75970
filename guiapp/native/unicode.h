// A number for each code point, from a table made in Python (core/text/unicode_tables.py).
#pragma once

#include <algorithm>

#include "api.h"
#include "utf8.h"

namespace loupe {

// In two levels: the number of `code` is row pages[code >> 8], column code & 255.
struct CodeTable {
    Array<const std::uint16_t> pages;  // [4352]
    Array<const std::int32_t> rows;    // [n, 256]

    bool is_sound() const {
        const auto n_rows = rows.size / 256;
        return pages.size == (last_code >> 8) + 1 && std::ranges::all_of(items_of(pages), [&](auto row) { return row < n_rows; });
    }
    std::int32_t operator[](std::uint32_t code) const {
        return items_of(rows)[std::size_t{items_of(pages)[code >> 8]} << 8 | (code & 255)];
    }
};

}  // namespace loupe
