"""WordPiece: repeatedly take the longest token that fits at the current position, to the word's end.

If no token fits, the whole word becomes one unknown token.
Native version: native/wordpiece.cpp.
Source: BERT's tokenizer, Devlin et al. 2019, https://aclanthology.org/N19-1423.  GGUF files mark the start
of a word by U+2581; other files mark tokens that continue a word by the prefix `##`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from guiapp.core.encode.reference.longest_match import Attempt, Miss, Take, Taken


@dataclass(frozen=True)
class GiveUp:
    """No token fits at `at`: the tokens of the word so far are dropped, and it becomes one unknown token."""

    unknown_id: int
    at: int
    word_end: int

    def apply(self, tokens: Taken) -> None:
        tokens[:] = [(self.unknown_id, 0, self.word_end)]


@dataclass(frozen=True)
class TooLong:
    """The word has more characters than the limit, and becomes one unknown token."""

    unknown_id: int
    word_end: int

    def apply(self, tokens: Taken) -> None:
        tokens[:] = [(self.unknown_id, 0, self.word_end)]


def steps(
    word: bytes,
    tokens: Mapping[bytes, int],
    longest_bytes: int,
    unknown_id: int,
    inner_tokens: Mapping[bytes, int] | None = None,
    most_characters: int | None = None,
) -> Iterator[Take | Miss | GiveUp | TooLong]:
    """Yield the attempts and the tokens taken in one word, in order.

    inner_tokens     the tokens used after the start of a word, if they differ
    most_characters  the maximum length of a word
    """
    at = 0
    if most_characters is not None and sum(byte & 0xC0 != 0x80 for byte in word) > most_characters:
        yield TooLong(unknown_id, len(word))
        return
    while at < len(word):
        if at > 0 and inner_tokens is not None:
            tokens = inner_tokens
        end = min(len(word), at + longest_bytes)
        while end > at and word[at:end] not in tokens:
            if end == len(word) or word[end] & 0xC0 != 0x80:
                yield Miss(at, end)
            end -= 1
        if end == at:
            yield GiveUp(unknown_id, at, len(word))
            return
        yield Take(tokens[word[at:end]], at, end)
        at = end


@dataclass(frozen=True)
class Fail(Attempt):
    """No token continues the word from `start` past `end`: take the tokens that are certain."""

    start: int
    end: int


class Link(NamedTuple):
    """What to do at the end of a walk: take tokens, and continue at the node of the remaining text."""

    tokens: tuple[bytes, ...]
    left: bytes


class FailureLinks:
    """The failure links of a vocabulary, computed on first use.  A node is the text that leads to it.

    Where the tree has no edge for the next byte, the tokens that longest match takes from the text of a node
    are certain, whatever follows, up to a rest that is again the beginning of a token.  These tokens and the
    node of the rest depend on the node alone.  If a node has no link, no token fits.
    """

    def __init__(self, tokens: Mapping[bytes, int]) -> None:
        self._tokens = tokens
        self._sorted = sorted(tokens)
        self._links: dict[bytes, Link | None] = {b"": None}

    def is_node(self, text: bytes) -> bool:
        """Whether a token begins with this text."""
        at = bisect_left(self._sorted, text)
        return at < len(self._sorted) and self._sorted[at].startswith(text)

    def of(self, node: bytes) -> Link | None:
        """The link of a node, or None if nothing fits."""
        for end in range(1, len(node) + 1):
            if node[:end] not in self._links:
                self._links[node[:end]] = self._find(node[:end])
        return self._links[node]

    def _find(self, node: bytes) -> Link | None:
        """The link of a node from its parent's link: follow links until the last byte fits."""
        if node in self._tokens:
            return Link((node,), b"")
        link = self._links[node[:-1]]
        taken: tuple[bytes, ...] = ()
        while link is not None:
            taken += link.tokens
            if self.is_node(link.left + node[-1:]):
                return Link(taken, link.left + node[-1:])
            link = self.of(link.left)
        return None


def linear_steps(
    word: bytes, tokens: Mapping[bytes, int], links: FailureLinks, unknown_id: int
) -> Iterator[Take | Fail | GiveUp]:
    """Yield the ends of walks and the tokens taken from one word, in order.

    The same tokens in O(n): walk down the tree of all tokens, and at its end continue by failure links.
    Source: Song et al. 2021, "Fast WordPiece Tokenization", https://aclanthology.org/2021.emnlp-main.160, for
    one tree instead of two.
    """
    start, end = 0, 0
    while start < len(word):
        if end < len(word) and links.is_node(word[start : end + 1]):
            end += 1
            continue
        if start < end:
            yield Fail(start, end)
        link = links.of(word[start:end])
        if link is None:
            yield GiveUp(unknown_id, start, len(word))
            return
        for token in link.tokens:
            yield Take(tokens[token], start, start + len(token))
            start += len(token)
