"""The encoder `fast` where words are normalised and encoded one by one: for WordPiece and Unigram."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from guiapp.core.errors import EncodeError
from guiapp.core.kernels.piece_cache import PieceCache, empty_rows
from guiapp.core.kernels.word_cache import N_ROWS, SPARE, new_word_cache

MOST_IDS = 1 << 30
COUNT_MASK = (1 << 32) - 1

EncodeKnown = Callable[[NDArray[np.uint64], NDArray[np.int32]], int]
"""The rows of a cache and room for ids: how far the words it knows reach << 32 | the number of their ids."""

EncodeFrom = Callable[[int, PieceCache, NDArray[np.int32], int], int]
"""Position, cache, ids and their number: how far it came << 32 | the number of ids then."""


class FastWords:
    """Caches of words.  Threads may share it: each call borrows a cache that no other call has.

    known  rows that every cache begins with; see `piece_keys`
    """

    def __init__(self, known: NDArray[np.uint64] | None = None) -> None:
        self._known = empty_rows(N_ROWS) if known is None else known
        self._caches = [new_word_cache(self._known)]

    def encode(
        self, size_bytes: int, encode_known: EncodeKnown, encode_from: EncodeFrom
    ) -> NDArray[np.int32]:
        """The ids of a text of this size; `encode_from` is called again where its ids need more room."""
        try:
            cache = self._caches.pop()  # asked for and taken in one go: another thread may be faster
        except IndexError:
            cache = new_word_cache(self._known)
        ids = np.empty(size_bytes // 2 + 2 * SPARE, np.int32)
        reached = encode_known(cache.short, ids)
        while reached >> 32 < size_bytes:
            reached = encode_from(reached >> 32, cache, ids, reached & COUNT_MASK)
            if reached >> 32 < size_bytes:
                if len(ids) > MOST_IDS:
                    raise EncodeError(
                        "This text becomes more tokens than there is room for. Encode a shorter one."
                    )
                ids.resize(2 * len(ids), refcheck=False)
        self._caches.append(cache)
        ids.resize(reached & COUNT_MASK, refcheck=False)
        return ids
