"""Cut special tokens out of a text before any other stage.

Special tokens claim their occurrences in a fixed order, the longest text first; the text left between them
is encoded normally.  Matching is on the original bytes and needs no word boundary.
Source: llama.cpp's tokenizer_st_partition; the order is that of `special_tokens_in_match_order`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import takewhile

import numpy as np
from numpy.typing import NDArray

from guiapp.core.encode.encoding import FragmentTokens, join_tokens
from guiapp.core.text.unicode_tables import ranges_of
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.parts import AddedToken, Parts
from guiapp.core.vocabulary.special_ids import special_tokens_in_match_order
from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.native import special_tokens as native
from guiapp.native.checkpoint import stoppable

SPACE = rb"(?:[\t-\r ]|\xc2[\x85\xa0]|\xe1\x9a\x80|\xe2\x80[\x80-\x8a\xa8\xa9\xaf]|\xe2\x81\x9f|\xe3\x80\x80)"
ONE_SPACE, SPACES = re.compile(SPACE), re.compile(SPACE + b"*")
WORD_CATEGORIES = ("L", "M", "Nd", "Nl", "Pc")
OTHER_WORD_CODES = (
    (0x200C, 0x200D),
    (0x24B6, 0x24E9),
    (0x1F130, 0x1F149),
    (0x1F150, 0x1F169),
    (0x1F170, 0x1F189),
)
LONGEST_CHARACTER = 4  # bytes
LONG_SOLIDUS = b"\xcc\xb8"  # U+0338, the only mark that composes with the “>” of special tokens
MOST_MARKS = 1 << 12  # bytes
NO_LIMIT = 1 << 40

Found = list[tuple[int, int, int]]  # token, start and end of each
WHITESPACE = b"\t\n\v\f\r "


@dataclass(frozen=True, eq=False)
class Partition:
    """The special tokens of a text, and the text between them.

    ids, starts, ends     int32, int64, int64 [k]: the special tokens in order of position
    raw_starts, raw_ends  int64[k + 1]: the fragments around them; white space that a token's LSTRIP or
                          RSTRIP drops is in no fragment
    """

    ids: NDArray[np.int32]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    raw_starts: NDArray[np.int64]
    raw_ends: NDArray[np.int64]


def join_segments(
    partition: Partition, encode_fragment: Callable[[int, int], FragmentTokens]
) -> FragmentTokens:
    """The special tokens of a text and the tokens of the fragments between them, in order."""
    parts: list[FragmentTokens] = []
    for index in range(len(partition.raw_starts)):
        start, end = int(partition.raw_starts[index]), int(partition.raw_ends[index])
        if start < end:
            parts.append(encode_fragment(start, end).moved(start))
        here = slice(index, index + 1)
        parts.append(FragmentTokens(partition.ids[here], partition.starts[here], partition.ends[here]))
    return join_tokens(parts)


class SpecialTokens:
    """The special tokens of one vocabulary, ready to be searched for.

    With `parse_special` all of them match; without it, only the user-defined ones do.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._in_order = special_tokens_in_match_order(vocabulary)
        self._handles: dict[bool, native.SpecialTokensHandle | None] = {}

    def make_tables(self) -> None:
        """Make the tables now that searching the first text would make."""
        _ = self.handle(False), self.handle(True), self._longest

    def searched_for(self, parse_special: bool) -> NDArray[np.int32]:
        """The ids that match, in match order."""
        if parse_special:
            return self._in_order
        hidden = Attribute.CONTROL | Attribute.UNKNOWN
        is_searched = (self._vocabulary.attributes[self._in_order] & hidden) == 0
        return self._in_order.compress(is_searched)

    @cached_property
    def names(self) -> dict[str, int]:
        """The ids by text of the tokens that match if special tokens are parsed, in match order."""
        ids = self.searched_for(True).tolist()
        return {self._vocabulary.raw_text(each).decode("utf-8", "replace"): each for each in ids}

    def stand_alone(self, parse_special: bool) -> bool:
        """Whether a token that overlaps no other is claimed wherever it occurs, whatever is around it."""
        return True

    def longest(self, parse_special: bool) -> int:
        """The length of the longest of these tokens in bytes; 1 if there is none."""
        return self._longest[parse_special]

    @property
    def is_native(self) -> bool:
        """Whether `handle` finds the same tokens as `partition`."""
        return True

    def handle(self, parse_special: bool) -> native.SpecialTokensHandle | None:
        """These tokens for the native library; None if none can match."""
        if parse_special not in self._handles:
            self._handles[parse_special] = self._make_handle(parse_special)
        return self._handles[parse_special]

    def _make_handle(self, parse_special: bool) -> native.SpecialTokensHandle | None:
        ids = self.searched_for(parse_special)[::-1]
        attributes = self._vocabulary.attributes[ids]
        left, right = (attributes & bit > 0 for bit in (Attribute.LSTRIP, Attribute.RSTRIP))
        kinds = left * np.uint8(native.STRIPS_LEFT) + right * np.uint8(native.STRIPS_RIGHT)
        texts = [self._text(token_id) for token_id in stoppable(ids.tolist())]
        return native.SpecialTokensHandle(texts, kinds, ids.copy()) if texts else None

    def may_be_in(self, text: bytes, parse_special: bool) -> bool:
        """False if none of these tokens is in a text."""
        handle = self.handle(parse_special)
        return handle is not None and handle.are_in(text)

    def partition(self, text: NDArray[np.uint8], parse_special: bool) -> Partition:
        """Find the special tokens of `text`."""
        if (handle := self.handle(parse_special)) is None:
            return partition_of([], len(text))
        raw_starts, raw_ends, ids, starts, ends = handle.partition(text)
        return _partition(ids[:-1], starts[:-1], ends[:-1], raw_starts, raw_ends)

    def partition_readable(self, text: bytes, parse_special: bool) -> Partition:
        """The same, one token after another over the remaining text."""
        fragments = [(0, len(text), -1)]  # start, end, and the token or -1: text and tokens alternate
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
        """Whether some special token removes the white space next to it."""
        strips = Attribute.LSTRIP | Attribute.RSTRIP
        return bool((self._vocabulary.attributes[self._in_order] & strips).any())

    def occurrences(
        self, text: NDArray[np.uint8], parse_special: bool
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Starts and ends of the longest special token at each offset where one begins."""
        if (handle := self.handle(parse_special)) is None:
            return np.empty(0, np.int64), np.empty(0, np.int64)
        _, starts, ends = handle.occurrences(text)
        return starts, ends

    def may_begin(self, parse_special: bool) -> NDArray[np.bool_]:
        """bool[256]: the bytes that special tokens begin with."""
        begins = np.zeros(256, np.bool_)
        data, offsets = self._vocabulary.unmarked_texts
        begins[data[offsets[self.searched_for(parse_special)]]] = True
        return begins

    def reach_across(
        self, text: NDArray[np.uint8], position: int, parse_special: bool
    ) -> tuple[int, int] | None:
        """The range of the special tokens' texts that begin before `position` and end after it, or None."""
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
        """The longest token in bytes, by `parse_special`."""
        sizes = np.diff(self._vocabulary.unmarked_texts[1])
        user_defined, all_tokens = (sizes[self.searched_for(parse)].max(initial=1) for parse in (False, True))
        return int(user_defined), int(all_tokens)


class ComposedSpecialTokens(SpecialTokens):
    """The same for texts that are composed (NFC) first: a token does not match if a mark joins its end."""

    def partition(self, text: NDArray[np.uint8], parse_special: bool) -> Partition:
        return self._without_joined(super().partition(text, parse_special), text.tobytes())

    def partition_readable(self, text: bytes, parse_special: bool) -> Partition:
        return self._without_joined(super().partition_readable(text, parse_special), text)

    def occurrences(
        self, text: NDArray[np.uint8], parse_special: bool
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        if LONG_SOLIDUS in text.tobytes():
            return np.zeros(1, np.int64), np.array([len(text)], np.int64)
        return super().occurrences(text, parse_special)

    def _without_joined(self, partition: Partition, text: bytes) -> Partition:
        rows = zip(partition.ids.tolist(), partition.starts.tolist(), partition.ends.tolist(), strict=True)
        if LONG_SOLIDUS not in text:
            return partition
        return partition_of([row for row in rows if not _is_joined(text[row[2] - 1 :])], len(text))


def _is_joined(text: bytes) -> bool:
    """Whether the first character of a text, an ASCII one, changes when it is composed."""
    following = takewhile(unicodedata.combining, text[1:MOST_MARKS].decode("utf-8", "ignore"))
    return not unicodedata.normalize("NFC", chr(text[0]) + "".join(following)).startswith(chr(text[0]))


def _partition(ids: object, starts: object, ends: object, raw_starts: object, raw_ends: object) -> Partition:
    return Partition(
        np.asarray(ids, np.int32),
        np.asarray(starts, np.int64),
        np.asarray(ends, np.int64),
        np.asarray(raw_starts, np.int64),
        np.asarray(raw_ends, np.int64),
    )


class TokenSearch:
    """Finds some of the added tokens in a text."""

    def __init__(self, tokens: Sequence[AddedToken]) -> None:
        self.tokens = tokens
        texts = [token.searched.encode() for token in tokens]
        rows = np.arange(len(texts), dtype=np.int32)
        self._native = native.SpecialTokensHandle(texts, np.zeros(len(texts), np.uint8), rows)
        self._by_length = sorted(zip(texts, tokens, strict=True), key=lambda pair: len(pair[0]), reverse=True)

    def find(self, text: NDArray[np.uint8], parse_special: bool) -> Found:
        """The tokens in a text, in order; without `parse_special`, no special ones."""
        if not self.tokens:
            return []
        rows, starts, ends = self._native.occurrences(text).tolist()
        tokens = (self.tokens[row] for row in rows)
        return _taken(zip(tokens, starts, ends, strict=True), text.tobytes() if rows else b"", parse_special)

    def find_readable(self, text: bytes, parse_special: bool) -> Found:
        """The same, offset by offset."""
        return _taken(self._longest_at_each_offset(text), text, parse_special)

    def _longest_at_each_offset(self, text: bytes) -> Iterator[tuple[AddedToken, int, int]]:
        present = [pair for pair in self._by_length if pair[0] in text]
        for start in range(len(text)):
            for content, token in present:
                if text.startswith(content, start):
                    yield token, start, start + len(content)
                    break


def _taken(candidates: Iterable[tuple[AddedToken, int, int]], text: bytes, parse_special: bool) -> Found:
    """The tokens that are taken, of the longest tokens at all offsets where some begin."""
    matches: Found = []
    searched, done = 0, 0
    for token, start, end in candidates:
        if start < searched:
            continue
        searched = end
        if (token.special and not parse_special) or (token.single_word and _is_in_word(text, start, end)):
            continue
        if token.lstrip:
            start = max(_before_white_space(text, start), done)
        if token.rstrip:
            end = _after_white_space(text, end)
        if start < end:  # unless the previous token took all of it
            start, done = max(start, done), max(end, done)
            matches.append((token.token_id, start, done))
    return matches


def _is_in_word(text: bytes, start: int, end: int) -> bool:
    before = text[max(start - LONGEST_CHARACTER, 0) : start].decode("utf-8", "replace")[-1:]
    following = text[end : end + LONGEST_CHARACTER].decode("utf-8", "replace")[:1]
    return any(ord(character) in _word_codes() for character in before + following)


@cache
def _word_codes() -> frozenset[int]:
    r"""The code points of `\w` in Rust's regular expressions."""
    ranges = [*OTHER_WORD_CODES, *(each for name in WORD_CATEGORIES for each in ranges_of(name))]
    return frozenset(code for first, last in ranges for code in range(first, last + 1))


def _after_white_space(text: bytes, start: int) -> int:
    matches = SPACES.match(text, start)
    return matches.end() if matches else start


def _before_white_space(text: bytes, end: int) -> int:
    sizes = (1, 2, 3)
    while size := next(
        (size for size in sizes if size <= end and ONE_SPACE.fullmatch(text, end - size, end)), 0
    ):
        end -= size
    return end


def partition_of(matches: Found, size: int) -> Partition:
    """The partition of a text of `size` bytes by these tokens."""
    ids, starts, ends = np.array(matches, np.int64).reshape(-1, 3).T
    return Partition(
        ids.astype(np.int32), starts.copy(), ends.copy(), np.append(0, ends), np.append(starts, size)
    )


class AddedTokens(SpecialTokens):
    """The added tokens of a vocabulary that are searched for in unchanged text.

    If a match depends on more than the token itself, the whole text counts as one cluster of tokens and is
    encoded again whenever it changes.

    The text is searched from left to right; at each offset the longest token counts, and the search continues
    after it, even if the token is rejected.  White space that a token strips belongs to its span.  Tokens to
    be searched for in the normalised text come second, in the remaining text; see `PartsPipeline`.
    Source: https://github.com/huggingface/tokenizers, tokenizers/src/tokenizer/added_vocabulary.rs.
    """

    def __init__(self, vocabulary: Vocabulary, parts: Parts) -> None:
        self._vocabulary = vocabulary
        stages = [[token for token in parts.added_tokens if not token.normalized]]
        if parts.normalizes_nothing:
            stages.append([token for token in parts.added_tokens if token.normalized])
        self._stages = list(filter(None, stages))
        self._tokens = [token for stage in self._stages for token in stage]
        self._ids = np.array([token.token_id for token in self._tokens], np.int32)
        self._kinds = {token.special for token in self._tokens}
        self._needs_neighbours = any(
            token.single_word or token.lstrip or token.rstrip for token in self._tokens
        )
        self._handles = {}

    @cached_property
    def is_native(self) -> bool:
        return not any(token.single_word for token in self._tokens)

    def _make_handle(self, parse_special: bool) -> native.SpecialTokensHandle | None:
        later = None
        for stage in self._stages[::-1] if len(self.searched_for(parse_special)) else []:
            kinds = [
                token.lstrip * native.STRIPS_LEFT
                | token.rstrip * native.STRIPS_RIGHT
                | (token.special and not parse_special) * native.HIDES
                for token in stage
            ]
            texts, ids = [token.searched.encode() for token in stage], [token.token_id for token in stage]
            columns = np.array(kinds, np.uint8), np.array(ids, np.int32)
            later = native.SpecialTokensHandle(texts, *columns, from_left=True, later=later)
        return later

    def searched_for(self, parse_special: bool) -> NDArray[np.int32]:
        """Includes special tokens that do not match: they still block others."""
        return self._ids[: len(self._ids) if parse_special or self._kinds != {True} else 0]

    def stand_alone(self, parse_special: bool) -> bool:
        """Whether each occurrence of a token that overlaps no other is taken, whatever is next to it."""
        return not self._needs_neighbours and (parse_special or len(self._kinds) < 2)

    def longest(self, parse_special: bool) -> int:
        return super().longest(parse_special) if self.stand_alone(parse_special) else NO_LIMIT

    @cached_property
    def _searches(self) -> list[TokenSearch]:
        return [TokenSearch(stage) for stage in self._stages]

    def partition(self, text: NDArray[np.uint8], parse_special: bool) -> Partition:
        if self.is_native:
            return super().partition(text, parse_special)
        return self._search(len(text), lambda search, start, end: search.find(text[start:end], parse_special))

    def partition_readable(self, text: bytes, parse_special: bool) -> Partition:
        return self._search(
            len(text), lambda search, start, end: search.find_readable(text[start:end], parse_special)
        )

    def _search(self, size: int, find: Callable[[TokenSearch, int, int], Found]) -> Partition:
        matches: Found = []
        for search in self._searches:
            matches = _joined(matches, [find(search, *segment) for segment in _between(matches, size)])
        return partition_of(matches, size)

    @cached_property
    def drops_white_space(self) -> bool:
        return False

    def occurrences(
        self, text: NDArray[np.uint8], parse_special: bool
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        if not self.stand_alone(parse_special):
            return np.zeros(1, np.int64), np.array([len(text)], np.int64)
        return super().occurrences(text, parse_special)

    def reach_across(
        self, text: NDArray[np.uint8], position: int, parse_special: bool
    ) -> tuple[int, int] | None:
        if self.stand_alone(parse_special):
            return super().reach_across(text, position, parse_special)
        return (0, len(text)) if 0 < position < len(text) else None


def _between(matches: Found, size: int) -> list[tuple[int, int]]:
    """The ranges around tokens, some of them empty."""
    starts, ends = [start for _, start, _ in matches], [end for *_, end in matches]
    return list(zip([0, *ends], [*starts, size], strict=True))


def _joined(matches: Found, more: list[Found]) -> Found:
    """Merge earlier matches with `more`, the matches in each range around them."""
    tokens: Found = []
    for (start, _), inner, token in zip(_between(matches, 0), more, [*matches, None], strict=True):
        tokens += [(token_id, start + a, start + b) for token_id, a, b in inner]
        tokens += [token] if token else []
    return tokens
