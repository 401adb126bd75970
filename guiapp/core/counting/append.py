"""The exact tokens of a text that grows at its end.

What stands before the last certain cut can no longer change: it is encoded once and kept as ids.  Only the
tail behind it is encoded again when somebody asks.  In text without cuts (a long run of one letter, or a
language that Unigram sees as one word) the tail is all that came since.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.counting.certain_cuts import CertainCuts
from guiapp.core.tokenizer import Tokenizer, as_bytes

SETTLE_BYTES = 256  # a shorter tail takes no longer to encode than to be searched for a cut


class AppendEncoder:
    """Encodes a text piece by piece: ids and count are always those of all text so far."""

    def __init__(
        self,
        tokenizer: Tokenizer,
        add_special: bool = True,
        parse_special: bool = True,
        settle_bytes: int = SETTLE_BYTES,
    ) -> None:
        """The options are those of `Tokenizer.encode`, and how long a tail is searched for a cut."""
        self._cuts = CertainCuts(tokenizer, parse_special)
        before, after = tokenizer.special_ids_around() if add_special else ([], [])
        self._before, self._after = np.array(before, np.int32), np.array(after, np.int32)
        self._look_ahead = tokenizer.pipeline.look_ahead
        self._settled: list[NDArray[np.int32]] = []
        self._n_settled = 0
        self._tail = bytearray()
        self._tail_ids: NDArray[np.int32] | None = None
        self._settle_bytes = self._next_look = settle_bytes

    def append(self, text: str | bytes) -> None:
        """Put text behind all that came before.

        A character may be split between two calls if they bring bytes.  Raises EncodeError where the
        vocabulary cannot express the text.
        """
        self._tail += text if isinstance(text, bytes) else as_bytes(text)
        self._tail_ids = None
        if len(self._tail) >= self._next_look:
            self._settle()

    @property
    def count(self) -> int:
        """The number of tokens of all text so far."""
        n_tail = len(self._ids_of_tail())
        return self.least_count + n_tail

    @property
    def least_count(self) -> int:
        """A number of tokens that the text has already, whatever follows."""
        return len(self._before) + self._n_settled + len(self._after)

    @property
    def token_ids(self) -> NDArray[np.int32]:
        """The ids of all text so far."""
        tail_ids = self._ids_of_tail()
        return np.concatenate([self._before, *self._settled, tail_ids, self._after])

    def _ids_of_tail(self) -> NDArray[np.int32]:
        if self._tail_ids is None:
            if len(self._tail) >= self._settle_bytes:
                self._settle()
            self._tail_ids = self._encode(self._tail_array())
        return self._tail_ids

    def _settle(self) -> None:
        """Keep the ids of what can no longer change; look for it again when the tail has doubled."""
        tail = self._tail_array()
        cut = self._last_cut(tail)
        if cut > 0:
            ids = self._encode(tail[:cut])
            self._settled.append(ids)
            self._n_settled += len(ids)
            del self._tail[:cut]
        self._next_look = 2 * len(self._tail) + self._settle_bytes

    def _last_cut(self, tail: NDArray[np.uint8]) -> int:
        """Where the last part of the tail ends that can no longer change, or 0.

        An RWKV token depends on so much text from its start on, and on nothing before: the start of any that
        is farther from the end will do.
        """
        clusters, end = self._cuts.clusters(tail), self._cuts.open_end(tail)
        cut = self._cuts.last(tail, clusters, 0, end)
        if cut or len(clusters.starts) or self._look_ahead is None:
            return cut
        starts = self._cuts.encode(tail[:end], begins_text=not self._settled).starts
        return int(starts[starts <= max(end - self._look_ahead, 0)][-1]) if len(starts) else 0

    def _encode(self, text: NDArray[np.uint8]) -> NDArray[np.int32]:
        return self._cuts.encode(text, begins_text=not self._settled).ids

    def _tail_array(self) -> NDArray[np.uint8]:
        return np.frombuffer(bytearray(self._tail), np.uint8)
