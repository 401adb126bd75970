// The script of a token, by a table made in Python (analysis/tree/picture.py).
#pragma once

#include "strings.h"

namespace loupe {

// The script of a token's first letter, or else of its strongest character. Numbers below `first_script` are not scripts, and
// smaller ones are weaker. A token without a letter that is not whole UTF-8 gets 0.
Byte script_of(Bytes token, std::span<const Byte> scripts_of_codes, Byte first_script);

}  // namespace loupe
