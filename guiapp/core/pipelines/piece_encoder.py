"""What encodes pieces: what pipelines that are put together from parts have at their end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from guiapp.core.encoding import FragmentTokens
from guiapp.core.pipelines.watcher import Watcher
from guiapp.core.vocab.merges import PairMerging


class PieceEncoder(Protocol):
    """Encodes the pieces of a normalised text by the model of one vocabulary.  Threads may share it.

    encoders, refused, merging  as `Pipeline` has them
    """

    @property
    def encoders(self) -> tuple[str, ...]: ...

    @property
    def refused(self) -> Mapping[str, str]: ...

    @property
    def merging(self) -> PairMerging | None: ...

    def prepare(self) -> None:
        """Make now what the first encoding would make."""

    def encode(self, text: NDArray[np.uint8], piece_ends: NDArray[np.int64], encoder: str) -> FragmentTokens:
        """The tokens of a text, its pieces ending at `piece_ends`; no piece is empty.  Offsets are in `text`.

        Raises EncodeError where the vocabulary cannot express the text.
        """

    def encode_readable(
        self, text: bytes, piece_ends: Sequence[int], encoder: str, watcher: Watcher
    ) -> FragmentTokens:
        """The same, step by step; calls `watcher.split` once, then what is due for each piece."""
