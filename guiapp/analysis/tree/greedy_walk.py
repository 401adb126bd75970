"""How texts lead through the token tree: the greedy walk, and the last token of every prefix."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.vocabulary.merges import PairMerging
from guiapp.core.vocabulary.vocabulary import TokenTree

MOST_WALKED = 4096  # bytes
MOST_CONTINUATIONS = 8


@dataclass(frozen=True)
class WalkStep:
    """One byte of a walk down the tree.

    offset         of the byte in the text
    start          where the present token began
    token          the longest token that text[start : offset + 1] begins with, None before the first
    continuations  children of that token that the following text could have led to
    n_children     how many children that token has
    taken          the token that the walk ends with here, because no longer one matches; else None
    """

    offset: int
    start: int
    token: int | None
    continuations: tuple[int, ...]
    n_children: int
    taken: int | None


def greedy_walk(tree: TokenTree, text: bytes) -> list[WalkStep]:
    """Each byte of the longest-match walk over a text; tokens that `greedy` would take, in order."""
    steps: list[WalkStep] = []
    start, text = 0, text[:MOST_WALKED]
    while start < len(text):
        longest = tree.longest_match(text, start)
        length = 1 if longest is None else int(tree.lengths[longest])
        path = {int(tree.lengths[step]): step for step in ([] if longest is None else tree.path(longest))}
        token: int | None = None
        for at in range(start, start + length):
            token = path.get(at - start + 1, token)
            children = tree.children(token)
            taken = longest if at == start + length - 1 else None
            shown = tuple(children[:MOST_CONTINUATIONS].tolist())
            steps.append(WalkStep(at, start, token, shown, len(children), taken))
        start += length
    return steps


@dataclass(frozen=True, eq=False)
class PrefixTree:
    """The last token of every prefix of a text: text[parents[i] : i] is token_ids[i].

    A prefix hangs under what is left without its last token; the way back from the end gives the tokens.
    parents, token_ids   int32[n + 1], -1 where nothing ends (at 0, say)
    """

    text: bytes
    parents: NDArray[np.int32]
    token_ids: NDArray[np.int32]

    def chosen(self) -> list[int]:
        """The prefixes that the tokens of the whole text end at, from the end back to 0."""
        at, way = len(self.text), []
        while at >= 0:
            way.append(at)
            at = int(self.parents[at])
        return way


def prefix_tree(tokenizer: Tokenizer, text: bytes) -> PrefixTree:
    """Encode every prefix of a short text, and note its last token."""
    parents = np.full(len(text) + 1, -1, np.int32)
    token_ids = np.full(len(text) + 1, -1, np.int32)
    for end in range(1, len(text) + 1):
        encoding = tokenizer.encode(text[:end], add_special=False, parse_special=False)
        covering = np.flatnonzero(encoding.spans[:, 0] < end)
        if len(covering):
            last = int(covering[-1])
            parents[end] = encoding.spans[last, 0]
            token_ids[end] = encoding.token_ids[last]
    return PrefixTree(text, parents, token_ids)


def merge_rules_of(merging: PairMerging, token: int) -> list[tuple[int, int, int]]:
    """Rank, left and right symbol of each merge rule that makes a token, the first to be used first."""
    table = merging.rules.table
    found = table[table[:, 3] == token]
    return sorted((rank, left, right) for left, right, rank, _ in found.tolist())
