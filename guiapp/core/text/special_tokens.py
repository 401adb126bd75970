"""Cut special tokens out of a text before anything else sees it.

Special tokens claim their occurrences in a fixed order, the longest text first; what is left between
them is encoded as text.  Matching is on the original bytes and needs no word boundary.
Source: llama.cpp's tokenizer_st_partition; the order is that of `special_tokens_in_match_order`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels import special_tokens as kernels
from guiapp.core.vocab.special_ids import special_tokens_in_match_order
from guiapp.core.vocab.vocabulary import Attribute, Vocabulary

BYTES_PER_TRY = 500  # so often it pays to look for a single byte before looking for several
WHITESPACE = b"\t\n\v\f\r "
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


class ManyParts(NamedTuple):
    """Where the special tokens of many texts are, and the text between them.

    stretches, texts_of_stretches  what is around special tokens, some of it empty, and whose it is
    ids, n_before, texts_of_ids    the special tokens, behind how many stretches each is, and whose it is
    """

    stretches: list[bytes]
    texts_of_stretches: NDArray[np.int64]
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
        _ = self._beginnings, self._longest

    def searched_for(self, parse_special: bool) -> NDArray[np.int32]:
        """The ids that match, in match order."""
        if parse_special:
            return self._in_order
        hidden = Attribute.CONTROL | Attribute.UNKNOWN
        is_searched = (self._vocabulary.attributes[self._in_order] & hidden) == 0
        return self._in_order.compress(is_searched)

    def longest(self, parse_special: bool) -> int:
        """The bytes of the longest of these tokens; 1 where there is none."""
        return self._longest[parse_special]

    def may_be_in(self, text: bytes, parse_special: bool) -> bool:
        """False where it is plain to see that none of these tokens is in a text."""
        beginnings = self._beginnings[parse_special]
        return bool(beginnings) and any(_occurs(beginning, text) for beginning in beginnings)

    def partition(self, text: NDArray[np.uint8], parse_special: bool) -> Partition:
        """Find the special tokens of `text`."""
        ids = self.searched_for(parse_special)
        tree = self._with_control if parse_special else self._user_defined_only
        positions, ranks = _longest_matches(text, tree)
        if len(positions) == 0:
            return _partition([], [], [], np.array([0], np.int64), np.array([len(text)], np.int64))
        claims = np.zeros(len(text), np.uint8)
        kernels.claim(text, tree, positions, ranks, claims)
        is_token = ranks >= 0
        starts, ranks = positions[is_token], ranks[is_token]
        ends = starts + tree.lengths[ranks]
        raw_starts = np.concatenate([[0], ends])
        raw_ends = np.concatenate([starts, [len(text)]])
        if tree.strips.any():
            _leave_out_dropped(claims, raw_starts, raw_ends)
        return _partition(ids[ranks], starts, ends, raw_starts, raw_ends)

    def partition_each(self, texts: Sequence[bytes], parse_special: bool) -> ManyParts:
        """The same for each of many texts."""
        joined = SEPARATOR.join(texts)
        found = self.partition(np.frombuffer(bytearray(joined), np.uint8), parse_special)
        lengths = np.fromiter(map(len, texts), np.int64, len(texts))
        text_starts = np.cumsum(lengths + 1) - lengths - 1
        starts = np.sort(np.concatenate([found.raw_starts, text_starts[1:]]))
        ends = np.sort(np.concatenate([found.raw_ends, text_starts[1:] - 1]))
        texts_of_tokens = np.searchsorted(text_starts, found.starts, "right") - 1
        return ManyParts(
            [joined[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)],
            np.searchsorted(text_starts, starts, "right") - 1,
            found.ids,
            np.arange(1, len(found.ids) + 1) + texts_of_tokens,
            texts_of_tokens,
        )

    def partition_readable(self, text: bytes, parse_special: bool) -> Partition:
        """The same, one token after another over all that is left of the text."""
        fragments = [(0, len(text), -1)]  # start, end, and the token or -1: text and tokens take turns
        for token_id in self.searched_for(parse_special).tolist():
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

    def is_white_space(self, text: NDArray[np.uint8]) -> bool:
        """Whether any of these bytes is white space that such a token takes away."""
        return any(byte in WHITESPACE for byte in text.tobytes())

    def occurrences(
        self, text: NDArray[np.uint8], parse_special: bool
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """From where to where the longest special token reaches at each place where some begin."""
        tree = self._with_control if parse_special else self._user_defined_only
        positions, ranks = _longest_matches(text, tree)
        return positions, positions + tree.lengths[ranks]

    def may_begin(self, parse_special: bool) -> NDArray[np.bool_]:
        """bool[256]: the bytes that special tokens begin with."""
        tree = self._with_control if parse_special else self._user_defined_only
        return tree.begins.astype(np.bool_)

    def reach_across(
        self, text: NDArray[np.uint8], position: int, parse_special: bool
    ) -> tuple[int, int] | None:
        """From where to where special tokens' texts reach that begin before `position` and end behind it."""
        tree = self._with_control if parse_special else self._user_defined_only
        start, end = kernels.reach_across(text, position, tree)
        return (start, end) if start < position else None

    def _cut(self, text: bytes, fragment: tuple[int, int, int], token_id: int) -> list[tuple[int, int, int]]:
        token = self._text(token_id)
        attributes = int(self._vocabulary.attributes[token_id])
        start, end, _ = fragment
        parts = []
        while (found := text.find(token, start, end)) >= 0:
            left_end = found
            while attributes & Attribute.LSTRIP and left_end > start and text[left_end - 1] in WHITESPACE:
                left_end -= 1
            parts += [(start, left_end, -1), (found, found + len(token), token_id)]
            start = found + len(token)
            while attributes & Attribute.RSTRIP and start < end and text[start] in WHITESPACE:
                start += 1
        return [*parts, (start, end, -1)]

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

    def _common_beginnings(self, parse_special: bool) -> list[bytes]:
        by_first: dict[int, list[bytes]] = {}
        for token_id in self.searched_for(parse_special).tolist():
            token = self._text(token_id)
            by_first.setdefault(token[0], []).append(token)
        return [tokens[0][: _length_in_common(tokens)] for tokens in by_first.values()]

    @cached_property
    def _with_control(self) -> kernels.SearchTree:
        return self._search_tree(True)

    @cached_property
    def _user_defined_only(self) -> kernels.SearchTree:
        return self._search_tree(False)

    def _search_tree(self, parse_special: bool) -> kernels.SearchTree:
        vocabulary = self._vocabulary
        ids = self.searched_for(parse_special)
        texts = [self._text(token_id) for token_id in ids.tolist()]
        data = np.frombuffer(bytearray(b"".join(texts)), np.uint8)
        offsets = np.cumsum([0, *map(len, texts)], dtype=np.int64)
        strips = ((vocabulary.attributes[ids] & Attribute.LSTRIP) > 0) * np.uint8(kernels.STRIP_LEFT) | (
            (vocabulary.attributes[ids] & Attribute.RSTRIP) > 0
        ) * np.uint8(kernels.STRIP_RIGHT)
        tree = kernels.empty_tree(data, offsets, strips.astype(np.uint8))
        kernels.grow(tree, data, offsets)
        return tree


def _occurs(beginning: bytes, text: bytes) -> bool:
    """The same as `beginning in text`, and faster where the first byte is rare."""
    at = text.find(beginning[0])
    for _ in range(1 + len(text) // BYTES_PER_TRY):
        if at < 0 or text.startswith(beginning, at):
            return at >= 0
        at = text.find(beginning[0], at + 1)
    return at >= 0 and text.find(beginning, at) >= 0


def _length_in_common(texts: list[bytes]) -> int:
    """How many bytes all texts begin with."""
    first, last = min(texts), max(texts)
    return next((at for at, byte in enumerate(first) if last[at] != byte), len(first))


def _longest_matches(
    text: NDArray[np.uint8], tree: kernels.SearchTree
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """All places where a special token begins, and the rank of the longest one there."""
    found_positions, found_ranks, position = [], [], 0
    while position < len(text):
        capacity = min(len(text) - position, 1 << 16)
        positions, ranks = np.empty(capacity, np.int64), np.empty(capacity, np.int32)
        n_found, position = kernels.longest_matches(text, position, tree, positions, ranks)
        found_positions.append(positions[:n_found])
        found_ranks.append(ranks[:n_found])
    if not found_positions:
        return np.empty(0, np.int64), np.empty(0, np.int32)
    return np.concatenate(found_positions), np.concatenate(found_ranks)


def _leave_out_dropped(
    claims: NDArray[np.uint8], raw_starts: NDArray[np.int64], raw_ends: NDArray[np.int64]
) -> None:
    """Shorten the stretches by the white space at their edges that a token has dropped."""
    for index in np.flatnonzero(raw_starts < raw_ends).tolist():
        start = raw_starts[index]
        free = np.flatnonzero(claims[start : raw_ends[index]] == kernels.FREE)
        first, last = (free[0], free[-1] + 1) if len(free) else (0, 0)
        raw_starts[index], raw_ends[index] = start + first, start + last


def _partition(ids: object, starts: object, ends: object, raw_starts: object, raw_ends: object) -> Partition:
    return Partition(
        np.asarray(ids, np.int32),
        np.asarray(starts, np.int64),
        np.asarray(ends, np.int64),
        np.asarray(raw_starts, np.int64),
        np.asarray(raw_ends, np.int64),
    )
