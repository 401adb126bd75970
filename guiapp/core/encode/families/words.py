"""Encoders that need only tokens: `words`, which any vocabulary has, and the hashes of TEST vocabularies."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.encode.encoding import FragmentTokens
from guiapp.core.encode.families.pipeline import (
    NO_TRACE,
    Pipeline,
    Tracer,
    after_steps,
    tokens_from_steps,
    trace_whole,
)
from guiapp.core.text.unicode_tables import IS_ASCII_SPACE
from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.native.token_tree import encode_words

CHUNK = 5  # bytes hashed into a token of TEST vocabularies, which llama.cpp has for its own tests
FACTOR = 31
WORDS = "words"
SPACE = ord(" ")
ENDS_WORDS = IS_ASCII_SPACE & (np.arange(256) != SPACE)  # a space may belong to the word after it
FIRST_LOOK = 256  # bytes, then twice as many


class WordsPipeline(Pipeline):
    """See `Pipeline`.  Cuts are before any white space, and after all white space but a space."""

    encoders: tuple[str, ...] = (WORDS,)

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary

    def encode(self, fragment: NDArray[np.uint8], after_special: bool, encoder: str) -> FragmentTokens:
        unknown = self._vocabulary.special_ids.unk
        tree = self._vocabulary.token_tree.native
        return FragmentTokens(*encode_words(tree, fragment, -1 if unknown is None else unknown))

    def encode_readable(
        self, fragment: bytes, after_special: bool, encoder: str, tracer: Tracer = NO_TRACE
    ) -> FragmentTokens:
        from guiapp.core.encode.reference.longest_match import Taken, word_steps

        trace_whole(tracer, fragment, None)
        steps = word_steps(fragment, self._find, self._vocabulary.special_ids.unk)
        taken = after_steps(steps, Taken(), tracer)
        tracer.end_piece(taken)
        return tokens_from_steps(taken)

    def cut_before(self, fragment: NDArray[np.uint8], position: int) -> int:
        reach, end = FIRST_LOOK, position
        while end > 0:
            start = max(0, end - reach)
            later = np.flatnonzero(ENDS_WORDS[fragment[start:end]]) + start + 1
            before = np.flatnonzero(IS_ASCII_SPACE[fragment[start:end]]) + start
            if len(before):
                return max(int(before[-1]), int(later[-1]) if len(later) else 0)
            reach, end = 2 * reach, start
        return 0

    def cut_after(self, fragment: NDArray[np.uint8], position: int) -> int:
        reach, start = FIRST_LOOK, position
        while start < len(fragment):
            white = np.flatnonzero(IS_ASCII_SPACE[fragment[start : start + reach]])
            if len(white):
                return start + int(white[0])
            reach, start = 2 * reach, start + reach
        return len(fragment)

    def _find(self, word: bytes) -> int | None:
        """The token that stands for a word."""
        tree = self._vocabulary.token_tree
        token = tree.longest_match(word)
        return token if token is not None and tree.lengths[token] == len(word) else None


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
        """The last start of a token: these depend on all text before, so there is no `cut_after`."""
        return position - position % CHUNK
