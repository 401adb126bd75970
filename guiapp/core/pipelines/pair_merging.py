"""Pieces of text to tokens by pair merging: what the BPE and SPM pipelines have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from guiapp.core.algorithms import heap as readable_heap
from guiapp.core.algorithms import scan as readable_scan
from guiapp.core.algorithms.fewest import Dropout
from guiapp.core.algorithms.longest_match import Taken
from guiapp.core.algorithms.merge import Slots, symbol_slots
from guiapp.core.encoding import FragmentTokens
from guiapp.core.errors import EncodeError
from guiapp.core.kernels import compact_spaces, heap, marked_spaces, scan
from guiapp.core.kernels import merges as merge_kernels
from guiapp.core.kernels import pair_cuts as pair_cut_kernels
from guiapp.core.kernels.compile import awaits_compiled
from guiapp.core.kernels.merges import ABSENT, TokenOutput
from guiapp.core.kernels.new_pieces import ALL_PIECES, NEWLINES, NO_PIECES
from guiapp.core.pipelines.fast_pieces import NO_ENDS, FastPieces
from guiapp.core.pipelines.token_matching import APPROXIMATE, LINEAR, TokenMatching
from guiapp.core.pipelines.watcher import UNWATCHED, Watcher
from guiapp.core.split.splitter import Splitter
from guiapp.core.split.tables import PatternMachine
from guiapp.core.text.normalized import NormalizedBuilder, NormalizedText
from guiapp.core.vocab.merges import MARKED_SPACE, NO_TOKEN, PairMerging
from guiapp.core.vocab.vocabulary import Vocabulary

KERNELS = {"heap": heap.encode, "scan": scan.encode}
READABLE = {"scan": readable_scan.steps, "heap": readable_heap.steps, "fast": readable_heap.steps}
NO_TOKENS = np.empty(0, np.int32)


class PairEncoder:
    """Encodes the pieces of a text by the merges of one vocabulary.

    whole_pieces  NO_PIECES, NEWLINES or ALL_PIECES
    cuts_short    whether pieces are lines or whole texts rather than words
    machine       of the splitter that `encode_split` will be given

    For texts where ids alone do not tell the spans, `fast` is `heap`, and so it is while kernels run
    interpreted: its tables take longer than merging without them.
    Threads may share an encoder: each call borrows a cache of pieces that no other call has.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        merging: PairMerging,
        whole_pieces: int = NO_PIECES,
        cuts_short: bool = False,
        machine: PatternMachine | None = None,
    ) -> None:
        self._merging = merging
        self._matching = TokenMatching(vocabulary, merging)
        self._dropout = Dropout()
        self.encoders = ("fast", *KERNELS, *self._matching.encoders)
        self.refused = self._matching.refused
        self._marks_spaces = merging.marks_spaces
        self._whole_pieces, self._cuts_short, self._machine = whole_pieces, cuts_short, machine
        self._tokens_per_byte = max(1, int(np.diff(merging.symbols.fallback_offsets).max()))
        self._longest_token = int(np.diff(merging.strings.offsets).max(initial=0))
        self._can_fail = bool((merging.symbols.fallback_ids == NO_TOKEN).any())
        offsets = np.cumsum([0, *map(len, merging.spelling.spelled)], dtype=np.int64)
        spelling = np.frombuffer(bytearray(b"".join(merging.spelling.spelled)), np.uint8)
        self._spelling = offsets, spelling
        space, n_tokens = int(merging.symbols.of_byte[0x20]), merging.symbols.n_tokens
        space_is_token = 0 <= space < n_tokens and not any(MARKED_SPACE in x for x in merging.other_symbols)
        self._spells_out_spaces = merging.marks_spaces and not space_is_token
        self._is_untold = np.isin(np.arange(256), [*merging.untold_bytes])

    def with_dropout(self, dropout: Dropout) -> PairEncoder:
        """The same encoder, but `fewest` rules out tokens by chance."""
        encoder = copy(self)
        encoder._dropout = dropout
        return encoder

    def make_tables(self) -> None:
        """Make now what merging the first piece would make."""
        if not awaits_compiled():
            _ = self._fast.tables

    @cached_property
    def _fast(self) -> FastPieces:
        return FastPieces(self._merging, self._whole_pieces, self._cuts_short, self._machine)

    def _is_for_fast(self, text: NDArray[np.uint8]) -> bool:
        has_untold = bool(self._merging.untold_bytes) and bool(self._is_untold[text].any())
        return not (has_untold or awaits_compiled())

    def cut_before(self, text: NDArray[np.uint8], position: int) -> int:
        """The last place in text[:position], whatever follows, that no merge reaches across; or 0."""
        return pair_cut_kernels.last_cut(self._fast.cuts, text, position)

    def cut_after(self, text: NDArray[np.uint8], position: int) -> int:
        """The first place in text[position:], whatever precedes, that no merge reaches across; or the end."""
        return pair_cut_kernels.first_cut(self._fast.cuts, text, position)

    def encode_split(self, text: NDArray[np.uint8], splitter: Splitter, encoder: str) -> FragmentTokens:
        """The tokens of a text that a splitter cuts into pieces."""
        can_stay = not self._marks_spaces or marked_spaces.can_stay(text)
        if encoder == "fast" and can_stay and self._is_for_fast(text):
            return self._fast.encode(text, NO_ENDS)
        return self.encode(text, splitter.split(text), encoder)

    def encode(self, text: NDArray[np.uint8], piece_ends: NDArray[np.int64], encoder: str) -> FragmentTokens:
        """The tokens of a text, its pieces ending at `piece_ends`, from the kernel of that name."""
        encoder = self._sure_of_spans(encoder, text)
        if encoder in self._matching.encoders:
            return self._match(text, piece_ends, encoder)
        if encoder == "fast" and self._is_for_fast(text):
            encode = self._fast.encode
        else:
            encode = partial(self._encode, KERNELS.get(encoder, heap.encode))
        if not self._marks_spaces or marked_spaces.can_stay(text):
            return encode(text, piece_ends, False)
        marked = _mark_spaces(text)
        n_spaces = np.concatenate([[0], np.cumsum(text == 0x20)])
        marked_ends = piece_ends + 2 * n_spaces[piece_ends]
        return to_source(encode(marked.data, marked_ends, True), marked)

    def _encode(
        self,
        kernel: Callable[..., int],
        data: NDArray[np.uint8],
        piece_ends: NDArray[np.int64],
        spaces_are_marked: bool = False,
        takes_whole: bool = True,
    ) -> FragmentTokens:
        room = self._tokens_per_byte * len(data)
        output = TokenOutput(np.empty(room, np.int32), np.empty(room, np.int64), np.empty(room, np.int64))
        whole_tokens = self._find_whole_pieces(data, piece_ends) if takes_whole else NO_TOKENS
        count = kernel(data, piece_ends, whole_tokens, self._merging.symbols, self._merging.merges, output)
        tokens = FragmentTokens(
            output.ids[:count].copy(), output.starts[:count].copy(), output.ends[:count].copy()
        )
        if self._can_fail:
            _check(tokens, data)
        return tokens

    def _match(self, text: NDArray[np.uint8], piece_ends: NDArray[np.int64], encoder: str) -> FragmentTokens:
        """The tokens by one of the algorithms that match tokens; there every space is one byte."""
        match = partial(self._matching.encode, encoder, self._dropout)
        if not self._marks_spaces or marked_spaces.can_stay(text):
            return self._encode(match, text, piece_ends, takes_whole=encoder in LINEAR)
        marked = _mark_spaces(text)
        n_spaces = np.concatenate([[0], np.cumsum(text == 0x20)])
        compact, ends = self._compact(marked, piece_ends + 2 * n_spaces[piece_ends])
        return to_source(self._encode(match, compact.data, ends, takes_whole=encoder in LINEAR), compact)

    def _sure_of_spans(self, encoder: str, text: NDArray[np.uint8]) -> str:
        """The encoder, or `heap` for one to which a typed U+2581 and a space are the same byte.

        Where these become several tokens, the spans tell one from the other.
        """
        is_unsure = encoder in LINEAR and self._spells_out_spaces
        return "heap" if is_unsure and not marked_spaces.can_stay(text) else encoder

    def _compact(
        self, marked: NormalizedText, marked_ends: NDArray[np.int64]
    ) -> tuple[NormalizedText, NDArray[np.int64]]:
        """A text with marked spaces with one byte for each again, and where its pieces end then."""
        data, ends = np.empty_like(marked.data), np.empty_like(marked_ends)
        firsts, lasts = np.empty(len(data), np.int64), np.empty(len(data), np.int64)
        lengths = self._merging.symbols.lengths
        size = compact_spaces.compact(marked.data, marked_ends, lengths, data, ends, firsts, lasts)
        starts, source_ends = marked.starts[firsts[:size]], marked.ends[lasts[:size]]
        return NormalizedText(data[:size].copy(), starts, source_ends), ends

    def _find_whole_pieces(self, data: NDArray[np.uint8], piece_ends: NDArray[np.int64]) -> NDArray[np.int32]:
        is_too_long = len(piece_ends) == 1 and len(data) > self._longest_token
        if self._whole_pieces == NO_PIECES or is_too_long:
            return NO_TOKENS
        found = np.empty(len(piece_ends), np.int32)
        only_newlines = self._whole_pieces == NEWLINES
        strings = self._merging.strings
        merge_kernels.find_pieces(strings, *self._spelling, data, piece_ends, only_newlines, found)
        return found

    def encode_readable(
        self, text: bytes, piece_ends: Sequence[int], encoder: str, watcher: Watcher = UNWATCHED
    ) -> FragmentTokens:
        """The same, step by step."""
        if encoder in LINEAR:
            encoder = self._sure_of_spans(encoder, np.frombuffer(bytearray(text), np.uint8))
        ids: list[int] = []
        spans: list[tuple[int, int]] = []
        start = 0
        watcher.split(piece_ends)
        dropout = replace(self._dropout)  # it counts its random numbers
        for end in piece_ends:
            found = self._encode_piece(text, start, end, encoder, dropout, watcher)
            for token, token_start, token_end in found:
                ids.append(token)
                spans.append((start + token_start, start + token_end))
            start = end
        columns = np.array(spans, np.int64).reshape(-1, 2)
        tokens = FragmentTokens(np.array(ids, np.int32), columns[:, 0].copy(), columns[:, 1].copy())
        if self._can_fail:
            _check(tokens, np.frombuffer(text, np.uint8))
        return tokens

    def _encode_piece(
        self, text: bytes, start: int, end: int, encoder: str, dropout: Dropout, watcher: Watcher
    ) -> list[tuple[int, int, int]]:
        """Token, start and end of each token of the piece text[start:end], offsets within the piece."""
        piece = text[start:end]
        if encoder not in APPROXIMATE and (whole := self._whole_token(piece)) != ABSENT:
            tokens = [(whole, 0, len(piece))]
            watcher.piece(start, piece, None, None)
            watcher.end_piece(tokens)
            return tokens
        marked = _mark_spaces_readable(piece) if self._marks_spaces else None
        if encoder in self._matching.encoders:
            return self._match_piece(piece, start, marked, encoder, dropout, watcher)
        data = piece if marked is None else marked.data.tobytes()
        start_symbols = self._merging.start_symbols(data)
        watcher.piece(start, data, marked, start_symbols)
        piece_symbols = [symbol for symbol, _, _ in start_symbols]
        slots: Slots = list(piece_symbols)
        for step in READABLE[encoder](piece_symbols, self._merging.rules):
            step.apply(slots)
            watcher.step(step)
        positions = symbol_slots(slots)
        ends = [start for _, start, _ in start_symbols] + [len(data)]
        tokens = []
        for position, after in zip(positions, [*positions[1:], len(slots)], strict=True):
            tokens += self._merging.tokens_of(slots[position], data, ends[position], ends[after])
        watcher.end_piece(tokens)
        return tokens if marked is None else [(token, *_source(marked, a, b)) for token, a, b in tokens]

    def _match_piece(
        self,
        piece: bytes,
        start: int,
        marked: NormalizedText | None,
        encoder: str,
        dropout: Dropout,
        watcher: Watcher,
    ) -> Taken:
        if marked is not None:
            marked, _ = self._compact(marked, np.array([len(marked.data)]))
        data = piece if marked is None else marked.data.tobytes()
        watcher.piece(start, data, marked, None)
        tokens = self._matching.encode_readable(encoder, dropout, data, watcher)
        watcher.end_piece(tokens)
        return tokens if marked is None else [(token, *_source(marked, a, b)) for token, a, b in tokens]

    def _whole_token(self, piece: bytes) -> int:
        takes_it = self._whole_pieces == ALL_PIECES or (
            self._whole_pieces == NEWLINES and piece.startswith(b"\n")
        )
        return self._merging.find_piece(piece) if takes_it else ABSENT


def to_source(tokens: FragmentTokens, normalized: NormalizedText | None) -> FragmentTokens:
    """Tokens of a changed text with the spans that they have in the original.

    A token without bytes of its own, which repeats a part of the one before, takes the place behind that.
    """
    if normalized is None:
        return tokens
    is_empty = tokens.starts == tokens.ends
    ends = normalized.ends[tokens.ends - 1]
    starts = np.where(is_empty, ends, normalized.starts[np.minimum(tokens.starts, len(normalized.data) - 1)])
    return FragmentTokens(tokens.ids, starts, ends)


def _source(normalized: NormalizedText, start: int, end: int) -> tuple[int, int]:
    source_end = int(normalized.ends[end - 1])
    return (int(normalized.starts[start]) if start < end else source_end), source_end


def _mark_spaces(text: NDArray[np.uint8]) -> NormalizedText:
    size = len(text) + 2 * int(np.count_nonzero(text == 0x20))
    marked = NormalizedText(np.empty(size, np.uint8), np.empty(size, np.int64), np.empty(size, np.int64))
    marked_spaces.mark(text, *marked)
    return marked


def _mark_spaces_readable(text: bytes) -> NormalizedText:
    builder = NormalizedBuilder()
    for at, byte in enumerate(text):
        builder.append(MARKED_SPACE if byte == 0x20 else bytes([byte]), at, at + 1)
    return builder.build()


def _check(tokens: FragmentTokens, data: NDArray[np.uint8]) -> None:
    """Raise EncodeError if a byte found no token."""
    missing = np.flatnonzero(tokens.ids == NO_TOKEN)
    if len(missing):
        raise EncodeError(
            f"The vocabulary has no token for the byte 0x{data[tokens.ends[missing[0]] - 1]:02X} and none "
            "for unknown text. Remove what contains it, or choose another model file."
        )
