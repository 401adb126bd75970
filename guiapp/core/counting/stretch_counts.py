"""The token counts of all prefixes of a text, from those of its stretches between certain cuts.

Text repeats itself: most stretches were met before.  What the prefixes of the others count is found out once
and kept for a tokenizer.  In Unigram and PLaMo 2 vocabularies one pass through a stretch tells it.  In others
each prefix is encoded, all at once where the pipeline can do that.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from itertools import pairwise
from typing import NamedTuple, cast
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from guiapp.core.counting.piece_prefixes import PieceRules, piece_prefixes
from guiapp.core.counting.plamo2_growth import Plamo2Prefixes
from guiapp.core.counting.prefix_counts import PrefixCounts
from guiapp.core.counting.stretch_prefixes import count_prefixes, count_prefixes_of_long
from guiapp.core.counting.unigram_prefixes import UnigramPrefixes
from guiapp.core.counting.word_prefixes import word_prefixes
from guiapp.core.kernels import begun_characters
from guiapp.core.kernels import stretch_counts as kernel
from guiapp.core.kernels.stretch_counts import BYTES, COUNT_MASK, FIRST_NEW, NOT_TOLD, ROW, Stretches
from guiapp.core.pipelines.byte_pair import BytePairPipeline
from guiapp.core.pipelines.many_texts import ManyTexts
from guiapp.core.pipelines.plamo2 import Plamo2Pipeline
from guiapp.core.pipelines.rwkv import RwkvPipeline
from guiapp.core.pipelines.sentence_piece import SentencePiecePipeline
from guiapp.core.pipelines.unigram import UnigramPipeline
from guiapp.core.pipelines.word_piece import WordPiecePipeline
from guiapp.core.text.utf8 import ASCII_END, REPLACEMENT_BYTES
from guiapp.core.tokenizer import Tokenizer
from guiapp.core.vocab.vocabulary import VocabType

FEW_ROWS, MANY_ROWS = 1 << 13, 1 << 16
ROOM_PER_ROW = 16  # bytes of stretches
LONGEST, LONGEST_LINEAR = 1 << 8, 1 << 14  # bytes of a stretch that is kept
LEAST_BYTES = 1 << 10  # of a stretch for which it pays to find out about all tokens of a vocabulary
MOST_LONG_BYTES = 1 << 20  # of long stretches that are kept
FIRST_LEAD = 0xC0
MOST_BEGUN = 3  # bytes of a character that is not complete
NO_CUT, CUT, UNKNOWN = range(3)
A_SPACE = np.array([0x20], np.uint8)  # is put before a document by pipelines that mind beginnings


class Met(NamedTuple):
    """Stretches of a text, from its beginning on: where they end, and where in `stretches` they are."""

    stretches: Stretches
    ends: NDArray[np.int64]
    places: NDArray[np.int64]

    @property
    def ids(self) -> NDArray[np.int32] | None:
        """The ids of their text, where all are told."""
        ids = np.empty(int(self.ends[-1]), np.int32)
        known, known_ids = self.stretches.counts, self.stretches.ids
        count = kernel.copy_ids(self.ends, self.places, known, known_ids, ids)
        return None if count == NOT_TOLD else ids[:count].copy()


class StretchCounts:
    """Threads may share it: each call borrows stretches that no other call has."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._pipeline = tokenizer.pipeline
        own = self._pipeline.own
        takes_many = getattr(own, "takes_many_texts", False)  # `isinstance` takes as long as a short text
        self._many = cast(ManyTexts, own) if takes_many else None
        self._by_parts = own if isinstance(own, BytePairPipeline) and self._many is not None else None
        self._by_characters = own if isinstance(own, SentencePiecePipeline) else None
        self.counts_any = isinstance(own, RwkvPipeline)  # text in one go, whatever it is
        self._new_linear: Callable[[], UnigramPrefixes | Plamo2Prefixes] | None = None
        if tokenizer.vocabulary.type is VocabType.UGM:
            if (unigram_rules := cast(UnigramPipeline, own).prefix_rules) is not None:
                self._new_linear = partial(UnigramPrefixes, unigram_rules)
        elif isinstance(own, Plamo2Pipeline) and (plamo2_rules := own.growth_rules) is not None:
            self._new_linear = partial(Plamo2Prefixes, plamo2_rules)
        self._longest = LONGEST if self._new_linear is None else LONGEST_LINEAR
        if self.counts_any:
            self._longest = 0
        self.new_prefixes: Callable[[], PrefixCounts | None] | None = None
        self._piece_rules = None
        if self._by_parts is not None:
            self._piece_rules = PieceRules(self._by_parts)
            self.new_prefixes = partial(piece_prefixes, self._piece_rules)
        elif isinstance(own, WordPiecePipeline):
            self.new_prefixes = partial(word_prefixes, own)
        elif isinstance(own, Plamo2Pipeline):
            self.new_prefixes = self._new_linear
        self._long: dict[bytes, NDArray[np.int32]] = {}
        self._free: list[Stretches] = []

    def ends(self, data: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Where the stretches of a text end that begins at a certain cut, or begins a document."""
        if self.counts_any:
            return np.array([len(data)] if len(data) else [], np.int64)
        ends = np.empty(len(data) + 1, np.int64)
        if self._many is not None:
            n_cuts = self._many.all_cuts(data, ends)
        else:
            cuts = self._cuts_between_bytes(data)
            n_cuts = len(cuts)
            ends[:n_cuts] = cuts
        ends[n_cuts] = len(data)
        return ends[: n_cuts + min(len(data), 1)]

    def add(
        self,
        data: NDArray[np.uint8],
        ends: NDArray[np.int64],
        begins_text: bool,
        start: int,
        n_before: int,
        counts: NDArray[np.int32],
    ) -> tuple[int, Met | None]:
        """Write the number of tokens of data[: i + 1] to counts[i] for all i >= start.

        data, counts  with PADDING behind the last end
        ends          of the stretches from `start` on, in which no special token is
        begins_text   whether the first of them begins a document
        n_before      the number of tokens of data[:start]
        Returns where a stretch begins that is too long, or the last end; and all stretches, if they are in
        one place.
        """
        begins_text = begins_text and (self._many is None or self._many.minds_beginnings)
        stretches, all_ends, met = self._borrowed(len(ends)), ends, None
        while len(ends) and ends[0] - start <= self._longest:
            places, new_ends = np.empty(len(ends), np.int64), np.empty(len(ends), np.int64)
            n_kept = int(stretches.used[BYTES])
            found = kernel.count_known(
                data, start, ends, self._longest, begins_text, n_before, stretches, counts, places, new_ends
            )
            n_found, n_new = found >> 32, found & COUNT_MASK
            if n_new:
                first = int(stretches.used[FIRST_NEW])
                self._learn(stretches, n_kept, new_ends[:n_new], begins_text and first == 0)
                if first:
                    start = int(ends[first - 1])
                    n_before = int(counts[start - 1])
                new = slice(first, n_found)
                kernel.add_counts(start, ends[new], places[new], stretches.counts, n_before, counts)
            if n_found == len(all_ends):
                met = Met(stretches, all_ends, places)
            if n_found:
                start, ends, begins_text = int(ends[n_found - 1]), ends[n_found:], False
                n_before = int(counts[start - 1])
            if len(ends) and ends[0] - start <= self._longest:
                stretches = _no_stretches(MANY_ROWS)
        self._free.append(stretches)
        return start, met

    def counts_of_long(self, stretch: NDArray[np.uint8]) -> NDArray[np.int32] | None:
        """The number of tokens after each byte of a stretch that is too long; None where each is encoded."""
        if self.counts_any:
            return cast(RwkvPipeline, self._pipeline.own).count_prefixes(stretch)
        if self.new_prefixes is None:
            return None
        key = stretch.tobytes()
        if (known := self._long.get(key)) is None:
            known = self._count_long(stretch, self.new_prefixes)
            if known is None:
                return None
            if sum(map(len, list(self._long))) + len(key) > MOST_LONG_BYTES:
                self._long = {}
            self._long[key] = known
        return known

    @property
    def least_bytes(self) -> int:
        """Of a text for which it pays to find out what `new_prefixes` need to know."""
        is_known = self._piece_rules is None or self._piece_rules.are_known
        return LONGEST if is_known else LEAST_BYTES

    def _count_long(
        self, stretch: NDArray[np.uint8], new_prefixes: Callable[[], PrefixCounts | None]
    ) -> NDArray[np.int32] | None:
        if self._by_parts is not None and self._by_parts.counts_pieces:
            counts = count_prefixes_of_long(self._by_parts, stretch)
            if counts is not None:
                return counts.astype(np.int32)
        if len(stretch) < self.least_bytes:
            no_ids = np.empty(len(stretch), np.int32)
            return self._count_prefixes(stretch, np.array([len(stretch)]), False, no_ids).astype(np.int32)
        prefixes = new_prefixes()
        if prefixes is None or not prefixes.takes(stretch):
            return None
        prefixes.append(stretch)
        return prefixes.counts[1:]

    def _learn(
        self, stretches: Stretches, n_kept: int, ends: NDArray[np.int64], first_begins_text: bool
    ) -> None:
        """Fill in the counts and ids of the stretches behind `n_kept` bytes, which end at `ends`."""
        all_new = slice(n_kept, int(ends[-1]))
        stretches.ids[all_new] = NOT_TOLD
        if first_begins_text and self._by_characters is not None:
            texts = np.concatenate([A_SPACE, stretches.text[all_new]])
            counts = self._by_characters.count_prefixes(texts, ends + (len(A_SPACE) - n_kept))
            if counts is not None:
                stretches.counts[all_new] = counts[len(A_SPACE) :]
                return
        if first_begins_text:
            first = slice(n_kept, int(ends[0]))
            text, ids = stretches.text[first], stretches.ids[first]
            stretches.counts[first] = self._count_prefixes(text, ends[:1] - n_kept, True, ids)
            n_kept, ends = int(ends[0]), ends[1:]
        if len(ends):
            new = slice(n_kept, int(ends[-1]))
            text, ids = stretches.text[new], stretches.ids[new]
            stretches.counts[new] = self._count_prefixes(text, ends - n_kept, False, ids)

    def _count_prefixes(
        self, texts: NDArray[np.uint8], ends: NDArray[np.int64], begins_text: bool, ids: NDArray[np.int32]
    ) -> NDArray[np.int64]:
        """The numbers of tokens of all prefixes of the texts that end at `ends`; writes ids that are told."""
        if self._new_linear is not None:
            return self._new_linear().counts_of_texts(texts, ends).astype(np.int64)
        if self._by_parts is not None and self._by_parts.counts_pieces:
            return count_prefixes(self._by_parts, texts, ends, ids)
        if self._by_characters is not None and not begins_text:
            counts = self._by_characters.count_prefixes(texts, ends)
            if counts is not None:
                return counts
        no_begun = np.zeros(len(texts), np.int64)
        n_begun = no_begun if begins_text else self._begun_characters(texts, ends, no_begun)
        numbers = np.empty(len(texts), np.int32)
        of_whole = self._count_whole(texts, ends, n_begun, begins_text, numbers)
        of_joined = of_begun = np.empty(0, np.int64)
        if n_begun.any():
            of_joined, of_begun = self._count_joined(texts, ends, n_begun), self._begun_counts
        counts = np.empty(len(texts), np.int64)
        begun_characters.put_together(ends, n_begun, numbers, of_whole, of_joined, of_begun, counts)
        return counts

    def _count_whole(
        self,
        texts: NDArray[np.uint8],
        ends: NDArray[np.int64],
        n_begun: NDArray[np.int64],
        begins_text: bool,
        numbers: NDArray[np.int32],
    ) -> NDArray[np.int64]:
        """The numbers of tokens of the prefixes that do not end within a character, as `numbers` has them."""
        lengths = np.diff(ends, prepend=0)
        prefixes = np.empty(int((lengths * (lengths + 1) // 2).sum()), np.uint8)
        prefix_ends, origins = np.empty(len(texts), np.int64), np.empty(len(texts), np.int64)
        slots = np.zeros(1 << len(texts).bit_length(), np.int32)
        n_prefixes = kernel.distinct_prefixes(
            texts, ends, n_begun, slots, prefixes, prefix_ends, origins, numbers
        )
        if not n_prefixes:
            return np.empty(0, np.int64)
        prefix_ends, origins = prefix_ends[:n_prefixes].copy(), origins[:n_prefixes].copy()
        return self._count_each(prefixes, prefix_ends, begins_text)

    def _count_joined(
        self, texts: NDArray[np.uint8], ends: NDArray[np.int64], n_begun: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """The numbers of tokens of the prefixes that end within a character that may join what is before."""
        prefixes, prefix_ends = np.empty(0, np.uint8), np.empty(int((n_begun < 0).sum()), np.int64)
        while True:
            size = begun_characters.write_replaced(texts, ends, n_begun, prefixes, prefix_ends)
            if size == 0:
                return np.empty(0, np.int64)
            if size <= len(prefixes):
                return self._count_each(prefixes, prefix_ends, False)
            prefixes = np.empty(size, np.uint8)

    def _begun_characters(
        self, texts: NDArray[np.uint8], ends: NDArray[np.int64], n_begun: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Write by byte how many bytes of a character that is not complete end there; it is 0 so far.

        Below 0 where what stands before the character is not certainly apart from what becomes of these.
        """
        n_leads = int(np.count_nonzero(texts >= FIRST_LEAD))
        if self._many is None or not self._many.repairs_texts or not n_leads:
            return n_begun
        leads, places = np.empty(n_leads, np.int64), np.empty(n_leads, np.int64)
        replaced = np.empty(len(texts) + len(REPLACEMENT_BYTES) * n_leads, np.uint8)
        n_inner = begun_characters.find(texts, ends, n_begun, replaced, leads, places)
        replaced = replaced[: len(texts) + len(REPLACEMENT_BYTES) * n_inner]
        cuts = np.empty(len(replaced) + 1, np.int64)
        n_cuts = self._many.all_cuts(replaced, cuts)
        begun_characters.set_apart(leads[:n_inner], places[:n_inner], cuts[:n_cuts], n_begun)
        return n_begun

    @cached_property
    def _begun_counts(self) -> NDArray[np.int64]:
        """The numbers of tokens of 0, 1, 2 … bytes of a character that is not complete."""
        texts = np.frombuffer(bytearray(REPLACEMENT_BYTES * sum(range(MOST_BEGUN + 1))), np.uint8)
        ends = len(REPLACEMENT_BYTES) * np.cumsum(np.arange(1, MOST_BEGUN + 1))
        return np.concatenate([[0], self._count_each(texts, ends, False)])

    def _count_each(
        self, texts: NDArray[np.uint8], ends: NDArray[np.int64], begins_text: bool
    ) -> NDArray[np.int64]:
        if self._many is not None and not begins_text:
            return self._many.count_each(texts[: ends[-1]].copy(), ends)
        encode, encoder = self._pipeline.encode, self._pipeline.encoders[0]
        bounds = pairwise([0, *ends.tolist()])
        each = (encode(texts[start:end].copy(), begins_text, encoder) for start, end in bounds)
        return np.array([len(tokens.ids) for tokens in each], np.int64)

    @cached_property
    def _cuts(self) -> NDArray[np.uint8]:
        """What is known of the places between two bytes: [first << 8 | second]."""
        cuts = np.full((256, 256), NO_CUT, np.uint8)
        cuts[:ASCII_END, :ASCII_END] = UNKNOWN
        return cuts.reshape(-1)

    def _cuts_between_bytes(self, data: NDArray[np.uint8]) -> NDArray[np.int64]:
        """The cuts that two bytes tell."""
        pairs = data[:-1].astype(np.uint16) << 8 | data[1:]
        for pair in np.unique(pairs[self._cuts[pairs] == UNKNOWN]).tolist():
            both = np.array([pair >> 8, pair & 0xFF], np.uint8)
            is_cut = self._pipeline.cut_after(both, 0) == 1 or self._pipeline.cut_before(both, 2) == 1
            self._cuts[pair] = CUT if is_cut else NO_CUT
        return np.flatnonzero(self._cuts[pairs] == CUT) + 1

    def _borrowed(self, n_stretches: int) -> Stretches:
        """Asked for and taken in one go, because another thread may be faster."""
        try:
            return self._free.pop()
        except IndexError:
            return _no_stretches(FEW_ROWS if 2 * n_stretches < FEW_ROWS else MANY_ROWS)


def _no_stretches(n_rows: int) -> Stretches:
    return Stretches(
        rows=np.zeros(ROW * n_rows, np.uint64),
        text=np.empty(ROOM_PER_ROW * n_rows, np.uint8),
        counts=np.empty(ROOM_PER_ROW * n_rows, np.uint16),
        ids=np.empty(ROOM_PER_ROW * n_rows, np.int32),
        used=np.zeros(3, np.int64),
    )


_OF_TOKENIZERS: WeakKeyDictionary[Tokenizer, StretchCounts] = WeakKeyDictionary()


def stretch_counts_of(tokenizer: Tokenizer) -> StretchCounts:
    """One for all who append to texts of the same tokenizer, and gone when that is."""
    if (counts := _OF_TOKENIZERS.get(tokenizer)) is None:
        counts = _OF_TOKENIZERS.setdefault(tokenizer, StretchCounts(tokenizer))
    return counts
