"""SentencePiece models of the types BPE and character, as SentencePiece itself encodes by them.

The text is normalised; user-defined pieces in what it became stay whole; what is between them is merged by
score, or not at all.  Neighbouring unknown pieces are one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.encode.encoding import NO_TOKENS, FragmentTokens, as_bytes
from guiapp.core.encode.families.pair_merging import PairEncoder, PairPipeline, to_source
from guiapp.core.encode.families.pipeline import FastPath, no_fast_path
from guiapp.core.encode.families.rows import Rows, laid_out, rows_of
from guiapp.core.encode.families.tracer import NO_TRACE, Tracer
from guiapp.core.text.common_ends import common_beginnings
from guiapp.core.text.normalized import NormalizedText
from guiapp.core.text.piece_text import PieceText, character_at, character_before
from guiapp.core.text.utf8 import is_text
from guiapp.core.vocabulary.attributes import USER_DEFINED_TYPE
from guiapp.core.vocabulary.merges import MARKED_SPACE, sentence_piece_merging
from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.native.pairs import AS_RANKED, Affixes

TAKES_APART = "heap"  # the one that knows what unused pieces were last seen to be made of
WHY_ONLY_HEAP = (
    "The model has unused pieces: they are merged, and taken apart at the end to what they were last seen to "
    "be made of anywhere in the text, which only the queue of `heap` tells."
)

SHORT = 1000  # bytes of a text of which Python itself tells soonest whether it is valid
ONE_SPACE = np.frombuffer(b" ", np.uint8)


class _Changed(NamedTuple):
    """What became of a fragment: a normalised text, or the very same one behind some bytes."""

    data: NDArray[np.uint8]
    normalized: NormalizedText | None
    n_before: int


class PiecePairsPipeline(PairPipeline):
    """See `Pipeline`."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        assert vocabulary.pieces is not None
        rules = vocabulary.pieces
        self._unknown = None if rules.has_byte_fallback else vocabulary.special_ids.unk
        rows = np.flatnonzero(vocabulary.stored_types == USER_DEFINED_TYPE).tolist()
        user_defined = [vocabulary.raw_text(row) for row in rows]
        self._text = PieceText(rules.text, user_defined, is_compact=True)
        merging = sentence_piece_merging(vocabulary)
        super().__init__(PairEncoder(vocabulary, merging, AS_RANKED, self._unknown))
        self._takes_apart = merging.takes_apart
        if self._takes_apart:
            others = [name for name in self.encoders if name != TAKES_APART]
            self.encoders, self.refused = (
                (TAKES_APART,),
                {**self.refused, **dict.fromkeys(others, WHY_ONLY_HEAP)},
            )
        adds_at_end = rules.text.adds_space and rules.text.adds_at_end
        self._may_be_alone = not adds_at_end
        self._adds_space = rules.text.adds_space and not adds_at_end
        self._is_fast = (
            self._may_be_alone
            and self._text.changes_nothing
            and self._unknown is None
            and not self._takes_apart
        )
        self.encodes_many_texts = self._is_fast
        self._beginnings = _beginnings(user_defined)
        spaced = [each for each in self._beginnings if self._adds_space and each.startswith(b" ")]
        self._after_space = tuple(each[1:] for each in spaced)

    def encode(self, fragment: NDArray[np.uint8], after_special: bool, encoder: str) -> FragmentTokens:
        """The tokens of one fragment; a space that is put around it has the empty span."""
        return self._encode_changed(self._changed(fragment, after_special), encoder)

    def _changed(self, fragment: NDArray[np.uint8], begins: bool) -> _Changed:
        if not (self._may_be_alone and self._text.leaves_alone(fragment)):
            normalized = self._text.normalize(fragment, begins)
            return _Changed(normalized.data, normalized, 0)
        if not (self._adds_space and begins and len(fragment)):
            return _Changed(fragment, None, 0)
        return _Changed(np.concatenate([ONE_SPACE, fragment]), None, 1)

    def _encode_changed(self, changed: _Changed, encoder: str) -> FragmentTokens:
        if len(changed.data) == 0:
            return NO_TOKENS
        tokens = self._encoder.encode(changed.data, self._text.piece_ends(changed.data), encoder)
        return self._fused(_at_source(tokens, changed))

    def encode_readable(
        self, fragment: bytes, after_special: bool, encoder: str, tracer: Tracer = NO_TRACE
    ) -> FragmentTokens:
        text = self._text.normalize_readable(fragment, after_special)
        data = text.data.tobytes()
        tracer.begin(data, text, 0)
        if not data:
            tracer.split([])
            return NO_TOKENS
        ends = self._text.piece_ends_readable(data)
        tokens = self._encoder.encode_readable(data, ends, encoder, tracer)
        return self._fused(to_source(tokens, text))

    def _fused(self, tokens: FragmentTokens) -> FragmentTokens:
        """The same with one unknown token in place of neighbouring ones."""
        is_unknown = tokens.ids == self._unknown
        if self._unknown is None or not is_unknown.any():
            return tokens
        is_first = ~(is_unknown & np.append(False, is_unknown[:-1]))
        is_last = np.append(is_first[1:], True)
        return FragmentTokens.later(
            tokens.ids[is_first], lambda: (tokens.starts[is_first], tokens.ends[is_last])
        )

    def encode_each(self, texts: Sequence[bytes]) -> Rows:
        data, ends = laid_out(texts, b" " if self._adds_space else b"")
        if all(map(self._is_as_it_is, texts)):
            return self._encoder.encode_each(
                data, ends, lambda start, end: self._encode_as_it_is(data[start:end], self.encoders[0])
            )
        fragments = (np.frombuffer(text, np.uint8) for text in texts)
        return rows_of(self.encode(fragment, True, self.encoders[0]).ids for fragment in fragments)

    def _encode_as_it_is(self, data: NDArray[np.uint8], encoder: str) -> FragmentTokens:
        return self._encoder.encode(data, np.array([len(data)]), encoder)

    def _is_as_it_is(self, text: bytes) -> bool:
        """Whether a text is valid, and no user-defined piece may be in it, with the space in front of it."""
        if text.startswith(self._after_space) or any(each in text for each in self._beginnings):
            return False
        if len(text) < SHORT:
            return text.isascii() or is_text(text)
        return self._text.leaves_alone(np.frombuffer(text, np.uint8))

    @property
    def fast_path(self) -> FastPath:
        return self._encode_fast if self._is_fast else no_fast_path

    def _encode_fast(self, text: str | bytes, affixes: Affixes) -> NDArray[np.int32] | None:
        data = as_bytes(text)
        if not self._is_as_it_is(data):
            return None
        return (self._encoder.fast_path_after_space if self._adds_space else self._encoder.fast_path)(
            data, affixes
        )

    def cut_before(self, fragment: NDArray[np.uint8], position: int) -> int:
        cut = 0 if self._takes_apart else self._encoder.cut_before(fragment, position)
        while cut > 0 and not self._is_cut(fragment[:position], cut):
            cut = self._encoder.cut_before(fragment, cut)
        return cut

    def cut_after(self, fragment: NDArray[np.uint8], position: int) -> int:
        end = len(fragment)
        cut = end if self._takes_apart else self._encoder.cut_after(fragment, position)
        while cut < end and not self._is_cut(fragment, cut):
            cut = self._encoder.cut_after(fragment, cut)
        return cut

    def _is_cut(self, text: NDArray[np.uint8], cut: int) -> bool:
        """Whether both sides are normalised alike by themselves, and no unknown piece reaches across."""
        if not self._text.is_independent(text, cut):
            return False
        return self._unknown is None or self._is_known(text[:cut], True) or self._is_known(text[cut:], False)

    def _is_known(self, text: NDArray[np.uint8], at_end: bool) -> bool:
        """Whether the character at the end, or the beginning, of a text is a piece by itself."""
        character = character_before(text, len(text)) if at_end else character_at(text, 0)
        symbol = self.merging.model.start_symbol(MARKED_SPACE if character == b" " else character)
        return 0 <= symbol < self.merging.n_tokens


def _at_source(tokens: FragmentTokens, changed: _Changed) -> FragmentTokens:
    """Tokens of what became of a fragment with the spans that they have there."""
    normalized = changed.normalized
    if normalized is None:
        return tokens.moved(-changed.n_before)

    def make_bounds() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        at_source = to_source(tokens, normalized)
        return at_source.starts, at_source.ends

    return FragmentTokens.later(tokens.ids, make_bounds)


def _beginnings(user_defined: Sequence[bytes]) -> list[bytes]:
    """What may be the beginning of one of these pieces in a text, or of a space that was typed as U+2581."""
    return common_beginnings((MARKED_SPACE, *(text.replace(MARKED_SPACE, b" ") for text in user_defined)))
