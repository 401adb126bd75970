"""WordPiece after BERT's own normalizer and pre-tokenizer: the native library encodes most texts by words.

It maps each character by itself.  Texts with other characters, such as Hangul if accents are stripped, or
with words that are too long, are encoded by `PartsPipeline`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from guiapp.core.encode.encoding import FragmentTokens, as_bytes
from guiapp.core.encode.families.components import PartsPipeline
from guiapp.core.encode.families.pipeline import (
    Bounds,
    EncodeOne,
    Rows,
    chunks_of,
    join_chunks,
    laid_out,
    spans_of_words,
)
from guiapp.core.hugging_face.characters import (
    DOTTED_CAPITAL_I,
    ideographs,
    lower_targets,
    members,
    whitespace_members,
)
from guiapp.core.hugging_face.models import word_piece
from guiapp.core.hugging_face.normalizers import Bert
from guiapp.core.hugging_face.pre_tokenizers import normalize, pre_tokenizer_of
from guiapp.core.text.normalizers import SPACE_SYMBOL, Action
from guiapp.core.text.unicode_tables import N_CODES
from guiapp.core.vocabulary.parts import Parts
from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.native.encoders import WordEncoders, WordPieceHandle
from guiapp.native.normalized import CodeTable
from guiapp.native.special_tokens import CallOptions

HANGUL = slice(0xAC00, 0xD7A4)
MARK_CODE = ord(SPACE_SYMBOL.decode())
BREAKS = (Action.END_WORD, Action.STAND_ALONE)
SEPARATOR = "|"  # normalisation does not change it, and nothing else becomes it


def are_bert_words(parts: Parts) -> bool:
    """Whether text is normalised and split as in BERT, and words become WordPiece tokens."""
    return (
        parts.model.kind == "WordPiece"
        and isinstance(parts.normalizer, Bert)
        and parts.pre_tokenizer == pre_tokenizer_of({"type": "BertPreTokenizer"})
        and not any(token.normalized for token in parts.added_tokens)
    )


class BertWordsPipeline(PartsPipeline):
    """See `Pipeline`; for parts that pass `are_bert_words`."""

    encodes_many_texts = True

    def __init__(self, vocabulary: Vocabulary, parts: Parts) -> None:
        super().__init__(vocabulary, parts)
        assert isinstance(parts.normalizer, Bert)
        self._normalizer = parts.normalizer
        self._model = word_piece(vocabulary, parts)
        self._most_characters = parts.model.most_characters
        self.encoders = ("fast", *self.encoders)

    @cached_property
    def _characters(self) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
        """The normalised form of each character, int32[0x110000], in the encoding of `WordPiece`.

        And bool[0x110000]: whether a character is too complex for that encoding.
        """
        normalizer = self._normalizer
        codes = np.arange(N_CODES, dtype=np.int32)
        targets = lower_targets().copy() if normalizer.lowers else codes.copy()
        is_odd = np.zeros(N_CODES, np.bool_)
        is_odd[MARK_CODE] = True  # marks the start of a word
        is_odd[DOTTED_CAPITAL_I] = normalizer.lowers
        is_removed = members("control") & normalizer.cleans
        if normalizer.strips_accents:
            is_removed |= members("nonspacing")
            is_odd[HANGUL] = True
            marks = np.flatnonzero(members("combining") & ~is_removed).tolist()
            is_odd[[code for code in marks if unicodedata.combining(chr(code))]] = True  # may be reordered
            is_left = is_odd | is_removed | whitespace_members()
            composed = np.flatnonzero(members("NFD") & ~is_left)
            composed = composed[(composed < 0xD800) | (composed >= 0xE000)]
            self._decompose(composed, targets, is_removed, is_odd)
        actions = np.full(N_CODES, Action.EXTEND_WORD, np.int32)
        actions[members("punctuation")[targets]] = Action.STAND_ALONE
        if normalizer.sets_ideographs_apart:
            actions[ideographs()] = Action.STAND_ALONE
        actions[whitespace_members()] = Action.END_WORD
        actions[is_removed] = Action.SKIP
        return (targets - codes) * 4 + actions, is_odd

    def _decompose(
        self,
        composed: NDArray[np.int64],
        targets: NDArray[np.int32],
        is_removed: NDArray[np.bool_],
        is_odd: NDArray[np.bool_],
    ) -> None:
        """Record what accented characters become without their accents."""
        text = SEPARATOR.join(map(chr, composed.tolist())).encode()
        left = normalize(self._normalizer, text, True).text().split(SEPARATOR)
        for code, result in zip(composed.tolist(), left, strict=True):
            characters = result.strip(" ")
            if len(characters) == 1:
                targets[code] = ord(characters)
            is_removed[code] = not characters
            is_odd[code] = len(characters) > 1

    @cached_property
    def _kernel(self) -> WordPieceHandle:
        return self._model.with_actions(CodeTable(self._characters[0]))

    @cached_property
    def _fast(self) -> WordEncoders:
        return WordEncoders(self._kernel, self._model.ids_of_rows)

    def make_tables(self) -> None:
        super().make_tables()
        _ = self._fast

    def encode(self, fragment: NDArray[np.uint8], after_special: bool, encoder: str) -> FragmentTokens:
        if encoder != "fast":
            return super().encode(fragment, after_special, encoder)
        return self._encode_fast(fragment)

    def _encode_fast(self, fragment: NDArray[np.uint8]) -> FragmentTokens:
        chunks = chunks_of(fragment, self.cut_after)
        return join_chunks((start, self._encode_chunk(chunk)) for start, chunk in chunks)

    def _encode_chunk(self, chunk: NDArray[np.uint8]) -> FragmentTokens:
        def slowly() -> FragmentTokens:
            return PartsPipeline.encode(self, chunk, False, self.encoders[1])

        if not self._is_plain(chunk):
            return slowly()
        return FragmentTokens.later(self._model.check(self._fast.encode(chunk, CallOptions())), slowly)

    def fast_path(self, text: str | bytes, options: CallOptions) -> NDArray[np.int32] | None:
        data = np.frombuffer(as_bytes(text), np.uint8)
        if len(data) > options.most_bytes or not self._is_plain(data):
            return None
        return self._model.check(self._fast.encode(data, options))

    def spans(self, text: NDArray[np.uint8], ids: NDArray[np.int32], options: CallOptions) -> Bounds | None:
        return spans_of_words(text, ids, options, self._encode_fast)

    def encode_each(self, texts: Sequence[bytes], options: CallOptions, encode_one: EncodeOne) -> Rows:
        data, ends = laid_out(texts)
        if not self._is_plain(data):
            return super().encode_each(texts, options, encode_one)
        ids, counts = self._fast.encode_each(data, ends, options)
        return Rows(self._model.check(ids), counts)

    def _is_plain(self, text: NDArray[np.uint8]) -> bool:
        """Whether the native library encodes a text as the parts do."""
        if (text >= 0x80).any():
            try:
                codes = np.frombuffer(text.tobytes().decode().encode("utf-32-le"), np.uint32)
            except UnicodeDecodeError:
                return False
            if self._characters[1][codes].any():
                return False
        block = self._most_characters // 2 + 1  # a word that is too long contains at least one whole block
        whole = self._breaks[text[: len(text) // block * block]].reshape(-1, block)
        if whole.any(axis=1).all():
            return True
        words, ends = self._kernel.words(text)
        n_characters = np.cumsum(words[0] & 0xC0 != 0x80)[ends - 1]
        return bool((np.diff(n_characters, prepend=0) <= self._most_characters + 1).all())

    @cached_property
    def _breaks(self) -> NDArray[np.bool_]:
        """bool[256]: ASCII characters that are never inside a word."""
        return np.isin(self._characters[0][:256] & 3, BREAKS) & (np.arange(256) < 0x80)

    def cut_before(self, fragment: NDArray[np.uint8], position: int) -> int:
        return self._kernel.word_break(fragment, position, is_before=True)

    def cut_after(self, fragment: NDArray[np.uint8], position: int) -> int:
        return self._kernel.word_break(fragment, position, is_before=False)
