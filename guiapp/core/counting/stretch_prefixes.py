"""The tokens of all prefixes of short texts, in BPE vocabularies that cut text into pieces.

A prefix has the pieces of a shorter one, and a last one of its own.  Where that begins is told while the text
grows, so only pieces are left to count, all of them together.  The few prefixes of which it is not told are
encoded from where they differ on.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels import prefix_bases, prefix_parts, text_growth, text_ids
from guiapp.core.kernels.piece_growth import UNKNOWN
from guiapp.core.kernels.prefix_bases import Growth
from guiapp.core.kernels.right_edges import PieceCounts
from guiapp.core.pipelines.byte_pair import BytePairPipeline


def count_prefixes(
    pipeline: BytePairPipeline, texts: NDArray[np.uint8], ends: NDArray[np.int64], ids: NDArray[np.int32]
) -> NDArray[np.int64]:
    """The number of tokens of each prefix of the texts that end at `ends`, by its last byte.

    Writes the `ids` of the texts, too; see `text_ids`.
    The texts are short: a prefix whose pieces are not sure is encoded.

    The pipeline `counts_pieces`.  Each text begins where it may be cut, and ends at one of `all_cuts`.
    """
    texts, n_parts, growth, (own, n_unknown, prefixes) = _pieces_of_prefixes(pipeline, texts, ends)
    if n_unknown:
        left = np.flatnonzero(growth.n_begun == UNKNOWN)
        own[left] = _count_each(pipeline, texts, growth.origins[left], left)
    totals = _totals(growth, own, n_parts)
    text_ids.write_ids(ends, growth, prefixes, totals, ids)
    return totals[1 : len(growth.bases)]


def count_prefixes_of_long(pipeline: BytePairPipeline, text: NDArray[np.uint8]) -> NDArray[np.int64] | None:
    """The same for one text of any length; None where prefixes would have to be encoded."""
    _, n_parts, growth, (own, n_unknown, _) = _pieces_of_prefixes(pipeline, text, np.array([len(text)]))
    return None if n_unknown else _totals(growth, own, n_parts)[1 : len(growth.bases)]


def _pieces_of_prefixes(
    pipeline: BytePairPipeline, texts: NDArray[np.uint8], ends: NDArray[np.int64]
) -> tuple[NDArray[np.uint8], int, Growth, PieceCounts]:
    """The texts with the parts behind them, how many parts that are, and what prefixes consist of."""
    growth = prefix_bases.room_for_growth(len(texts))
    n_parts = text_growth.grow_texts(texts, ends, pipeline.machine, growth)
    texts, growth = prefix_bases.with_parts(texts, growth, n_parts)
    return texts, n_parts, growth, pipeline.count_pieces(texts, growth.origins, growth.n_begun)


def _totals(growth: Growth, own: NDArray[np.int64], n_parts: int) -> NDArray[np.int64]:
    """See `add_up`."""
    totals = np.empty(len(growth.bases) + n_parts, np.int64)
    prefix_bases.add_up(growth, own, n_parts, totals)
    return totals


def _count_each(
    pipeline: BytePairPipeline,
    texts: NDArray[np.uint8],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
) -> NDArray[np.int64]:
    """The tokens of each part of the texts, where equal ones are encoded once."""
    firsts, numbers = prefix_parts.distinct_parts(texts, starts, ends)
    return pipeline.count_each(*prefix_parts.parts_of(texts, starts[firsts], ends[firsts]))[numbers]
