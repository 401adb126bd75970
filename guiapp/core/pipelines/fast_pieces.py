"""The encoder `fast`: pieces that were merged before are looked up."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from guiapp.core.encoding import FragmentTokens
from guiapp.core.kernels import fast, piece_keys
from guiapp.core.kernels.compile import is_interpreted
from guiapp.core.kernels.new_pieces import ALL_PIECES, NO_PIECES, PieceTables, long_token_bit
from guiapp.core.kernels.piece_cache import PieceCache, empty_rows, new_cache
from guiapp.core.kernels.piece_keys import ROW, SHORT
from guiapp.core.split.tables import PatternMachine, empty_machine
from guiapp.core.text.pair_cuts import pair_cuts, symbol_bytes
from guiapp.core.text.word_rules import word_merges
from guiapp.core.vocab.merges import PairMerging

N_ROWS = 1 << 17  # for pieces that were met before
N_COMMON = 1 << 15  # tokens that are looked for first; vocabularies begin with the most frequent ones
N_BITS = 1 << 16  # of a set of tokens
MANY = 5  # ids that may be written behind the last one
COUNT_MASK = (1 << 32) - 1
NO_ENDS = np.zeros(0, np.int64)  # the machine shall tell where pieces end


class FastPieces:
    """Encodes pieces of texts whose bytes all have exactly one token to fall back to.

    whole_pieces  NO_PIECES, NEWLINES or ALL_PIECES
    cuts_short    whether pieces are lines or whole texts rather than words
    machine       cuts texts into pieces, where nobody says where they end

    Threads may share it: each call borrows a cache of pieces that no other call has.
    """

    def __init__(
        self,
        merging: PairMerging,
        whole_pieces: int,
        cuts_short: bool,
        machine: PatternMachine | None = None,
    ) -> None:
        self._merging = merging
        self._whole_pieces, self._cuts_short = whole_pieces, cuts_short
        self._symbol_bytes = data, offsets = symbol_bytes(merging)
        self.cuts = pair_cuts(merging, data, offsets)
        self._enter_known_pieces(data, offsets, whole_pieces)
        self._machine = machine or empty_machine()
        self._plain = _plain_arguments(self._machine, whole_pieces) if not cuts_short else None
        self._has_only_parts = cuts_short and whole_pieces == NO_PIECES
        self._lengths = self._token_lengths(offsets)
        self._marked_lengths = self._token_lengths(merging.strings.offsets)
        self._caches = [self._new_cache()]

    def _enter_known_pieces(
        self, data: NDArray[np.uint8], offsets: NDArray[np.int64], whole_pieces: int
    ) -> None:
        """All tokens, where pieces that are tokens are never merged; nothing elsewhere.

        Nothing either while kernels run interpreted: that would take longer than what it saves.
        """
        self._known, self._short, self._n_known = empty_rows(N_ROWS), empty_rows(N_ROWS), 0
        if whole_pieces != ALL_PIECES or not self._merging.starts_from_bytes or is_interpreted():
            return
        n_tokens = self._merging.symbols.n_tokens
        self._known = empty_rows(1 << (2 * n_tokens - 1).bit_length())
        piece_keys.enter_tokens(self._known, data, offsets, n_tokens)
        piece_keys.enter_common(self._known, self._short, N_COMMON)
        self._n_known = int(np.count_nonzero(self._known.reshape(-1, ROW)[:, 1]))

    @cached_property
    def tables(self) -> PieceTables:
        """What merging takes; made for the first piece that has to be merged."""
        merging = self._merging
        spelling_offsets = np.cumsum([0, *map(len, merging.spelling.spelled)], dtype=np.int64)
        spelling = np.frombuffer(bytearray(b"".join(merging.spelling.spelled)), np.uint8)
        data, offsets = self._symbol_bytes
        return PieceTables(
            merging.strings,
            spelling_offsets,
            spelling,
            int(np.diff(offsets).max(initial=0)),
            self._long_tokens(data, offsets[: merging.symbols.n_tokens + 1]),
            word_merges(merging.symbols, merging.merges, data, offsets),
            self._n_known > 0,
            self._whole_pieces,
            self._cuts_short,
        )

    def _long_tokens(self, data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> NDArray[np.uint64]:
        """See `PieceTables`; all bits where pieces may be spelled in more than one way."""
        if self._merging.marks_spaces:
            return np.full(N_BITS // 64, ~np.uint64(0))
        lengths = np.diff(offsets)
        is_long = lengths > SHORT
        beginnings = data[offsets[:-1][is_long][:, None] + np.arange(8)].view(np.uint64)[:, 0]
        has_token = np.zeros(N_BITS, np.bool_)
        has_token[long_token_bit(beginnings, lengths[is_long].astype(np.uint64))] = True
        return np.packbits(has_token, bitorder="little").view(np.uint64)

    def _new_cache(self) -> PieceCache:
        return new_cache(self._known, self._n_known, self._short)

    def _borrowed_cache(self) -> PieceCache:
        """One that nobody else has; asked for and taken in one go, because another thread may be faster."""
        try:
            return self._caches.pop()
        except IndexError:
            return self._new_cache()

    def _token_lengths(self, offsets: NDArray[np.int64]) -> NDArray[np.int32]:
        """How many bytes of a text each token stands for, by spelling except for tokens like `<0x0A>`."""
        lengths = np.diff(offsets[: len(self._merging.strings.offsets)]).astype(np.int32)
        if not self._merging.starts_from_bytes:
            lengths[self._merging.byte_tokens] = 1
        return lengths

    def encode(
        self,
        data: NDArray[np.uint8],
        piece_ends: NDArray[np.int64],
        spaces_are_marked: bool = False,
    ) -> FragmentTokens:
        """The tokens of a text, its pieces ending at `piece_ends`, in which spaces may be U+2581 already."""
        cache = self._borrowed_cache()
        out = np.empty(len(data) + MANY, np.int32)
        found = 0
        if self._plain is not None and len(piece_ends) == 0:
            found = fast.encode_known(data, *self._plain, cache.short, out)
        elif self._has_only_parts and len(piece_ends) == 1:
            found = fast.encode_known_parts(data, *self.cuts, cache.short, out)
        position, count = found >> 32, found & COUNT_MASK
        if position < len(data):
            symbols, merges, tables = self._merging.symbols, self._merging.merges, self.tables
            if len(piece_ends) * SHORT > len(data):  # whatever pieces are elsewhere, these are words
                tables = tables._replace(cuts_short=False)
            count = fast.encode(
                data,
                position,
                piece_ends,
                self._machine,
                tables,
                symbols,
                merges,
                self.cuts,
                cache,
                out,
                count,
            )
        self._caches.append(cache)
        out.resize(count, refcheck=False)
        lengths = self._marked_lengths if spaces_are_marked else self._lengths
        return FragmentTokens.later(out, lambda: _tiles(out, lengths))


def _plain_arguments(
    machine: PatternMachine, whole_pieces: int
) -> (
    tuple[NDArray[np.uint8], NDArray[np.uint32], NDArray[np.uint8], NDArray[np.uint8], int, int, bool] | None
):
    """What `encode_known` needs of a machine; None if it is not for such."""
    if len(machine.levels) != 1 or machine.levels[0] < 0:
        return None
    first_row, n_classes = int(machine.levels[0]), len(machine.numbers)
    words = machine.words[0].copy()
    return (
        machine.classes,
        machine.transitions,
        words,
        machine.windows,
        first_row,
        n_classes,
        whole_pieces == ALL_PIECES,
    )


def _tiles(ids: NDArray[np.int32], lengths: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Starts and ends of tokens that lie one behind the other."""
    bounds = np.zeros(len(ids) + 1, np.int64)
    fast.add_lengths(ids, lengths, bounds)
    return bounds[:-1], bounds[1:]
