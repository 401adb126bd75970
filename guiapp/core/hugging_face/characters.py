"""Which characters the components of Hugging Face's `tokenizers` 0.23 tell apart.

The library is made of parts of different age: what Rust knows of lower case and numbers is that of Unicode
17.0, its regular expressions are at 16.0, normal forms at 9.0, punctuation and accents at 8.0.  The sets in
characters/ were asked of the library itself; see make_characters.py.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from guiapp.core.text.normalizers import ALONE_RANGES
from guiapp.core.text.unicode_tables import N_CODES, WHITESPACE_RANGES, Range

FOLDER = Path(__file__).with_name("characters")
DOTTED_CAPITAL_I = 0x130  # the only character that becomes two in lower case: i and a dot above

CharacterSet = Literal[
    "punctuation", "control", "combining", "nonspacing", "numeric", "word",
    "NFC", "NFD", "NFKC", "NFKD", "joins",
    "extending", "prepending", "breaking", "pictographic", "between_pictures",
    "consonants", "linkers", "linking",
]  # fmt: skip


@cache
def members(name: CharacterSet) -> NDArray[np.bool_]:
    """bool[0x110000]: which code points are in a set."""
    return np.cumsum(np.bincount(_data(name), minlength=N_CODES + 1))[:N_CODES] % 2 > 0


@cache
def ranges(name: CharacterSet) -> tuple[Range, ...]:
    """The same as ranges, both ends included."""
    edges = _data(name).tolist()
    return tuple((first, after - 1) for first, after in zip(edges[::2], edges[1::2], strict=True))


@cache
def lower_targets() -> NDArray[np.int32]:
    """int32[0x110000]: what each code point is in lower case; U+0130 stays what it is."""
    targets = np.arange(N_CODES, dtype=np.int32)
    source, target = _data("lower")
    targets[source] = target
    return targets


@cache
def whitespace_members() -> NDArray[np.bool_]:
    return of_ranges(WHITESPACE_RANGES)


@cache
def ideographs() -> NDArray[np.bool_]:
    """The Chinese characters that BERT sets apart."""
    return of_ranges(ALONE_RANGES)


@cache
def scripts() -> NDArray[np.uint8]:
    """uint8[0x110000]: a number for the script of each code point; 0 fits any."""
    starts, numbers = _data("scripts")
    return np.repeat(numbers, np.diff(starts, append=N_CODES)).astype(np.uint8)


def of_ranges(included: tuple[Range, ...]) -> NDArray[np.bool_]:
    """bool[0x110000]: which code points are in one of some ranges."""
    found = np.zeros(N_CODES, np.bool_)
    for first, last in included:
        found[first : last + 1] = True
    return found


def _data(name: str) -> NDArray[np.int32]:
    table: NDArray[np.int32] = np.load(FOLDER / f"{name}.npy")
    return table
