"""Cut the pieces of a text again: at characters of a kind or at matches; and what becomes of these."""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from guiapp.core.hugging_face.aligned import AlignedText, Edits, Offsets, edited_pieces
from guiapp.core.hugging_face.matching import MatchSegments

Behavior = Literal["Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"]
BEHAVIORS: tuple[str, ...] = get_args(Behavior)


class Pieces(NamedTuple):
    """A text in pieces, which tile it; none is empty.

    text  all pieces side by side
    ends  int64[n]
    """

    text: AlignedText
    ends: Offsets

    @property
    def starts(self) -> Offsets:
        return np.append(0, self.ends[:-1])[: len(self.ends)]

    def edited(self, edits: Edits) -> Pieces:
        """With stretches replaced, none of which may become an empty piece."""
        return Pieces(*edited_pieces(self.text, edits, self.ends))

    def cut(self, segments: MatchSegments, behavior: Behavior) -> Pieces:
        """Each piece cut by its segments, as tokenizers' `SplitDelimiterBehavior` says."""
        ends, are_matches = segments
        if behavior == "Removed":
            return self._without(segments)
        is_last = np.zeros(len(ends), np.bool_)
        is_last[np.searchsorted(ends, self.ends)] = True
        left, right = are_matches[:-1], are_matches[1:]
        if behavior == "Isolated":
            return Pieces(self.text, ends)
        if behavior == "Contiguous":
            is_joined = left == right
        elif behavior == "MergedWithPrevious":
            is_joined = right & ~left
        else:
            is_joined = left & ~right
        return Pieces(self.text, ends[np.append(~is_joined, True)[: len(ends)] | is_last])

    def cut_at(self, is_start: NDArray[np.bool_]) -> Pieces:
        """Cut before each character that is marked, bool[n characters]."""
        starts = self.text.character_starts()[:-1]
        cuts = starts[is_start]
        return Pieces(self.text, np.union1d(cuts[cuts > 0], self.ends))

    def segments_of(self, members: NDArray[np.bool_]) -> MatchSegments:
        """Each character of a set, bool[0x110000], is a match by itself."""
        is_member = members[self.text.codes()]
        starts = self.text.character_starts()
        is_end = is_member.copy()
        is_end[:-1] |= is_member[1:]
        is_end[np.searchsorted(starts, self.ends) - 1] = True
        return MatchSegments(starts[1:][is_end], is_member[is_end])

    def first_characters(self) -> Offsets:
        """Which characters begin a piece."""
        return np.searchsorted(self.text.character_starts(), self.starts)

    def _without(self, segments: MatchSegments) -> Pieces:
        sizes = segments.ends - segments.starts
        is_selected = ~segments.are_matches
        if is_selected.all():
            return Pieces(self.text, segments.ends)
        text = self.text.keep(np.repeat(is_selected, sizes))
        return Pieces(text, np.cumsum(sizes[is_selected]))


def whole(text: AlignedText) -> Pieces:
    """A text as one piece; none, if it is empty."""
    size = len(text.data)
    return Pieces(text, np.array([size] if size else [], np.int64))
