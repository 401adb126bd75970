// The tokens of a text as output for the caller: ids, and their spans in the text.
#pragma once

#include "bytes.h"

namespace loupe {

struct TokenOutput {
    Ids ids;
    std::span<std::int64_t> starts, ends;  // empty if not needed
    std::size_t count = 0;

    bool has_room(std::size_t size) const { return ids.size() >= size && starts.size() >= size && ends.size() >= size; }

    void add(std::int32_t id, std::size_t start, std::size_t end) {
        ids[count] = id;
        if (!starts.empty()) starts[count] = static_cast<std::int64_t>(start), ends[count] = static_cast<std::int64_t>(end);
        ++count;
    }
};

}  // namespace loupe
