"""Rebuild unicode_15_1/ beside this file, what the program knows about Unicode.

llama.cpp classifies text by Unicode 15.1; the version inside Python varies.  Needs `unicodedata2==15.1.0`:

    python -m guiapp.core.text.make_unicode_data
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import unicodedata2
from numpy.typing import NDArray

TARGET = Path(__file__).with_name("unicode_15_1")
N_CODES = 0x110000
HANGUL_SYLLABLES = range(0xAC00, 0xD7A4)
LETTERS_OF_CLASSES = "-LNPSMZC"


def build() -> dict[str, NDArray[np.int32]]:
    """All tables by name, each int32[2, n]: code points, and what is known of each.

    categories  where runs of code points of one major class begin, and the class, an index into "-LNPSMZC"
    lower       one-to-one lower case
    nfd         first code point of the canonical decomposition; Hangul syllables left out
    """
    if unicodedata2.unidata_version != "15.1.0":
        raise SystemExit(f"unicodedata2 is of Unicode {unicodedata2.unidata_version}, not 15.1.0")
    classes = np.array([_major_class(code) for code in range(N_CODES)], np.int32)
    starts = np.flatnonzero(np.diff(classes, prepend=-1))
    lower = {code: _lower(code) for code in range(N_CODES) if classes[code] and _lower(code) != code}
    nfd = {code: _first_decomposed(code) for code in range(N_CODES) if _first_decomposed(code) != code}
    return {
        "categories": np.stack([starts, classes[starts]]).astype(np.int32),
        "lower": np.array([list(lower), list(lower.values())], np.int32),
        "nfd": np.array([list(nfd), list(nfd.values())], np.int32),
    }


def _major_class(code: int) -> int:
    category = unicodedata2.category(chr(code))
    return 0 if category == "Cn" else LETTERS_OF_CLASSES.index(category[0])


def _lower(code: int) -> int:
    if code == 0x130:  # two code points in Unicode, one in llama.cpp
        return ord("i")
    lowered = chr(code).lower()
    return ord(lowered) if len(lowered) == 1 else code


def _first_decomposed(code: int) -> int:
    if code in HANGUL_SYLLABLES:
        return code
    return ord(unicodedata2.normalize("NFD", chr(code))[0])


if __name__ == "__main__":
    TARGET.mkdir(exist_ok=True)
    for name, table in build().items():
        np.save(TARGET / f"{name}.npy", table)
