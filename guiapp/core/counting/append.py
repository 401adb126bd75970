"""The exact tokens of a text that grows at its end.

What stands before the last certain cut can no longer change: it is encoded once and kept as ids.  Only the
tail behind it is encoded again when somebody asks.  Cuts are looked for when the tail has doubled, so the
work per byte is constant on average, however the text is dealt out.

Where a vocabulary finds no cuts in a text (a long run of one letter, or a language that Unigram sees as one
word), the tail is all that came since.  There a table of all its prefixes still answers at once, or in RWKV
vocabularies the last tokens do; only in vocabularies that such a table is not for each question encodes it.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from guiapp.core.counting.certain_cuts import CertainCuts
from guiapp.core.counting.stretch_counts import Met, StretchCounts, stretch_counts_of
from guiapp.core.counting.tail_table import TailTable, tail_table
from guiapp.core.kernels.stretch_counts import PADDING
from guiapp.core.pipelines.rwkv import RwkvPipeline
from guiapp.core.tokenizer import Tokenizer, as_bytes

BLOCK_BYTES = 256
MOST_WAITING_BYTES = 1 << 16  # that are put aside while nobody asks
FEW_BYTES = 32  # of a tail that a table tells the tokens of although nobody may ask again
AT_ONCE_BYTES = 1 << 14  # that are encoded sooner than divided
EACH_BLOCK_BYTES = 1 << 16  # that are looked through for special tokens at a time


class AppendEncoder:
    """Encodes a text piece by piece: ids and count are always those of all text so far."""

    def __init__(self, tokenizer: Tokenizer, add_special: bool = True, parse_special: bool = True) -> None:
        """The options are those of `Tokenizer.encode`."""
        self._tokenizer = tokenizer
        self._cuts = CertainCuts(tokenizer, parse_special)
        before, after = tokenizer.special_ids_around() if add_special else ([], [])
        self._before, self._after = np.array(before, np.int32), np.array(after, np.int32)
        self._settled: list[NDArray[np.int32]] = []
        self._n_settled = 0
        self._begins_text = True
        self._tail = bytearray()
        self._was_asked = False  # for the tokens of the tail
        own = tokenizer.pipeline.own
        self._look_ahead = own.look_ahead if isinstance(own, RwkvPipeline) else None
        self._look_at_bytes = BLOCK_BYTES
        self._tail_ids = np.empty(0, np.int32)
        self._n_encoded = 0  # bytes of the tail that `_tail_ids` are of
        self._met: Met | None = None  # stretches that the tail begins with

    def append(self, text: str | bytes) -> None:
        """Put text behind all that came before.

        A character may be split between two calls if they bring bytes.  Raises EncodeError where the
        vocabulary cannot express the text.
        """
        self._tail += text if isinstance(text, bytes) else as_bytes(text)
        if len(self._tail) > MOST_WAITING_BYTES:
            self._settle()

    def append_each(self, text: str | bytes) -> NDArray[np.int32]:
        """Append byte by byte: int32[n], the number of tokens of all text so far after each of n bytes.

        Compiled, and cheap where stretches between certain cuts are short and were met before.
        """
        new = text if isinstance(text, bytes) else as_bytes(text)
        if len(new) <= EACH_BLOCK_BYTES:
            return self._append_block(new)
        blocks = [new[at : at + EACH_BLOCK_BYTES] for at in range(0, len(new), EACH_BLOCK_BYTES)]
        return np.concatenate([*map(self._append_block, blocks)])

    def _append_block(self, new: bytes) -> NDArray[np.int32]:
        """Stretch by stretch, but byte by byte in long stretches and from a special token on."""
        stretches = stretch_counts_of(self._tokenizer)
        n_before, begins_text, at = self.least_count, self._begins_text, len(self._tail)
        data = np.frombuffer(self._tail + new + bytes(PADDING), np.uint8)
        text = data[: at + len(new)]
        counts = np.empty(len(data), np.int32)
        special = self._cuts.clusters(text).starts
        n_plain = int(special[0]) if len(special) else len(text)
        ends = stretches.ends(text[:n_plain])
        start = 0
        if at and (n_done := int(ends[:-1].searchsorted(at, side="right"))):
            start, ends = int(ends[n_done - 1]), ends[n_done:]
            n_before += len(self._encode(text[:start]))
        while at < len(text):
            if len(ends):
                start, met = stretches.add(data, ends, begins_text and start == 0, start, n_before, counts)
                ends = ends[ends.searchsorted(start, side="right") :] if start < n_plain else ends[:0]
                self._met = self._met if self._tail else met
                self.append(data[at:start].tobytes())
                n_before = int(counts[start - 1]) if start > at else n_before
                at = max(at, start)
            begin = start
            start, ends = (int(ends[0]), ends[1:]) if len(ends) else (n_plain, ends)
            stop = start if start < n_plain else len(text)
            if at < stop:
                stretch = data[begin:stop] if stop <= n_plain else None
                counts[at:stop] = self._count_long(stretches, stretch, data[at:stop], n_before)
                at = stop
            n_before = int(counts[at - 1]) if at else n_before
        return counts[len(text) - len(new) : len(text)]

    def _count_long(
        self,
        stretches: StretchCounts,
        stretch: NDArray[np.uint8] | None,
        new: NDArray[np.uint8],
        n_before: int,
    ) -> NDArray[np.int32]:
        """Append bytes that end a stretch, behind `n_before` tokens; None if it has a special token."""
        if stretch is not None and (stretches.counts_any or len(stretch) <= 2 * len(new)):
            in_stretch = stretches.counts_of_long(stretch)
            if in_stretch is not None:
                self.append(new.tobytes())
                return n_before + in_stretch[-len(new) :]
        return self._count_each(new.tobytes())

    def _count_each(self, new: bytes) -> NDArray[np.int32]:
        """Append bytes one by one, or as many as a table tells the counts of."""
        counts, at = np.empty(len(new), np.int32), 0
        while at < len(new):
            n_before = self.least_count
            part = new[at : at + max(self._look_at_bytes - len(self._tail), 1)]
            self._tail += part
            in_table = self._counts_in_table()
            if in_table is not None:
                counts[at : at + len(part)] = n_before + in_table[-len(part) :]
                at += len(part)
                continue
            del self._tail[-len(part) :]
            for _ in range(len(part)):
                self.append(new[at : at + 1])
                counts[at] = self.count
                at += 1
        return counts

    @cached_property
    def _table(self) -> TailTable | None:
        """Most texts have no tail that is long enough to need it."""
        return tail_table(self._tokenizer, self._cuts)

    def _counts_in_table(self) -> NDArray[np.int32] | None:
        """The tokens of all prefixes of the tail."""
        return self._table.counts(self._tail, self._begins_text) if self._table else None

    @property
    def count(self) -> int:
        """The number of tokens of all text so far."""
        n_before = self.least_count
        pays, self._was_asked = self._was_asked or len(self._tail) <= FEW_BYTES, True
        in_table = self._counts_in_table() if pays else None
        if in_table is not None:
            return n_before + int(in_table[-1])
        if len(self._tail) > BLOCK_BYTES:  # to look for a cut takes less than to encode all
            self._look_at_bytes = 0
        return self.least_count + len(self._ids_of_tail())

    @property
    def least_count(self) -> int:
        """A number of tokens that the text has already, whatever follows."""
        self._settle()
        return len(self._before) + self._n_settled + len(self._after)

    @property
    def token_ids(self) -> NDArray[np.int32]:
        """The ids of all text so far."""
        if len(self._tail) > AT_ONCE_BYTES:
            self._settle()
        return np.concatenate([self._before, *self._settled, self._ids_of_tail(), self._after])

    def _ids_of_tail(self) -> NDArray[np.int32]:
        if self._n_encoded != len(self._tail):
            ids = self._met.ids if self._met and self._met.ends[-1] == len(self._tail) else None
            if ids is None:
                ids = self._encode(np.frombuffer(bytearray(self._tail), np.uint8))
            self._tail_ids, self._n_encoded = ids, len(self._tail)
        return self._tail_ids

    def _settle(self) -> None:
        """Encode what can no longer change, if there is so much new text that it pays to look for it."""
        if len(self._tail) < self._look_at_bytes:
            return
        tail = np.frombuffer(bytearray(self._tail), np.uint8)
        cut = self._last_cut(tail)
        if cut > 0:
            self._settled.append(self._encode(tail[:cut]))
            self._n_settled += len(self._settled[-1])
            self._begins_text = False
            del self._tail[:cut]
            self._n_encoded, self._met, self._was_asked = -1, None, False
            if self._table:
                self._table.begin()
        self._look_at_bytes = 2 * len(self._tail) + BLOCK_BYTES

    def _last_cut(self, tail: NDArray[np.uint8]) -> int:
        """Where the last part of the tail ends that can no longer change, or 0.

        Where tokens depend only on so much text from their start on, any that is far from the end will do.
        """
        clusters, end = self._cuts.clusters(tail), self._cuts.open_end(tail)
        cut = self._cuts.last(tail, clusters, 0, end)
        if cut or len(clusters.starts) or self._look_ahead is None:
            return cut
        starts = self._cuts.encode(tail[:end], self._begins_text).starts
        return int(starts[starts <= max(end - self._look_ahead, 0)][-1]) if len(starts) else 0

    def _encode(self, text: NDArray[np.uint8]) -> NDArray[np.int32]:
        return self._cuts.encode(text, self._begins_text).ids
