"""What tokens are made of, and how rare they are: classes to colour them by."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.vocabulary import SCORED, Vocabulary

KINDS = ("letters", "digits", "signs", "white space", "bytes", "special")
LETTERS, DIGITS, SIGNS, WHITE_SPACE, BYTES, SPECIAL = range(len(KINDS))
RARITIES = ("first 1 %", "to 10 %", "to 40 %", "later")  # of all tokens, in the order of `is_by_score`
RARITY_ENDS = 0.01, 0.1, 0.4
NAMED = Attribute.CONTROL | Attribute.UNKNOWN | Attribute.USER_DEFINED
UNSEEN = 255


class TokenClasses:
    """Those of one vocabulary; what a token is made of is found when somebody asks for it."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._kinds = np.full(len(vocabulary), UNSEEN, np.uint8)

    def kinds(self, ids: NDArray[np.int32]) -> NDArray[np.uint8]:
        """For each id an index into KINDS; letters go before digits, and these before signs."""
        kinds: NDArray[np.uint8] = self._kinds[ids]
        if UNSEEN in kinds:
            for token_id in {*ids[kinds == UNSEEN].tolist()}:
                self._kinds[token_id] = self._kind(token_id)
            kinds = self._kinds[ids]
        return kinds

    def rarities(self, ids: NDArray[np.int32]) -> NDArray[np.uint8]:
        """For each id an index into RARITIES."""
        places = ids if self._places is None else self._places[ids]
        return np.digitize(places, [end * len(self._vocabulary) for end in RARITY_ENDS]).astype(np.uint8)

    @property
    def is_by_score(self) -> bool:
        """Whether tokens are rare by their score, the highest first; else by their id.

        Where pairs are merged, ids are given in the order of the merges.
        """
        return self._vocabulary.type in SCORED

    @cached_property
    def _places(self) -> NDArray[np.int64] | None:
        if not self.is_by_score:
            return None
        places = np.empty(len(self._vocabulary), np.int64)
        places[np.argsort(-self._vocabulary.scores, kind="stable")] = np.arange(len(places))
        return places

    def _kind(self, token_id: int) -> int:
        attributes = self._vocabulary.attributes[token_id]
        if attributes & NAMED:
            return SPECIAL
        try:
            text = self._vocabulary.token_bytes(token_id).decode().replace("▁", " ")
        except UnicodeDecodeError:
            return BYTES
        if any(map(str.isalpha, text)):
            return LETTERS
        if any(map(str.isnumeric, text)):
            return DIGITS
        return WHITE_SPACE if not text.strip() else SIGNS
