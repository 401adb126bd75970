"""Token ids of many texts: as one rectangular array, as models take them, or as rows."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import accumulate, pairwise
from operator import index
from typing import Literal, NamedTuple, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from guiapp.core.encode.families.rows import Rows
from guiapp.core.encode.parallel.many_texts import share_out
from guiapp.core.text.figures import counted
from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.errors import EncodeError
from guiapp.native import detokenizer as native

Padding = Literal["longest"] | SupportsIndex | None
Around = tuple[list[int], list[int]]  # the ids before and after each text
NO_LIMIT = 1 << 62
BYTES_PER_ID = 5  # with its place in the mask
MANY_IDS = 1 << 18  # below, threads take longer to start than they save


class Shape(NamedTuple):
    """What rows are cut and filled to: `most` ids each, and a width, "longest" or None as for `pad_batch`."""

    width: int | Literal["longest"] | None
    most: int


def n_cores() -> int:
    """The processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def row_by_row(groups: Sequence[Rows], affixes: Around) -> list[NDArray[np.int32]]:
    """The rows of all groups, with the ids of `affixes`, one array each."""
    n_around = [*map(len, affixes)]
    both = np.array([*affixes[0], *affixes[1]], np.int32)
    result: list[NDArray[np.int32]] = []
    for ids, counts in groups:
        ends = np.cumsum(counts)
        if len(both):
            places = np.repeat(np.stack([ends - counts, ends], axis=1), n_around, axis=1)
            ids = np.insert(ids, places.ravel(), np.tile(both, len(counts)))
            ends += len(both) * np.arange(1, len(ends) + 1)
        result += [ids[start:end] for start, end in pairwise([0, *ends.tolist()])]
    return result


def checked_shape(pad: Padding, truncate: SupportsIndex | None, n_after: int) -> Shape:
    """What `pad_batch` can be asked for where `n_after` ids end each text; EncodeError for anything else."""
    if not (truncate is None or isinstance(truncate, SupportsIndex)):
        raise EncodeError(f"Rows cannot be cut to “{truncate}”. Choose a number of tokens, or none.")
    most = NO_LIMIT if truncate is None else index(truncate)
    if most < n_after:
        raise EncodeError(
            f"A row of {counted(most, 'id')} has no room for the tokens that end each text. "
            f"Keep at least {n_after}."
        )
    if pad is None or pad == "longest":
        return Shape(pad, most)
    if not isinstance(pad, SupportsIndex) or (width := index(pad)) < 0:
        raise EncodeError(f"“{pad}” is no padding. Choose “longest”, a number of tokens, or none.")
    return Shape(width, most)


def pad_batch(
    vocabulary: Vocabulary, groups: Sequence[Rows], affixes: Around, shape: Shape, n_threads: int
) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    """Rows of ids as int32[rows, width] and an attention mask uint8 of that shape, 1 where a token is.

    shape.width  "longest", a number, or None where all rows must be equally long already
    shape.most   ids of a row; where there are more, the last ones of the text are left out, not what ends it
    Padding stands at the end, with the vocabulary's padding id, else its EOS id, else 0.
    Raises EncodeError where the rows do not fit.
    """
    before, after = (np.array(ids, np.int32) for ids in affixes)
    counts = np.concatenate([np.empty(0, np.int64), *(rows.counts for rows in groups)])
    lengths = np.minimum(counts + len(before) + len(after), shape.most)
    ids, mask = _new_arrays(len(lengths), _width(lengths, shape.width))
    special = vocabulary.special_ids
    filler = next((token_id for token_id in (special.pad, special.eos) if token_id is not None), 0)
    lasts = accumulate(len(rows.counts) for rows in groups)

    def write_rows(group: tuple[Rows, int]) -> None:
        rows, last = group
        here = slice(last - len(rows.counts), last)
        native.write_rows(*rows, (before, after), shape.most, filler, ids[here], mask[here])

    share_out(write_rows, list(zip(groups, lasts, strict=True)), n_threads if ids.size >= MANY_IDS else 1)
    return ids, mask


def _width(lengths: NDArray[np.int64], requested: int | Literal["longest"] | None) -> int:
    longest = int(lengths.max(initial=0))
    if isinstance(requested, int) and longest > requested:
        raise EncodeError(
            f"A text has {counted(longest, 'token')}, more than the width {requested}. "
            "Truncate, or pad to more."
        )
    if requested is None and (lengths != longest).any():
        raise EncodeError("The texts have different numbers of tokens. Choose a padding.")
    return requested if isinstance(requested, int) else longest


def _new_arrays(n_rows: int, width: int) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    if n_rows * width * BYTES_PER_ID > _memory_bytes():
        raise EncodeError(
            f"{n_rows:,} rows of {width:,} tokens need more memory than there is. Truncate, or leave long "
            "texts out."
        )
    return np.empty((n_rows, width), np.int32), np.zeros((n_rows, width), np.uint8)


def _memory_bytes() -> int:
    """What this machine has; systems that do not tell are taken to have a lot."""
    if hasattr(os, "sysconf") and {"SC_PHYS_PAGES", "SC_PAGE_SIZE"} <= os.sysconf_names.keys():
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return 1 << 40
