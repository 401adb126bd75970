"""Rows of the embeddings that no training text can have led to: what the others are compared with.

Source: Land & Bartolo 2024, https://arxiv.org/abs/2405.05417, who choose them by hand for each model.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.reserved import reserved
from guiapp.core.vocabulary.vocabulary import Vocabulary

Ids = NDArray[np.int32]

NEVER_IN_UTF_8 = frozenset({0xC0, 0xC1, *range(0xF5, 0x100)})
FEWEST = 3  # whose mean says something


class KnownUnused(NamedTuple):
    """Rows that no training text can have led to.

    why   what they are, in the plural
    rows  numbers of rows, ascending; those from the size of the vocabulary on have no token
    """

    why: str
    rows: Ids


def known_unused(vocabulary: Vocabulary, n_rows: int) -> tuple[KnownUnused, ...]:
    """All groups of a model with so many rows, the most trustworthy first; those of too few rows last."""
    n_tokens = len(vocabulary)
    data, offsets = vocabulary.token_bytes_table
    single = np.flatnonzero((np.diff(offsets) == 1) & ((vocabulary.attributes & Attribute.CONTROL) == 0))
    is_byte = (vocabulary.attributes[single] & Attribute.BYTE) > 0
    is_never = np.isin(data[offsets[single]], [*NEVER_IN_UTF_8])
    is_double = is_byte & ~vocabulary.token_tree.is_matched[single] & ~is_never
    groups: tuple[tuple[str, NDArray[np.integer]], ...] = (
        ("tokens for bytes that UTF-8 never has", single[is_never]),
        ("byte tokens whose character is a token itself", single[is_double]),
        ("rows without a token", np.arange(n_tokens, n_rows)),
        ("tokens named or marked as unused or reserved", np.flatnonzero(reserved(vocabulary))),
    )
    there = [KnownUnused(why, rows[rows < n_rows].astype(np.int32)) for why, rows in groups]
    return tuple(
        sorted((group for group in there if len(group.rows)), key=lambda group: len(group.rows) < FEWEST)
    )
