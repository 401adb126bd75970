"""What a component looks for in a text: a literal text or a regular expression, in each piece by itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from guiapp.core.hugging_face.aligned import Offsets
from guiapp.core.hugging_face.spec import Spec
from guiapp.core.pretokenize.pre_tokenizers import Pattern
from guiapp.core.pretokenize.splitter import splitter_of
from guiapp.core.pretokenize.unicode_patterns import PatternError
from guiapp.core.vocabulary.quoting import quoted
from guiapp.native.checkpoint import stoppable

NO_PIECES = np.zeros(0, np.int64)


class MatchSegments(NamedTuple):
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

    def segments(self, data: NDArray[np.uint8], piece_ends: Offsets) -> MatchSegments:
        """All matches in each piece, the leftmost first."""


class Literal(NamedTuple):
    """Looks for some text."""

    target: bytes

    @property
    def pattern(self) -> Pattern:
        escaped = "".join(f"\\x{{{ord(each):x}}}" for each in self.target.decode())
        return Pattern(escaped, "oniguruma")

    def segments(self, data: NDArray[np.uint8], piece_ends: Offsets) -> MatchSegments:
        if len(self.target) == 1:
            starts = np.flatnonzero(data == self.target[0])
        else:
            starts = np.fromiter(stoppable(self._match_starts(data.tobytes(), piece_ends)), np.int64)
        matches = np.stack([starts, starts + len(self.target)], axis=1).reshape(-1)
        edges = np.concatenate([matches, piece_ends])
        ends = np.unique(edges[edges > 0])
        are_matches = np.zeros(len(ends), np.bool_)
        are_matches[np.searchsorted(ends, starts + len(self.target))] = True
        return MatchSegments(ends, are_matches)

    def _match_starts(self, data: bytes, piece_ends: Offsets) -> Iterator[int]:
        at = data.find(self.target)
        while at >= 0:
            end = (
                int(piece_ends[np.searchsorted(piece_ends, at, "right")])
                if len(piece_ends) > 1
                else len(data)
            )
            is_inside = at + len(self.target) <= end
            if is_inside:
                yield at
            at = data.find(self.target, at + len(self.target) if is_inside else end)


class RegexMatcher:
    """Looks for what a regular expression matches."""

    def __init__(self, source: str) -> None:
        self.pattern = Pattern(source, "oniguruma")
        self._splitter = splitter_of((self.pattern,))

    def segments(self, data: NDArray[np.uint8], piece_ends: Offsets) -> MatchSegments:
        return MatchSegments(*self._splitter.native.split_matches(data, piece_ends))


def matcher_of(spec: Spec) -> Matcher:
    """What a component's “pattern” looks for.  Raises ComponentError for what our engine cannot do."""
    target, is_expression = spec.pattern()
    if not target:
        raise spec.error("that looks for nothing")
    if not is_expression:
        return Literal(target.encode())
    try:
        return RegexMatcher(target)
    except PatternError as error:
        raise spec.error(f"whose pattern “{quoted(target)}” cannot be used here: {error}") from None
