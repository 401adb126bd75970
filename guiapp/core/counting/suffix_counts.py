"""What tells the tokens of all suffixes of a text at the same cost per byte, however long it is."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from guiapp.core.counting.longest_suffixes import ByteSuffixes, WordSuffixes
from guiapp.core.counting.pair_suffixes import PairSuffixes, pair_suffix_rules
from guiapp.core.counting.plamo2_growth import Plamo2Suffixes
from guiapp.core.counting.unigram_suffixes import UnigramSuffixes
from guiapp.core.pipelines.plamo2 import Plamo2Pipeline
from guiapp.core.pipelines.rwkv import RwkvPipeline
from guiapp.core.pipelines.unigram import UnigramPipeline
from guiapp.core.pipelines.word_piece import WordPiecePipeline
from guiapp.core.tokenizer import Tokenizer


class SuffixCounts(Protocol):
    """The tokens of all suffixes of one text that grows at its beginning, which begins a document."""

    def prepend(self, new: NDArray[np.uint8]) -> NDArray[np.int32]:
        """Put bytes before the text: how many tokens it has from each of them on.

        Only of the last few where more is not told; then nothing may be put before it any more.
        """


NewSuffixes = Callable[[], SuffixCounts]


def new_suffixes_of(tokenizer: Tokenizer) -> NewSuffixes | None:
    """Makes what counts the suffixes of one text; None where that is not told."""
    if tokenizer.merging is not None:
        rules = pair_suffix_rules(tokenizer)
        return None if rules is None else partial(PairSuffixes, rules)
    own = tokenizer.pipeline.own
    if isinstance(own, UnigramPipeline) and own.prefix_rules is not None:
        return partial(UnigramSuffixes, own.prefix_rules, own.longest_exact)
    if isinstance(own, RwkvPipeline):
        return partial(ByteSuffixes, own)
    if isinstance(own, WordPiecePipeline) and own.has_unknown:
        return partial(WordSuffixes, own)
    if isinstance(own, Plamo2Pipeline) and own.growth_rules is not None:
        return partial(Plamo2Suffixes, own.growth_rules)
    return None
