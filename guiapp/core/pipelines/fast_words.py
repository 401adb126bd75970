"""The encoder `fast` where words are normalised and encoded one by one: for WordPiece and Unigram."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from guiapp.core.errors import EncodeError
from guiapp.core.kernels.piece_cache import PieceCache, empty_rows
from guiapp.core.kernels.word_cache import N_ROWS, SPARE, new_word_cache

MOST_IDS = 1 << 30
COUNT_MASK = (1 << 32) - 1

EncodeFrom = Callable[[int, PieceCache, NDArray[np.int32], int], int]
"""Position, cache, ids and their number: how far it came << 32 | the number of ids then."""


class FastWords:
    """Caches of words.  Threads may share it: each call borrows a cache that no other call has.

    known  rows that every cache begins with; see `piece_keys`
    """

    def __init__(self, known: NDArray[np.uint64] | None = None) -> None:
        self._known = empty_rows(N_ROWS) if known is None else known
        self._caches = [new_word_cache(self._known)]

    @contextmanager
    def _borrowed_cache(self) -> Iterator[PieceCache]:
        try:
            cache = self._caches.pop()  # asked for and taken in one go: another thread may be faster
        except IndexError:
            cache = new_word_cache(self._known)
        yield cache
        self._caches.append(cache)

    def encode(self, size_bytes: int, encode_from: EncodeFrom) -> NDArray[np.int32]:
        """The ids of a text of this size; `encode_from` is called again where its ids need more room."""
        ids = np.empty(size_bytes // 2 + 2 * SPARE, np.int32)
        position, count = 0, 0
        with self._borrowed_cache() as cache:
            while True:
                reached = encode_from(position, cache, ids, count)
                position, count = reached >> 32, reached & COUNT_MASK
                if position >= size_bytes:
                    break
                if len(ids) > MOST_IDS:
                    raise EncodeError(
                        "This text becomes more tokens than there is room for. Encode a shorter one."
                    )
                ids.resize(2 * len(ids), refcheck=False)
        ids.resize(count, refcheck=False)
        return ids
