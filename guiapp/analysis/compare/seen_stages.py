"""What each stage of a tokenizer makes of a text, told alike for all kinds, so that two can be compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from guiapp.core.encode.families.pipeline import Symbols, Tracer
from guiapp.core.encode.reference.merge import Merge
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.text.normalized import NormalizedText
from guiapp.core.vocabulary.merges import MARKED_SPACE
from guiapp.core.vocabulary.vocabulary import VocabType, Vocabulary
from guiapp.native.model_files import sliced


class SeenPiece(NamedTuple):
    """A piece, and what became of it.

    text     normalised, a marked space as a space
    tokens   ids
    symbols  what pair merging starts from; None where it is not merged
    merges   in order
    """

    text: bytes
    tokens: tuple[int, ...]
    symbols: tuple[int, ...] | None
    merges: tuple[Merge, ...]


@dataclass(frozen=True)
class SeenStages:
    """All stages of one text.

    special    the texts of the special tokens that are cut out first, in order
    segments  start and end of what is left between them, empty ones left out
    pieces     of all that is left, in order
    """

    special: tuple[bytes, ...]
    segments: tuple[tuple[int, int], ...]
    pieces: tuple[SeenPiece, ...]

    @property
    def normalized(self) -> bytes:
        return b"".join(piece.text for piece in self.pieces)


def seen_stages(tokenizer: Tokenizer, text: bytes) -> SeenStages:
    """The stages of a text of at most some hundred bytes, by the readable twins; raises EncodeError."""
    vocabulary, encoder = tokenizer.vocabulary, _briefest_encoder(tokenizer)
    found = tokenizer.special_tokens.partition(np.frombuffer(text, np.uint8), True)
    around = zip(found.raw_starts.tolist(), found.raw_ends.tolist(), strict=True)
    segments = tuple((start, end) for start, end in around if start < end)
    tracer = _Stages(vocabulary)
    for start, end in segments:
        begins = tokenizer.begins_text_at(start, True)
        tokenizer.pipeline_of(encoder).encode_readable(text[start:end], begins, encoder, tracer)
    special = tuple(map(vocabulary.raw_text, found.ids.tolist()))
    return SeenStages(special, segments, tuple(tracer.pieces))


def plain_text(vocabulary: Vocabulary, token_id: int) -> bytes:
    """What a token stands for in the text of a piece, without the marks of its vocabulary."""
    return vocabulary.token_bytes(token_id).removeprefix(_mark(vocabulary))


def plain_texts(vocabulary: Vocabulary) -> list[bytes]:
    """The same of all tokens."""
    mark = _mark(vocabulary)
    return [text.removeprefix(mark) for text in sliced(*vocabulary.token_bytes_table)]


def _mark(vocabulary: Vocabulary) -> bytes:
    """What tokens have in front that begin a piece, or go on with one."""
    if vocabulary.parts is not None:
        return vocabulary.parts.model.continuing_prefix.encode()
    return b" " if vocabulary.type is VocabType.WPM else b""


def _briefest_encoder(tokenizer: Tokenizer) -> str:
    """Merging as `scan` does it tells merges and nothing else."""
    return (
        "scan"
        if "scan" in tokenizer.encoders
        else tokenizer.reference_encoder(next(iter(tokenizer.encoders)))
    )


@dataclass
class _Stages(Tracer):
    """Writes pieces down."""

    vocabulary: Vocabulary
    pieces: list[SeenPiece] = field(default_factory=list)

    def begin(self, data: bytes, normalized: NormalizedText | None, start: int) -> None: ...

    def split(self, piece_ends: Sequence[int]) -> None: ...

    def piece(self, start: int, data: bytes, marked: NormalizedText | None, symbols: Symbols | None) -> None:
        text = data.replace(MARKED_SPACE, b" ")
        if self.vocabulary.type is VocabType.WPM and self.vocabulary.parts is None:
            text = text.removeprefix(b" ")
        self._text = text
        self._symbols = None if symbols is None else tuple(symbol for symbol, _, _ in symbols)
        self._merges: list[Merge] = []

    def step(self, step: object) -> None:
        if isinstance(step, Merge):
            self._merges.append(step)

    def end_piece(self, tokens: Symbols) -> None:
        ids = tuple(token for token, _, _ in tokens)
        self.pieces.append(SeenPiece(self._text, ids, self._symbols, tuple(self._merges)))
