"""Byte-pair encoding: repair the text, split it into pieces, merge within each."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.encoding import FragmentTokens
from guiapp.core.kernels.fast import ALL_PIECES, NEWLINES, NO_PIECES
from guiapp.core.pipelines.pair_merging import PairEncoder, to_source
from guiapp.core.text.split_patterns import splitter_for
from guiapp.core.text.utf8 import repair, repair_readable
from guiapp.core.vocab.merges import byte_pair_merging
from guiapp.core.vocab.vocabulary import Vocabulary


class BytePairPipeline:
    """The pipeline of GPT-2 and its many successors."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        rules = vocabulary.rules
        whole_pieces = NEWLINES if vocabulary.pre_type == "GEMMA4" else NO_PIECES
        if rules.ignore_merges:
            whole_pieces = ALL_PIECES
        self._encoder = PairEncoder(
            byte_pair_merging(vocabulary), whole_pieces, cuts_short=rules.escape_spaces
        )
        self._splitter = splitter_for(vocabulary.pre_type)
        self.encoders = self._encoder.encoders

    def encode(self, fragment: NDArray[np.uint8], after_special: bool, encoder: str) -> FragmentTokens:
        """The tokens of one fragment."""
        repaired = repair(fragment)
        text = fragment if repaired is None else repaired.data
        tokens = self._encoder.encode(text, self._splitter.split(text), encoder)
        return to_source(tokens, repaired)

    def encode_readable(self, fragment: bytes, after_special: bool, encoder: str) -> FragmentTokens:
        """The same, step by step."""
        repaired = repair_readable(fragment)
        text = fragment if repaired is None else repaired.data.tobytes()
        tokens = self._encoder.encode_readable(text, self._splitter.split_readable(text), encoder)
        return to_source(tokens, repaired)
