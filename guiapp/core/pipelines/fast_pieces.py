"""The encoder `fast`: pieces that were merged before are looked up."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.encoding import FragmentTokens
from guiapp.core.kernels import fast
from guiapp.core.kernels.fast import PieceTables
from guiapp.core.kernels.piece_cache import PieceCache, empty_cache
from guiapp.core.text.pair_cuts import pair_cuts, symbol_bytes
from guiapp.core.vocab.merges import PairMerging


class FastPieces:
    """Encodes pieces of texts whose bytes all have exactly one token to fall back to.

    whole_pieces  NO_PIECES, NEWLINES or ALL_PIECES
    cuts_short    whether pieces are lines or whole texts rather than words

    Threads may share it: each call borrows a cache of pieces that no other call has.
    """

    def __init__(self, merging: PairMerging, whole_pieces: int, cuts_short: bool) -> None:
        self._merging = merging
        offsets = np.cumsum([0, *map(len, merging.spelling.spelled)], dtype=np.int64)
        spelling = np.frombuffer(bytearray(b"".join(merging.spelling.spelled)), np.uint8)
        self._tables = PieceTables(merging.strings, offsets, spelling, whole_pieces, cuts_short)
        data, offsets = symbol_bytes(merging)
        self.cuts = pair_cuts(merging, data, offsets)
        self._lengths = self._token_lengths(offsets)
        self._marked_lengths = self._token_lengths(merging.strings.offsets)
        self._caches: list[PieceCache] = []

    def _token_lengths(self, offsets: NDArray[np.int64]) -> NDArray[np.int32]:
        """How many bytes of a text each token stands for, by spelling except for tokens like `<0x0A>`."""
        lengths = np.diff(offsets[: len(self._merging.strings.offsets)]).astype(np.int32)
        if not self._merging.starts_from_bytes:
            lengths[self._merging.symbols.fallback_ids] = 1
        return lengths

    def encode(
        self, data: NDArray[np.uint8], piece_ends: NDArray[np.int64], spaces_are_marked: bool
    ) -> FragmentTokens:
        """The tokens of a text, its pieces ending at `piece_ends`, in which spaces may be U+2581 already."""
        cache = self._caches.pop() if self._caches else empty_cache()
        out = np.empty(len(data) + 4, np.int32)
        symbols, merges = self._merging.symbols, self._merging.merges
        count = fast.encode(data, piece_ends, self._tables, symbols, merges, self.cuts, cache, out)
        self._caches.append(cache)
        ids = out[:count].copy()
        bounds = np.zeros(count + 1, np.int64)
        lengths = self._marked_lengths if spaces_are_marked else self._lengths
        fast.add_lengths(ids, lengths, bounds)
        return FragmentTokens(ids, bounds[:-1], bounds[1:])
