"""The exact tokens of a text that grows at its end, or at its beginning.

Text beyond the certain cut nearest to the growing edge can no longer change: it is encoded once and stored
as ids.  Only the open part at the edge is encoded again on each request.  In text without cuts (a long run
of one letter, or a language that Unigram treats as one word) the open part is all text so far.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from io import BytesIO
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.encode.counting.certain_cuts import CertainCuts, SegmentEncoder
from guiapp.core.encode.encoding import LONGEST_TEXT, Encoding, as_bytes, assembled
from guiapp.core.sources.files import blocks_from

STABLE_AFTER_BYTES = 256  # for a shorter part, searching for a cut takes as long as encoding it


class _GrowingText(ABC):
    """Ids and count always cover all text so far."""

    def __init__(
        self,
        tokenizer: SegmentEncoder,
        add_special: bool = True,
        parse_special: bool = True,
        stable_after_bytes: int = STABLE_AFTER_BYTES,
    ) -> None:
        """The options are as in `Tokenizer.encode`, and the size from which a part is searched for a cut."""
        self._cuts = CertainCuts(tokenizer, parse_special)
        before, after = tokenizer.special_affixes() if add_special else ([], [])
        self._before, self._after = np.array(before, np.int32), np.array(after, np.int32)
        self._stable_ids: list[NDArray[np.int32]] = []  # in the order in which the text arrived
        self._n_stable = 0
        self._open = bytearray()  # the latest text at its end
        self._open_ids: NDArray[np.int32] | None = None
        self._stable_after_bytes = self._next_look = stable_after_bytes

    @property
    def count(self) -> int:
        """The number of tokens of all text so far."""
        n_open = len(self._ids_of_open())
        return self.least_count + n_open

    @property
    def least_count(self) -> int:
        """The number of tokens that can no longer change."""
        return len(self._before) + self._n_stable + len(self._after)

    def _grow(self, text: bytes) -> None:
        self._open += text
        self._open_ids = None
        if len(self._open) >= self._next_look:
            self._encode_stable_part()

    def _ids_of_open(self) -> NDArray[np.int32]:
        if self._open_ids is None:
            if len(self._open) >= self._stable_after_bytes:
                self._encode_stable_part()
            self._open_ids = self._encode_open()
        return self._open_ids

    def _encode_stable_part(self) -> None:
        """Store the ids of the part that can no longer change; retry when the open part has doubled."""
        part = self._stable_part()
        if len(part):
            ids = self._encode_stable(part)
            self._stable_ids.append(ids)
            self._n_stable += len(ids)
            del self._open[: len(part)]
        self._next_look = 2 * len(self._open) + self._stable_after_bytes

    @abstractmethod
    def _encode_open(self) -> NDArray[np.int32]:
        """The ids of the open part."""

    @abstractmethod
    def _stable_part(self) -> NDArray[np.uint8]:
        """The part of the open text that can no longer change."""

    @abstractmethod
    def _encode_stable(self, part: NDArray[np.uint8]) -> NDArray[np.int32]:
        """The ids of the stable part."""


class AppendEncoder(_GrowingText):
    """Encodes a text piece by piece."""

    def append(self, text: str | bytes) -> None:
        """Add text at the end.

        A character may be split between two calls with bytes.  Raises EncodeError if the vocabulary cannot
        express the text.
        """
        self._grow(text if isinstance(text, bytes) else as_bytes(text))

    @property
    def token_ids(self) -> NDArray[np.int32]:
        """The ids of all text so far."""
        open_ids = self._ids_of_open()
        return np.concatenate([self._before, *self._stable_ids, open_ids, self._after])

    def _encode_open(self) -> NDArray[np.int32]:
        return self._encode_stable(self._tail())

    def _stable_part(self) -> NDArray[np.uint8]:
        tail = self._tail()
        return tail[: self._cuts.stable_end(tail, begins_text=not self._stable_ids)]

    def _encode_stable(self, part: NDArray[np.uint8]) -> NDArray[np.int32]:
        return self._cuts.encode(part, begins_text=not self._stable_ids).ids

    def _tail(self) -> NDArray[np.uint8]:
        return np.frombuffer(bytearray(self._open), np.uint8)


class PrependEncoder(_GrowingText):
    """Encodes a text from its end on."""

    def prepend(self, text: str | bytes) -> None:
        """Add text at the beginning; raises EncodeError if the vocabulary cannot express it."""
        self._grow((text if isinstance(text, bytes) else as_bytes(text))[::-1])

    @property
    def token_ids(self) -> NDArray[np.int32]:
        """The ids of all text so far."""
        open_ids = self._ids_of_open()
        return np.concatenate([self._before, open_ids, *self._stable_ids[::-1], self._after])

    def _encode_open(self) -> NDArray[np.int32]:
        return self._cuts.encode(self._head(), begins_text=True).ids

    def _stable_part(self) -> NDArray[np.uint8]:
        head = self._head()
        return head[
            self._cuts.first(head, self._cuts.clusters(head), self._cuts.open_start(head), len(head)) :
        ]

    def _encode_stable(self, part: NDArray[np.uint8]) -> NDArray[np.int32]:
        return self._cuts.encode(part, begins_text=False).ids

    def _head(self) -> NDArray[np.uint8]:
        return np.frombuffer(self._open[::-1], np.uint8)


def count_tokens(
    tokenizer: SegmentEncoder, text: bytes, limit: int | None, add_special: bool, parse_special: bool
) -> int | None:
    """The number of tokens; None as soon as it certainly exceeds `limit`."""
    return count_blocks(tokenizer, blocks_from(BytesIO(text).read), limit, add_special, parse_special)


def count_blocks(
    tokenizer: SegmentEncoder,
    blocks: Iterable[bytes],
    limit: int | None,
    add_special: bool,
    parse_special: bool,
) -> int | None:
    """The same for a text in blocks; reading stops once the answer is certain."""
    n_tokens = 0
    for part in encoded_parts(tokenizer, blocks, add_special, parse_special):
        n_tokens += len(part.encoding)
        if limit is not None and n_tokens > limit:
            return None
    return n_tokens


class EncodedPart(NamedTuple):
    """A part of a text with the tokens that it has in the whole.

    start     offset in the whole text, in bytes
    encoding  spans count from `start`; BOS and the like are in the first part, EOS in the last
    """

    start: int
    encoding: Encoding


def encoded_parts(
    tokenizer: SegmentEncoder,
    blocks: Iterable[bytes],
    add_special: bool = True,
    parse_special: bool = True,
    encoder: str | None = None,
    least_bytes: int = STABLE_AFTER_BYTES,
) -> Iterator[EncodedPart]:
    """The encoding of a text in blocks, in parts: each as soon as no more text can change it.

    Parts are adjacent, and the last one may be empty.  A text without certain cuts is one part, and so is
    every text for encoders that are not exact.  Cuts are searched for in `least_bytes` or more.
    Raises EncodeError as `Tokenizer.encode` does, after the previous parts.
    """
    cuts, name = CertainCuts(tokenizer, parse_special, encoder), encoder or tokenizer.pipeline.encoders[0]
    before, after = tokenizer.special_affixes() if add_special else ([], [])
    can_cut = name in tokenizer.exact_encoders
    rest, start, next_look = bytearray(), 0, least_bytes
    for block in blocks:
        rest += block
        if len(rest) > LONGEST_TEXT:
            break  # `as_bytes` below raises EncodeError
        if can_cut and len(rest) >= next_look:
            text = np.frombuffer(bytes(rest), np.uint8)
            if end := cuts.stable_end(text, start == 0):
                tokens = cuts.encode(text[:end], start == 0)
                yield EncodedPart(start, assembled(text[:end].tobytes(), tokens, (before, []), name))
                before, start = [], start + end
                del rest[:end]
            next_look = 2 * len(rest) + least_bytes
    data = as_bytes(bytes(rest))
    tokens = cuts.encode(np.frombuffer(data, np.uint8), start == 0)
    yield EncodedPart(start, assembled(data, tokens, (before, after), name))
