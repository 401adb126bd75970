"""Encodings of many texts as one rectangular array, as models take them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from guiapp.core.errors import EncodeError
from guiapp.core.vocab.vocabulary import Vocabulary

Padding = Literal["longest"] | int | None


def pad_batch(
    vocabulary: Vocabulary, rows: Sequence[NDArray[np.int32]], pad: Padding, truncate: int | None
) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    """Rows of ids as int32[rows, width] and an attention mask uint8 of that shape, 1 where a token is.

    pad       "longest", a width, or None where all rows must be equally long already
    truncate  keep at most so many ids of each row
    Padding stands at the end, with the vocabulary's padding id, else its EOS id, else 0.
    Raises EncodeError where the rows do not fit.
    """
    cut = [row[:truncate] for row in rows]
    longest = max(map(len, cut), default=0)
    width = pad if isinstance(pad, int) else longest
    if longest > width:
        raise EncodeError(
            f"A text has {longest} tokens, more than the width {width}. Truncate, or pad to more."
        )
    if pad is None and any(len(row) != longest for row in cut):
        raise EncodeError("The texts have different numbers of tokens. Choose a padding.")
    special = vocabulary.special_ids
    filler = next((token_id for token_id in (special.pad, special.eos) if token_id is not None), 0)
    ids = np.full((len(cut), width), filler, np.int32)
    mask = np.zeros((len(cut), width), np.uint8)
    for row, token_ids in enumerate(cut):
        ids[row, : len(token_ids)] = token_ids
        mask[row, : len(token_ids)] = 1
    return ids, mask
