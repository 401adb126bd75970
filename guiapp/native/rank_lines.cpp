// tiktoken's files: on each line a token in base64, and its rank.
#include "api.h"
#include "base64.h"

namespace loupe {

namespace {

constexpr std::size_t most_digits = 18;  // of a rank

// A whole number, or -1.
std::int64_t number_of(Bytes digits) {
    if (digits.empty() || digits.size() > most_digits) return -1;
    std::int64_t number = 0;
    for (const Byte digit : digits) {
        if (digit < '0' || digit > '9') return -1;
        number = 10 * number + (digit - '0');
    }
    return number;
}

Bytes without_last_spaces(Bytes line) {
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line = line.first(line.size() - 1);
    return line;
}

}  // namespace

}  // namespace loupe

using namespace loupe;

// Write the concatenated tokens, their offsets and ranks. Returns their number, or -1 - the number of lines before the first
// invalid one. Empty lines are skipped. There must be room for one token a line.
LOUPE_API std::int64_t loupe_rank_lines(Array<const Byte> text, Array<Byte> data, Array<std::int64_t> offsets, Array<std::int64_t> ranks) {
    Bytes rest = text;
    std::span<Byte> room = data;
    std::int64_t count = 0, size = 0;
    if (offsets.size > 0) offsets.data[0] = 0;
    for (std::int64_t n_before = 0; !rest.empty(); ++n_before) {
        const auto length = find_byte(rest, '\n');
        const auto line = without_last_spaces(rest.first(length));
        rest = rest.subspan(std::min(length + 1, rest.size()));
        if (line.empty()) continue;
        const auto token = line.first(find_byte(line, ' '));
        const auto rank = token.size() < line.size() ? number_of(line.subspan(token.size() + 1)) : -1;
        if (rank < 0 || token.size() > room.size() || count >= ranks.size || count + 1 >= offsets.size) return -1 - n_before;
        const auto decoded = decode_base64(token, room);
        if (!decoded) return -1 - n_before;
        room = room.subspan(*decoded);
        size += static_cast<std::int64_t>(*decoded);
        ranks.data[count] = rank;
        offsets.data[++count] = size;
    }
    return count;
}
