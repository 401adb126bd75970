"""What a pipeline tells about its work while it encodes by the readable twins, to whom it may concern."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from guiapp.core.text.normalized import NormalizedText

Symbols = Sequence[tuple[int, int, int]]
"""Symbol (or token), start and end of each, in order."""


class Tracer(Protocol):
    """Is told of the stages of one fragment, in this order, `piece` to `end_piece` once for each piece."""

    def begin(self, data: bytes, normalized: NormalizedText | None, start: int) -> None:
        """The stretch of the fragment that begins at `start` was normalised to `data`."""

    def split(self, piece_ends: Sequence[int]) -> None:
        """`data` falls into pieces that end here."""

    def piece(self, start: int, data: bytes, marked: NormalizedText | None, symbols: Symbols | None) -> None:
        """The piece at `start` of what `begin` had is encoded now.

        marked   the piece with its spaces marked; None where `data` is the piece as it was split off
        symbols  what pair merging starts from; None for other algorithms
        """

    def step(self, step: object) -> None:
        """A decision of the algorithm, a dataclass of a module in `guiapp.core.encode.reference`."""

    def end_piece(self, tokens: Symbols) -> None:
        """What became of the piece, with offsets in its `data`."""


class NoTrace:
    """Nobody is interested."""

    def begin(self, data: bytes, normalized: NormalizedText | None, start: int) -> None: ...

    def split(self, piece_ends: Sequence[int]) -> None: ...

    def piece(
        self, start: int, data: bytes, marked: NormalizedText | None, symbols: Symbols | None
    ) -> None: ...

    def step(self, step: object) -> None: ...

    def end_piece(self, tokens: Symbols) -> None: ...


NO_TRACE = NoTrace()


def trace_whole(tracer: Tracer, data: bytes, normalized: NormalizedText | None, start: int = 0) -> None:
    """Begin a stretch that is one piece as a whole."""
    tracer.begin(data, normalized, start)
    tracer.split([len(data)])
    tracer.piece(0, data, None, None)
