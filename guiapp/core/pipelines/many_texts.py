"""Many short texts at a time, for pipelines that need less for that than for one text after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from guiapp.core.encoding import FragmentTokens
from guiapp.core.kernels.stretch_counts import count_within

LONGEST_OF_MANY = 1 << 16  # bytes; a longer text gains nothing in company


@runtime_checkable
class ManyTexts(Protocol):
    """A pipeline that takes many texts at once; `takes_many_texts` is for its vocabulary to say.

    repairs_texts     whether each byte of a character that is cut short becomes U+FFFD
    minds_beginnings  whether a text has other tokens where it begins a document than elsewhere
    """

    takes_many_texts: bool
    repairs_texts: bool
    minds_beginnings: bool

    def all_cuts(self, text: NDArray[np.uint8], ends: NDArray[np.int64]) -> int:
        """Write the cuts of a text that depend on nothing around them, in order; returns how many.

        The text begins at such a cut or begins a document.  They are cuts of all its prefixes, too.  There is
        room for one at each byte.
        """

    def count_each(self, texts: NDArray[np.uint8], ends: NDArray[np.int64]) -> NDArray[np.int64]:
        """The number of tokens of each text by itself; none begins a document or follows a special token.

        The texts lie one behind the other and end at `ends`.
        """


class Rows(NamedTuple):
    """The token ids of many texts.

    ids     int32[…]  of all of them, one text behind the other
    counts  int64[n]  how many each text has
    """

    ids: NDArray[np.int32]
    counts: NDArray[np.int64]


class EncodesMany(Protocol):
    """A pipeline whose first encoder can take many texts at once.

    encodes_many_texts  whether it can with this vocabulary
    longest_of_many     bytes; longer texts are to be encoded by themselves
    """

    encodes_many_texts: bool
    longest_of_many: int

    def encode_each(self, texts: Sequence[bytes]) -> Rows:
        """The ids of each text by itself.  None is empty; each begins a document or follows a special token.

        Raises EncodeError where the vocabulary cannot express one of them.
        """


def laid_out(texts: Sequence[bytes], before_each: bytes = b"") -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Texts one behind the other, with the same in front of each, and where they end."""
    data = bytearray(before_each).join((b"", *texts))
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    return np.frombuffer(data, np.uint8), np.cumsum(lengths + len(before_each))


def tokens_of_each(tokens: FragmentTokens, ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many tokens lie in each of the stretches that end at `ends`; none reaches across an end."""
    counts = np.empty(len(ends), np.int64)
    count_within(tokens.ends, ends, counts)
    return counts
