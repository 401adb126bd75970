"""The count of a text's tail that grows, where all of it is one piece: in SPM vocabularies.

There even text without any certain cut costs the same per byte, however often somebody asks.
"""

from __future__ import annotations

import numpy as np

from guiapp.core.counting.certain_cuts import CertainCuts
from guiapp.core.counting.prefix_table import PrefixTable, rules_of
from guiapp.core.kernels import marked_spaces
from guiapp.core.tokenizer import Tokenizer
from guiapp.core.vocab.merges import PairMerging
from guiapp.core.vocab.vocabulary import VocabType


class TailTable:
    """Counts the tokens of one tail after the other, each of which only grows.

    What the vocabulary says about prefixes is found out at the first tail: that takes longer than to encode
    a short text.
    """

    def __init__(self, merging: PairMerging, cuts: CertainCuts, adds_space: bool) -> None:
        self._merging, self._cuts = merging, cuts
        self._adds_space = adds_space
        self.begin()

    def begin(self) -> None:
        """Begin with another tail."""
        self._table: PrefixTable | None = None
        self._n_taken = 0
        self._is_plain = True

    def count(self, tail: bytearray, begins_text: bool) -> int | None:
        """The tokens of the tail; None where it is more than plain text.

        That is a special token in it, U+2581 as such, or a broken character that would swallow a space.
        None, too, where prefixes cannot be told from each other.
        """
        if self._is_plain and self._n_taken < len(tail):
            self._take(tail, begins_text)
        if not self._is_plain:
            return None
        return 0 if self._table is None else int(self._table.counts[-1])

    def _take(self, tail: bytearray, begins_text: bool) -> None:
        seen = max(0, self._n_taken - self._cuts.margin)
        around = np.frombuffer(tail[seen:], np.uint8)
        new = around[self._n_taken - seen :].copy()
        if self._n_taken == 0 and begins_text and self._adds_space:
            new = np.concatenate([np.array([marked_spaces.SPACE], np.uint8), new])
        if self._table is None and (rules := rules_of(self._merging)) is not None:
            self._table = PrefixTable(self._merging, rules)
        if (table := self._table) is None:
            self._is_plain = False
            return
        can_stay = marked_spaces.can_stay(np.concatenate([table.unfinished, new]))
        self._is_plain = can_stay and not len(self._cuts.clusters(around).starts)
        if self._is_plain:
            table.append(new)
            self._n_taken = len(tail)


def tail_table(tokenizer: Tokenizer, cuts: CertainCuts) -> TailTable | None:
    """None where pieces are not whole texts."""
    merging, vocabulary = tokenizer.merging, tokenizer.vocabulary
    if vocabulary.type is not VocabType.SPM or merging is None:
        return None
    return TailTable(merging, cuts, vocabulary.rules.add_space_prefix)
