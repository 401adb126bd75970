"""What the linear-time encoders know about a vocabulary: derivations, and the tree of what can be made.

A text's tokens are the sequence in which all neighbours are compatible (see `native/derivations.h`), so
`backtrack` and `table` look for that instead of merging.  They need every symbol that merging can leave,
found by its bytes; texts come to them with one byte for each space.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from guiapp.core.vocabulary.merges import PairMerging
from guiapp.core.vocabulary.token_tree import TokenTree, tree_of
from guiapp.native import matching as native

LONGEST_SYMBOL = 1 << 12  # bytes; telling neighbours apart may take the square of their lengths


class Derivations(NamedTuple):
    """How each symbol is made, and the tree of all symbols that merging can leave."""

    native: native.Derivations
    tree: TokenTree


def why_not_linear(merging: PairMerging) -> str:
    """Why a vocabulary cannot be encoded by looking for compatible neighbours; "" where it can."""
    longest = native.longest_symbol(merging.model)
    if longest is None:
        return (
            "A token of this vocabulary ends within a character, so that it fits only at the end of a text."
        )
    if longest > LONGEST_SYMBOL:
        return (
            f"A token of this vocabulary has {longest:,} bytes. Telling which neighbours fit is done for up "
            f"to {LONGEST_SYMBOL:,}."
        )
    return ""


def derivations_of(merging: PairMerging) -> Derivations:
    """The derivations of all symbols of a vocabulary; for none that `why_not_linear` refuses."""
    derivations = native.Derivations(merging.model)
    is_reached = derivations.is_reached
    ids = np.flatnonzero(is_reached).astype(np.int32)
    return Derivations(derivations, tree_of(*merging.model.symbols(are_spelled=False), ids, is_reached))
