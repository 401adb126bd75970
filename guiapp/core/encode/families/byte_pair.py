"""llama.cpp's byte-pair encoding: BPE merges within pieces of the text, SPM merges the text as one piece."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from guiapp.core.encode.encoding import FragmentTokens
from guiapp.core.encode.families.dna import dna_tokens
from guiapp.core.encode.families.pair_merging import ONE_SPACE, PairEncoder, PairPipeline, to_source
from guiapp.core.encode.families.pipeline import (
    NO_TRACE,
    EncodeOne,
    FastPath,
    Rows,
    Tracer,
    no_fast_path,
)
from guiapp.core.pretokenize.pre_tokenizers import NOT_SPACES
from guiapp.core.pretokenize.splitter import splitter_of
from guiapp.core.text.normalized import NormalizedBuilder, NormalizedText
from guiapp.core.text.unicode_tables import lower_case, whitespace
from guiapp.core.text.utf8 import characters, encode, repair, repair_readable
from guiapp.core.vocabulary.merges import byte_pair_merging, sentence_piece_merging
from guiapp.core.vocabulary.vocabulary import Rules, Vocabulary
from guiapp.native.pairs import ALL_PIECES, NEWLINES, NO_PIECES
from guiapp.native.special_tokens import CallOptions

SPACE, NEWLINE = 0x20, 0x0A
WINDOW_BYTES = 256  # the first guess of the distance to a cut
MOST_FOLLOWING = 3  # bytes of a character after its first

Repaired = tuple[NDArray[np.uint8], NormalizedText | None]  # a text, and how it came from the original


class BytePairPipeline(PairPipeline):
    """The pipeline of GPT-2 and its many successors."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._rules = vocabulary.rules
        whole_pieces = NEWLINES if self._rules.ignore_newline_merges else NO_PIECES
        if self._rules.ignore_merges:
            whole_pieces = ALL_PIECES
        self._splits_lines = self._rules.escape_spaces
        self._drops_spaces = vocabulary.model == "whitespace"
        self._splitter = splitter_of(vocabulary.patterns)
        merging = byte_pair_merging(vocabulary, whole_pieces, self._splitter.native)
        super().__init__(PairEncoder(vocabulary, merging, whole_pieces))
        self._cutter = splitter_of((NOT_SPACES,)) if self._drops_spaces else self._splitter
        self._is_split = True
        space_id = vocabulary.find(b" ")
        self._space_id = vocabulary.find(b"<0x20>") if space_id is None else space_id
        self._dna = dna_tokens(vocabulary)
        self.encodes_many_texts = not (self._drops_spaces or self._dna)

    def without_splitting(self) -> BytePairPipeline:
        pipeline = copy(self)
        pipeline._is_split = False
        return pipeline

    def without_dna(self) -> BytePairPipeline:
        pipeline = copy(self)
        pipeline._dna = None
        return pipeline

    def encode(self, fragment: NDArray[np.uint8], after_special: bool, encoder: str) -> FragmentTokens:
        if self._dna is not None:
            return self._dna.encode(
                fragment.tobytes(), lambda start, end: self._encode(fragment[start:end], encoder)
            )
        return self._encode(fragment, encoder)

    def _encode(self, text: NDArray[np.uint8], encoder: str) -> FragmentTokens:
        data: NDArray[np.uint8]
        source: NormalizedText | None
        if self._drops_spaces:
            source, word_ends = whitespace_words(text.tobytes(), self._rules)
            data, ends = source.data, np.array(word_ends, np.int64)
        else:
            data, source = self._repaired(text)
            ends = np.array([len(data)])
            if self._is_split and encoder == "fast" and (tokens := self._encoder.encode_split(data)):
                return self._to_source(tokens, source)
        if self._is_split:
            ends = self._splitter.split_each(data, ends)
        return self._to_source(self._encoder.encode(data, ends, encoder), source)

    def encode_readable(
        self, fragment: bytes, after_special: bool, encoder: str, tracer: Tracer = NO_TRACE
    ) -> FragmentTokens:
        if self._dna is not None:
            return self._dna.encode(
                fragment,
                lambda start, end: self._encode_readable(fragment[start:end], encoder, tracer, start),
                tracer,
            )
        return self._encode_readable(fragment, encoder, tracer)

    def _encode_readable(self, text: bytes, encoder: str, tracer: Tracer, start: int = 0) -> FragmentTokens:
        if self._drops_spaces:
            words, word_ends = whitespace_words(text, self._rules)
            data = words.data.tobytes()
            tracer.begin(data, words, start)
            ends = [end for word in pairwise([0, *word_ends]) for end in self._split_readable(data, *word)]
            return to_source(self._encoder.encode_readable(data, ends, encoder, tracer), words)
        data, repaired = self._repaired_readable(text)
        tracer.begin(data, repaired, start)
        ends = self._split_readable(data, 0, len(data))
        return self._to_source(self._encoder.encode_readable(data, ends, encoder, tracer), repaired)

    def _split_readable(self, data: bytes, start: int, end: int) -> list[int]:
        """The ends of the pieces of data[start:end]."""
        if not self._is_split:
            return [end]
        return [start + piece_end for piece_end in self._splitter.split_readable(data[start:end])]

    def encode_each(self, texts: Sequence[bytes], options: CallOptions, encode_one: EncodeOne) -> Rows:
        if not self._is_split:
            return super().encode_each(texts, options, encode_one)
        return self._encoder.encode_each(texts, options, encode_one)

    @property
    def fast_path(self) -> FastPath:
        if not self._is_split or self._drops_spaces or self._dna is not None:
            return no_fast_path
        return self._encoder.fast_path

    def _to_source(self, tokens: FragmentTokens, repaired: NormalizedText | None) -> FragmentTokens:
        """Tokens of a repaired text with their spans in the original."""
        if repaired is not None and self._splits_lines and self._is_split and not self._drops_spaces:
            tokens = with_isolated_spaces(tokens, repaired, self._space_id)
        return to_source(tokens, repaired)

    def _repaired(self, text: NDArray[np.uint8]) -> Repaired:
        repaired = repair(text)
        return text if repaired is None else repaired.data, repaired

    def _repaired_readable(self, text: bytes) -> tuple[bytes, NormalizedText | None]:
        repaired = repair_readable(text)
        return text if repaired is None else repaired.data.tobytes(), repaired

    def _start_before(self, text: NDArray[np.uint8], position: int) -> int:
        """The start of the character with the byte at `position`; `position` if it has no start."""
        for start in range(position, max(position - MOST_FOLLOWING, 0) - 1, -1):
            if text[start] & 0xC0 != 0x80:
                return start
        return position

    def _end_after(self, text: NDArray[np.uint8], position: int) -> int:
        """The first offset from `position` on that no earlier character can extend to."""
        end = min(position, len(text))
        while end < min(position + MOST_FOLLOWING, len(text)) and text[end] & 0xC0 == 0x80:
            end += 1
        return end

    @property
    def _can_cut(self) -> bool:
        return self._is_split and not (self._drops_spaces and self._splits_lines)

    def cut_before(self, fragment: NDArray[np.uint8], position: int) -> int:
        if self._dna is not None:
            return self._dna.cut_before(fragment, position, self.without_dna().cut_before)
        if not self._can_cut:
            return 0
        if self._splits_lines:
            return super().cut_before(fragment, position)
        end = self._start_before(fragment, position - 1) if position else 0
        start, size = end, WINDOW_BYTES
        while start > 0:
            start, size = self._start_before(fragment, max(end - size, 0)), 2 * size
            text, repaired = self._repaired(fragment[start:end])
            if (cut := self._cutter.restart_before(text, len(text))) > 0:
                return start + _source_offset(repaired, cut)
        return 0

    def cut_after(self, fragment: NDArray[np.uint8], position: int) -> int:
        if self._dna is not None:
            return self._dna.cut_after(fragment, position, self.without_dna().cut_after)
        if not self._can_cut:
            return len(fragment)
        if self._splits_lines:
            return super().cut_after(fragment, position)
        start = self._end_after(fragment, position)
        end, size = start, WINDOW_BYTES
        while end < len(fragment):
            end, size = self._end_after(fragment, start + size), 2 * size
            text, repaired = self._repaired(fragment[start:end])
            if (cut := self._cutter.restart_after(text, 0)) < len(text):
                return start + _source_offset(repaired, cut)
        return len(fragment)


def _source_offset(repaired: NormalizedText | None, offset: int) -> int:
    return offset if repaired is None else int(repaired.starts[offset])


def with_isolated_spaces(
    tokens: FragmentTokens, repaired: NormalizedText, space_id: int | None
) -> FragmentTokens:
    """The tokens of a repaired text, with `space_id`, if any, for each isolated space."""
    is_lone = _isolated_spaces(repaired)
    if not is_lone.any():
        return tokens
    is_empty = tokens.starts == tokens.ends
    is_space = is_lone[tokens.starts - is_empty]
    ids = np.where(is_space, -1 if space_id is None else space_id, tokens.ids).astype(np.int32)
    stays = ~is_space if space_id is None else ~(is_space & is_empty)
    return FragmentTokens(ids[stays], tokens.starts[stays], tokens.ends[stays])


def _isolated_spaces(repaired: NormalizedText) -> NDArray[np.bool_]:
    """Which bytes are spaces that took several bytes, between newlines or the ends of the text."""
    is_newline = np.concatenate([[True], repaired.data == NEWLINE, [True]])
    is_long = (repaired.data == SPACE) & (repaired.ends - repaired.starts > 1)
    isolated: NDArray[np.bool_] = is_long & is_newline[:-2] & is_newline[2:]
    return isolated


def whitespace_words(text: bytes, rules: Rules) -> tuple[NormalizedText, list[int]]:
    """The words concatenated, and the end of each.  Spaces that become U+2581 are parts of words."""
    words = NormalizedBuilder()
    ends = [0]
    for start, end, code in characters(text):
        is_marked = rules.escape_spaces and text[start:end] == b" "
        if is_marked or code not in whitespace():
            words.append(encode(lower_case().get(code, code) if rules.lowercase else code), start, end)
        elif len(words) > ends[-1]:
            ends.append(len(words))
    if len(words) > ends[-1]:
        ends.append(len(words))
    return words.build(), ends[1:]


class SentencePiecePipeline(PairPipeline):
    """The pipeline of Llama 2 and its relatives."""

    encodes_many_texts = True

    def __init__(self, vocabulary: Vocabulary) -> None:
        super().__init__(PairEncoder(vocabulary, sentence_piece_merging(vocabulary)))
        self.adds_space = vocabulary.rules.add_space_prefix

    def encode(self, fragment: NDArray[np.uint8], after_special: bool, encoder: str) -> FragmentTokens:
        """The tokens of one fragment; the span of an added space is empty."""
        if not (self.adds_space and after_special):
            return self._encoder.encode_whole(fragment, encoder)
        return self._encoder.encode_whole(np.concatenate([ONE_SPACE, fragment]), encoder).moved(-1)

    def encode_each(self, texts: Sequence[bytes], options: CallOptions, encode_one: EncodeOne) -> Rows:
        return self._encoder.encode_each(texts, options, encode_one)

    @property
    def fast_path(self) -> FastPath:
        return self._encoder.fast_path

    def encode_readable(
        self, fragment: bytes, after_special: bool, encoder: str, tracer: Tracer = NO_TRACE
    ) -> FragmentTokens:
        if not (self.adds_space and after_special):
            tracer.begin(fragment, None, 0)
            return self._encoder.encode_readable(fragment, [len(fragment)], encoder, tracer)
        text = b" " + fragment
        tracer.begin(text, _with_space(text), 0)
        return self._encoder.encode_readable(text, [len(text)], encoder, tracer).moved(-1)


def _with_space(text: bytes) -> NormalizedText:
    """A fragment with a space prefix as a normalised text."""
    ends = np.arange(len(text), dtype=np.int64)
    return NormalizedText(np.frombuffer(text, np.uint8), np.maximum(ends - 1, 0), ends)
