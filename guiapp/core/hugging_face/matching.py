"""What a component looks for in a text: a literal text or a regular expression, in each piece by itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from guiapp.core.hugging_face.aligned import Offsets
from guiapp.core.hugging_face.said import Said
from guiapp.core.pretokenize.pre_tokenizers import Pattern
from guiapp.core.pretokenize.splitter import splitter_of
from guiapp.core.pretokenize.unicode_patterns import PatternError
from guiapp.core.vocabulary.quoting import quoted
from guiapp.native.checkpoint import stoppable

NO_PIECES = np.zeros(0, np.int64)


class Segments(NamedTuple):
    """Matches and what is between them, side by side; none is empty, and none reaches beyond a piece.

    ends         int64[m]
    are_matches  bool[m]
    """

    ends: Offsets
    are_matches: NDArray[np.bool_]

    @property
    def starts(self) -> Offsets:
        return np.append(0, self.ends[:-1])[: len(self.ends)]


class Matcher(Protocol):
    """Something to look for."""

    @property
    def pattern(self) -> Pattern:
        """The same as a pattern that cuts text."""

    def segments(self, data: NDArray[np.uint8], piece_ends: Offsets) -> Segments:
        """All matches in each piece, the leftmost first."""


class Literal(NamedTuple):
    """Looks for some text."""

    wanted: bytes

    @property
    def pattern(self) -> Pattern:
        escaped = "".join(f"\\x{{{ord(each):x}}}" for each in self.wanted.decode())
        return Pattern(escaped, "oniguruma")

    def segments(self, data: NDArray[np.uint8], piece_ends: Offsets) -> Segments:
        if len(self.wanted) == 1:
            starts = np.flatnonzero(data == self.wanted[0])
        else:
            starts = np.fromiter(stoppable(self._found(data.tobytes(), piece_ends)), np.int64)
        matches = np.stack([starts, starts + len(self.wanted)], axis=1).reshape(-1)
        edges = np.concatenate([matches, piece_ends])
        ends = np.unique(edges[edges > 0])
        are_matches = np.zeros(len(ends), np.bool_)
        are_matches[np.searchsorted(ends, starts + len(self.wanted))] = True
        return Segments(ends, are_matches)

    def _found(self, data: bytes, piece_ends: Offsets) -> Iterator[int]:
        at = data.find(self.wanted)
        while at >= 0:
            end = (
                int(piece_ends[np.searchsorted(piece_ends, at, "right")])
                if len(piece_ends) > 1
                else len(data)
            )
            is_inside = at + len(self.wanted) <= end
            if is_inside:
                yield at
            at = data.find(self.wanted, at + len(self.wanted) if is_inside else end)


class Expression:
    """Looks for what a regular expression matches."""

    def __init__(self, source: str) -> None:
        self.pattern = Pattern(source, "oniguruma")
        self._splitter = splitter_of((self.pattern,))

    def segments(self, data: NDArray[np.uint8], piece_ends: Offsets) -> Segments:
        return Segments(*self._splitter.native.split_matches(data, piece_ends))


def matcher_of(said: Said) -> Matcher:
    """What a component's “pattern” looks for.  Raises ComponentError for what our engine cannot do."""
    wanted, is_expression = said.pattern()
    if not wanted:
        raise said.error("that looks for nothing")
    if not is_expression:
        return Literal(wanted.encode())
    try:
        return Expression(wanted)
    except PatternError as error:
        raise said.error(f"whose pattern “{quoted(wanted)}” cannot be used here: {error}") from None
