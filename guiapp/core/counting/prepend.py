"""The exact tokens of a text that grows at its beginning; see `append`, whose mirror image this is.

What stands behind the first certain cut is encoded once, and the head before it when somebody asks.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.counting.append import SETTLE_BYTES
from guiapp.core.counting.certain_cuts import CertainCuts
from guiapp.core.tokenizer import Tokenizer, as_bytes


class PrependEncoder:
    """Encodes a text from its end on: ids and count are always those of all text so far."""

    def __init__(
        self,
        tokenizer: Tokenizer,
        add_special: bool = True,
        parse_special: bool = True,
        settle_bytes: int = SETTLE_BYTES,
    ) -> None:
        """The options are those of `Tokenizer.encode`, and how long a head is searched for a cut."""
        self._cuts = CertainCuts(tokenizer, parse_special)
        before, after = tokenizer.special_ids_around() if add_special else ([], [])
        self._before, self._after = np.array(before, np.int32), np.array(after, np.int32)
        self._settled: list[NDArray[np.int32]] = []  # the last part first
        self._n_settled = 0
        self._head = bytearray()  # its last byte first
        self._head_ids: NDArray[np.int32] | None = None
        self._settle_bytes = self._next_look = settle_bytes

    def prepend(self, text: str | bytes) -> None:
        """Put text before all that came; raises EncodeError where the vocabulary cannot express it."""
        self._head += (text if isinstance(text, bytes) else as_bytes(text))[::-1]
        self._head_ids = None
        if len(self._head) >= self._next_look:
            self._settle()

    @property
    def count(self) -> int:
        """The number of tokens of all text so far."""
        n_head = len(self._ids_of_head())
        return len(self._before) + n_head + self._n_settled + len(self._after)

    @property
    def token_ids(self) -> NDArray[np.int32]:
        """The ids of all text so far."""
        head_ids = self._ids_of_head()
        return np.concatenate([self._before, head_ids, *self._settled[::-1], self._after])

    def _ids_of_head(self) -> NDArray[np.int32]:
        if self._head_ids is None:
            if len(self._head) >= self._settle_bytes:
                self._settle()
            self._head_ids = self._cuts.encode(self._head_array(), begins_text=True).ids
        return self._head_ids

    def _settle(self) -> None:
        """Keep the ids of what can no longer change; look for it again when the head has doubled."""
        head = self._head_array()
        cut = self._cuts.first(head, self._cuts.clusters(head), self._cuts.open_start(head), len(head))
        if cut < len(head):
            ids = self._cuts.encode(head[cut:], begins_text=False).ids
            self._settled.append(ids)
            self._n_settled += len(ids)
            del self._head[: len(head) - cut]
        self._next_look = 2 * len(self._head) + self._settle_bytes

    def _head_array(self) -> NDArray[np.uint8]:
        return np.frombuffer(self._head[::-1], np.uint8)
