"""Spell each byte of a text as the character that GPT-2 writes for it."""

from __future__ import annotations

import numpy as np

from guiapp.core.hugging_face.aligned import AlignedText, Offsets
from guiapp.core.vocabulary.byte_alphabet import CODE_POINTS

IS_WIDE = CODE_POINTS >= 0x80
FIRST = np.where(IS_WIDE, 0xC0 | CODE_POINTS >> 6, CODE_POINTS).astype(np.uint8)
SECOND = (0x80 | CODE_POINTS & 0x3F).astype(np.uint8)


def as_characters(text: AlignedText, piece_ends: Offsets) -> tuple[AlignedText, Offsets]:
    """The text so spelled, and where its pieces end; the second byte of a character comes from nowhere."""
    is_wide = IS_WIDE[text.data]
    text.check_growth(len(is_wide) + int(np.count_nonzero(is_wide)))
    offsets_after = np.cumsum(is_wide + 1)
    size = int(offsets_after[-1]) if len(offsets_after) else 0
    data, starts, ends = np.empty(size, np.uint8), np.empty(size, np.int64), np.empty(size, np.int64)
    old_starts, old_ends = text.both_spans()
    first, second = offsets_after - 1 - is_wide, offsets_after[is_wide] - 1
    data[first], data[second] = FIRST[text.data], SECOND[text.data[is_wide]]
    starts[first], ends[first] = old_starts, old_ends
    starts[second] = ends[second] = old_ends[is_wide]
    moved = np.append(0, offsets_after)
    return AlignedText(data, (starts, ends), int(moved[text.n_first]), text.most), moved[piece_ends]
