"""The script of every token of a vocabulary."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.compile import kernel

LONGEST_LOOK = 64  # bytes of a token that are looked at


@kernel
def classify(
    data: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    scripts_of_codes: NDArray[np.uint8],
    first_script: int,
    scripts: NDArray[np.uint8],
) -> None:
    """Write the script of each token: of its first letter, else of the strongest character in it.

    Numbers below `first_script` are no scripts, and weaker the smaller they are.  A token without a letter
    that is not whole UTF-8 gets 0.
    """
    for token in range(len(scripts)):
        at, end = offsets[token], min(offsets[token + 1], offsets[token] + LONGEST_LOOK)
        best, is_broken = 0, False
        while at < end and best < first_script:
            lead = int(data[at])
            length = 1 + (lead >= 0xC2) + (lead >= 0xE0) + (lead >= 0xF0)
            code = lead if length == 1 else lead & (0x7F >> length)
            is_whole = lead < 0x80 or (lead >= 0xC2 and lead < 0xF5 and at + length <= end)
            for following in range(at + 1, at + length):
                if is_whole:
                    byte = int(data[following])
                    code = code << 6 | (byte & 0x3F)
                    is_whole = byte & 0xC0 == 0x80
            if is_whole and code < len(scripts_of_codes):
                best = max(best, int(scripts_of_codes[code]))
                at += length
            else:
                is_broken = True
                at += 1
        scripts[token] = 0 if is_broken and best < first_script else best
