r"""Cut added tokens out of a text as Hugging Face's `tokenizers` does.

The text is searched from left to right; at each place the longest token counts, and the search goes on behind
it, also where a token does not count after all.  White space that a token takes along belongs to its span.
Tokens to be searched for in the normalised text come second, in what is left; see `PartsPipeline`.
Source: https://github.com/huggingface/tokenizers, tokenizers/src/tokenizer/added_vocabulary.rs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from guiapp.core.text.special_tokens import Partition, SpecialTokens
from guiapp.core.text.unicode_tables import ranges_of
from guiapp.core.vocabulary.parts import AddedToken, Parts
from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.native import special_tokens as native

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
NO_LIMIT = 1 << 40

Found = list[tuple[int, int, int]]  # token, start and end of each


class TokenSearch:
    """Finds some of the added tokens in a text."""

    def __init__(self, tokens: Sequence[AddedToken]) -> None:
        self._tokens = tokens
        texts = [token.searched.encode() for token in tokens]
        self._native = native.SpecialTokensHandle(texts, np.zeros(len(texts), np.uint8))
        self._by_length = sorted(zip(texts, tokens, strict=True), key=lambda pair: len(pair[0]), reverse=True)

    def find(self, text: NDArray[np.uint8], parse_special: bool) -> Found:
        """The tokens that a text has, in order; without `parse_special` none of the special ones."""
        if not self._tokens:
            return []
        rows, starts, ends = self._native.occurrences(text).tolist()
        tokens = (self._tokens[row] for row in rows)
        return _taken(zip(tokens, starts, ends, strict=True), text.tobytes() if rows else b"", parse_special)

    def occurrences(self, text: NDArray[np.uint8]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """From where to where the longest token reaches at each place where some begin."""
        _, starts, ends = self._native.occurrences(text)
        return starts, ends

    def find_readable(self, text: bytes, parse_special: bool) -> Found:
        """The same, place by place."""
        return _taken(self._longest_at_each_place(text), text, parse_special)

    def _longest_at_each_place(self, text: bytes) -> Iterator[tuple[AddedToken, int, int]]:
        for start in range(len(text)):
            for content, token in self._by_length:
                if text.startswith(content, start):
                    yield token, start, start + len(content)
                    break


def _taken(places: Iterable[tuple[AddedToken, int, int]], text: bytes, parse_special: bool) -> Found:
    """What is taken of the longest tokens at all places where some begin."""
    matches: Found = []
    searched, done = 0, 0
    for token, start, end in places:
        if start < searched:
            continue
        searched = end
        if (token.special and not parse_special) or (token.single_word and _is_in_word(text, start, end)):
            continue
        if token.lstrip:
            start = max(_before_white_space(text, start), done)
        if token.rstrip:
            end = _after_white_space(text, end)
        if start < end:  # not all was taken along by the token before
            start, done = max(start, done), max(end, done)
            matches.append((token.token_id, start, done))
    return matches


def _is_in_word(text: bytes, start: int, end: int) -> bool:
    before = text[max(start - LONGEST_CHARACTER, 0) : start].decode("utf-8", "replace")[-1:]
    following = text[end : end + LONGEST_CHARACTER].decode("utf-8", "replace")[:1]
    return any(ord(character) in _word_codes() for character in before + following)


@cache
def _word_codes() -> frozenset[int]:
    r"""What `\w` is in Rust's regular expressions."""
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
    """Tokens in a text of so many bytes, and the stretches around them."""
    ids, starts, ends = np.array(matches, np.int64).reshape(-1, 3).T
    return Partition(
        ids.astype(np.int32), starts.copy(), ends.copy(), np.append(0, ends), np.append(starts, size)
    )


class AddedTokens(SpecialTokens):
    """The added tokens of a vocabulary that are searched for in texts as they are.

    Where what is found at a place depends on more than the token there, all of a text counts as one cluster
    of tokens, and is encoded as a whole whenever it changes.
    """

    def __init__(self, vocabulary: Vocabulary, parts: Parts) -> None:
        self._vocabulary = vocabulary
        stages = [[token for token in parts.added_tokens if not token.normalized]]
        if parts.normalizes_nothing:
            stages.append([token for token in parts.added_tokens if token.normalized])
        stages = list(filter(None, stages))
        self._searches = [TokenSearch(stage) for stage in stages]
        self._tokens = [token for stage in stages for token in stage]
        self._needs_neighbours = len(stages) > 1 or any(
            token.single_word or token.lstrip or token.rstrip or "\0" in token.content
            for token in self._tokens
        )  # NUL: see `partition_each`

    def searched_for(self, parse_special: bool) -> NDArray[np.int32]:
        """Special tokens that do not match still stand in the way of others."""
        searched = parse_special or not all(token.special for token in self._tokens)
        return np.array([token.token_id for token in self._tokens if searched], np.int32)

    def stand_alone(self, parse_special: bool) -> bool:
        """Whether each occurrence of a token that overlaps no other one is taken, with nothing beside it."""
        are_alike = len({token.special for token in self._tokens}) < 2
        return not self._needs_neighbours and (parse_special or are_alike)

    def longest(self, parse_special: bool) -> int:
        return super().longest(parse_special) if self.stand_alone(parse_special) else NO_LIMIT

    def partition(self, text: NDArray[np.uint8], parse_special: bool) -> Partition:
        matches: Found = []
        for search in self._searches:
            segments = _between(matches, len(text))
            matches = _joined(
                matches, [search.find(text[start:end], parse_special) for start, end in segments]
            )
        return partition_of(matches, len(text))

    def partition_readable(self, text: bytes, parse_special: bool) -> Partition:
        matches: Found = []
        for search in self._searches:
            segments = _between(matches, len(text))
            more = [search.find_readable(text[start:end], parse_special) for start, end in segments]
            matches = _joined(matches, more)
        return partition_of(matches, len(text))

    @cached_property
    def drops_white_space(self) -> bool:
        return False

    def occurrences(
        self, text: NDArray[np.uint8], parse_special: bool
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        if not self.stand_alone(parse_special):
            return np.zeros(1, np.int64), np.array([len(text)], np.int64)
        if not len(self.searched_for(parse_special)):
            return np.empty(0, np.int64), np.empty(0, np.int64)
        return self._searches[0].occurrences(text)

    def reach_across(
        self, text: NDArray[np.uint8], position: int, parse_special: bool
    ) -> tuple[int, int] | None:
        if self.stand_alone(parse_special):
            return super().reach_across(text, position, parse_special)
        return (0, len(text)) if 0 < position < len(text) else None


def _between(matches: Found, size: int) -> list[tuple[int, int]]:
    """The stretches around tokens, some of them empty."""
    starts, ends = [start for _, start, _ in matches], [end for *_, end in matches]
    return list(zip([0, *ends], [*starts, size], strict=True))


def _joined(matches: Found, more: list[Found]) -> Found:
    """What was found, and before each and behind the last one what is in the stretch there."""
    tokens: Found = []
    for (start, _), inner, token in zip(_between(matches, 0), more, [*matches, None], strict=True):
        tokens += [(token_id, start + a, start + b) for token_id, a, b in inner]
        tokens += [token] if token else []
    return tokens
