"""The exact tokens of a text that grows at its beginning; see `append`, whose mirror image this is.

What stands behind the first certain cut is encoded once.  The head before it is all that came since where a
vocabulary finds no cuts in a text; there what tells the tokens of all its suffixes still answers at once.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.counting.append import BLOCK_BYTES, MOST_WAITING_BYTES
from guiapp.core.counting.certain_cuts import CertainCuts
from guiapp.core.counting.head_suffixes import HeadSuffixes
from guiapp.core.tokenizer import Tokenizer, as_bytes

EACH_BLOCK_BYTES = 1 << 12  # that are counted between two looks for a cut


class PrependEncoder:
    """Encodes a text from its end on: ids and count are always those of all text so far."""

    def __init__(self, tokenizer: Tokenizer, add_special: bool = True, parse_special: bool = True) -> None:
        """The options are those of `Tokenizer.encode`."""
        self._cuts = CertainCuts(tokenizer, parse_special)
        before, after = tokenizer.special_ids_around() if add_special else ([], [])
        self._before, self._after = np.array(before, np.int32), np.array(after, np.int32)
        self._settled: list[NDArray[np.int32]] = []  # the last part first
        self._n_settled = 0
        self._head = bytearray()  # its last byte first
        self._suffixes = HeadSuffixes(tokenizer, self._cuts)
        self._was_asked = False  # for the tokens of the head
        self._look_at_bytes = BLOCK_BYTES
        self._head_ids = np.empty(0, np.int32)
        self._n_encoded = 0  # bytes of the head that `_head_ids` are of

    def prepend(self, text: str | bytes) -> None:
        """Put text before all that came; raises EncodeError where the vocabulary cannot express it."""
        self._head += (text if isinstance(text, bytes) else as_bytes(text))[::-1]
        if len(self._head) > MOST_WAITING_BYTES:
            self._settle()

    def prepend_each(self, text: str | bytes) -> NDArray[np.int32]:
        """Prepend byte by byte, the last one first: int32[n], the number of tokens of all text from each on.

        Compiled, where suffixes are told from each other.
        """
        new = text if isinstance(text, bytes) else as_bytes(text)
        counts, end = np.empty(len(new), np.int32), len(new)
        while end > 0:
            self._settle()
            start = max(0, end - EACH_BLOCK_BYTES)
            if not self._suffixes.pay(len(self._head) + end):
                start = end
            n_before = len(self._head)
            self._head += new[start:end][::-1]
            told = self._suffixes.take(self._head)[: max(self._suffixes.n_taken - n_before, 0)]
            del self._head[n_before + len(told) :]
            counts[end - len(told) : end] = self._n_around + told
            end -= len(told)
            if len(told) == 0:
                end -= 1
                self.prepend(new[end : end + 1])
                counts[end] = self.count
        return counts

    @property
    def count(self) -> int:
        """The number of tokens of all text so far."""
        self._settle()
        if self._n_encoded != len(self._head):
            if self._was_asked and self._suffixes.pay(len(self._head)):
                self._suffixes.take(self._head)
                if self._suffixes.n_taken == len(self._head):
                    return self._n_around + self._suffixes.n_tokens
            if len(self._head) > BLOCK_BYTES:  # to look for a cut takes less than to encode all
                self._look_at_bytes = 0
                self._settle()
        self._was_asked = True
        return self._n_around + len(self._ids_of_head())

    @property
    def token_ids(self) -> NDArray[np.int32]:
        """The ids of all text so far."""
        self._settle()
        return np.concatenate([self._before, self._ids_of_head(), *self._settled[::-1], self._after])

    @property
    def _n_around(self) -> int:
        """The number of tokens that are not of the head."""
        return len(self._before) + self._n_settled + len(self._after)

    def _ids_of_head(self) -> NDArray[np.int32]:
        if self._n_encoded != len(self._head):
            self._head_ids = self._cuts.encode(self._text_of_head(), begins_text=True).ids
            self._n_encoded = len(self._head)
        return self._head_ids

    def _text_of_head(self) -> NDArray[np.uint8]:
        return np.frombuffer(self._head[::-1], np.uint8)

    def _settle(self) -> None:
        """Encode what can no longer change, if there is so much new text that it pays to look for it."""
        if len(self._head) < self._look_at_bytes:
            return
        head = self._text_of_head()
        clusters = self._cuts.clusters(head)
        cut = self._cuts.first(head, clusters, self._cuts.open_start(head), len(head))
        if cut < len(head):
            ids = self._cuts.encode(head[cut:], begins_text=False).ids
            self._settled.append(ids)
            self._n_settled += len(ids)
            del self._head[: len(head) - cut]
            self._n_encoded, self._was_asked = -1, False
            self._suffixes.begin()
        self._look_at_bytes = 2 * len(self._head) + BLOCK_BYTES
