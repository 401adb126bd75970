"""Which script a token is written in: what the picture of the tree is grouped and coloured by.

Letters tell the script, by the block of their code point; only tokens without a letter are told by their
digits, signs or spaces.  Blocks are coarser than Unicode's Script property, and enough to sort a picture.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from guiapp.core.text.unicode_tables import N_CODES, category_runs
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.vocabulary import TokenTree, Vocabulary
from guiapp.native import token_tree as native

# What no letter tells, the weakest first: of several in a token the strongest counts.
BYTES, SPACES, PUNCTUATION, SYMBOLS, DIGITS, EMOJI = range(6)
SPECIAL = 6
FIRST_SCRIPT = 7

SCRIPT_BLOCKS: dict[str, tuple[tuple[int, int], ...]] = {
    "Latin": (
        (0x41, 0x5A), (0x61, 0x7A), (0xAA, 0xAA), (0xBA, 0xBA), (0xC0, 0xD6), (0xD8, 0xF6), (0xF8, 0x2AF),
        (0x1D00, 0x1DBF), (0x1E00, 0x1EFF), (0x2C60, 0x2C7F), (0xA720, 0xA7FF), (0xAB30, 0xAB6F),
        (0xFB00, 0xFB06), (0xFF21, 0xFF3A), (0xFF41, 0xFF5A),
    ),
    "Greek": ((0x370, 0x3FF), (0x1F00, 0x1FFF)),
    "Cyrillic": ((0x400, 0x52F), (0x1C80, 0x1C8F), (0x2DE0, 0x2DFF), (0xA640, 0xA69F)),
    "Armenian": ((0x530, 0x58F), (0xFB13, 0xFB17)),
    "Hebrew": ((0x590, 0x5FF), (0xFB1D, 0xFB4F)),
    "Arabic": ((0x600, 0x6FF), (0x750, 0x77F), (0x870, 0x8FF), (0xFB50, 0xFDFF), (0xFE70, 0xFEFE)),
    "Syriac": ((0x700, 0x74F), (0x860, 0x86F)),
    "Thaana": ((0x780, 0x7BF),),
    "N’Ko": ((0x7C0, 0x7FF),),
    "Devanagari": ((0x900, 0x97F), (0xA8E0, 0xA8FF), (0x1CD0, 0x1CFF)),
    "Bengali": ((0x980, 0x9FF),),
    "Gurmukhi": ((0xA00, 0xA7F),),
    "Gujarati": ((0xA80, 0xAFF),),
    "Odia": ((0xB00, 0xB7F),),
    "Tamil": ((0xB80, 0xBFF),),
    "Telugu": ((0xC00, 0xC7F),),
    "Kannada": ((0xC80, 0xCFF),),
    "Malayalam": ((0xD00, 0xD7F),),
    "Sinhala": ((0xD80, 0xDFF),),
    "Thai": ((0xE00, 0xE7F),),
    "Lao": ((0xE80, 0xEFF),),
    "Tibetan": ((0xF00, 0xFFF),),
    "Burmese": ((0x1000, 0x109F), (0xA9E0, 0xA9FF), (0xAA60, 0xAA7F)),
    "Georgian": ((0x10A0, 0x10FF), (0x1C90, 0x1CBF), (0x2D00, 0x2D2F)),
    "Hangul": (
        (0x1100, 0x11FF), (0x3130, 0x318F), (0xA960, 0xA97F), (0xAC00, 0xD7FF), (0xFFA0, 0xFFDC),
    ),
    "Ethiopic": ((0x1200, 0x139F), (0x2D80, 0x2DDF), (0xAB00, 0xAB2F)),
    "Cherokee": ((0x13A0, 0x13FF), (0xAB70, 0xABBF)),
    "Canadian syllables": ((0x1400, 0x167F), (0x18B0, 0x18FF)),
    "Khmer": ((0x1780, 0x17FF), (0x19E0, 0x19FF)),
    "Mongolian": ((0x1800, 0x18AF),),
    "Han": (
        (0x2E80, 0x2FDF), (0x3005, 0x3007), (0x3021, 0x3029), (0x3100, 0x312F), (0x31A0, 0x31BF),
        (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF),
    ),
    "Kana": ((0x3041, 0x30FF), (0x31F0, 0x31FF), (0xFF66, 0xFF9F), (0x1B000, 0x1B16F)),
    "Tifinagh": ((0x2D30, 0x2D7F),),
    "Yi": ((0xA000, 0xA4CF),),
    "Javanese": ((0xA980, 0xA9DF),),
}  # fmt: skip
OTHER_LETTERS = "Other letters"
EMOJI_BLOCKS = ((0x2600, 0x27BF), (0x1F000, 0x1FAFF), (0xFE0F, 0xFE0F), (0x200D, 0x200D))
NAMES = (
    "Bytes of characters", "Spaces", "Punctuation", "Symbols", "Digits", "Emoji", "Special tokens",
    *SCRIPT_BLOCKS, OTHER_LETTERS,
)  # fmt: skip
OF_CATEGORY = (BYTES, len(NAMES) - 1, DIGITS, PUNCTUATION, SYMBOLS, len(NAMES) - 1, SPACES, SPACES)


def token_scripts(vocabulary: Vocabulary, tree: TokenTree) -> NDArray[np.uint8]:
    """For each token an index into NAMES.

    A token that is only part of a character belongs to the script that most tokens below it are written in.
    """
    scripts = native.token_scripts(tree.data, tree.offsets, scripts_of_codes(), FIRST_SCRIPT)
    scripts[(vocabulary.attributes & (Attribute.CONTROL | Attribute.UNKNOWN)) > 0] = SPECIAL
    own = scripts.copy()
    for token in np.flatnonzero((own == BYTES) & (tree.columns.sizes > 1)).tolist():
        below = np.bincount(own[tree.subtree(token)], minlength=FIRST_SCRIPT)
        below[BYTES] = 0
        scripts[token] = below.argmax() if below.any() else BYTES
    return scripts


@cache
def scripts_of_codes() -> NDArray[np.uint8]:
    """For each code point an index into NAMES."""
    runs = category_runs()
    of_runs = np.array(OF_CATEGORY, np.uint8)[runs.categories]
    scripts = np.repeat(of_runs, np.diff(runs.starts, append=N_CODES))
    for number, blocks in enumerate(SCRIPT_BLOCKS.values(), FIRST_SCRIPT):
        for first, last in blocks:
            part = scripts[first : last + 1]
            part[part != DIGITS] = number
    for first, last in EMOJI_BLOCKS:
        scripts[first : last + 1] = EMOJI
    return scripts
