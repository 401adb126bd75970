"""Rebuild what the program knows about Unicode: unicode_15_1/ and unicode_16_0/ in core/text.

llama.cpp classifies text by Unicode 15.1, tiktoken by 16.0; the version inside Python varies.  Needs
`unicodedata2==15.1.0` for the one and `unicodedata2==16.0.0` for the other:

    python resources/make_unicode_data.py
"""

from __future__ import annotations

import numpy as np
import unicodedata2
from numpy.typing import NDArray

from guiapp.core.text.unicode_tables import CATEGORIES, FOLDER

N_CODES = 0x110000
HANGUL_SYLLABLES = range(0xAC00, 0xD7A4)
LETTERS_OF_CLASSES = "-LNPSMZC"

Table = NDArray[np.int32]


def build_15_1() -> dict[str, Table]:
    """All tables by name, each int32[2, n]: code points, and what is known of each.

    categories  where runs of code points of one major class begin, and the class, an index into "-LNPSMZC"
    lower       one-to-one lower case
    nfd         first code point of the canonical decomposition; Hangul syllables left out
    """
    classes = np.array([_major_class(code) for code in range(N_CODES)], np.int32)
    lower = {code: _lower(code) for code in range(N_CODES) if classes[code] and _lower(code) != code}
    nfd = {code: _first_decomposed(code) for code in range(N_CODES) if _first_decomposed(code) != code}
    return {
        "categories": _runs(classes),
        "lower": np.array([list(lower), list(lower.values())], np.int32),
        "nfd": np.array([list(nfd), list(nfd.values())], np.int32),
    }


def build_16_0() -> dict[str, Table]:
    """The same with the general categories, indices into CATEGORIES, and nothing else."""
    numbers = {name: number for number, name in enumerate(CATEGORIES)}
    category_numbers = [numbers[unicodedata2.category(chr(code))] for code in range(N_CODES)]
    return {"general_categories": _runs(np.array(category_numbers, np.int32))}


BUILDS = {"15.1.0": build_15_1, "16.0.0": build_16_0}


def _runs(values: Table) -> Table:
    starts = np.flatnonzero(np.diff(values, prepend=-1))
    return np.stack([starts, values[starts]]).astype(np.int32)


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
    version = unicodedata2.unidata_version
    if version not in BUILDS:
        raise SystemExit(f"unicodedata2 is of Unicode {version}, not of {' or '.join(BUILDS)}")
    target = FOLDER / f"unicode_{'_'.join(version.split('.')[:2])}"
    target.mkdir(exist_ok=True)
    for name, table in BUILDS[version]().items():
        np.save(target / f"{name}.npy", table)
