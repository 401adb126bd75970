"""Find the matches of a component (a literal text or a regular expression), and cut pieces at them."""

from __future__ import annotations

import re
import typing
from collections.abc import Iterator
from typing import NamedTuple, Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from guiapp.core.hugging_face.aligned import AlignedText, Edits, Offsets, edited_pieces
from guiapp.core.hugging_face.spec import Spec
from guiapp.core.pretokenize.pre_tokenizers import Pattern
from guiapp.core.pretokenize.splitter import splitter_of
from guiapp.core.pretokenize.unicode_patterns import PatternError
from guiapp.core.text.numbers_in_words import quoted
from guiapp.native.checkpoint import stoppable

Behavior = typing.Literal["Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"]
BEHAVIORS: tuple[str, ...] = get_args(Behavior)
START = "\\A"
PLAIN_START = re.compile(r"\\A[^\\(\[|][^(\[|]*(\|[^(\[|]+)?")
NO_PIECES = np.zeros(0, np.int64)


class MatchSegments(NamedTuple):
    """Matches and the segments between them, which tile the text; none is empty or crosses a piece end.

    ends         int64[m]
    are_matches  bool[m]
    """

    ends: Offsets
    are_matches: NDArray[np.bool_]

    @property
    def starts(self) -> Offsets:
        return np.append(0, self.ends[:-1])[: len(self.ends)]

    def replaced_by(self, content: str, takes_last: bool = False) -> Edits:
        """The edits that replace each match."""
        return Edits.alike(self.starts[self.are_matches], self.ends[self.are_matches], content, takes_last)


class Matcher(Protocol):
    """Finds matches in a text."""

    @property
    def pattern(self) -> Pattern:
        """The matcher as a pattern that cuts text."""

    def segments(self, data: NDArray[np.uint8], piece_ends: Offsets) -> MatchSegments:
        """All leftmost matches in each piece, and the segments between them."""


class Literal(NamedTuple):
    """Finds a literal text."""

    target: bytes

    @property
    def pattern(self) -> Pattern:
        escaped = "".join(f"\\x{{{ord(each):x}}}" for each in self.target.decode())
        return Pattern(escaped, "oniguruma")

    def segments(self, data: NDArray[np.uint8], piece_ends: Offsets) -> MatchSegments:
        if len(self.target.decode()) == 1:  # matches overlap neither each other nor the end of a piece
            starts = np.flatnonzero(data == self.target[0])
            for offset, byte in enumerate(self.target[1:], 1):
                starts = starts[data[starts + offset] == byte]
        else:
            starts = np.fromiter(stoppable(self._match_starts(data.tobytes(), piece_ends)), np.int64)
        match_ends = starts + len(self.target)
        is_end, is_match_end = np.zeros((2, len(data) + 1), np.bool_)
        is_match_end[match_ends] = True
        for edges in (starts, match_ends, piece_ends):
            is_end[edges] = True
        ends = np.flatnonzero(is_end[1:]) + 1
        return MatchSegments(ends, is_match_end[ends])

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
    """Finds the matches of a regular expression."""

    def __init__(self, source: str) -> None:
        self.pattern = Pattern(source, "oniguruma")
        self._splitter = splitter_of((self.pattern,))

    def segments(self, data: NDArray[np.uint8], piece_ends: Offsets) -> MatchSegments:
        return MatchSegments(*self._splitter.native.split_matches(data, piece_ends))


class StartMatcher:
    r"""Finds `\A…` at the start of each piece, and the alternative after `|`, if any, in the rest of it."""

    def __init__(self, source: str) -> None:
        first, _, rest = source.removeprefix(START).partition("|")
        self.pattern = Pattern(source, "oniguruma")
        self._first, self._rest = RegexMatcher(first), RegexMatcher(rest) if rest else None

    def segments(self, data: NDArray[np.uint8], piece_ends: Offsets) -> MatchSegments:
        found = self._first.segments(data, piece_ends)
        at_start = found.are_matches & np.isin(found.starts, np.append(0, piece_ends))
        starts, ends = found.starts[at_start], found.ends[at_start]
        if self._rest is not None:
            others = self._rest.segments(data, np.union1d(piece_ends, ends))
            is_new = others.are_matches & ~np.isin(others.starts, starts)
            starts = np.union1d(starts, others.starts[is_new])
            ends = np.union1d(ends, others.ends[is_new])
        edges = np.unique(np.concatenate([starts, ends, piece_ends]))
        edges = edges[edges > 0]
        return MatchSegments(edges, np.isin(edges, ends))


def replaced_matcher_of(spec: Spec) -> Matcher:
    r"""Like `matcher_of`, for a component that replaces matches; its pattern may begin with `\A`."""
    target, is_expression = spec.pattern()
    if not is_expression or not PLAIN_START.fullmatch(target):
        return matcher_of(spec)
    try:
        return StartMatcher(target)
    except PatternError as error:
        raise spec.error(f"whose pattern “{quoted(target)}” is not supported: {error}") from None


def matcher_of(spec: Spec) -> Matcher:
    """The matcher for a component's “pattern”.  Raises ComponentError if our engine does not support it."""
    target, is_expression = spec.pattern()
    if not target:
        raise spec.error("whose pattern is empty")
    if not is_expression:
        return Literal(target.encode())
    try:
        return RegexMatcher(target)
    except PatternError as error:
        raise spec.error(f"whose pattern “{quoted(target)}” is not supported: {error}") from None


class Pieces(NamedTuple):
    """A text divided into pieces, which tile it; none is empty.

    text  all pieces, concatenated
    ends  int64[n]
    """

    text: AlignedText
    ends: Offsets

    @property
    def starts(self) -> Offsets:
        return np.append(0, self.ends[:-1])[: len(self.ends)]

    def edited(self, edits: Edits) -> Pieces:
        """The pieces with spans replaced; no piece may become empty."""
        return Pieces(*edited_pieces(self.text, edits, self.ends))

    def cut(self, segments: MatchSegments, behavior: Behavior) -> Pieces:
        """Cut each piece at its segments, as defined by tokenizers' `SplitDelimiterBehavior`."""
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
        """Cut before each marked character; `is_start` is bool[n characters]."""
        starts = self.text.character_starts()[:-1]
        is_end = np.zeros(len(self.text.data) + 1, np.bool_)
        is_end[starts[is_start]] = is_end[self.ends] = True
        return Pieces(self.text, np.flatnonzero(is_end[1:]) + 1)

    def segments_of(self, members: NDArray[np.bool_]) -> MatchSegments:
        """Segments in which each character of a set, bool[0x110000], is one match."""
        is_member = members[self.text.codes()]
        starts = self.text.character_starts()
        is_end = is_member.copy()
        is_end[:-1] |= is_member[1:]
        is_end[np.searchsorted(starts, self.ends) - 1] = True
        return MatchSegments(starts[1:][is_end], is_member[is_end])

    def first_characters(self) -> Offsets:
        """The indices of the characters that begin a piece."""
        return np.searchsorted(self.text.character_starts(), self.starts)

    def _without(self, segments: MatchSegments) -> Pieces:
        sizes = segments.ends - segments.starts
        is_selected = ~segments.are_matches
        if is_selected.all():
            return Pieces(self.text, segments.ends)
        text = self.text.keep(np.repeat(is_selected, sizes))
        return Pieces(text, np.cumsum(sizes[is_selected]))


def whole(text: AlignedText) -> Pieces:
    """A text as one piece; an empty text has no pieces."""
    size = len(text.data)
    return Pieces(text, np.array([size] if size else [], np.int64))
