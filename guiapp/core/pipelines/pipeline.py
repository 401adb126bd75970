"""What every vocabulary type offers: from a stretch of text to token ids with spans."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from guiapp.core.encoding import FragmentTokens
from guiapp.core.pipelines.stages import Stages
from guiapp.core.pipelines.watcher import UNWATCHED, Watcher


class Cutter(Protocol):
    """Knows places of a fragment where its tokens are those of its two halves side by side: cuts."""

    def cut_before(self, fragment: NDArray[np.uint8], position: int) -> int:
        """The last cut at or before `position` that depends on nothing behind it; 0 in the worst case."""

    def cut_after(self, fragment: NDArray[np.uint8], position: int) -> int:
        """The first cut at or after `position` that depends on nothing before it; else the length."""


class Pipeline(Cutter, Protocol):
    """Normalise, split and encode one fragment: user text between two special tokens.

    encoders  the names of the algorithms that apply to this vocabulary, the best first
    """

    encoders: tuple[str, ...]

    def encode(self, fragment: NDArray[np.uint8], after_special: bool, encoder: str) -> FragmentTokens:
        """Encode by the compiled kernels.

        `after_special` is true for a text's first fragment and behind a special token, where SPM
        puts its space.  Raises EncodeError where the vocabulary cannot express the text.
        """

    def stages(self, after_special: bool, encoder: str) -> Stages:
        """What `encode` does, as steps that each take what the one before gave."""

    def encode_readable(
        self, fragment: bytes, after_special: bool, encoder: str, watcher: Watcher = UNWATCHED
    ) -> FragmentTokens:
        """The same tokens from the readable twins in `guiapp.core.algorithms`, told to `watcher`."""
