"""The encoder `words` beside those of any pipeline: it needs nothing but the tokens."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from guiapp.core.algorithms import words
from guiapp.core.algorithms.fewest import Dropout
from guiapp.core.algorithms.longest_match import Taken
from guiapp.core.encoding import FragmentTokens
from guiapp.core.errors import EncodeError
from guiapp.core.pipelines.chunks import tokens_from_steps
from guiapp.core.pipelines.pipeline import Pipeline
from guiapp.core.pipelines.stages import SPLIT_AND_ENCODE, Stage, Stages
from guiapp.core.pipelines.watcher import UNWATCHED, Watcher, watch_whole
from guiapp.core.vocab.merges import PairMerging
from guiapp.core.vocab.vocabulary import Vocabulary
from guiapp.native import NONE, encode_words

Quick = Callable[[bytes, list[int], list[int]], NDArray[np.int32] | None]

WORDS = "words"
SPACE = ord(" ")
IS_WHITE = np.isin(np.arange(256), list(b"\t\n\v\f\r "))
ENDS_WORDS = IS_WHITE & (np.arange(256) != SPACE)  # a space may belong to the word behind it
FIRST_LOOK = 256  # bytes, then twice as many


class WordCuts:
    """See `Cutter`: before any white space, and behind all but a space."""

    def cut_before(self, fragment: NDArray[np.uint8], position: int) -> int:
        reach, end = FIRST_LOOK, position
        while end > 0:
            start = max(0, end - reach)
            behind = np.flatnonzero(ENDS_WORDS[fragment[start:end]]) + start + 1
            before = np.flatnonzero(IS_WHITE[fragment[start:end]]) + start
            if len(before):
                return max(int(before[-1]), int(behind[-1]) if len(behind) else 0)
            reach, end = 2 * reach, start
        return 0

    def cut_after(self, fragment: NDArray[np.uint8], position: int) -> int:
        reach, start = FIRST_LOOK, position
        while start < len(fragment):
            white = np.flatnonzero(IS_WHITE[fragment[start : start + reach]])
            if len(white):
                return start + int(white[0])
            reach, start = 2 * reach, start + reach
        return len(fragment)


class WithWords:
    """See `Pipeline`.  The cuts are those of `own`; for words, which may reach across, see `WordCuts`."""

    def __init__(self, vocabulary: Vocabulary, own: Pipeline) -> None:
        self._vocabulary = vocabulary
        self.own = own
        self.encoders: tuple[str, ...] = (*own.encoders, WORDS)
        self.merging: PairMerging | None = getattr(own, "merging", None)
        self.refused: Mapping[str, str] = getattr(own, "refused", {})
        self.quick: Quick | None = getattr(own, "quick", None)

    def without_splitting(self) -> WithWords:
        """The same, but pair merging takes every fragment as one piece."""
        return self._changed("without_splitting")

    def without_dna(self) -> WithWords:
        """The same, for text that has no mark of DNA."""
        return self._changed("without_dna")

    def make_tables(self) -> None:
        """Make now what the first encoding that needs it would make, where its type puts anything off."""
        if (make := getattr(self.own, "make_tables", None)) is not None:
            make()

    def with_dropout(self, dropout: Dropout) -> WithWords:
        """The same, but `fewest` rules out tokens by chance.  Raises EncodeError where there is no such."""
        if "fewest" not in self.encoders:
            raise EncodeError(
                "Dropout rules out tokens of the encoder “fewest”, which this "
                f"{self._vocabulary.type.value} vocabulary does not have. Encode without it."
            )
        return self._changed("with_dropout", dropout)

    def _changed(self, method: str, *arguments: object) -> WithWords:
        """With the pipeline changed so, where its type knows how."""
        change = getattr(self.own, method, None)
        return self if change is None else WithWords(self._vocabulary, change(*arguments))

    def encode(self, fragment: NDArray[np.uint8], after_special: bool, encoder: str) -> FragmentTokens:
        if encoder != WORDS:
            return self.own.encode(fragment, after_special, encoder)
        unknown = self._vocabulary.special_ids.unk
        tree = self._vocabulary.token_tree.native
        return FragmentTokens(*encode_words(tree, fragment, NONE if unknown is None else unknown))

    def stages(self, after_special: bool, encoder: str) -> Stages:
        if encoder != WORDS:
            return self.own.stages(after_special, encoder)
        return (Stage(SPLIT_AND_ENCODE, lambda fragment: self.encode(fragment, after_special, encoder)),)

    def encode_readable(
        self, fragment: bytes, after_special: bool, encoder: str, watcher: Watcher = UNWATCHED
    ) -> FragmentTokens:
        if encoder != WORDS:
            return self.own.encode_readable(fragment, after_special, encoder, watcher)
        watch_whole(watcher, fragment, None)
        taken: Taken = []
        for step in words.steps(fragment, self._find, self._vocabulary.special_ids.unk):
            step.apply(taken)
            watcher.step(step)
        watcher.end_piece(taken)
        return FragmentTokens(*tokens_from_steps(taken))

    def cut_before(self, fragment: NDArray[np.uint8], position: int) -> int:
        return self.own.cut_before(fragment, position)

    def cut_after(self, fragment: NDArray[np.uint8], position: int) -> int:
        return self.own.cut_after(fragment, position)

    def _find(self, word: bytes) -> int | None:
        """The token that stands for a word."""
        tree = self._vocabulary.token_tree
        token = tree.longest_match(word)
        return token if token is not None and tree.lengths[token] == len(word) else None
