"""The models of Hugging Face's tokenizers that do not merge pairs; they turn pieces of text into ids.

Their input is already normalized and split, and is valid UTF-8.
Source: https://github.com/huggingface/tokenizers, tokenizers/src/models.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.encode.encoding import FragmentTokens
from guiapp.core.encode.families.pipeline import (
    NO_TRACE,
    Tracer,
    after_steps,
    check_covered,
    encode_plain_pieces,
)
from guiapp.core.encode.families.unigram_llama_cpp import REFUSED, unigram_of
from guiapp.core.encode.families.word_piece import REFUSED as WORD_PIECE_REFUSED
from guiapp.core.encode.reference import viterbi, wordpiece
from guiapp.core.encode.reference.longest_match import PIECE, Taken, word_steps
from guiapp.core.text.normalizers import SPACE_SYMBOL, action_table
from guiapp.core.vocabulary.byte_alphabet import NAMES
from guiapp.core.vocabulary.parts import Parts
from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.native.binding import NONE
from guiapp.native.checkpoint import stoppable
from guiapp.native.encoders import Unigram, WordPieceHandle
from guiapp.native.model_files import StringTable, packed
from guiapp.native.normalized import CodeTable

UNKNOWN_PENALTY = 10.0  # below the worst score
START, TOO_LONG = b"\xff", b"\xfe"  # put before pieces and tokens that may begin one; never occur in UTF-8
NO_ACTIONS = action_table(False, False)
NOT_COVERED = (
    "Part of the text has no token, and the file has no unknown token. Fix the file, or change the text."
)


class ModelTokens(NamedTuple):
    """The tokens of a model: the text of `ids[i]` is data[offsets[ids[i]] : offsets[ids[i] + 1]].

    Of equal texts, the last id in `ids` matches; an empty text never matches.

    data     uint8[…]    the texts of all tokens of a vocabulary
    offsets  int64[n+1]
    ids      int32[k]    the ids that the model can produce
    unknown  the id of the unknown token; None: a text without matching tokens cannot be encoded
    """

    data: NDArray[np.uint8]
    offsets: NDArray[np.int64]
    ids: NDArray[np.int32]
    unknown: int | None

    def texts(self) -> list[bytes]:
        """The texts of `ids`, in the same order."""
        data = self.data.tobytes()
        starts, ends = self.offsets[self.ids].tolist(), self.offsets[self.ids + 1].tolist()
        return [data[start:end] for start, end in stoppable(list(zip(starts, ends, strict=True)))]

    def by_text(self) -> dict[bytes, int]:
        """The id of each text except the empty one."""
        result = dict(zip(self.texts(), self.ids.tolist(), strict=True))
        result.pop(b"", None)
        return result


class PieceModel(ABC):
    """Encodes the pieces of a text.  Threads may share it.

    encoders  the names of its algorithms, the best first
    refused   why other algorithms do not apply: a sentence for each name
    """

    encoders: tuple[str, ...]
    refused: Mapping[str, str] = {}
    merging = None

    def __init__(self, tokens: ModelTokens) -> None:
        self._tokens = tokens
        self._unknown = NONE if tokens.unknown is None else tokens.unknown

    @cached_property
    def _ids(self) -> dict[bytes, int]:
        return self._tokens.by_text()

    def encode(self, text: NDArray[np.uint8], piece_ends: NDArray[np.int64], encoder: str) -> FragmentTokens:
        """Encode adjacent, non-empty pieces that end at `piece_ends`; offsets refer to `text`.

        Raises EncodeError if the model cannot encode a piece.
        """
        tokens = self._encode(text, piece_ends)
        self.check(tokens.ids)
        return tokens

    def encode_readable(
        self, text: bytes, piece_ends: Sequence[int], encoder: str, tracer: Tracer = NO_TRACE
    ) -> FragmentTokens:
        """Like `encode`, but step by step with the reference implementation."""
        tokens = encode_plain_pieces(text, piece_ends, partial(self._encode_piece, tracer), tracer)
        self.check(tokens.ids)
        return tokens

    @abstractmethod
    def prepare(self) -> None:
        """Build the data that the first encoding would build."""

    @abstractmethod
    def _encode(self, data: NDArray[np.uint8], ends: NDArray[np.int64]) -> FragmentTokens: ...

    @abstractmethod
    def _encode_piece(self, tracer: Tracer, piece: bytes) -> Taken: ...

    def check(self, ids: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return `ids`; raises EncodeError if text is not covered and there is no unknown token."""
        check_covered(ids, self._unknown, NOT_COVERED)
        return ids


class WordPieceModel(PieceModel):
    """Repeatedly takes the longest matching token; inside a piece, only tokens that begin with a prefix.

    A piece that is too long, or has a part without a token, becomes one unknown token.
    """

    encoders: tuple[str, ...] = ("wordpiece",)
    refused: Mapping[str, str] = WORD_PIECE_REFUSED

    def __init__(self, tokens: ModelTokens, inner_prefix: bytes, most_characters: int) -> None:
        """`inner_prefix` is `##` for BERT; pieces of more than `most_characters` are unknown."""
        super().__init__(tokens)
        self._prefix = inner_prefix
        self._most_characters = most_characters

    def prepare(self) -> None:
        _ = self._model

    @cached_property
    def _inner_ids(self) -> dict[bytes, int]:
        size = len(self._prefix)
        return {
            text[size:]: token
            for text, token in self._ids.items()
            if text.startswith(self._prefix) and len(text) > size
        }

    @cached_property
    def _longest_bytes(self) -> int:
        return max(map(len, self._ids), default=0)

    @cached_property
    def _model(self) -> WordPieceHandle:
        texts = [START + text for text in self._ids]
        return WordPieceHandle(NO_ACTIONS, *packed([*texts, *self._inner_ids]), NONE)

    @cached_property
    def ids_of_rows(self) -> NDArray[np.int32]:
        """The ids of the native model's rows; the last one is for text without a token."""
        return np.array([*self._ids.values(), *self._inner_ids.values(), self._unknown], np.int32)

    def with_actions(self, actions: CodeTable) -> WordPieceHandle:
        """A native encoder for texts, which it splits into words by the action for each character."""
        texts = [SPACE_SYMBOL + text for text in self._ids]
        return WordPieceHandle(actions, *packed([*texts, *self._inner_ids]), NONE)

    def _encode(self, data: NDArray[np.uint8], ends: NDArray[np.int64]) -> FragmentTokens:
        marked, marked_ends = self._marked(data, ends)
        rows, starts, token_ends = self._model.encode(marked, marked_ends, False)
        pieces = np.searchsorted(marked_ends, starts, "right")
        first = np.ones(len(rows), np.bool_)
        first[1:] = pieces[1:] != pieces[:-1]
        return FragmentTokens(self.ids_of_rows[rows], starts - pieces - ~first, token_ends - pieces - 1)

    def _marked(
        self, data: NDArray[np.uint8], ends: NDArray[np.int64]
    ) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """The pieces, each after a marker byte, and their new ends."""
        marks = np.full(len(ends), START[0], np.uint8)
        marks[self._are_too_long(data, ends)] = TOO_LONG[0]
        starts = np.concatenate([[0], ends[:-1]]) + np.arange(len(ends))
        is_text = np.ones(len(data) + len(ends), np.bool_)
        is_text[starts] = False
        marked = np.empty(len(is_text), np.uint8)
        marked[starts], marked[is_text] = marks, data
        return marked, ends + np.arange(1, len(ends) + 1)

    def _are_too_long(self, data: NDArray[np.uint8], ends: NDArray[np.int64]) -> NDArray[np.bool_]:
        if not (np.diff(ends, prepend=0) > self._most_characters).any():  # in bytes, so also in characters
            return np.zeros(len(ends), np.bool_)
        n_characters = np.cumsum(data & 0xC0 != 0x80)[ends - 1]
        return np.diff(n_characters, prepend=0) > self._most_characters

    def _encode_piece(self, tracer: Tracer, piece: bytes) -> Taken:
        tokens = self._ids, self._longest_bytes, self._unknown, self._inner_ids, self._most_characters
        return after_steps(wordpiece.steps(piece, *tokens), Taken(), tracer)


class UnigramModel(PieceModel):
    """Finds the most probable tokens of each piece; adjacent unknown characters are merged into one token.

    If this unknown text happens to be a token, it gets that id; else the ids of its bytes, if all bytes have
    tokens.  Without an unknown token there are no ids for it, as in `tokenizers`.
    """

    encoders: tuple[str, ...] = ("viterbi",)
    refused: Mapping[str, str] = REFUSED

    def __init__(
        self, tokens: ModelTokens, scores: NDArray[np.float64], byte_ids: Mapping[int, int] = {}
    ) -> None:
        """`scores` are for all tokens of the vocabulary; `byte_ids` are the tokens for unknown bytes."""
        super().__init__(tokens)
        self._scores, self._byte_ids = scores, {} if tokens.unknown is None else byte_ids
        self._unknown_score = float(scores[tokens.ids].min(initial=np.inf)) - UNKNOWN_PENALTY

    def prepare(self) -> None:
        _ = self._model

    @cached_property
    def _model(self) -> Unigram:
        return unigram_of(self._tokens[:3], self._scores, (self._unknown, self._unknown_score))

    @cached_property
    def _id_of_byte(self) -> NDArray[np.int32]:
        return np.array([self._byte_ids.get(byte, NONE) for byte in range(256)], np.int32)

    @cached_property
    def _pieces(self) -> viterbi.Pieces:
        scores = {token: float(self._scores[token]) for token in self._ids.values()}
        longest = max(map(len, self._ids), default=0)
        return viterbi.Pieces(self._ids, scores, longest, self._unknown, self._unknown_score)

    def _encode(self, data: NDArray[np.uint8], ends: NDArray[np.int64]) -> FragmentTokens:
        return FragmentTokens(*self._model.segment_each(data, ends, self._id_of_byte))

    def _encode_piece(self, tracer: Tracer, piece: bytes) -> Taken:
        state = after_steps(viterbi.steps(piece, self._pieces), viterbi.State({}), tracer)
        after_steps(viterbi.spell(piece, state, self._pieces, self._byte_ids), state, tracer)
        return state.tokens[::-1]


class WordLevelModel(PieceModel):
    """Each piece is a token or unknown."""

    encoders: tuple[str, ...] = ("wordlevel",)

    def prepare(self) -> None:
        _ = self._table

    @cached_property
    def _table(self) -> StringTable:
        return StringTable(*packed([*self._ids]))

    @cached_property
    def _id_of_row(self) -> NDArray[np.int32]:
        """The ids of the table's rows; the last one is for unknown texts."""
        return np.array([*self._ids.values(), self._unknown], np.int32)

    def _encode(self, data: NDArray[np.uint8], ends: NDArray[np.int64]) -> FragmentTokens:
        rows = self._table.find_each(data, ends)
        return FragmentTokens(self._id_of_row[rows], np.concatenate([[0], ends[:-1]]), ends)

    def _encode_piece(self, tracer: Tracer, piece: bytes) -> Taken:
        return after_steps(word_steps(piece, self._ids.get, self._unknown, PIECE), Taken(), tracer)


def word_piece(vocabulary: Vocabulary, parts: Parts) -> WordPieceModel:
    """The WordPiece model of a vocabulary."""
    options = parts.model
    return WordPieceModel(
        _tokens(vocabulary, parts), options.continuing_prefix.encode(), options.most_characters
    )


def unigram(vocabulary: Vocabulary, parts: Parts) -> UnigramModel:
    """The Unigram model of a vocabulary; with byte fallback, tokens such as <0x0A> stand for bytes."""
    tokens = _tokens(vocabulary, parts)
    return UnigramModel(tokens, parts.scores, _byte_ids(tokens) if parts.model.byte_fallback else {})


def word_level(vocabulary: Vocabulary, parts: Parts) -> WordLevelModel:
    """The WordLevel model of a vocabulary."""
    return WordLevelModel(_tokens(vocabulary, parts))


def _tokens(vocabulary: Vocabulary, parts: Parts) -> ModelTokens:
    ids = np.flatnonzero(parts.in_model).astype(np.int32)
    return ModelTokens(vocabulary.token_data, vocabulary.token_offsets, ids, parts.model.unknown)


def _byte_ids(tokens: ModelTokens) -> dict[int, int]:
    """The ids of the byte tokens, by byte."""
    by_text = tokens.by_text()
    return {byte: by_text[name] for byte, name in enumerate(NAMES) if name in by_text}
