"""Unicode 15.1 as in llama.cpp, and the categories of 16.0 that tiktoken uses, whatever Python has.

The data in unicode_15_1/ and unicode_16_0/ are made by resources/make_unicode_data.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

UNASSIGNED, LETTER, NUMBER, PUNCTUATION, SYMBOL, MARK, SEPARATOR, CONTROL = range(8)

Range = tuple[int, int]  # of code points, both ends included

FOLDER = Path(__file__).parent
CATEGORIES = (
    *("Cn", "Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No", "Pc", "Pd", "Ps", "Pe", "Pi"),
    *("Pf", "Po", "Sm", "Sc", "Sk", "So", "Zs", "Zl", "Zp", "Cc", "Cf", "Cs", "Co"),
)
N_CODES = 0x110000
HANGUL_SYLLABLES = range(0xAC00, 0xD7A4)
HANGUL_PER_FIRST_JAMO = 588
FIRST_JAMO = 0x1100

WHITESPACE_RANGES = (
    (0x09, 0x0D), (0x20, 0x20), (0x85, 0x85), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A),
    (0x2028, 0x2029), (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000),
)  # fmt: skip

IS_ASCII_SPACE = np.isin(np.arange(256), list(b"\t\n\v\f\r "))
"""bool[256]: which bytes are ASCII white space."""

HAN_RANGES = (
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF), (0x2CEB0, 0x2EBEF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
)  # fmt: skip


class CategoryRuns(NamedTuple):
    """Code points by major category: run i reaches from starts[i] to the next start."""

    starts: NDArray[np.int32]
    categories: NDArray[np.uint8]

    def of(self, codes: NDArray[np.integer]) -> NDArray[np.uint8]:
        """The category of each code point."""
        return self.categories[np.searchsorted(self.starts, codes, side="right") - 1]


@cache
def category_runs() -> CategoryRuns:
    starts, categories = _data("unicode_15_1/categories")
    return CategoryRuns(starts, categories.astype(np.uint8))


@cache
def categories() -> bytes:
    """The major category of every code point, UNASSIGNED … CONTROL."""
    runs = category_runs()
    return np.repeat(runs.categories, np.diff(runs.starts, append=N_CODES)).tobytes()


@cache
def whitespace() -> frozenset[int]:
    return frozenset(code for first, last in WHITESPACE_RANGES for code in range(first, last + 1))


@cache
def ranges_of(name: str) -> tuple[Range, ...]:
    """The code points of a general category of Unicode 16.0, such as Lu, or of all that begin with a letter.

    Raises KeyError for a name that no category has or begins with.
    """
    starts, categories = _data("unicode_16_0/general_categories")
    numbers = [number for number, category in enumerate(CATEGORIES) if category.startswith(name)]
    if not numbers or not name:
        raise KeyError(name)
    edges = np.diff(np.isin(categories, numbers), prepend=False, append=False).nonzero()[0]
    bounds = np.append(starts, N_CODES)[edges].tolist()
    return tuple((first, after - 1) for first, after in zip(bounds[::2], bounds[1::2], strict=True))


@cache
def property_names() -> frozenset[str]:
    """The names for `property_ranges`: scripts, and classes such as alpha and word, in lower case."""
    with np.load(FOLDER / "unicode_16_0/properties.npz") as properties:
        return frozenset(properties.files)


@cache
def property_ranges(name: str) -> tuple[Range, ...]:
    """The code points that have a property in Unicode 16.0."""
    with np.load(FOLDER / "unicode_16_0/properties.npz") as properties:
        edges = properties[name].tolist()
    return tuple((first, after - 1) for first, after in zip(edges[::2], edges[1::2], strict=True))


def are_in(codes: NDArray[np.integer], ranges: Iterable[Range]) -> NDArray[np.bool_]:
    """Which code points are in one of the ranges."""
    starts, ends = np.array(sorted(ranges), np.int64).reshape(-1, 2).T
    before = np.searchsorted(starts, codes, side="right")
    return np.append(-1, np.maximum.accumulate(ends))[before] >= codes


@cache
def lower_case() -> dict[int, int]:
    """The lower-case code point of each code point that has exactly one different one."""
    return dict(zip(*_data("unicode_15_1/lower").tolist(), strict=True))


@cache
def first_decomposed() -> dict[int, int]:
    """The first code point of canonical decompositions; accents and the like are dropped."""
    matches: dict[int, int] = dict(zip(*_data("unicode_15_1/nfd").tolist(), strict=True))
    syllables = enumerate(HANGUL_SYLLABLES)
    return matches | {code: FIRST_JAMO + number // HANGUL_PER_FIRST_JAMO for number, code in syllables}


def _data(name: str) -> NDArray[np.int32]:
    """int32[2, n]: code points, and the datum of each."""
    table: NDArray[np.int32] = np.load(FOLDER / f"{name}.npy")
    return table
