"""Encodings of many texts as one rectangular array, as models take them."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from guiapp.core.errors import EncodeError
from guiapp.core.vocab.vocabulary import Vocabulary

Padding = Literal["longest"] | int | None
Row = NDArray[np.int32]

LEAST_BYTES_PER_TEXT = 1 << 10  # below, Python's part of the work is the larger one, and its lock rules
LEAST_BYTES = 1 << 16  # below, threads take longer to start than they save
GROUPS_PER_THREAD = 4


def encode_rows(encode: Callable[[bytes], Row], texts: Sequence[bytes], n_threads: int) -> list[Row]:
    """The ids of each text, in order; on several threads where that pays."""
    n_bytes = sum(map(len, texts))
    if n_threads < 2 or n_bytes < LEAST_BYTES or n_bytes < LEAST_BYTES_PER_TEXT * len(texts):
        return list(map(encode, texts))
    size = -(-len(texts) // (GROUPS_PER_THREAD * n_threads))
    groups = [texts[first : first + size] for first in range(0, len(texts), size)]
    with ThreadPoolExecutor(n_threads) as pool:
        return list(chain.from_iterable(pool.map(lambda group: list(map(encode, group)), groups)))


def n_cores() -> int:
    """The processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def cut_rows(rows: Sequence[Row], n_after: int, truncate: int | None) -> list[Row]:
    """At most `truncate` ids of each row; the last `n_after`, which end a text (EOS, SEP), stay there.

    Raises EncodeError where there is no room for them.
    """
    if truncate is None:
        return list(rows)
    if truncate < n_after:
        raise EncodeError(
            f"A row of {truncate} ids has no room for the tokens that end each text. Keep at least {n_after}."
        )
    return [row if len(row) <= truncate else _cut(row, n_after, truncate) for row in rows]


def _cut(row: Row, n_after: int, truncate: int) -> Row:
    return np.concatenate([row[: truncate - n_after], row[len(row) - n_after :]])


def pad_batch(
    vocabulary: Vocabulary, rows: Sequence[Row], pad: Padding
) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    """Rows of ids as int32[rows, width] and an attention mask uint8 of that shape, 1 where a token is.

    pad       "longest", a width, or None where all rows must be equally long already
    Padding stands at the end, with the vocabulary's padding id, else its EOS id, else 0.
    Raises EncodeError where the rows do not fit.
    """
    if isinstance(pad, str) and pad != "longest":
        raise EncodeError(f"“{pad}” is no padding. Choose “longest”, a number of tokens, or none.")
    longest = max(map(len, rows), default=0)
    width = pad if isinstance(pad, int) else longest
    if longest > width:
        raise EncodeError(
            f"A text has {longest} tokens, more than the width {width}. Truncate, or pad to more."
        )
    if pad is None and any(len(row) != longest for row in rows):
        raise EncodeError("The texts have different numbers of tokens. Choose a padding.")
    special = vocabulary.special_ids
    filler = next((token_id for token_id in (special.pad, special.eos) if token_id is not None), 0)
    ids = np.full((len(rows), width), filler, np.int32)
    mask = np.zeros((len(rows), width), np.uint8)
    for row, token_ids in enumerate(rows):
        ids[row, : len(token_ids)] = token_ids
        mask[row, : len(token_ids)] = 1
    return ids, mask
