"""The tokens of all prefixes of one piece that grows, where merging gives each text one encoding.

For vocabularies that merge pairs.  A byte costs the same however long the piece is, be it a letter repeated.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels import marked_spaces
from guiapp.core.kernels import prefixes as kernels
from guiapp.core.kernels.derivations import DerivationArrays
from guiapp.core.kernels.prefixes import ACTIVE, CHARACTER, RUN, SIZE, Prefixes
from guiapp.core.kernels.token_tree import TreeArrays
from guiapp.core.vocab.derivations import derivations_of, why_not_linear
from guiapp.core.vocab.merges import NO_TOKEN, PairMerging

Scalar = TypeVar("Scalar", bound=np.generic)

SMALLEST_ROOM = 1 << 9


class Rules(NamedTuple):
    """What a vocabulary says about how its symbols are made."""

    derivations: DerivationArrays
    tree: TreeArrays
    longest: int


@lru_cache(maxsize=4)
def rules_of(merging: PairMerging) -> Rules | None:
    """None where prefixes cannot be told from each other, or have no tokens."""
    if why_not_linear(merging) or (merging.symbols.fallback_ids == NO_TOKEN).any():
        return None
    derivations, tree = derivations_of(merging)
    return Rules(derivations, tree.arrays, int(tree.arrays.lengths.max(initial=1)))


class PrefixTable:
    """One piece, empty in the beginning; spaces are spaces."""

    def __init__(self, merging: PairMerging, rules: Rules) -> None:
        self._merging, self._rules = merging, rules
        self._prefixes = _empty(rules.longest + 1)

    def __len__(self) -> int:
        """The number of bytes."""
        return int(self._prefixes.progress[SIZE])

    def append(self, new: NDArray[np.uint8]) -> None:
        """Put bytes behind those that came before."""
        self._make_room(len(self) + len(new))
        merging, rules = self._merging, self._rules
        kernels.append(new, merging.symbols, merging.merges, rules.derivations, rules.tree, self._prefixes)

    def begin_piece(self) -> None:
        """Let what follows be a piece of its own, which no token reaches into."""
        self._prefixes.progress[[CHARACTER, RUN, ACTIVE]] = len(self), len(self), 0

    @property
    def counts(self) -> NDArray[np.int32]:
        """int32[n + 1]: how many tokens the first 0, 1, … n bytes have."""
        return self._prefixes.counts[: len(self) + 1]

    def takes(self, new: NDArray[np.uint8]) -> bool:
        """Whether bytes may follow: no U+2581 as such, nor a broken character that would swallow a space."""
        return marked_spaces.can_stay(np.concatenate([self._unfinished, new]))

    @property
    def _unfinished(self) -> NDArray[np.uint8]:
        """The bytes of the last character, if more of it may come."""
        return self._prefixes.data[self._prefixes.progress[CHARACTER] : len(self)]

    def _make_room(self, size: int) -> None:
        old = self._prefixes
        if size <= len(old.data):
            return
        room = 2 * size
        self._prefixes = old._replace(
            data=grown(old.data, room), last=grown(old.last, room + 1), counts=grown(old.counts, room + 1)
        )


def _empty(longest: int) -> Prefixes:
    return Prefixes(
        data=np.empty(SMALLEST_ROOM, np.uint8),
        last=np.full(SMALLEST_ROOM + 1, kernels.FALLBACK, np.int32),
        counts=np.zeros(SMALLEST_ROOM + 1, np.int32),
        starts=np.empty(longest, np.int64),
        nodes=np.empty(longest, np.int32),
        progress=np.zeros(4, np.int64),
    )


def grown(values: NDArray[Scalar], size: int) -> NDArray[Scalar]:
    grown = np.empty(size, values.dtype)
    grown[: len(values)] = values
    return grown
