"""SPM, SentencePiece's BPE: the whole fragment is one piece, in which spaces are U+2581."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from guiapp.core.encode.encoding import FragmentTokens
from guiapp.core.encode.families.pair_merging import PairEncoder, PairPipeline
from guiapp.core.encode.families.pipeline import FastPath
from guiapp.core.encode.families.rows import Rows, laid_out
from guiapp.core.encode.families.tracer import NO_TRACE, Tracer
from guiapp.core.text.normalized import NormalizedText
from guiapp.core.vocabulary.merges import sentence_piece_merging
from guiapp.core.vocabulary.vocabulary import Vocabulary

SPACE = 0x20


class SentencePiecePipeline(PairPipeline):
    """The pipeline of Llama 2 and its relatives."""

    encodes_many_texts = True

    def __init__(self, vocabulary: Vocabulary) -> None:
        super().__init__(PairEncoder(vocabulary, sentence_piece_merging(vocabulary)))
        self._adds_space = vocabulary.rules.add_space_prefix

    def encode(self, fragment: NDArray[np.uint8], after_special: bool, encoder: str) -> FragmentTokens:
        """The tokens of one fragment; a space that is put in front has the empty span."""
        if not (self._adds_space and after_special):
            return self._encoder.encode(fragment, np.array([len(fragment)]), encoder)
        return self._encode_after_space(_after_space(fragment), encoder)

    def _encode_after_space(self, text: NDArray[np.uint8], encoder: str) -> FragmentTokens:
        return self._encoder.encode(text, np.array([len(text)]), encoder).moved(-1)

    def cut_before(self, fragment: NDArray[np.uint8], position: int) -> int:
        return self._encoder.cut_before(fragment, position)

    def cut_after(self, fragment: NDArray[np.uint8], position: int) -> int:
        return self._encoder.cut_after(fragment, position)

    def encode_each(self, texts: Sequence[bytes]) -> Rows:
        data, ends = laid_out(texts, b" " if self._adds_space else b"")

        def encode(start: int, end: int) -> FragmentTokens:
            return self._encoder.encode(data[start:end], np.array([end - start]), self.encoders[0])

        return self._encoder.encode_each(data, ends, encode)

    @property
    def fast_path(self) -> FastPath:
        return self._encoder.fast_path_after_space if self._adds_space else self._encoder.fast_path

    def encode_readable(
        self, fragment: bytes, after_special: bool, encoder: str, tracer: Tracer = NO_TRACE
    ) -> FragmentTokens:
        if not (self._adds_space and after_special):
            tracer.begin(fragment, None, 0)
            return self._encoder.encode_readable(fragment, [len(fragment)], encoder, tracer)
        text = b" " + fragment
        tracer.begin(text, _with_space(text), 0)
        return self._encoder.encode_readable(text, [len(text)], encoder, tracer).moved(-1)


def _after_space(fragment: NDArray[np.uint8]) -> NDArray[np.uint8]:
    text = np.empty(len(fragment) + 1, np.uint8)
    text[0] = SPACE
    text[1:] = fragment
    return text


def _with_space(text: bytes) -> NormalizedText:
    """A fragment with a space in front as what became of it."""
    ends = np.arange(len(text), dtype=np.int64)
    return NormalizedText(np.frombuffer(text, np.uint8), np.maximum(ends - 1, 0), ends)
