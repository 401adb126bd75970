#include "token_scripts.h"

#include <algorithm>

#include "api.h"
#include "utf8.h"

namespace loupe {

namespace {

constexpr std::size_t longest_read = 64;  // in bytes

}  // namespace

Byte script_of(Bytes token, std::span<const Byte> scripts_of_codes, Byte first_script) {
    Byte best = 0;
    auto is_broken = false;
    for (std::size_t at = 0; at < std::min(token.size(), longest_read) && best < first_script;) {
        const auto [code, size] = decode(token, at);
        at += size;
        if (code == replacement && size == 1)
            is_broken = true;
        else
            best = std::max(best, scripts_of_codes[code]);
    }
    return is_broken && best < first_script ? 0 : best;
}

}  // namespace loupe

using namespace loupe;

// Returns -1 if the sizes of the arrays do not match.
LOUPE_API std::int64_t loupe_token_scripts(Array<const Byte> data, Array<const std::int64_t> offsets,
                                           Array<const Byte> scripts_of_codes, std::int64_t first_script, Array<Byte> scripts) {
    const Strings tokens{data, offsets};
    if (!are_sound(tokens) || items_of(scripts).size() != tokens.size() || scripts_of_codes.size <= last_code) return -1;
    for (std::size_t token = 0; token < tokens.size(); ++token)
        scripts.data[token] = script_of(tokens[token], scripts_of_codes, static_cast<Byte>(first_script));
    return 0;
}
