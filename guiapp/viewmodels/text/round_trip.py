"""Whether the tokens of a text give that text back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.viewmodels.background import Progress

if TYPE_CHECKING:
    from guiapp.core.tokenizer import Tokenizer

SHOWN_BYTES = 16


@dataclass(frozen=True)
class RoundTripResult:
    """What decoding the tokens of a text gave.

    offset    the first byte that differs, None where all are the same
    expected  the text from there on, at most SHOWN_BYTES
    decoded   what came instead
    """

    offset: int | None
    expected: bytes = b""
    decoded: bytes = b""

    @property
    def is_same(self) -> bool:
        return self.offset is None


class RoundTripInput(NamedTuple):
    """A text and its tokens, without BOS and the like around them."""

    tokenizer: Tokenizer
    text: bytes
    token_ids: NDArray[np.int32]


def compare(given: RoundTripInput, progress: Progress = lambda share: None) -> RoundTripResult:
    """Decode the tokens and look for the first byte that is not the text's."""
    tokenizer, text, token_ids = given
    decoded = tokenizer.decode_bytes(token_ids)
    progress(0.9)
    offset = first_difference(text, decoded)
    if offset is None:
        return RoundTripResult(None)
    stretch = slice(offset, offset + SHOWN_BYTES)
    return RoundTripResult(offset, text[stretch], decoded[stretch])


def first_difference(one: bytes, other: bytes) -> int | None:
    """Where two byte strings part; None if they are the same."""
    if one == other:
        return None
    size = min(len(one), len(other))
    differs = np.frombuffer(one, np.uint8)[:size] != np.frombuffer(other, np.uint8)[:size]
    return int(differs.argmax()) if differs.any() else size
