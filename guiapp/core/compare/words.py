"""The words of a text by script, and the tokens that they take: fertility.

A word is a run of letters of one script, with the marks on them and apostrophes between them.  In scripts
that put no spaces between words, finding them takes a dictionary: there each letter counts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from guiapp.core.editing.character_starts import decode
from guiapp.core.encoding import Offsets
from guiapp.core.text.unicode_tables import LETTER, MARK, categories
from guiapp.core.tree.scripts import FIRST_SCRIPT, NAMES, OTHER_LETTERS, scripts_of_codes

UNSPACED = ("Han", "Kana", "Thai", "Lao", "Khmer", "Burmese")
N_SCRIPTS = len(NAMES)
JOINERS = [ord(sign) for sign in "'’\u200c\u200d"]  # of don't, of Persian and of Indian words
NO_LETTER = 255


@dataclass(frozen=True, eq=False)
class Words:
    """The letters of a text, marks included, and how many words they make.

    starts   int64[k]  letter i is the bytes [starts[i], ends[i])
    ends     int64[k]
    scripts  uint8[k]  its script, an index into `tree.scripts.NAMES`
    counts   int64[len(NAMES)]  the words of each script
    """

    starts: Offsets
    ends: Offsets
    scripts: NDArray[np.uint8]
    counts: NDArray[np.int64]

    def count_tokens(self, starts: Offsets, ends: Offsets) -> NDArray[np.int64]:
        """int64[len(NAMES)]: the tokens that hold a letter or a part of one, by the script of the first."""
        if not len(self.starts):
            return np.zeros(N_SCRIPTS, np.int64)
        rows = np.searchsorted(self.ends, starts, side="right")
        known = np.minimum(rows, len(self.ends) - 1)
        has_letter = (rows < len(self.ends)) & (self.starts[known] < ends)
        return np.bincount(self.scripts[known[has_letter]], minlength=N_SCRIPTS)


def words_of(text: bytes) -> Words:
    """Find the words of a text, which may be no valid UTF-8."""
    codes = np.frombuffer(decode(text).encode("utf-32-le", "surrogatepass"), np.uint32)
    scripts, is_mark = _letter_scripts(codes)
    is_letter = scripts != NO_LETTER
    begins = is_letter & (np.append(np.uint8(NO_LETTER), scripts[:-1]) != scripts)
    each = np.isin(scripts, [NAMES.index(name) for name in UNSPACED])
    counted = np.where(each, ~is_mark, begins)
    ends = np.cumsum(_byte_lengths(codes))
    starts = ends - _byte_lengths(codes)
    counts = np.bincount(scripts[counted & is_letter], minlength=N_SCRIPTS)
    return Words(starts[is_letter], ends[is_letter], scripts[is_letter], counts)


def _letter_scripts(codes: NDArray[np.uint32]) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """The script of each letter, and of what belongs to one, else NO_LETTER; and what is a mark."""
    kinds = np.frombuffer(categories(), np.uint8)[codes]
    is_mark = kinds == MARK
    scripts = scripts_of_codes()[codes]
    scripts[(kinds != LETTER) & ~is_mark | (scripts < FIRST_SCRIPT)] = NO_LETTER
    if len(codes):
        follows = is_mark & (scripts == NAMES.index(OTHER_LETTERS))
        scripts = scripts[np.maximum.accumulate(np.where(follows, 0, np.arange(len(codes))))]
    inner = np.flatnonzero(np.isin(codes[1:-1], JOINERS)) + 1
    inner = inner[(scripts[inner - 1] != NO_LETTER) & (scripts[inner + 1] == scripts[inner - 1])]
    scripts[inner] = scripts[inner - 1]
    return scripts, is_mark


def _byte_lengths(codes: NDArray[np.uint32]) -> NDArray[np.int64]:
    """How many bytes each character was; a byte of no valid UTF-8 is one."""
    is_stray = (codes >= 0xDC80) & (codes <= 0xDCFF)
    return np.where(is_stray, 1, np.digitize(codes, (0x80, 0x800, 0x10000)) + 1)
