"""Cut special tokens out of a text before anything else sees it.

Special tokens claim their occurrences in a fixed order, the longest text first; what is left between
them is encoded as text.  Matching is on the original bytes and needs no word boundary.
Source: llama.cpp's tokenizer_st_partition; the order is that of `special_tokens_in_match_order`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.encode.encoding import FragmentTokens, join_tokens
from guiapp.core.text.common_ends import common_beginnings
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.special_ids import special_tokens_in_match_order
from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.native import special_tokens as native
from guiapp.native.checkpoint import stoppable

WHITESPACE = b"\t\n\v\f\r "
_Table = tuple[NDArray[np.int32], native.SpecialTokensHandle]  # the ids of its tokens

SEPARATOR = b"\0"  # no token holds it: those of model files end there


@dataclass(frozen=True, eq=False)
class Partition:
    """Where the special tokens of a text are, and the text between them.

    ids, starts, ends     int32, int64, int64 [k]: the special tokens in order of position
    raw_starts, raw_ends  int64[k + 1]: the stretches around them; white space that a token's LSTRIP or
                          RSTRIP drops is in no stretch
    """

    ids: NDArray[np.int32]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    raw_starts: NDArray[np.int64]
    raw_ends: NDArray[np.int64]


def join_segments(
    partition: Partition, encode_fragment: Callable[[int, int], FragmentTokens]
) -> FragmentTokens:
    """The special tokens of a text and what is encoded from start to end between them, in order."""
    parts: list[FragmentTokens] = []
    for index in range(len(partition.raw_starts)):
        start, end = int(partition.raw_starts[index]), int(partition.raw_ends[index])
        if start < end:
            parts.append(encode_fragment(start, end).moved(start))
        here = slice(index, index + 1)
        parts.append(FragmentTokens(partition.ids[here], partition.starts[here], partition.ends[here]))
    return join_tokens(parts)


class ManyParts(NamedTuple):
    """Where the special tokens of many texts are, and the text between them.

    segments, texts_of_segments  what is around special tokens, some of it empty, and whose it is
    ids, n_before, texts_of_ids    the special tokens, behind how many stretches each is, and whose it is
    """

    segments: list[bytes]
    texts_of_segments: NDArray[np.int64]
    ids: NDArray[np.int32]
    n_before: NDArray[np.int64]
    texts_of_ids: NDArray[np.int64]


class SpecialTokens:
    """The special tokens of one vocabulary, ready to be searched for.

    With `parse_special` all of them match; without it only the user-defined ones do.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._in_order = special_tokens_in_match_order(vocabulary)

    def make_tables(self) -> None:
        """Make now what searching the first text would make."""
        _ = self.beginnings, self._longest

    def searched_for(self, parse_special: bool) -> NDArray[np.int32]:
        """The ids that match, in match order."""
        if parse_special:
            return self._in_order
        hidden = Attribute.CONTROL | Attribute.UNKNOWN
        is_searched = (self._vocabulary.attributes[self._in_order] & hidden) == 0
        return self._in_order.compress(is_searched)

    @cached_property
    def names(self) -> dict[str, int]:
        """Those that match where special tokens are parsed, by their texts, in match order."""
        ids = self.searched_for(True).tolist()
        return {self._vocabulary.raw_text(each).decode("utf-8", "replace"): each for each in ids}

    def stand_alone(self, parse_special: bool) -> bool:
        """Whether one that overlaps no other is claimed wherever it occurs, whatever is around it."""
        return True

    def longest(self, parse_special: bool) -> int:
        """The bytes of the longest of these tokens; 1 where there is none."""
        return self._longest[parse_special]

    def may_be_in(self, text: bytes, parse_special: bool) -> bool:
        """False where it is plain to see that none of these tokens is in a text."""
        beginnings = self.beginnings[parse_special]
        return beginnings is not None and beginnings.may_be_in(text)

    def partition(self, text: NDArray[np.uint8], parse_special: bool) -> Partition:
        """Find the special tokens of `text`."""
        ids, tokens = self._tables[parse_special]
        raw_starts, raw_ends, hits, starts, ends = tokens.partition(text)
        return _partition(ids[hits[:-1]], starts[:-1], ends[:-1], raw_starts, raw_ends)

    def partition_each(self, texts: Sequence[bytes], parse_special: bool) -> ManyParts:
        """The same for each of many texts."""
        joined = SEPARATOR.join(texts)
        hits = self.partition(np.frombuffer(bytearray(joined), np.uint8), parse_special)
        lengths = np.fromiter(map(len, texts), np.int64, len(texts))
        text_starts = np.cumsum(lengths + 1) - lengths - 1
        starts = np.sort(np.concatenate([hits.raw_starts, text_starts[1:]]))
        ends = np.sort(np.concatenate([hits.raw_ends, text_starts[1:] - 1]))
        texts_of_tokens = np.searchsorted(text_starts, hits.starts, "right") - 1
        return ManyParts(
            [joined[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)],
            np.searchsorted(text_starts, starts, "right") - 1,
            hits.ids,
            np.arange(1, len(hits.ids) + 1) + texts_of_tokens,
            texts_of_tokens,
        )

    def partition_readable(self, text: bytes, parse_special: bool) -> Partition:
        """The same, one token after another over all that is left of the text."""
        fragments = [(0, len(text), -1)]  # start, end, and the token or -1: text and tokens take turns
        for token_id in self.searched_for(parse_special).tolist():
            if self._texts[token_id] not in text:
                continue
            fragments = [
                part
                for fragment in fragments
                for part in ([fragment] if fragment[2] >= 0 else self._cut(text, fragment, token_id))
            ]
        tokens, raw = fragments[1::2], fragments[0::2]
        return _partition(
            [token_id for _, _, token_id in tokens],
            [start for start, _, _ in tokens],
            [end for _, end, _ in tokens],
            [start for start, _, _ in raw],
            [end for _, end, _ in raw],
        )

    @cached_property
    def drops_white_space(self) -> bool:
        """Whether some special token takes the white space beside it away."""
        strips = Attribute.LSTRIP | Attribute.RSTRIP
        return bool((self._vocabulary.attributes[self._in_order] & strips).any())

    def occurrences(
        self, text: NDArray[np.uint8], parse_special: bool
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """From where to where the longest special token reaches at each place where some begin."""
        _, starts, ends = self._tables[parse_special][1].occurrences(text)
        return starts, ends

    def may_begin(self, parse_special: bool) -> NDArray[np.bool_]:
        """bool[256]: the bytes that special tokens begin with."""
        begins = np.zeros(256, np.bool_)
        begins[[beginning[0] for beginning in self._beginnings[parse_special]]] = True
        return begins

    def reach_across(
        self, text: NDArray[np.uint8], position: int, parse_special: bool
    ) -> tuple[int, int] | None:
        """From where to where special tokens' texts reach that begin before `position` and end behind it."""
        around = self.longest(parse_special) - 1
        first = max(0, position - around)
        starts, ends = self.occurrences(text[first : position + around], parse_special)
        across = (starts + first < position) & (ends + first > position)
        if not across.any():
            return None
        return first + int(starts[across][0]), first + int(ends[across].max())

    def _cut(self, text: bytes, fragment: tuple[int, int, int], token_id: int) -> list[tuple[int, int, int]]:
        token = self._texts[token_id]
        attributes = int(self._vocabulary.attributes[token_id])
        start, end, _ = fragment
        parts = []
        while (hits := text.find(token, start, end)) >= 0:
            left_end = hits
            while attributes & Attribute.LSTRIP and left_end > start and text[left_end - 1] in WHITESPACE:
                left_end -= 1
            parts += [(start, left_end, -1), (hits, hits + len(token), token_id)]
            start = hits + len(token)
            while attributes & Attribute.RSTRIP and start < end and text[start] in WHITESPACE:
                start += 1
        return [*parts, (start, end, -1)]

    @cached_property
    def _texts(self) -> dict[int, bytes]:
        return {token_id: self._text(token_id) for token_id in self._in_order.tolist()}

    def _text(self, token_id: int) -> bytes:
        data, offsets = self._vocabulary.unmarked_texts
        return data[offsets[token_id] : offsets[token_id + 1]].tobytes()

    @cached_property
    def _longest(self) -> tuple[int, int]:
        """By `parse_special`."""
        sizes = np.diff(self._vocabulary.unmarked_texts[1])
        user_defined, all_tokens = (sizes[self.searched_for(parse)].max(initial=1) for parse in (False, True))
        return int(user_defined), int(all_tokens)

    @cached_property
    def _beginnings(self) -> tuple[list[bytes], list[bytes]]:
        """By `parse_special`: for each first byte what all tokens that begin with it have in common."""
        return self._common_beginnings(False), self._common_beginnings(True)

    @cached_property
    def beginnings(self) -> tuple[native.Beginnings | None, native.Beginnings | None]:
        """The same for the native library; None where no token matches."""
        alone, parsed = (native.Beginnings(texts) if texts else None for texts in self._beginnings)
        return alone, parsed

    def _common_beginnings(self, parse_special: bool) -> list[bytes]:
        return common_beginnings(map(self._text, self.searched_for(parse_special).tolist()))

    @cached_property
    def _tables(self) -> tuple[_Table, _Table]:
        """By `parse_special`."""
        return self._table(False), self._table(True)

    def _table(self, parse_special: bool) -> _Table:
        ids = self.searched_for(parse_special)[::-1]
        attributes = self._vocabulary.attributes[ids]
        left, right = (attributes & bit > 0 for bit in (Attribute.LSTRIP, Attribute.RSTRIP))
        strips = left * np.uint8(native.STRIPS_LEFT) + right * np.uint8(native.STRIPS_RIGHT)
        return ids, native.SpecialTokensHandle(
            [self._text(token_id) for token_id in stoppable(ids.tolist())], strips
        )


def _partition(ids: object, starts: object, ends: object, raw_starts: object, raw_ends: object) -> Partition:
    return Partition(
        np.asarray(ids, np.int32),
        np.asarray(starts, np.int64),
        np.asarray(ends, np.int64),
        np.asarray(raw_starts, np.int64),
        np.asarray(raw_ends, np.int64),
    )
