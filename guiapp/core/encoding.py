"""The token ids of a text, and where each of them came from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class FragmentTokens(NamedTuple):
    """The tokens of one stretch of text between special tokens.

    ids     int32[k]  rows of the vocabulary
    starts  int64[k]  token i came from fragment[starts[i] : ends[i]]; starts and ends never decrease,
    ends    int64[k]  and starts[i + 1] >= ends[i]: tokens do not overlap
    """

    ids: NDArray[np.int32]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Encoding:
    """What a tokenizer made of one text.

    text_bytes  the original text as UTF-8, or the bytes as given
    token_ids   int32[n]     rows of the vocabulary
    spans       int64[n, 2]  token i came from text_bytes[spans[i, 0] : spans[i, 1]]; empty for tokens
                that the tokenizer adds, such as BOS.  Spans never overlap and never go back; text that
                a normaliser drops (spaces in WordPiece, say) belongs to no span
    encoder     the name of the algorithm
    elapsed_ns  wall time of the whole pipeline, partition to assembly
    """

    text_bytes: bytes
    token_ids: NDArray[np.int32]
    spans: NDArray[np.int64]
    encoder: str
    elapsed_ns: int

    def __len__(self) -> int:
        return len(self.token_ids)
