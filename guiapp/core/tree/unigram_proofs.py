"""Which tokens of a Unigram vocabulary texts lead to: a text for each, or why there is none.

Scores are added up, so the tokens that have the highest sum for some bytes on their own also have it wherever
nothing reaches over the ends of these bytes: between two characters that are part of no token.  And where
others have a higher sum than a token for its own bytes, they have it wherever the token could stand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from guiapp.core.algorithms import viterbi
from guiapp.core.pipelines.unigram import UnigramPipeline
from guiapp.core.text.charsmap import longest_match, open_charsmap
from guiapp.core.text.normalizers import SPACE_SYMBOL
from guiapp.core.tokenizer import Tokenizer
from guiapp.core.tree.characters import is_text
from guiapp.core.tree.refusals import Refusal

Ids = NDArray[np.int32]
PRIVATE_USE = range(0xE000, 0xF900)
LEAST_MARGIN = 1e-4  # sums for the longest possible text are rounded by less


class UnigramProofs:
    """What can be proved about the tokens of a Unigram vocabulary; see `Proofs`."""

    def __init__(self, tokenizer: Tokenizer, pipeline: UnigramPipeline) -> None:
        self._vocabulary = tokenizer.vocabulary
        self._pipeline = pipeline
        self._charsmap = open_charsmap(tokenizer.vocabulary.charsmap)
        searched_for = tokenizer.special_tokens.searched_for(parse_special=False)
        self._user_defined = [self._vocabulary.raw_text(token) for token in searched_for.tolist()]

    def texts(self, ids: Ids) -> Iterator[bytes]:
        """Each token between characters that are part of no other."""
        for token in ids.tolist():
            own = self._vocabulary.raw_text(token)
            if is_text(own):
                yield self._apart + own + self._apart

    def refusals(self, ids: Ids, progress: Callable[[float], None]) -> dict[int, Refusal]:
        found = {}
        for token in ids.tolist():
            progress(0.9)
            own = self._vocabulary.raw_text(token)
            if not own or not is_text(own):
                continue
            if not all(self._may_be(character.encode()) for character in own.decode()):
                found[token] = Refusal.NORMALISED
            elif self._best_otherwise(own) > self._vocabulary.scores[token] + LEAST_MARGIN:
                found[token] = Refusal.BEATEN
        return found

    def _best_otherwise(self, own: bytes) -> float:
        """The highest sum of scores of several known tokens for some bytes, -inf if there are none."""
        starts = range(len(own))
        parts = {own[start:end] for start in starts for end in range(start + 1, len(own) + 1)} - {own}
        found = self._vocabulary.token_table.find(list(parts))
        pieces = self._pipeline.pieces_of(found[found >= 0])._replace(unknown_score=-np.inf)
        state = viterbi.State({0: viterbi.Way(0.0, 0, pieces.unknown_id)})
        for step in viterbi.steps(own, pieces):
            step.apply(state)
        way = state.ways.get(len(own))
        return -np.inf if way is None else way.score

    def _may_be(self, character: bytes) -> bool:
        """Whether some text may become one that holds a character; false only where that is certain."""
        if character == SPACE_SYMBOL or not self._charsmap.is_whole:
            return True
        if character == b" ":
            return False
        stays = longest_match(self._charsmap, character, 0) is None
        return stays or character in self._replacements or any(character in own for own in self._user_defined)

    @cached_property
    def _replacements(self) -> bytes:
        return self._charsmap.replacements.tobytes()

    @cached_property
    def _apart(self) -> bytes:
        """A character that stays as it is and is part of no token; a space if there is none."""
        tokens = self._vocabulary.token_data.tobytes()
        for code in PRIVATE_USE:
            character = chr(code).encode()
            if character not in tokens and longest_match(self._charsmap, character, 0) is None:
                return character
        return b" "
