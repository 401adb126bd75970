"""Where graphemes begin, as far as that matters to those of fewer than six bytes.

The rules are those of Unicode's annex 29, https://www.unicode.org/reports/tr29/, without flags and all else
whose characters have four bytes: where such a grapheme ends tells nothing about a short one.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from guiapp.core.hugging_face.aligned import Offsets
from guiapp.core.hugging_face.characters import members
from guiapp.core.text.unicode_tables import N_CODES

OTHER, CR, BREAKING, EXTENDING, PREPENDING, LEADING, VOWEL, TRAILING, SYLLABLE, CLOSED = range(10)
JOINED = {
    LEADING: (LEADING, VOWEL, SYLLABLE, CLOSED),
    VOWEL: (VOWEL, TRAILING),
    SYLLABLE: (VOWEL, TRAILING),
    TRAILING: (TRAILING,),
    CLOSED: (TRAILING,),
}
ZERO_WIDTH_JOINER = 0x200D
SYLLABLES = slice(0xAC00, 0xD7A4)
SYLLABLES_PER_VOWEL = 28


def grapheme_starts(codes: NDArray[np.uint32]) -> Offsets:
    """Which of some characters begin a grapheme."""
    kinds = _kinds()[codes]
    is_joined = _joined()[kinds[:-1], kinds[1:]]
    is_joined |= (codes[:-1] == ord("\r")) & (codes[1:] == ord("\n"))
    if (codes == ZERO_WIDTH_JOINER).any():
        is_joined |= _in_pictures(codes)
    if members("linkers")[codes].any():
        is_joined |= _in_conjuncts(codes)
    return np.flatnonzero(np.append(True, ~is_joined)[: len(codes)])


def _in_pictures(codes: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Between a joiner and a picture behind it, if a picture also precedes."""
    is_picture = members("pictographic")[codes]
    base = np.append(-1, _last_where(~members("between_pictures")[codes])[:-1])
    is_bound = (codes == ZERO_WIDTH_JOINER) & (base >= 0) & is_picture[base]
    bound: NDArray[np.bool_] = is_bound[:-1] & is_picture[1:]
    return bound


def _in_conjuncts(codes: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Before a consonant that a linker binds to another one."""
    is_consonant = members("consonants")[codes]
    base = _last_where(~(members("linking")[codes] | members("linkers")[codes]))
    linker = _last_where(members("linkers")[codes])
    is_bound = (base >= 0) & is_consonant[base] & (linker > base)
    bound: NDArray[np.bool_] = is_bound[:-1] & is_consonant[1:]
    return bound


def _last_where(is_it: NDArray[np.bool_]) -> Offsets:
    """For each place the last one up to it where something is; -1 for none."""
    last: Offsets = np.maximum.accumulate(np.where(is_it, np.arange(len(is_it)), -1))
    return last


@cache
def _kinds() -> NDArray[np.uint8]:
    kinds = np.zeros(N_CODES, np.uint8)
    kinds[0x1100:0x1160] = kinds[0xA960:0xA97D] = LEADING
    kinds[0x1160:0x11A8] = kinds[0xD7B0:0xD7C7] = VOWEL
    kinds[0x11A8:0x1200] = kinds[0xD7CB:0xD7FC] = TRAILING
    kinds[SYLLABLES] = CLOSED
    kinds[SYLLABLES][::SYLLABLES_PER_VOWEL] = SYLLABLE
    kinds[members("prepending")] = PREPENDING
    kinds[members("breaking")] = BREAKING
    kinds[members("extending")] = EXTENDING
    return kinds


@cache
def _joined() -> NDArray[np.bool_]:
    """[kind, kind]: whether no grapheme begins between two characters."""
    joined = np.zeros((10, 10), np.bool_)
    for left, rights in JOINED.items():
        joined[left, list(rights)] = True
    joined[PREPENDING] = True
    joined[:, EXTENDING] = True
    joined[BREAKING] = joined[:, BREAKING] = False
    return joined
