"""Cuts in a text that hold whatever text comes before and after it.

At a certain cut, the tokens of any text that contains these bytes are those of its two halves, concatenated;
the right half is encoded as the rest of a text, not as its beginning.  A pipeline finds such cuts within
text; this module adds special tokens.  They claim text in an order of their own, so a cut must not touch
them:

- no occurrence of a special token crosses it, claimed or not, nor could text beyond the edges complete one;
- it is not in white space that a special token may drop.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from guiapp.core.encode.encoding import FragmentTokens
from guiapp.core.encode.families.pipeline import Pipeline
from guiapp.core.text.special_tokens import Partition, SpecialTokens
from guiapp.core.text.unicode_tables import IS_ASCII_SPACE


class SegmentEncoder(Protocol):
    """The part of `Tokenizer` that counting needs."""

    pipeline: Pipeline
    special_tokens: SpecialTokens

    @property
    def exact_encoders(self) -> tuple[str, ...]: ...

    def special_affixes(self) -> tuple[list[int], list[int]]: ...

    def encode_segment(
        self,
        text: NDArray[np.uint8],
        partition: Partition | None,
        after_special: bool,
        encoder: str | None,
        parse_special: bool,
    ) -> FragmentTokens: ...

    def count_segment(
        self, text: bytes, after_special: bool, encoder: str | None, parse_special: bool
    ) -> int: ...


PART_WINDOW = 1 << 12  # bytes in which a cut between parts is searched for


@dataclass(frozen=True, eq=False)
class Clusters:
    """Occurrences of special tokens, in order; those that overlap form one cluster.

    starts, ends  int64[k]; includes the white space that they may drop
    is_single     bool[k]: a single token, which is certainly claimed and drops nothing
    """

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    is_single: NDArray[np.bool_]

    def at(self, position: int) -> tuple[int, int]:
        """The cluster around a position; the position twice if there is none."""
        index = int(self.starts.searchsorted(position)) - 1
        if index >= 0 and self.ends[index] > position:
            return int(self.starts[index]), int(self.ends[index])
        return position, position

    def first_from(self, position: int) -> int:
        """The index of the first cluster that begins at or after `position`."""
        return int(self.starts.searchsorted(position))


NO_CLUSTERS = Clusters(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.bool_))


Parts = Callable[[int], bool]


class CertainCuts:
    """The certain cuts of one tokenizer and an exact encoder, with special tokens parsed or not."""

    def __init__(self, tokenizer: SegmentEncoder, parse_special: bool, encoder: str | None = None) -> None:
        self._tokenizer = tokenizer
        self._parse_special, self._encoder = parse_special, encoder
        self._special_tokens = tokenizer.special_tokens

    @cached_property
    def _longest_special(self) -> int:
        return self._special_tokens.longest(self._parse_special)

    @property
    def margin(self) -> int:
        """The number of bytes around a span that decide on the special tokens touching it."""
        return 2 * self._longest_special

    def encode(self, text: NDArray[np.uint8], begins_text: bool) -> FragmentTokens:
        """The tokens of a span between two cuts, or between a cut and the text's edge."""
        return self._tokenizer.encode_segment(text, None, begins_text, self._encoder, self._parse_special)

    def count(self, text: bytes, begins_text: bool) -> int:
        """The number of tokens of a short span that is not empty."""
        return self._tokenizer.count_segment(text, begins_text, self._encoder, self._parse_special)

    def special_tokens_of(self, text: NDArray[np.uint8]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Starts and ends of the special tokens of a text, in order."""
        partition = self._special_tokens.partition(text, self._parse_special)
        return partition.starts, partition.ends

    def clusters(self, text: NDArray[np.uint8]) -> Clusters:
        """All occurrences of special tokens in the text."""
        if not self._special_tokens.may_be_in(text.tobytes(), self._parse_special):
            return NO_CLUSTERS
        starts, ends = self._special_tokens.occurrences(text, self._parse_special)
        reaches = np.maximum.accumulate(ends)
        is_first = np.ones(len(starts), np.bool_)
        is_first[1:] = starts[1:] >= reaches[:-1]
        first = np.flatnonzero(is_first)
        counts = np.diff(np.append(first, len(starts)))
        clusters = Clusters(starts[first], reaches[first + counts - 1], counts == 1)
        return self._with_white_space(text, clusters) if self._special_tokens.drops_white_space else clusters

    def open_start(self, text: NDArray[np.uint8]) -> int:
        """The end of the bytes that may belong to a special token that begins before the text."""
        start = min(self._longest_special - 1, len(text))
        if self._special_tokens.drops_white_space:
            start = _after_white_space(text, start)
        return start

    def open_end(self, text: NDArray[np.uint8]) -> int:
        """The start of the bytes that may belong to a special token that ends after the text."""
        end = max(0, len(text) - self._longest_special + 1)
        begins = np.flatnonzero(self._special_tokens.may_begin(self._parse_special)[text[end:]])
        end = end + int(begins[0]) if len(begins) else len(text)
        if self._special_tokens.drops_white_space:
            end = _before_white_space(text, end)
        return end

    def stable_end(self, text: NDArray[np.uint8], begins_text: bool) -> int:
        """The end of the part of a text that no text after it can change, or 0.

        An RWKV token depends only on `lookahead` bytes from its start: any token that starts at least so far
        from the end is a cut.
        """
        clusters, end = self.clusters(text), self.open_end(text)
        lookahead = self._tokenizer.pipeline.lookahead
        cut = self.last(text, clusters, 0, end)
        if cut or len(clusters.starts) or lookahead is None:
            return cut
        starts = self.encode(text[:end], begins_text).starts
        return int(starts[starts <= max(end - lookahead, 0)][-1]) if len(starts) else 0

    def last(self, text: NDArray[np.uint8], clusters: Clusters, start: int, end: int) -> int:
        """The last certain cut in (start, end) that text[start:end] proves; `start` if there is none."""
        pipeline = self._tokenizer.pipeline
        while end > start:
            end = clusters.at(end)[0]
            index = clusters.first_from(end) - 1
            begin = start if index < 0 else max(start, int(clusters.ends[index]))
            if begin < end:
                cut = begin + pipeline.cut_before(text[begin:end], end - begin)
                if cut > begin:
                    return cut
            if index < 0 or begin == start:
                return start
            end = int(clusters.starts[index])
            if clusters.is_single[index] and end > start:
                return end
        return start

    def first(self, text: NDArray[np.uint8], clusters: Clusters, start: int, end: int) -> int:
        """The first certain cut in (start, end) that text[start:end] proves; `end` if there is none."""
        pipeline = self._tokenizer.pipeline
        while start < end:
            start = clusters.at(start)[1]
            index = clusters.first_from(start)
            stop = int(clusters.starts[index]) if index < len(clusters.starts) else end
            if start + 1 < min(stop, end):
                segment = text[start : min(stop, end)]
                cut = start + pipeline.cut_after(segment, 0)
                if cut == start:
                    cut += 1 + pipeline.cut_after(segment[1:], 0)
                if cut < min(stop, end):
                    return cut
            if stop >= end:
                return end
            if clusters.is_single[index] and stop > start:
                return stop
            start = int(clusters.ends[index])
        return end

    def first_clean(
        self, text: NDArray[np.uint8], clusters: Clusters, start: int, end: int, parts: Parts
    ) -> int:
        """The first certain cut in (start, end) for which `parts` is true; `end` if there is none."""
        while start < end:
            start = self.first(text, clusters, start, end)
            if start < end and parts(start):
                return start
        return end

    def last_clean(
        self, text: NDArray[np.uint8], clusters: Clusters, start: int, end: int, parts: Parts
    ) -> int:
        """The last certain cut in (start, end) for which `parts` is true; `start` if there is none."""
        while end > start:
            end = self.last(text, clusters, start, end)
            if end > start and parts(end):
                return end
            end -= 1
        return start

    def part_bounds(self, text: NDArray[np.uint8], n_parts: int) -> list[int]:
        """The ends of a text and cuts that make about `n_parts` parts of it; fewer if cuts are rare."""
        bounds, margin = [0], self.margin
        if self._special_tokens.drops_white_space or margin > PART_WINDOW:  # no window may be large enough
            n_parts = 1
        for part in range(1, n_parts):
            start = max(len(text) * part // n_parts - margin, bounds[-1])
            window = text[start : start + PART_WINDOW + 2 * margin]
            end = len(window) - margin
            cut = self.first(window, self.clusters(window), min(margin, end), end)
            if margin < cut < end:
                bounds.append(start + cut)
        return [*bounds, len(text)]

    def _with_white_space(self, text: NDArray[np.uint8], clusters: Clusters) -> Clusters:
        """The clusters with all white space next to them, joined where they then meet."""
        joined: list[tuple[int, int, bool]] = []
        for bare_start, bare_end, is_single in zip(
            clusters.starts.tolist(), clusters.ends.tolist(), clusters.is_single.tolist(), strict=True
        ):
            start, end = _before_white_space(text, bare_start), _after_white_space(text, bare_end)
            if joined and start < joined[-1][1]:
                joined[-1] = joined[-1][0], end, False
            else:
                joined.append((start, end, is_single and (start, end) == (bare_start, bare_end)))
        columns = np.array(joined, np.int64).reshape(-1, 3).T
        return Clusters(columns[0].copy(), columns[1].copy(), columns[2] != 0)


def _before_white_space(text: NDArray[np.uint8], end: int) -> int:
    while end > 0 and IS_ASCII_SPACE[text[end - 1]]:
        end -= 1
    return end


def _after_white_space(text: NDArray[np.uint8], start: int) -> int:
    while start < len(text) and IS_ASCII_SPACE[text[start]]:
        start += 1
    return start
