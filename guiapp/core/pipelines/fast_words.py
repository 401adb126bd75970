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
SHORT_TEXT = 1 << 10  # bytes
NO_ENDS = np.zeros(0, np.int64)  # the text is one

EncodeKnown = Callable[[NDArray[np.uint8], NDArray[np.uint64], NDArray[np.int32]], int]
"""A text, the rows of a cache, room for ids: how far known words reach << 32 | the number of their ids."""

EncodeFrom = Callable[..., int]
"""A text, a position, a cache, ids and their number: how far it came << 32 | the number of ids then.

Behind these, if the text is many of them, where they end, and room for the number of ids up to each end.
"""


class FastWords:
    """Caches of words.  Threads may share it: each call borrows a cache that no other call has.

    encode_known, encode_from  the kernels, which know the vocabulary
    known  rows that every cache begins with; see `piece_keys`
    """

    def __init__(
        self, encode_known: EncodeKnown, encode_from: EncodeFrom, known: NDArray[np.uint64] | None = None
    ) -> None:
        self._encode_known, self._encode_from = encode_known, encode_from
        self._known = empty_rows(N_ROWS) if known is None else known
        self._caches = [self._new_cache()]

    def _new_cache(self) -> tuple[PieceCache, NDArray[np.int32]]:
        """A cache, and room for the ids of short texts."""
        return new_word_cache(self._known), np.empty(_room(SHORT_TEXT), np.int32)

    def encode_each(
        self, texts: NDArray[np.uint8], ends: NDArray[np.int64]
    ) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The ids of all texts that end at `ends`, and how many each has; none of them is empty."""
        counts = np.empty(len(ends), np.int64)
        ids = self.encode(texts, ends, counts)
        return ids, np.diff(counts, prepend=0)

    def encode(self, text: NDArray[np.uint8], *many: NDArray[np.int64]) -> NDArray[np.int32]:
        """The ids of a text; kernels go on where ids need more room.

        many  if it is many texts, where they end, and room for the number of ids up to each end
        """
        size_bytes = len(text)
        try:
            borrowed = self._caches.pop()  # asked for and taken in one go: another thread may be faster
        except IndexError:
            borrowed = self._new_cache()
        cache, short_ids = borrowed
        ids = short_ids if size_bytes <= SHORT_TEXT else np.empty(_room(size_bytes), np.int32)
        reached = 0 if many else self._encode_known(text, cache.short, ids)
        while reached >> 32 < size_bytes:
            reached = self._encode_from(text, reached >> 32, cache, ids, reached & COUNT_MASK, *many)
            if reached >> 32 < size_bytes:
                if len(ids) > MOST_IDS:
                    raise EncodeError(
                        "This text becomes more tokens than there is room for. Encode a shorter one."
                    )
                ids = np.concatenate([ids, np.empty_like(ids)])
        if ids is short_ids:
            ids = ids[: reached & COUNT_MASK].copy()
        else:
            ids.resize(reached & COUNT_MASK, refcheck=False)
        self._caches.append(borrowed)
        return ids


def _room(size_bytes: int) -> int:
    return size_bytes // 2 + 2 * SPARE
