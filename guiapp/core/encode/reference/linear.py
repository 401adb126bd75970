"""WordPiece in linear time: walk down the tree of all tokens, and where it ends go on by failure links.

The walk reads each byte once.  Where no edge goes on, the tokens that longest match takes from what was
read are certain, whatever follows, until what is left of it is again the beginning of a token: these
tokens, and the node for what is left, depend on the node alone.  They are its *link*.  Where a node has no
link, no token fits, and the whole word is one unknown token.  Gives what `wordpiece` gives, in O(n).
Native twin: native/wordpiece.cpp.
Source: Song et al. 2021, "Fast WordPiece Tokenization", https://aclanthology.org/2021.emnlp-main.160, for
one tree instead of two: model files mark the start of a word by U+2581, not the others by `##`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from guiapp.core.encode.reference.longest_match import Take, Taken
from guiapp.core.encode.reference.wordpiece import GiveUp


@dataclass(frozen=True)
class Fail:
    """No token goes on as the word does behind `start` to `end`: what is certain of it is taken."""

    start: int
    end: int

    def apply(self, tokens: Taken) -> None:
        """Change nothing."""


class Link(NamedTuple):
    """What to do where a walk ends: take tokens, and go on at the node of what is left."""

    tokens: tuple[bytes, ...]
    left: bytes


class FailureLinks:
    """The links of a vocabulary, found when they are first needed.  A node is what leads to it."""

    def __init__(self, tokens: Mapping[bytes, int]) -> None:
        self._tokens = tokens
        self._sorted = sorted(tokens)
        self._links: dict[bytes, Link | None] = {b"": None}

    def is_node(self, text: bytes) -> bool:
        """Whether a token begins so."""
        at = bisect_left(self._sorted, text)
        return at < len(self._sorted) and self._sorted[at].startswith(text)

    def of(self, node: bytes) -> Link | None:
        """The link of a node, or None where nothing fits."""
        for end in range(1, len(node) + 1):
            if node[:end] not in self._links:
                self._links[node[:end]] = self._find(node[:end])
        return self._links[node]

    def _find(self, node: bytes) -> Link | None:
        """The link of a node from that of the node before: follow links until the last byte fits."""
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


def steps(
    word: bytes, tokens: Mapping[bytes, int], links: FailureLinks, unknown_id: int
) -> Iterator[Take | Fail | GiveUp]:
    """Yield where the walk ends, and what is taken, from one word, in order."""
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
