"""The exact tokens of a text that grows at its beginning; see `append`, whose mirror image this is."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.counting.append import BLOCK_BYTES, MOST_WAITING_BYTES
from guiapp.core.counting.certain_cuts import CertainCuts
from guiapp.core.tokenizer import Tokenizer, as_bytes


class PrependEncoder:
    """Encodes a text from its end on: ids and count are always those of all text so far."""

    def __init__(self, tokenizer: Tokenizer, add_special: bool = True, parse_special: bool = True) -> None:
        """The options are those of `Tokenizer.encode`."""
        self._cuts = CertainCuts(tokenizer, parse_special)
        before, after = tokenizer.special_ids_around() if add_special else ([], [])
        self._before, self._after = np.array(before, np.int32), np.array(after, np.int32)
        self._settled: list[NDArray[np.int32]] = []  # the last part first
        self._n_settled = 0
        self._head = b""
        self._waiting: list[bytes] = []  # what was put before the head since somebody asked
        self._n_waiting = 0
        self._look_at_bytes = BLOCK_BYTES
        self._head_ids: NDArray[np.int32] | None = None

    def prepend(self, text: str | bytes) -> None:
        """Put text before all that came; raises EncodeError where the vocabulary cannot express it."""
        self._waiting.append(text if isinstance(text, bytes) else as_bytes(text))
        self._n_waiting += len(self._waiting[-1])
        if self._n_waiting > MOST_WAITING_BYTES:
            self._settle()

    @property
    def count(self) -> int:
        """The number of tokens of all text so far."""
        self._settle()
        return len(self._before) + len(self._ids_of_head()) + self._n_settled + len(self._after)

    @property
    def token_ids(self) -> NDArray[np.int32]:
        """The ids of all text so far."""
        self._settle()
        return np.concatenate([self._before, self._ids_of_head(), *self._settled[::-1], self._after])

    def _ids_of_head(self) -> NDArray[np.int32]:
        if self._head_ids is None:
            head = np.frombuffer(bytearray(self._head), np.uint8)
            self._head_ids = self._cuts.encode(head, begins_text=True).ids
        return self._head_ids

    def _settle(self) -> None:
        """Take what waits, and encode what can no longer change if so much is new that it pays."""
        if self._waiting:
            self._head = b"".join([*self._waiting[::-1], self._head])
            self._waiting.clear()
            self._n_waiting = 0
            self._head_ids = None
        if len(self._head) < self._look_at_bytes:
            return
        head = np.frombuffer(bytearray(self._head), np.uint8)
        clusters = self._cuts.clusters(head)
        cut = self._cuts.first(head, clusters, self._cuts.open_start(head), len(head))
        if cut < len(head):
            ids = self._cuts.encode(head[cut:], begins_text=False).ids
            self._settled.append(ids)
            self._n_settled += len(ids)
            self._head = self._head[:cut]
        self._look_at_bytes = 2 * len(self._head) + BLOCK_BYTES
