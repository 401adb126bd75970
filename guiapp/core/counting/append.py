"""The exact tokens of a text that grows at its end.

What stands before the last certain cut can no longer change: it is encoded once and kept as ids.  Only the
tail behind it is encoded again when somebody asks.  The tail is looked at anew when it has doubled, so the
work per byte is constant on average, however the text is dealt out.

Where a vocabulary finds no cuts in a text (a long run of one letter, or a language that Unigram or
WordPiece see as one word), the tail is all that came since, and each question encodes that.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.counting.certain_cuts import CertainCuts
from guiapp.core.tokenizer import Tokenizer, as_bytes

BLOCK_BYTES = 256


class AppendEncoder:
    """Encodes a text piece by piece: ids and count are always those of all text so far."""

    def __init__(self, tokenizer: Tokenizer, add_special: bool = True, parse_special: bool = True) -> None:
        """The options are those of `Tokenizer.encode`."""
        self._cuts = CertainCuts(tokenizer, parse_special)
        before, after = tokenizer.special_ids_around() if add_special else ([], [])
        self._before, self._after = np.array(before, np.int32), np.array(after, np.int32)
        self._settled: list[NDArray[np.int32]] = []
        self._n_settled = 0
        self._begins_text = True
        self._tail = bytearray()
        self._look_at_bytes = BLOCK_BYTES
        self._tail_ids: NDArray[np.int32] | None = None

    def append(self, text: str | bytes) -> None:
        """Put text behind all that came before.

        A character may be split between two calls if they bring bytes.  Raises EncodeError where the
        vocabulary cannot express the text.
        """
        self._tail += as_bytes(text)
        self._tail_ids = None
        if len(self._tail) >= self._look_at_bytes:
            self._settle()

    @property
    def count(self) -> int:
        """The number of tokens of all text so far."""
        return self.least_count + len(self._ids_of_tail())

    @property
    def least_count(self) -> int:
        """A number of tokens that the text has already, whatever follows; takes no time."""
        return len(self._before) + self._n_settled + len(self._after)

    @property
    def token_ids(self) -> NDArray[np.int32]:
        """The ids of all text so far."""
        return np.concatenate([self._before, *self._settled, self._ids_of_tail(), self._after])

    def _ids_of_tail(self) -> NDArray[np.int32]:
        if self._tail_ids is None:
            self._tail_ids = self._encode(np.frombuffer(bytearray(self._tail), np.uint8))
        return self._tail_ids

    def _settle(self) -> None:
        """Encode what can no longer change."""
        tail = np.frombuffer(bytearray(self._tail), np.uint8)
        cut = self._cuts.last(tail, self._cuts.clusters(tail), 0, self._cuts.open_end(tail))
        if cut > 0:
            ids = self._encode(tail[:cut])
            self._settled.append(ids)
            self._n_settled += len(ids)
            self._begins_text = False
            del self._tail[:cut]
        self._look_at_bytes = 2 * len(self._tail) + BLOCK_BYTES

    def _encode(self, text: NDArray[np.uint8]) -> NDArray[np.int32]:
        return self._cuts.encode(text, self._begins_text).ids
