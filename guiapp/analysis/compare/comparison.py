"""One text, tokenized by several models or in several ways."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from guiapp.analysis.compare.counts import Counts, counts_of
from guiapp.analysis.compare.spans import SpanComparison, column_of, compare_spans
from guiapp.core.encode.encoding import Encoding, as_bytes
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.errors import EncodeError
from guiapp.native.spans import MOST_SPAN_COLUMNS


@dataclass(frozen=True)
class Side:
    """One of those that are compared: a model, and how it encodes; `name` is for people."""

    name: str
    tokenizer: Tokenizer
    encoder: str | None = None
    add_special: bool = True
    parse_special: bool = True

    def encode(self, text: bytes) -> Encoding:
        return self.tokenizer.encode(text, self.add_special, self.parse_special, self.encoder)


@dataclass(frozen=True, eq=False)
class Comparison:
    """What each side made of one text.

    encodings  one for each side
    spans      which spans they share; its differences have the places where not all cut alike
    """

    sides: tuple[Side, ...]
    encodings: tuple[Encoding, ...]
    spans: SpanComparison

    @cached_property
    def counts(self) -> list[Counts]:
        """For each side what the text comes to."""
        models = [(side.name, side.tokenizer.vocabulary) for side in self.sides]
        return counts_of(models, [("", self.encodings)])

    @property
    def has_same_ids(self) -> bool:
        """Whether all sides give the same ids."""
        first, *others = self.encodings
        return all(np.array_equal(first.token_ids, other.token_ids) for other in others)

    @property
    def text_bytes(self) -> bytes:
        return self.encodings[0].text_bytes

    def difference_ids(self, row: int) -> list[list[int]]:
        """The token ids of each side in a difference."""
        places = self.spans.tokens[row].tolist()
        pairs = zip(self.encodings, places, strict=True)
        return [encoding.token_ids[first:last].tolist() for encoding, (first, last) in pairs]


def compare_text(sides: Sequence[Side], text: str | bytes) -> Comparison:
    """Tokenize a text with each of 1 to 255 sides.  Raises EncodeError where one cannot, or for others."""
    if not 1 <= len(sides) <= MOST_SPAN_COLUMNS:
        raise EncodeError(f"{len(sides):,} models cannot be compared. Choose 1 to {MOST_SPAN_COLUMNS}.")
    data = as_bytes(text)
    encodings = tuple(side.encode(data) for side in sides)
    columns = [
        column_of(side.tokenizer, encoding.token_ids, *encoding.spans.T)
        for side, encoding in zip(sides, encodings, strict=True)
    ]
    return Comparison(tuple(sides), encodings, compare_spans(columns))
