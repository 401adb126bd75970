"""SentencePiece models, encoded as SentencePiece itself does: pairs, characters and Unigram.

The text is normalised; user-defined pieces in the result stay whole.  Neighbouring unknown pieces become
one.
Source: https://github.com/google/sentencepiece, src/unigram_model.cc and bpe_model.cc of version 0.2.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from guiapp.core.encode.encoding import NO_TOKENS, FragmentTokens, as_bytes
from guiapp.core.encode.families.pair_merging import ONE_SPACE, PairEncoder, PairPipeline, to_source
from guiapp.core.encode.families.pipeline import (
    NO_TRACE,
    EncodeOne,
    FastPath,
    Rows,
    Tracer,
    no_fast_path,
)
from guiapp.core.encode.families.unigram_llama_cpp import (
    REFUSED,
    UNKNOWN_PENALTY,
    UnigramPipeline,
    has_inner_symbol,
    unigram_of,
)
from guiapp.core.text.normalized import NormalizedText, source_spans
from guiapp.core.text.piece_text import PieceText, character_at, character_before
from guiapp.core.vocabulary.attributes import NORMAL_TYPE, USER_DEFINED_TYPE
from guiapp.core.vocabulary.byte_alphabet import NAMES
from guiapp.core.vocabulary.merges import MARKED_SPACE, sentence_piece_merging
from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.native.binding import NONE
from guiapp.native.encoders import PartEncoders, Unigram
from guiapp.native.pairs import AS_RANKED
from guiapp.native.special_tokens import CallOptions, SpecialTokensHandle

PER_BYTE = 0.1  # the score of a user-defined piece, for each byte but the first
WHY_NO_FAST = "Pieces contain spaces after their start: the parts between cuts are too long to look up."
TAKES_APART = "heap"  # the encoder that records what unused pieces were last made of
WHY_ONLY_HEAP = (
    "The model has unused pieces: they are merged, and taken apart at the end to what they were last seen to "
    "be made of anywhere in the text, which only the queue of `heap` tells."
)


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
        self.adds_space = rules.text.adds_space and not adds_at_end
        self._is_fast = (
            self._may_be_alone
            and self._text.changes_nothing
            and self._unknown is None
            and not self._takes_apart
        )
        self.encodes_many_texts = self._is_fast
        changed = [MARKED_SPACE, *(text.replace(MARKED_SPACE, b" ") for text in user_defined)]
        changed = [text for text in changed if not text.startswith(tuple({*changed} - {text}))]
        zeros = np.zeros(len(changed), np.int32)
        self.excluded = SpecialTokensHandle(changed, zeros.astype(np.uint8), zeros)

    def encode(self, fragment: NDArray[np.uint8], after_special: bool, encoder: str) -> FragmentTokens:
        """The tokens of one fragment; the span of an added space is empty."""
        stays, is_plain = self._text.leaves_alone(fragment) if self._may_be_alone else (False, False)
        if not stays:
            text = self._text.normalize(fragment, after_special)
            return self._fused(to_source(self._encode_changed(text.data, encoder), text))
        adds_space = self.adds_space and after_special and len(fragment) > 0
        data = np.concatenate([ONE_SPACE, fragment]) if adds_space else fragment
        tokens = self._encode_changed(data, encoder)
        if is_plain:
            return self._fused(tokens.moved(-int(adds_space)))

        def at_source() -> FragmentTokens:
            return to_source(tokens, self._text.normalize(fragment, after_special))

        return self._fused(FragmentTokens.later(tokens.ids, at_source))

    def _encode_changed(self, data: NDArray[np.uint8], encoder: str) -> FragmentTokens:
        return self._encoder.encode(data, self._text.piece_ends(data), encoder) if len(data) else NO_TOKENS

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
        """The same with one unknown token for each run of them."""
        if self._unknown is None or self._unknown not in tokens.ids:
            return tokens
        is_unknown = tokens.ids == self._unknown
        is_first = ~(is_unknown & np.append(False, is_unknown[:-1]))
        is_last = np.append(is_first[1:], True)
        return FragmentTokens.later(
            tokens.ids[is_first], lambda: (tokens.starts[is_first], tokens.ends[is_last])
        )

    def encode_each(self, texts: Sequence[bytes], options: CallOptions, encode_one: EncodeOne) -> Rows:
        return self._encoder.encode_each(texts, options, encode_one)

    @property
    def fast_path(self) -> FastPath:
        return self._encoder.fast_path if self._is_fast else no_fast_path

    def cut_before(self, fragment: NDArray[np.uint8], position: int) -> int:
        cut = 0 if self._takes_apart else super().cut_before(fragment, position)
        while cut > 0 and not self._is_cut(fragment[:position], cut):
            cut = super().cut_before(fragment, cut)
        return cut

    def cut_after(self, fragment: NDArray[np.uint8], position: int) -> int:
        end = len(fragment)
        cut = end if self._takes_apart else super().cut_after(fragment, position)
        while cut < end and not self._is_cut(fragment, cut):
            cut = super().cut_after(fragment, cut)
        return cut

    def _is_cut(self, text: NDArray[np.uint8], cut: int) -> bool:
        """Whether both sides normalise the same by themselves, and no unknown piece crosses the cut."""
        if not self._text.is_independent(text, cut):
            return False
        return self._unknown is None or self._is_known(text[:cut], True) or self._is_known(text[cut:], False)

    def _is_known(self, text: NDArray[np.uint8], at_end: bool) -> bool:
        """Whether the last character of a text, or the first, is a piece by itself."""
        character = character_before(text, len(text)) if at_end else character_at(text, 0)
        symbol = self.merging.model.start_symbol(MARKED_SPACE if character == b" " else character)
        return 0 <= symbol < self.merging.n_tokens


class PieceUnigramPipeline(UnigramPipeline):
    """See `Pipeline`.

    Scores are summed in 32 bits from the beginning of a text: the earlier text decides how sums are rounded,
    and so which of two almost equally good segmentations wins.  So no part is encoded by itself.
    """

    _is_single = True
    encodes_many_texts = False

    def __init__(self, vocabulary: Vocabulary) -> None:
        assert vocabulary.pieces is not None
        self._vocabulary = vocabulary
        types, scores = vocabulary.stored_types, vocabulary.scores
        is_user_defined = types == USER_DEFINED_TYPE
        self._token_ids = np.flatnonzero((types == NORMAL_TYPE) | is_user_defined).astype(np.int32)
        user_defined = [vocabulary.raw_text(row) for row in np.flatnonzero(is_user_defined).tolist()]
        self._text = PieceText(vocabulary.pieces.text, user_defined)
        self._unknown_score = float(scores[types == NORMAL_TYPE].min() - UNKNOWN_PENALTY)
        free = np.float32(PER_BYTE * (np.diff(vocabulary.token_offsets) - 1))
        self._scores = np.where(is_user_defined, free, scores).astype(np.float64)
        self._unknown = NONE if vocabulary.special_ids.unk is None else vocabulary.special_ids.unk
        self._byte_ids = vocabulary.token_table.find(NAMES) if vocabulary.pieces.has_byte_fallback else None

        has_words = not has_inner_symbol(vocabulary, self._token_ids)
        self.encoders = ("fast", "viterbi") if has_words else ("viterbi",)
        self.refused = REFUSED if has_words else {**REFUSED, "fast": WHY_NO_FAST}

    def make_tables(self) -> None:
        _ = self._parts

    @cached_property
    def _parts(self) -> PartEncoders:
        byte_ids = np.empty(0, np.int32) if self._byte_ids is None else self._byte_ids
        has_parts = "fast" in self.encoders
        switches = has_parts, has_parts and self._text.has_words
        return PartEncoders(self._model, (self._token_ids, byte_ids), switches, self._text.native)

    def fast_path(self, text: str | bytes, options: CallOptions) -> NDArray[np.int32]:
        return self._parts.encode(np.frombuffer(as_bytes(text), np.uint8), options)

    def spans(self, text: NDArray[np.uint8], ids: NDArray[np.int32], options: CallOptions) -> None:
        """None: spaces next to special tokens may be tokens."""

    @cached_property
    def _model(self) -> Unigram:
        unknown, spaces = (self._unknown, self._unknown_score), (False, self._text.has_words)
        return unigram_of(
            self._tokens, self._scores, unknown, cut_bytes=self._text.spaces, spaces=spaces, is_single=True
        )

    def encode(self, fragment: NDArray[np.uint8], after_special: bool, encoder: str) -> FragmentTokens:
        if encoder == "fast":
            ids = self._parts.encode(fragment, CallOptions(begins=after_special))
            return FragmentTokens.later(ids, lambda: self._encode_whole_from(fragment, after_special))
        return self._encode_whole_from(fragment, after_special)

    def _encode_whole_from(self, fragment: NDArray[np.uint8], after_special: bool) -> FragmentTokens:
        text = self._text.normalize(fragment, after_special)
        segmentation, _ = self._model.segment(text.data, 0.0)
        return self._spans_in(text, FragmentTokens(*segmentation))

    def encode_readable(
        self, fragment: bytes, after_special: bool, encoder: str, tracer: Tracer = NO_TRACE
    ) -> FragmentTokens:
        text = self._text.normalize_readable(fragment, after_special)
        data = text.data.tobytes()
        return self._spans_in(text, self._encode_traced(data, text, [len(data)], tracer))

    def _spans_in(self, text: NormalizedText, tokens: FragmentTokens) -> FragmentTokens:
        """The same tokens, with byte tokens for unknown ones if the model has them."""
        ids, starts, ends = tokens.ids, tokens.starts, tokens.ends
        is_unknown = ids == self._unknown
        if self._byte_ids is not None and is_unknown.any():
            counts = np.where(is_unknown, ends - starts, 1)
            first = np.repeat(np.cumsum(counts) - counts, counts)
            offsets = np.arange(len(first)) - first
            is_byte = np.repeat(is_unknown, counts)
            starts = np.repeat(starts, counts) + offsets
            ends = np.where(is_byte, starts + 1, np.repeat(ends, counts))
            ids = np.repeat(ids, counts)
            ids[is_byte] = self._byte_ids[text.data[starts[is_byte]]]
        return FragmentTokens(ids, *source_spans(text, starts, ends))

    def _normalize_whole(self, fragment: NDArray[np.uint8]) -> NormalizedText:
        return self._text.normalize(fragment)

    def cut_before(self, data: NDArray[np.uint8], position: int) -> int:
        """There is no cut."""
        return 0

    def cut_after(self, data: NDArray[np.uint8], position: int) -> int:
        """There is no cut."""
        return len(data)
