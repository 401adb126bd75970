"""Tokens that are kept free: by their kind, or by a name with a number as converters and labs give them.

A name is no proof that a token was never trained: T5's `<extra_id_0>`, which is, is not taken for one.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from guiapp.core.vocabulary.attributes import UNUSED_TYPE, Attribute
from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.native.checkpoint import stoppable

BAR, GAP = rb"(?:\||\xef\xbd\x9c)?", rb"(?:[_ -]|\xe2\x96\x81)?"
KEPT_FREE = (
    rb"unused|reserved|extra|dummy|pad(?:ding)?|place"
    + GAP
    + rb"holder|special|spare|control|filler|madeupword|unk"
)
QUALIFIED = rb"(?:" + GAP + rb"(?:special|tokens?|no))*"
NAME = re.compile(
    rb"[<\[]" + BAR + rb"(?:" + KEPT_FREE + rb")" + QUALIFIED + GAP + rb"\d{1,9}" + BAR + rb"[>\]]"
    rb"|madeupword\d{1,9}",
    re.IGNORECASE,
)
"""`<|reserved_special_token_7|>`, `[unused7]`, `<SPECIAL_7>`, `<｜place▁holder▁no▁7｜>` and the like."""


def reserved(vocabulary: Vocabulary) -> NDArray[np.bool_]:
    """bool[n]: which tokens are kept free."""
    offsets = vocabulary.token_offsets
    is_kept: NDArray[np.bool_] = (vocabulary.attributes & Attribute.UNUSED > 0) | (
        vocabulary.stored_types == UNUSED_TYPE
    )
    found = [match.span() for match in stoppable(NAME.finditer(vocabulary.token_data.data))]
    if found:
        starts, ends = np.array(found, np.int64).T
        rows = np.searchsorted(offsets, starts, side="right") - 1
        is_whole = (offsets[rows] == starts) & (offsets[rows + 1] == ends)
        is_kept[rows[is_whole]] = True
    return is_kept
