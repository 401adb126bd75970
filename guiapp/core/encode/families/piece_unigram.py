"""SentencePiece models of the type Unigram, as SentencePiece itself encodes by them.

Scores are summed in 32 bits from the beginning of a text: what comes first decides how sums are rounded, and
with that between segmentations that are almost equally good.  So no part of a text is encoded by itself.
Source: https://github.com/google/sentencepiece, src/unigram_model.cc of version 0.2.3.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from guiapp.core.encode.encoding import FragmentTokens
from guiapp.core.encode.families.tracer import NO_TRACE, Tracer
from guiapp.core.encode.families.unigram import NONE, REFUSED, UNKNOWN_PENALTY, UnigramPipeline
from guiapp.core.encode.families.unigram_words import LONGEST_TOKEN, has_inner_symbol
from guiapp.core.text.normalized import NormalizedText, source_spans
from guiapp.core.text.piece_text import PieceText
from guiapp.core.vocabulary.attributes import NORMAL_TYPE, USER_DEFINED_TYPE
from guiapp.core.vocabulary.byte_alphabet import NAMES
from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.native.unigram import PartEncoders, Unigram

PER_BYTE = 0.1  # the score of a user-defined piece, for each byte but the first
WHY_NO_FAST = "Pieces hold spaces behind their beginning: what lies between cuts is too long to be looked up."


class PieceUnigramPipeline(UnigramPipeline):
    """See `Pipeline`."""

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
        _ = self._parts if "fast" in self.encoders else self._model

    @cached_property
    def _parts(self) -> PartEncoders:
        no_ids = np.empty(0, np.int32)
        return PartEncoders(
            self._model, self._token_ids, no_ids if self._byte_ids is None else self._byte_ids
        )

    @cached_property
    def _model(self) -> Unigram:
        vocabulary = self._vocabulary
        is_long = np.diff(vocabulary.token_offsets)[self._token_ids] > LONGEST_TOKEN
        arrays: dict[str, NDArray[Any]] = {
            "token_data": vocabulary.token_data,
            "token_offsets": vocabulary.token_offsets,
            "token_ids": self._token_ids,
            "scores": self._scores,
            "units": np.empty(0, np.uint32),
            "replacements": np.empty(0, np.uint8),
            "kinds": np.zeros(256, np.uint8),
            "is_settled": np.zeros(1 << 16, np.bool_),
            "is_cut": np.zeros(256, np.bool_),
        }
        matcher = self._matcher if is_long.any() else None
        unknown = self._unknown, self._unknown_score
        return Unigram(arrays, (), matcher, unknown, (False, False), is_single=True)

    def encode(self, fragment: NDArray[np.uint8], after_special: bool, encoder: str) -> FragmentTokens:
        if encoder == "fast":
            return self._encode_known(self._text.data(fragment, after_special), fragment, after_special)
        return self._encode_normalized(self._text.normalize(fragment, after_special))

    def _encode_known(
        self, data: NDArray[np.uint8], fragment: NDArray[np.uint8], after_special: bool
    ) -> FragmentTokens:
        """The tokens of what became of a fragment; their places are worked out when somebody asks."""

        def make_bounds() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
            tokens = self._encode_normalized(self._text.normalize(fragment, after_special))
            return tokens.starts, tokens.ends

        return FragmentTokens.later(self._parts.encode(data), make_bounds)

    def _encode_normalized(self, text: NormalizedText) -> FragmentTokens:
        segmentation, _ = self._model.segment(text.data, 0.0)
        return self._spans_in(text, FragmentTokens(*segmentation))

    def encode_readable(
        self, fragment: bytes, after_special: bool, encoder: str, tracer: Tracer = NO_TRACE
    ) -> FragmentTokens:
        text = self._text.normalize_readable(fragment, after_special)
        data = text.data.tobytes()
        return self._spans_in(text, self._encode_traced(data, text, [len(data)], tracer))

    def _spans_in(self, text: NormalizedText, tokens: FragmentTokens) -> FragmentTokens:
        """With tokens for bytes in place of unknown ones, where the model has such."""
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
        """There is none."""
        return 0

    def cut_after(self, data: NDArray[np.uint8], position: int) -> int:
        """There is none."""
        return len(data)
