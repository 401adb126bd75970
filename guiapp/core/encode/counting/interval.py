"""The exact number of tokens of any part of a text that was encoded once.

The count of text[start:end] is that of its encoding by itself: pre-tokenization, space prefix and special
tokens are those of the part alone, and none are put around it.  Only its two ends can differ from the
encoding of the whole: between the first and the last certain cut the tokens are the same, and their number
is a difference of two indices.  So the time does not depend on the length of the part, unless it holds
no certain cut; such a part is encoded.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.encode.counting.certain_cuts import CertainCuts
from guiapp.core.encode.tokenizer import Tokenizer


class IntervalCounter:
    """Counts the tokens of parts of one text."""

    def __init__(self, tokenizer: Tokenizer, text: str | bytes, parse_special: bool = True) -> None:
        """Encode the text.  Offsets are those of its bytes.

        Raises EncodeError where the vocabulary cannot express the text.
        """
        encoding = tokenizer.encode(text, add_special=False, parse_special=parse_special)
        self.text = np.frombuffer(bytearray(encoding.text_bytes), np.uint8)
        self.token_starts = np.ascontiguousarray(encoding.spans[:, 0])
        self._token_ends = np.ascontiguousarray(encoding.spans[:, 1])
        self._cuts = CertainCuts(tokenizer, parse_special)
        self._clusters = self._cuts.clusters(self.text)

    def count(self, start: int, end: int) -> int:
        """len(tokenizer.encode(text[start:end], add_special=False, parse_special=parse_special))."""
        if not 0 <= start <= end <= len(self.text):
            raise ValueError(f"{start}:{end} is no part of a text of {len(self.text)} bytes")
        left = self.cut_after(start, end)
        right = self.cut_before(left, end) if left < end else left
        if right <= left:
            return self._count_alone(start, end, True)
        n_first, n_last = self._count_alone(start, left, True), self._count_alone(right, end, False)
        return n_first + self.n_tokens_before(right) - self.n_tokens_before(left) + n_last

    def outside_special_tokens(self, offsets: NDArray[np.int64]) -> NDArray[np.int64]:
        """Those of some offsets that are not within the text of a special token of the whole text."""
        starts, ends = self._cuts.special_tokens_of(self.text)
        index = np.searchsorted(starts, offsets) - 1
        ends = np.append(ends, 0)  # the last one for those before all of them
        return offsets[ends[index] <= offsets]

    def cut_after(self, start: int, end: int) -> int:
        """The first certain cut in (start, end) that shows in the tokens; `end` if there is none."""
        while start < end:
            start = self._cuts.first(self.text, self._clusters, start, end)
            if self._parts_tokens(start):
                return start
        return end

    def cut_before(self, start: int, end: int) -> int:
        """The last such cut; `start` if there is none."""
        while end > start:
            end = self._cuts.last(self.text, self._clusters, start, end)
            if self._parts_tokens(end):
                return end
            end -= 1
        return start

    def _parts_tokens(self, cut: int) -> bool:
        """Whether tokens of the whole text lie before or behind the cut, and it is clear which."""
        index = self.n_tokens_before(cut)
        is_empty_there = index < len(self._token_ends) and self._token_ends[index] == cut
        return not is_empty_there and (index == 0 or bool(self._token_ends[index - 1] <= cut))

    @property
    def n_tokens(self) -> int:
        """The number of tokens of the whole text."""
        return len(self.token_starts)

    def n_tokens_before(self, cut: int) -> int:
        """How many tokens of the whole text begin before `cut`."""
        return int(np.searchsorted(self.token_starts, cut))

    def _count_alone(self, start: int, end: int, begins_text: bool) -> int:
        return len(self._cuts.encode(self.text[start:end], begins_text).ids) if start < end else 0
