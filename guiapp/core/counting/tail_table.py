"""The counts of a text's tail that grows, where one table tells them for all prefixes.

There even text without any certain cut costs the same per byte, however often somebody asks.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import cast

import numpy as np
from numpy.typing import NDArray

from guiapp.core.counting.certain_cuts import CertainCuts
from guiapp.core.counting.prefix_counts import PrefixCounts
from guiapp.core.counting.prefix_table import PrefixTable, rules_of
from guiapp.core.counting.stretch_counts import stretch_counts_of
from guiapp.core.counting.unigram_prefixes import UnigramPrefixes
from guiapp.core.kernels import marked_spaces
from guiapp.core.pipelines.unigram import UnigramPipeline
from guiapp.core.tokenizer import Tokenizer
from guiapp.core.vocab.merges import PairMerging
from guiapp.core.vocab.vocabulary import VocabType


class TailTable:
    """Counts the tokens of one tail after the other, each of which only grows.

    What the vocabulary says about prefixes is found out at the first tail: that may take longer than to
    encode a short text.
    """

    def __init__(
        self,
        new_table: Callable[[], PrefixCounts | None],
        cuts: CertainCuts,
        adds_space: bool = False,
        least_bytes: int = 0,
    ) -> None:
        """Of tails with fewer than `least_bytes` nothing is told.

        `adds_space` if a space is to be put before a tail that begins a document.
        """
        self._new_table, self._cuts = new_table, cuts
        self._adds_space, self._least_bytes = adds_space, least_bytes
        self.begin()

    def begin(self) -> None:
        """Begin with another tail."""
        self._table: PrefixCounts | None = None
        self._n_taken = self._n_added = 0
        self._is_plain = True

    def counts(self, tail: bytearray, begins_text: bool) -> NDArray[np.int32] | None:
        """int32[n + 1]: the tokens of the first 0, 1, … n bytes of the tail, where the table can tell.

        It cannot if a special token is in the tail, or bytes are that the table does not take; nor where
        prefixes cannot be told from each other.
        """
        if len(tail) < self._least_bytes:
            return None
        if self._is_plain and self._n_taken < len(tail):
            self._take(tail, begins_text)
        if not self._is_plain:
            return None
        return np.zeros(1, np.int32) if self._table is None else self._table.counts[self._n_added :]

    def _take(self, tail: bytearray, begins_text: bool) -> None:
        if self._table is None:
            self._table = self._new_table()
        if (table := self._table) is None:
            self._is_plain = False
            return
        seen = max(0, self._n_taken - self._cuts.margin)
        around = np.frombuffer(tail[seen:], np.uint8)
        new = around[self._n_taken - seen :].copy()
        if self._n_taken == 0 and begins_text and self._adds_space:
            new = np.concatenate([np.array([marked_spaces.SPACE], np.uint8), new])
            self._n_added = 1
        self._is_plain = table.takes(new) and not len(self._cuts.clusters(around).starts)
        if self._is_plain:
            table.append(new)
            self._n_taken = len(tail)


def tail_table(tokenizer: Tokenizer, cuts: CertainCuts) -> TailTable | None:
    """None where no table tells the tokens of texts."""
    vocabulary = tokenizer.vocabulary
    if vocabulary.type is VocabType.UGM:
        pipeline = cast(UnigramPipeline, tokenizer.pipeline.own)
        return TailTable(partial(_of_unigram, pipeline), cuts)
    if vocabulary.type is VocabType.SPM and tokenizer.merging is not None:
        return TailTable(partial(_of_merging, tokenizer.merging), cuts, vocabulary.rules.add_space_prefix)
    stretches = stretch_counts_of(tokenizer)
    if stretches.new_prefixes is None:
        return None
    return TailTable(stretches.new_prefixes, cuts, least_bytes=stretches.least_bytes)


def _of_unigram(pipeline: UnigramPipeline) -> UnigramPrefixes | None:
    return None if pipeline.prefix_rules is None else UnigramPrefixes(pipeline.prefix_rules)


def _of_merging(merging: PairMerging) -> PrefixTable | None:
    known = rules_of(merging)
    return None if known is None else PrefixTable(merging, known)
