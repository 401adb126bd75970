"""What every vocabulary type offers: from a stretch of text to token ids with spans."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from guiapp.core.encode.encoding import FragmentTokens
from guiapp.core.encode.families.rows import LONGEST_OF_MANY, Rows
from guiapp.core.encode.families.tracer import NO_TRACE, Tracer
from guiapp.core.encode.reference.fewest import Dropout
from guiapp.core.vocabulary.merges import PairMerging
from guiapp.errors import EncodeError
from guiapp.native.pairs import Affixes

FastPath = Callable[[str | bytes, Affixes], NDArray[np.int32] | None]
"""The ids of a text in an envelope; None where that takes more, or where ids do not tell the spans."""


def no_fast_path(_text: str | bytes, _affixes: Affixes) -> None:
    """For what takes more."""


class Pipeline(ABC):
    """Normalise, split and encode one fragment: user text between two special tokens.

    encoders         the names of the algorithms that apply to this vocabulary, the best first
    refused          why others of its type do not apply: a sentence for each name
    merging          the merge rules, where the vocabulary's type has any
    lookahead       bytes on which a token depends from its start on, where it depends on nothing before
    encodes_many_texts  whether `encode_each` can be called
    begins_after_special  whether text behind a special token begins as a whole text does
    longest_of_many  bytes: texts up to this length are encoded by `encode_each`, where that can be
    """

    encoders: tuple[str, ...]
    refused: Mapping[str, str] = {}
    merging: PairMerging | None = None
    encodes_many_texts = False
    longest_of_many = LONGEST_OF_MANY
    begins_after_special = True

    @property
    def lookahead(self) -> int | None:
        return None

    @abstractmethod
    def encode(self, fragment: NDArray[np.uint8], after_special: bool, encoder: str) -> FragmentTokens:
        """Encode by the native library.

        `after_special` is true for a text's first fragment and, unless `begins_after_special` is false,
        behind a special token, where SPM puts its space.  Raises EncodeError where the vocabulary cannot
        express the text.
        """

    @abstractmethod
    def encode_readable(
        self, fragment: bytes, after_special: bool, encoder: str, tracer: Tracer = NO_TRACE
    ) -> FragmentTokens:
        """The same tokens from the readable twins in `guiapp.core.encode.reference`, told to `tracer`."""

    @abstractmethod
    def cut_before(self, fragment: NDArray[np.uint8], position: int) -> int:
        """The last cut at or before `position` that depends on nothing behind it; 0 in the worst case.

        At a cut the tokens of a fragment are those of its two halves side by side.
        """

    @abstractmethod
    def cut_after(self, fragment: NDArray[np.uint8], position: int) -> int:
        """The first cut at or after `position` that depends on nothing before it; else the length."""

    @property
    def fast_path(self) -> FastPath:
        """Encodes a text that is not empty by the first encoder in one call."""
        return no_fast_path

    def bounds(self, ids: NDArray[np.int32]) -> NDArray[np.int64]:
        """int64[n + 1]: where tokens meet that `fast_path` has given, without those around them."""
        raise NotImplementedError

    def encode_each(self, texts: Sequence[bytes]) -> Rows:
        """The ids of each text by itself.  None is empty; each begins a document or follows a special token.

        Raises EncodeError where the vocabulary cannot express one of them.
        """
        raise NotImplementedError

    def make_tables(self) -> None:  # noqa: B027  (most types put nothing off)
        """Make now what the first encoding would make."""

    def without_splitting(self) -> Pipeline:
        """The same, but pair merging takes every fragment as one piece."""
        return self

    def without_special(self) -> Pipeline:
        """The same, for text in which special tokens are not parsed."""
        return self

    def without_dna(self) -> Pipeline:
        """The same, for text that has no mark of DNA."""
        return self

    def with_dropout(self, dropout: Dropout) -> Pipeline:
        """The same, but `fewest` rules out tokens by chance.  Raises EncodeError where there is no such."""
        raise EncodeError(
            "Dropout rules out tokens of the encoder “fewest”, which this vocabulary does not have. Encode "
            "without it."
        )
