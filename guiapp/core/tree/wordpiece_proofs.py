"""Which tokens of a WordPiece vocabulary texts lead to: the word that ends in each, or why there is none.

A token at the end of a word is taken if the way there ends where it begins.  It does behind any token that
begins a word and that no longer token begins with, whatever follows.  So each token whose characters can be
side by side in a word has a text; left are those of which a character is a word by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.normalize_wordpiece import action_table
from guiapp.core.text.normalizers import SPACE_SYMBOL, Action
from guiapp.core.tokenizer import Tokenizer
from guiapp.core.tree.characters import is_text
from guiapp.core.tree.refusals import Refusal

Ids = NDArray[np.int32]
NO_CODE = -1
SURROGATES = slice(0xD800, 0xE000)


class WordPieceProofs:
    """What can be proved about the tokens of a WordPiece vocabulary; see `Proofs`."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._vocabulary = tokenizer.vocabulary
        rules = tokenizer.vocabulary.rules
        self._within = _sources(Action.EXTEND_WORD, rules.lowercase, rules.strip_accents)
        self._alone = _sources(Action.STAND_ALONE, rules.lowercase, rules.strip_accents)

    def texts(self, ids: Ids) -> Iterator[bytes]:
        """For each token a text with a word that ends in it, if there is one."""
        for token in ids.tolist():
            own = self._vocabulary.raw_text(token)
            within = self._source(own, self._within)
            is_whole = own.startswith(SPACE_SYMBOL) and own != SPACE_SYMBOL
            yield (self._word(own) or b"") if is_whole or within is None else self._beginning + within

    def refusals(self, ids: Ids, progress: Callable[[float], None]) -> dict[int, Refusal]:
        found = {}
        for token in ids.tolist():
            progress(0.9)
            if (reason := self._reason(self._vocabulary.raw_text(token))) is not None:
                found[token] = reason
        return found

    def _reason(self, own: bytes) -> Refusal | None:
        if not is_text(own) or own == SPACE_SYMBOL:
            return None
        if self._word(own) is None:
            return Refusal.NORMALISED
        is_only_alone = not own.startswith(SPACE_SYMBOL) and self._source(own, self._within) is None
        return Refusal.HIDDEN if is_only_alone and not self._follows_symbol(own) else None

    def _follows_symbol(self, own: bytes) -> bool:
        """Whether U+2581 is the longest token that a word begins with which goes on with these bytes."""
        longer = (SPACE_SYMBOL + own[:length] for length in range(1, len(own) + 1))
        return SPACE_SYMBOL in self._texts and not any(text in self._texts for text in longer)

    @cached_property
    def _texts(self) -> frozenset[bytes]:
        return frozenset(map(self._vocabulary.raw_text, range(len(self._vocabulary))))

    @cached_property
    def _sorted_texts(self) -> list[bytes]:
        return sorted(self._texts)

    @cached_property
    def _beginning(self) -> bytes:
        """The text of a token that begins a word and that no longer one begins with; else empty."""
        for own, following in pairwise([*self._sorted_texts, b""]):
            if own.startswith(SPACE_SYMBOL) and not following.startswith(own):
                text = self._source(own.removeprefix(SPACE_SYMBOL), self._within)
                if text is not None:
                    return text
        return b""

    def _word(self, word: bytes) -> bytes | None:
        """A text that becomes a word, with or without the U+2581 in front; None if there is none."""
        body = word.removeprefix(SPACE_SYMBOL)
        text = self._source(body, self._within)
        if text is None and len(body.decode("utf-8", "replace")) == 1:
            text = self._source(body, self._alone)
        return text

    def _source(self, body: bytes, sources: NDArray[np.int64]) -> bytes | None:
        """A text whose characters become these, each on its own; None if there is none."""
        if not body or not is_text(body):
            return None
        codes = sources[np.frombuffer(bytearray(body.decode().encode("utf-32-le")), np.uint32)]
        return None if (codes == NO_CODE).any() else "".join(map(chr, codes.tolist())).encode()


@lru_cache(4)
def _sources(action: Action, lowercase: bool, strip_accents: bool) -> NDArray[np.int64]:
    """For each code point one that becomes it by an action; itself if possible, else the lowest."""
    table = action_table(lowercase, strip_accents)
    values = table.rows[table.pages].ravel().astype(np.int64)
    is_wanted, targets = values & 3 == action, np.arange(len(values)) + (values >> 2)
    is_wanted[SURROGATES] = False
    codes = np.flatnonzero(is_wanted)[::-1]
    sources = np.full(len(values), NO_CODE)
    sources[targets[codes]] = codes
    same = codes[targets[codes] == codes]
    sources[same] = same
    return sources
