"""Which spans several tokenizers share over one text, and the stretches in which they do not.

Two tokens share a span where both come from the same bytes.  Empty tokens (BOS, a space prefix of its own,
the rest of a character whose bytes are all taken) share it one by one: the first special one at a place with
the first special one of the others there, the second with the second, and so those that are not special.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.editing.token_store import TokenStore
from guiapp.core.encode.encoding import Offsets
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.native.normalized import share_spans

SPECIAL = Attribute.CONTROL | Attribute.UNKNOWN


class SpanColumn(NamedTuple):
    """Tokens of one tokenizer, or some of them that follow each other.

    starts       int64[k]  token i came from the bytes [starts[i], ends[i]) of the text
    ends         int64[k]
    are_special  bool[k]   which empty tokens are special; of no importance for others
    """

    starts: Offsets
    ends: Offsets
    are_special: NDArray[np.bool_]


def column_of(
    tokenizer: Tokenizer, token_ids: NDArray[np.int32], starts: Offsets, ends: Offsets
) -> SpanColumn:
    """Those of an encoding, or of a part of one that is being edited."""
    are_special = np.zeros(len(token_ids), np.bool_)
    empty = np.flatnonzero(starts == ends)
    are_special[empty] = tokenizer.vocabulary.attributes[token_ids[empty]] & SPECIAL > 0
    return SpanColumn(starts, ends, are_special)


@dataclass(frozen=True, eq=False)
class SpanComparison:
    """How n columns share their spans.

    shares       for each column uint8[k]: how many columns have a token's span; n are all, 1 only this one
    differences  int64[d, 2]  stretches of the text in which not all spans are equal, in order.  No token
                 reaches across an end of one, and no place inside is an end in all columns; a stretch is
                 empty where only empty tokens differ
    tokens       int64[d, n, 2]  the tokens of each column in a stretch: the first, and behind the last
    """

    shares: tuple[NDArray[np.uint8], ...]
    differences: Offsets
    tokens: NDArray[np.int64]

    def n_equal(self, column: int) -> int:
        """The tokens of a column whose span all have."""
        return int(np.count_nonzero(self.shares[column] == len(self.shares)))

    def n_own(self, column: int) -> int:
        """Those whose span no other column has."""
        return int(np.count_nonzero(self.shares[column] == 1)) if len(self.shares) > 1 else 0


def compare_spans(columns: Sequence[SpanColumn]) -> SpanComparison:
    """Compare up to 255 columns over one text, or over a stretch of it that `windows` gives."""
    shares, rows = share_spans(columns)
    return SpanComparison(tuple(shares), rows[:, :2], rows[:, 2:].reshape(len(rows), len(columns), 2))


def windows(stores: Sequence[TokenStore], start: int, end: int) -> list[tuple[int, int]]:
    """For each store the tokens [first, last) around text[start:end] that can be compared by themselves.

    No token of any store reaches across the ends of the stretch that they fill, which is the smallest such
    one, so that sharing and differences in it do not depend on what is around it, nor the other way round.
    """
    start, end = aligned_span(stores, start, end)
    return [(store.first_from(start), store.first_ending_after(end)) for store in stores]


def aligned_span(stores: Sequence[TokenStore], start: int, end: int) -> tuple[int, int]:
    """The smallest stretch around another one across whose ends no token of any store reaches."""
    while (before := _across(stores, start)) is not None:
        start = before[0]
    while (behind := _across(stores, end)) is not None:
        end = behind[1]
    return start, end


def _across(stores: Sequence[TokenStore], position: int) -> tuple[int, int] | None:
    """The span of a token that begins before a place and ends behind it."""
    return next((span for store in stores if (span := store.covering(position)) is not None), None)


def line_starts_of(text: bytes) -> Offsets:
    """int64[lines]: where the lines of a text begin; a newline belongs to the line that it ends."""
    return np.append(0, np.flatnonzero(np.frombuffer(text, np.uint8) == ord("\n")) + 1).astype(np.int64)
