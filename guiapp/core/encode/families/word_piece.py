"""WPM vocabularies (BERT and its family): words, then the longest tokens of each word."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.encode.encoding import FragmentTokens, as_bytes
from guiapp.core.encode.families.pipeline import (
    NO_TRACE,
    Bounds,
    EncodeOne,
    Pipeline,
    Rows,
    Tracer,
    after_steps,
    check_covered,
    chunks_of,
    encode_plain_pieces,
    join_chunks,
    laid_out,
    spans_of_words,
)
from guiapp.core.encode.reference import wordpiece
from guiapp.core.encode.reference.longest_match import Miss, Take, Taken
from guiapp.core.text.normalized import NormalizedText, joined, source_spans
from guiapp.core.text.normalizers import action_table, wordpiece_words
from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.native.binding import NONE
from guiapp.native.encoders import WordEncoders, WordPieceHandle
from guiapp.native.special_tokens import CallOptions

REFUSED = {
    "greedy": "Word by word it does what `wordpiece` does: WordPiece takes the longest token.",
    "fewest": "A WordPiece vocabulary takes the longest tokens of each word, not the fewest.",
}
NOT_COVERED = (
    "The vocabulary does not cover a word, and the file has no valid tokenizer.ggml.unknown_token_id to "
    "put in its place. Fix the file, or change the text."
)


class _Words(NamedTuple):
    """A normalised text, and the ends of its words."""

    text: NormalizedText
    ends: NDArray[np.int64]


class WordPiecePipeline(Pipeline):
    """See `Pipeline`.  Spaces belong to no span, accents that a word drops to the previous token."""

    encoders: tuple[str, ...] = ("fast", "wordpiece", "linear")
    refused: Mapping[str, str] = REFUSED
    encodes_many_texts = True

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        unknown = vocabulary.special_ids.unk
        self._unknown = NONE if unknown is None else unknown

    def make_tables(self) -> None:
        _ = self._fast

    @cached_property
    def _model(self) -> WordPieceHandle:
        vocabulary, rules = self._vocabulary, self._vocabulary.rules
        actions = action_table(rules.lowercase, rules.strip_accents)
        return WordPieceHandle(actions, vocabulary.token_data, vocabulary.token_offsets, self._unknown)

    @cached_property
    def _fast(self) -> WordEncoders:
        return WordEncoders(self._model)

    @cached_property
    def _readable_links(self) -> wordpiece.FailureLinks:
        return wordpiece.FailureLinks(self._ids)

    @cached_property
    def _ids(self) -> dict[bytes, int]:
        return {self._vocabulary.raw_text(token_id): token_id for token_id in range(len(self._vocabulary))}

    @cached_property
    def _longest_bytes(self) -> int:
        return max(map(len, self._ids))

    def encode(self, fragment: NDArray[np.uint8], after_special: bool, encoder: str) -> FragmentTokens:
        if encoder == "fast":
            return self._encode_fast(fragment)
        return join_chunks(self._encode_words(self._words(fragment), encoder))

    def _words(self, fragment: NDArray[np.uint8]) -> Iterator[tuple[int, _Words]]:
        for start, chunk in chunks_of(fragment, self.cut_after):
            text, ends = self._model.words(chunk)
            yield start, _Words(NormalizedText(*text), ends)

    def _encode_words(
        self, chunks: Iterable[tuple[int, _Words]], encoder: str
    ) -> Iterator[tuple[int, FragmentTokens]]:
        for start, (text, word_ends) in chunks:
            ids, starts, ends = self._model.encode(text.data, word_ends, encoder == "linear")
            self._checked(ids)
            yield start, FragmentTokens(ids, *source_spans(text, starts, ends))

    def _encode_fast(self, fragment: NDArray[np.uint8]) -> FragmentTokens:
        ids = self._checked(self._fast.encode(fragment, CallOptions()))
        return FragmentTokens.later(ids, lambda: self.encode(fragment, True, "linear"))

    def fast_path(self, text: str | bytes, options: CallOptions) -> NDArray[np.int32] | None:
        data = as_bytes(text)
        if len(data) > options.most_bytes:
            return None
        return self._checked(self._fast.encode(np.frombuffer(data, np.uint8), options))

    def spans(self, text: NDArray[np.uint8], ids: NDArray[np.int32], options: CallOptions) -> Bounds | None:
        return spans_of_words(text, ids, options, lambda blanked: self.encode(blanked, True, "linear"))

    def encode_each(self, texts: Sequence[bytes], options: CallOptions, encode_one: EncodeOne) -> Rows:
        ids, counts = self._fast.encode_each(*laid_out(texts), options)
        return Rows(self._checked(ids), counts)

    def encode_readable(
        self, fragment: bytes, after_special: bool, encoder: str, tracer: Tracer = NO_TRACE
    ) -> FragmentTokens:
        rules = self._vocabulary.rules
        words = list(wordpiece_words(fragment, rules.lowercase, rules.strip_accents))
        text, ends = joined(words), np.cumsum([len(word.data) for word in words], dtype=np.int64).tolist()
        data = text.data.tobytes()
        tracer.begin(data, text, 0)

        def encode_word(word: bytes) -> Taken:
            return after_steps(self._steps(encoder, word), Taken(), tracer)

        tokens = encode_plain_pieces(data, ends, encode_word, tracer)
        self._checked(tokens.ids)
        return FragmentTokens(tokens.ids, *source_spans(text, tokens.starts, tokens.ends))

    def _steps(
        self, encoder: str, word: bytes
    ) -> Iterator[Take | Miss | wordpiece.Fail | wordpiece.GiveUp | wordpiece.TooLong]:
        if encoder == "linear":
            return wordpiece.linear_steps(word, self._ids, self._readable_links, self._unknown)
        return wordpiece.steps(word, self._ids, self._longest_bytes, self._unknown)

    def cut_before(self, data: NDArray[np.uint8], position: int) -> int:
        return self._model.word_break(data, position, is_before=True)

    def cut_after(self, data: NDArray[np.uint8], position: int) -> int:
        return self._model.word_break(data, position, is_before=False)

    def _checked(self, ids: NDArray[np.int32]) -> NDArray[np.int32]:
        check_covered(ids, self._unknown, NOT_COVERED)
        return ids
