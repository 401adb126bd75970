#include "normalized.h"

#include "api.h"

using namespace loupe;

LOUPE_API std::int64_t loupe_normalized_size(const NormalizedText* text) { return static_cast<std::int64_t>(text->size()); }

// Copies the text to arrays of its size.
LOUPE_API void loupe_normalized_copy(const NormalizedText* text, Array<Byte> data, Array<std::int64_t> starts,
                                     Array<std::int64_t> ends) {
    std::ranges::copy_n(text->data.begin(), data.size, data.data);
    std::ranges::copy_n(text->starts.begin(), starts.size, starts.data);
    std::ranges::copy_n(text->ends.begin(), ends.size, ends.data);
}

LOUPE_API void loupe_normalized_free(NormalizedText* text) { delete text; }
