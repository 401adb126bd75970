"""Pieces of text to tokens by matching tokens rather than merging: for BPE and SPM vocabularies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from guiapp.core.algorithms import backtrack, fewest, greedy, heap, table
from guiapp.core.algorithms.fewest import Dropout
from guiapp.core.algorithms.longest_match import Matches, Taken
from guiapp.core.algorithms.merge import Merge, Slots, symbol_slots
from guiapp.core.encoding import FragmentTokens
from guiapp.core.kernels import backtrack as backtrack_kernel
from guiapp.core.kernels import fewest as fewest_kernel
from guiapp.core.kernels import greedy as greedy_kernel
from guiapp.core.kernels import table as table_kernel
from guiapp.core.kernels.merges import MergeArrays, SymbolArrays, TokenOutput
from guiapp.core.pipelines.watcher import Watcher
from guiapp.core.vocab.derivations import Derivations, derivations_of, merge_arrays, why_not_linear
from guiapp.core.vocab.merges import LENGTH_OF_HIGH_NIBBLE, PairMerging
from guiapp.core.vocab.token_tree import TokenTree
from guiapp.core.vocab.vocabulary import Vocabulary

LINEAR = {"backtrack": backtrack_kernel.encode, "table": table_kernel.encode}
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
        return lru_cache(KEPT_PAIRS)(self._stay_whole)

    def encode(
        self,
        encoder: str,
        dropout: Dropout,
        data: NDArray[np.uint8],
        piece_ends: NDArray[np.int64],
        whole_tokens: NDArray[np.int32],
    ) -> FragmentTokens:
        """The tokens of all pieces; whole_tokens: for each the one to take instead, or -1; may be empty."""
        room = max(1, *map(len, self._merging.fallbacks)) * len(data)
        output = TokenOutput(np.empty(room, np.int32), np.empty(room, np.int64), np.empty(room, np.int64))
        symbols = self._symbols
        if encoder in LINEAR:
            arrays, tree = self.derivations.arrays, self.derivations.tree.arrays
            kernel = LINEAR[encoder]
            count = kernel(data, piece_ends, whole_tokens, symbols, self._merges, arrays, tree, output)
        elif encoder == "greedy":
            count = greedy_kernel.encode(
                data, piece_ends, symbols, self._vocabulary.token_tree.arrays, output
            )
        else:
            tree, chance = self._vocabulary.token_tree.arrays, (dropout.share, dropout.random_state)
            count = fewest_kernel.encode(data, piece_ends, symbols, tree, *chance, output)
        return FragmentTokens(
            output.ids[:count].copy(), output.starts[:count].copy(), output.ends[:count].copy()
        )

    @cached_property
    def _merges(self) -> MergeArrays:
        return merge_arrays(self._merging)

    @cached_property
    def _symbols(self) -> SymbolArrays:
        offsets, ids, leads = self._merging.model.fallbacks()
        lengths = [
            1 if self._merging.starts_from_bytes else LENGTH_OF_HIGH_NIBBLE[byte >> 4] for byte in range(256)
        ]
        none = np.empty(0, np.int64)
        return SymbolArrays(
            self._merging.n_tokens,
            1,
            np.array(lengths, np.uint8),
            np.empty(0, np.int32),
            none,
            np.empty(0, np.int32),
            offsets,
            ids,
            leads.astype(np.uint8),
        )

    def encode_readable(self, encoder: str, dropout: Dropout, data: bytes, watcher: Watcher) -> Taken:
        """Token, start and end of each token of one piece, from the readable twin."""
        state: Any = STATES[encoder]()
        for step in self._steps(encoder, data, dropout):
            step.apply(state)
            watcher.step(step)
        found: Taken = []
        for symbol, start, end in state if isinstance(state, list) else reversed(state.tokens):
            found += (
                self._merging.tokens_of(symbol, data, start, end) if start < end else [(symbol, start, end)]
            )
        return found

    def _steps(self, encoder: str, data: bytes, dropout: Dropout) -> Iterator[Any]:
        if encoder in LINEAR:
            matches = _matches(self.derivations.tree, data, partial(self._pass_symbol, data))
            twin = backtrack.steps if encoder == "backtrack" else table.steps
            return twin(len(data), matches, self._are_compatible)
        matches = _matches(self._vocabulary.token_tree, data, partial(self._pass_byte, data))
        if encoder == "greedy":
            return greedy.steps(len(data), matches)
        return fewest.steps(len(data), matches, dropout)

    def _pass_symbol(self, data: bytes, start: int) -> tuple[int, Taken]:
        end = self._merging.symbol_end(data, start)
        return end, self._merging.tokens_of(None, data, start, end)

    def _pass_byte(self, data: bytes, start: int) -> tuple[int, Taken]:
        return start + 1, self._merging.tokens_of(None, data, start, start + 1)

    def _stay_whole(self, left: int, right: int) -> bool:
        """Whether merging the joint text of two symbols gives just these two."""
        tree, rules = self.derivations.tree, self._merging.rules
        symbols = self._merging.start_symbols(tree.token_bytes(left) + tree.token_bytes(right))
        slots: Slots = [symbol for symbol, _, _ in symbols]
        for step in heap.steps([symbol for symbol, _, _ in symbols], rules):
            if isinstance(step, Merge):
                step.apply(slots)
        return [slots[at] for at in symbol_slots(slots)] == [left, right]


def _why_not_matched(vocabulary: Vocabulary) -> str:
    """Why tokens are not looked for byte by byte; "" where they are."""
    if np.diff(vocabulary.token_offsets).max(initial=0) <= SURELY_SHORT:  # spares spelling them all
        return ""
    if (longest := vocabulary.longest_token_bytes) <= LONGEST_MATCHED:
        return ""
    return (
        f"A token of this vocabulary has {longest:,} bytes. At each place of a text, tokens are looked for "
        f"that have up to {LONGEST_MATCHED:,}."
    )


def _matches(tree: TokenTree, piece: bytes, fallback: Any) -> Matches:
    data = np.frombuffer(bytearray(piece), np.uint8)
    return Matches(
        partial(tree.longest_match_in, data),
        tree.parent,
        lambda token: int(tree.lengths[token]),
        fallback,
    )
