"""Pieces of text to tokens by matching tokens rather than merging: for BPE and SPM vocabularies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, lru_cache, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.encode.encoding import FragmentTokens
from guiapp.core.encode.families.tracer import Tracer
from guiapp.core.encode.reference import backtrack, fewest, heap, table
from guiapp.core.encode.reference import longest_match as greedy
from guiapp.core.encode.reference.fewest import Dropout
from guiapp.core.encode.reference.longest_match import Choose, Join, Take, Taken, TokenMatches
from guiapp.core.encode.reference.merge import Merge, Slots, symbol_slots
from guiapp.core.vocabulary.merges import PairMerging
from guiapp.core.vocabulary.token_tree import TokenTree, tree_of
from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.native import matching as native
from guiapp.native.matching import encode_fewest, encode_greedy, encode_linear

LONGEST_SYMBOL = 1 << 12  # bytes; telling neighbours apart may take the square of their lengths
LINEAR = ("backtrack", "table")
APPROXIMATE = ("greedy", "fewest")
STATES: dict[str, Callable[[], Any]] = {
    "backtrack": list,
    "table": table.State,
    "greedy": list,
    "fewest": fewest.State,
}
KEPT_PAIRS = 1 << 16
SURELY_SHORT = 100  # bytes in the file: not many, even if spelling repeats the token for each character
LONGEST_MATCHED = 1 << 12  # bytes; at each token of a text so many may be looked through in vain


class TokenMatching:
    """Encodes pieces in which a space is one byte.

    `backtrack` and `table` give what merging gives; `greedy` and `fewest` match all tokens of the
    vocabulary, also those that no merge makes.
    """

    def __init__(self, vocabulary: Vocabulary, merging: PairMerging) -> None:
        self._vocabulary = vocabulary
        self._merging = merging
        why_not = dict.fromkeys(LINEAR, why_not_linear(merging))
        why_not |= dict.fromkeys(APPROXIMATE, _why_not_matched(vocabulary))
        self.encoders = tuple(name for name, reason in why_not.items() if not reason)
        self.refused: Mapping[str, str] = {name: reason for name, reason in why_not.items() if reason}

    @cached_property
    def derivations(self) -> Derivations:
        return derivations_of(self._merging)

    @cached_property
    def _are_compatible(self) -> backtrack.AreCompatible:
        return lru_cache(KEPT_PAIRS)(partial(_remain_separate, self.derivations.tree, self._merging))

    @cached_property
    def _tokens_per_byte(self) -> int:
        return max(1, *map(len, self._merging.fallbacks))

    def encode(
        self, encoder: str, dropout: Dropout, data: NDArray[np.uint8], piece_ends: NDArray[np.int64]
    ) -> FragmentTokens:
        """The tokens of all pieces."""
        model, text = self._merging.model, (data, piece_ends, self._tokens_per_byte * len(data))
        if encoder in LINEAR:
            derivations, tree = self.derivations
            return FragmentTokens(*encode_linear(derivations, tree.native, encoder == "table", *text))
        tree = self._vocabulary.token_tree
        if encoder == "greedy":
            return FragmentTokens(*encode_greedy(model, tree.native, *text))
        chance = dropout.share, dropout.random_state
        return FragmentTokens(*encode_fewest(model, tree.native, chance, *text))

    def encode_readable(
        self, encoder: str, dropout: Dropout, data: bytes, tracer: Tracer, fused: int | None
    ) -> Taken:
        """Token, start and end of each token of one piece, step by step; neighbours `fused` are one."""
        state: Any = STATES[encoder]()
        taken: Taken = state if isinstance(state, list) else state.tokens
        for step in self._steps(encoder, data, dropout):
            if isinstance(step, Take | Choose) and taken and step.token_id == taken[-1][0] == fused:
                _, start, end = taken[-1]
                join = Join(step.token_id, min(start, step.start), max(end, step.end))
                join.apply(taken)
                tracer.step(join)
                continue
            step.apply(state)
            tracer.step(step)
        result: Taken = []
        for symbol, start, end in taken if taken is state else reversed(taken):
            result += (
                self._merging.tokens_of(symbol, data, start, end) if start < end else [(symbol, start, end)]
            )
        return result

    def _steps(self, encoder: str, data: bytes, dropout: Dropout) -> Iterator[Any]:
        if encoder in LINEAR:
            matches = _matches(self.derivations.tree, data, partial(self._pass_symbol, data))
            algorithm = backtrack.steps if encoder == "backtrack" else table.steps
            return algorithm(len(data), matches, self._are_compatible)
        matches = _matches(self._vocabulary.token_tree, data, partial(self._pass_byte, data))
        if encoder == "greedy":
            return greedy.steps(len(data), matches)
        return fewest.steps(len(data), matches, dropout)

    def _pass_symbol(self, data: bytes, start: int) -> tuple[int, Taken]:
        end = self._merging.symbol_end(data, start)
        return end, self._merging.tokens_of(None, data, start, end)

    def _pass_byte(self, data: bytes, start: int) -> tuple[int, Taken]:
        return start + 1, self._merging.tokens_of(None, data, start, start + 1)


def _remain_separate(tree: TokenTree, merging: PairMerging, left: int, right: int) -> bool:
    """Whether merging the joint text of two symbols gives just these two."""
    symbols = merging.start_symbols(tree.token_bytes(left) + tree.token_bytes(right))
    slots: Slots = [symbol for symbol, _, _ in symbols]
    for step in heap.steps([symbol for symbol, _, _ in symbols], merging.rules):
        if isinstance(step, Merge):
            step.apply(slots)
    return [slots[at] for at in symbol_slots(slots)] == [left, right]


def _why_not_matched(vocabulary: Vocabulary) -> str:
    """Why tokens are not looked for byte by byte; "" where they are."""
    if (np.diff(vocabulary.token_offsets) <= SURELY_SHORT).all():  # spares spelling them all
        return ""
    if (longest := vocabulary.longest_token_bytes) <= LONGEST_MATCHED:
        return ""
    return (
        f"A token of this vocabulary has {longest:,} bytes. At each place of a text, tokens are looked for "
        f"that have up to {LONGEST_MATCHED:,}."
    )


def _matches(tree: TokenTree, piece: bytes, fallback: Any) -> TokenMatches:
    data = np.frombuffer(bytearray(piece), np.uint8)
    return TokenMatches(
        partial(tree.longest_match_in, data),
        tree.parent,
        lambda token: int(tree.lengths[token]),
        fallback,
    )


# What the linear-time encoders know about a vocabulary: derivations, and the tree of what can be made


class Derivations(NamedTuple):
    """How each symbol is made, and the tree of all symbols that merging can leave."""

    native: native.DerivationsHandle
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
    derivations = native.DerivationsHandle(merging.model)
    is_reached = derivations.is_reached
    ids = np.flatnonzero(is_reached).astype(np.int32)
    return Derivations(derivations, tree_of(*merging.model.symbols(as_tokens=False), ids, is_reached))
