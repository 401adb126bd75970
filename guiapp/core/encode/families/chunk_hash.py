"""TEST vocabularies, which llama.cpp has for its own tests: every five bytes are a token by their hash."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.encode.encoding import FragmentTokens
from guiapp.core.encode.families.pipeline import NO_TRACE, Pipeline, Tracer, tokens_from_steps, trace_whole
from guiapp.core.vocabulary.vocabulary import Vocabulary

CHUNK = 5
FACTOR = 31


class ChunkHashPipeline(Pipeline):
    """See `Pipeline`."""

    encoders: tuple[str, ...] = ("hash",)

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._n_tokens = len(vocabulary)

    def encode(self, fragment: NDArray[np.uint8], after_special: bool, encoder: str) -> FragmentTokens:
        starts = np.arange(0, len(fragment), CHUNK, dtype=np.int64)
        ends = np.minimum(starts + CHUNK, len(fragment))
        hashes = np.zeros(len(starts), np.int64)
        for k in range(CHUNK):
            is_inside = starts + k < ends
            hashes[is_inside] = hashes[is_inside] * FACTOR + fragment[starts[is_inside] + k]
        return FragmentTokens((hashes % self._n_tokens).astype(np.int32), starts, ends)

    def encode_readable(
        self, fragment: bytes, after_special: bool, encoder: str, tracer: Tracer = NO_TRACE
    ) -> FragmentTokens:
        tokens = []
        for start in range(0, len(fragment), CHUNK):
            chunk = fragment[start : start + CHUNK]
            value = 0
            for byte in chunk:
                value = value * FACTOR + byte
            tokens.append((value % self._n_tokens, start, start + len(chunk)))
        trace_whole(tracer, fragment, None)
        tracer.end_piece(tokens)
        return tokens_from_steps(tokens)

    def cut_before(self, data: NDArray[np.uint8], position: int) -> int:
        return position - position % CHUNK

    def cut_after(self, data: NDArray[np.uint8], position: int) -> int:
        """The length: where tokens begin depends on all the text before."""
        return len(data)
