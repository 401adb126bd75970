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
from guiapp.core.kernels.merges import MergeArrays, enter_merges
from guiapp.core.kernels.string_table import random_bits
from guiapp.core.pipelines.cuts import byte_pairs
from guiapp.core.vocab.merges import LENGTH_OF_HIGH_NIBBLE, PairMerging
from guiapp.core.vocab.token_tree import TokenTree, tree_of

LONGEST_SYMBOL = 1 << 12  # bytes; telling neighbours apart may take the square of their lengths

Rules = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]


class Derivations(NamedTuple):
    """How each symbol is made, and the tree of all symbols that merging can leave."""

    arrays: DerivationArrays
    tree: TokenTree


def why_not_linear(merging: PairMerging) -> str:
    """Why a vocabulary cannot be encoded by looking for compatible neighbours; "" where it can."""
    if _ends_within_character(merging):
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
    data, offsets = merging.model.symbols(are_spelled=False)
    n_symbols = len(offsets) - 1
    pairs = byte_pairs(data[: offsets[-1]], offsets, np.arange(n_symbols, dtype=np.int32)).ravel()
    arrays = DerivationArrays(np.full(4 * n_symbols, START, np.int32), np.ones(n_symbols, np.int32), pairs)
    ranks = arrays.rows[2::4]
    ranks[:] = UNREACHED
    ranks[_start_symbols(merging)] = START
    kernels.derive(merge_arrays(merging), *_rules_by_length(merging), arrays)
    is_reached = ranks != UNREACHED
    return Derivations(
        arrays, tree_of(data, offsets, np.flatnonzero(is_reached).astype(np.int32), is_reached)
    )


def _ends_within_character(merging: PairMerging) -> bool:
    """Whether some symbol is a character that is cut short, so that text could not go on behind it."""
    if merging.starts_from_bytes:
        return False
    data, offsets = merging.symbol_texts
    sizes = np.diff(offsets)
    firsts = data[offsets[:-1][sizes > 0]]
    announced = 1 + (firsts >= 0xC0).astype(np.int64) + (firsts >= 0xE0) + (firsts >= 0xF0)
    return bool((sizes[sizes > 0] < announced).any())


def _start_symbols(merging: PairMerging) -> NDArray[np.int32]:
    """The symbols that are one byte, or one character."""
    data, offsets = merging.symbol_texts
    if merging.starts_from_bytes:
        found = [merging.model.start_symbol(bytes([byte])) for byte in range(256)]
    else:
        spaced = merging.model.start_symbol(b" ")
        texts = {
            data[offsets[row] : offsets[row + 1]].tobytes() for row in np.flatnonzero(np.diff(offsets) <= 4)
        }
        texts = {
            text
            for text in texts
            if text
            and merging.symbol_end(text, 0) == len(text)
            and len(text) == LENGTH_OF_HIGH_NIBBLE[text[0] >> 4]
        }
        found = [spaced, *(merging.model.start_symbol(text) for text in texts)]
    return np.unique([symbol for symbol in found if symbol >= 0]).astype(np.int32)


def merge_arrays(merging: PairMerging) -> MergeArrays:
    lefts, rights, ranks, made = (np.ascontiguousarray(column) for column in merging.rules.table.T)
    rows = np.full(2 << max(4, (2 * len(lefts) - 1).bit_length()), -1, np.int64)
    arrays = MergeArrays(rows, random_bits(61) | 1 | 1 << 61)
    enter_merges(arrays, lefts, rights, ranks, made)
    return arrays


def _rules_by_length(merging: PairMerging) -> Rules:
    """Left, right, rank and result of all rules, those with short results first."""
    table = merging.rules.table
    lengths = np.diff(merging.symbol_texts[1])[table[:, 3]]
    lefts, rights, ranks, made = (
        np.ascontiguousarray(column) for column in table[np.argsort(lengths, kind="stable")].T
    )
    return lefts, rights, ranks, made
