"""What the linear-time encoders know about a vocabulary: derivations, and the tree of what can be made.

A text's tokens are the sequence in which all neighbours are compatible (see `kernels/derivations.py`), so
`backtrack` and `table` look for that instead of merging.  They need every symbol that merging can leave,
found by its bytes; texts come to them with one byte for each space.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels import derivations as kernels
from guiapp.core.kernels.derivations import START, UNREACHED, DerivationArrays
from guiapp.core.pipelines.cuts import byte_pairs
from guiapp.core.text.pair_cuts import symbol_bytes
from guiapp.core.vocab.merges import PairMerging
from guiapp.core.vocab.token_tree import TokenTree, tree_of

LONGEST_SYMBOL = 1 << 12  # bytes; telling neighbours apart may take the square of their lengths

Rules = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]


class Derivations(NamedTuple):
    """How each symbol is made, and the tree of all symbols that merging can leave."""

    arrays: DerivationArrays
    tree: TokenTree


def why_not_linear(merging: PairMerging) -> str:
    """Why a vocabulary cannot be encoded by looking for compatible neighbours; "" where it can."""
    symbols = merging.symbols
    leads = np.flatnonzero((symbols.of_byte >= 0) & (symbols.lengths > 1))
    keys = symbols.character_keys[symbols.character_keys >= 0]
    is_cut_short = keys >> 32 < symbols.lengths[keys & 0xFF]
    if len(leads) or is_cut_short.any():
        return (
            "A token of this vocabulary ends within a character, so that it fits only at the end of a text."
        )
    if (longest := int(np.diff(merging.symbol_texts[1]).max(initial=0))) > LONGEST_SYMBOL:
        return (
            f"A token of this vocabulary has {longest:,} bytes. Telling which neighbours fit is done for up "
            f"to {LONGEST_SYMBOL:,}."
        )
    return ""


def derivations_of(merging: PairMerging) -> Derivations:
    """The derivations of all symbols of a vocabulary; for none that `why_not_linear` refuses."""
    data, offsets = symbol_bytes(merging)
    n_symbols = len(offsets) - 1
    pairs = byte_pairs(data[: offsets[-1]], offsets, np.arange(n_symbols, dtype=np.int32)).ravel()
    arrays = DerivationArrays(np.full(4 * n_symbols, START, np.int32), np.ones(n_symbols, np.int32), pairs)
    ranks = arrays.rows[2::4]
    ranks[:] = UNREACHED
    ranks[_start_symbols(merging)] = START
    kernels.derive(merging.merges, *_rules_by_length(merging), arrays)
    is_reached = ranks != UNREACHED
    return Derivations(
        arrays, tree_of(data, offsets, np.flatnonzero(is_reached).astype(np.int32), is_reached)
    )


def _start_symbols(merging: PairMerging) -> NDArray[np.int32]:
    symbols = merging.symbols
    characters = symbols.character_ids[symbols.character_keys >= 0]
    return np.concatenate([symbols.of_byte[symbols.of_byte >= 0], characters])


def _rules_by_length(merging: PairMerging) -> Rules:
    """Left, right, rank and result of all rules, those with short results first."""
    rows = merging.merges.rows.reshape(-1, 2)
    rows = rows[rows[:, 0] >= 0]
    made = rows[:, 1] & 0xFFFFFFFF
    lengths = np.diff(merging.symbol_texts[1])[made]
    rows = rows[np.argsort(lengths, kind="stable")]
    lefts, rights, ranks = rows[:, 0] >> 32, rows[:, 0] & 0xFFFFFFFF, rows[:, 1] >> 32
    made = rows[:, 1] & 0xFFFFFFFF
    return lefts.astype(np.int32), rights.astype(np.int32), ranks.astype(np.int32), made.astype(np.int32)
