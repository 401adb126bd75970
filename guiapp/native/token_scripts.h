// Which script a token is written in, by a table made in Python (analysis/tree/picture.py).
#pragma once

#include "strings.h"

namespace loupe {

// The script of a token's first letter, else of the strongest character in it.  Numbers below `first_script` are no scripts, and
// weaker the smaller they are.  A token without a letter that is not whole UTF-8 gets 0.
Byte script_of(Bytes token, std::span<const Byte> scripts_of_codes, Byte first_script);

}  // namespace loupe
