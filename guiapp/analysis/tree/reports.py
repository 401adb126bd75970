"""What is said of a token tree: as `tokenloupe tree` prints it (a record, lines for people, a graph for
Graphviz), figures about the whole, and how texts lead through it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.explain.spelling import LIMIT, Spelling
from guiapp.analysis.tree.trials import NAMES
from guiapp.analysis.vocabulary_list.columns import BY_NAME, TokenFigures
from guiapp.analysis.vocabulary_list.filters import fitting
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.text.numbers_in_words import counted
from guiapp.core.text.visible_text import visible_text
from guiapp.core.vocabulary.merges import PairMerging
from guiapp.core.vocabulary.vocabulary import TokenTree, Vocabulary
from guiapp.native.checkpoint import Progress

MOST_WALKED = 4096  # bytes
MOST_CONTINUATIONS = 8
UNREACHED = (
    "The bytes of each token were encoded {}. No test gave these tokens; another text may still give them. "
    "Control, unknown, user-defined and byte tokens are not counted."
)
LONGEST_LABEL = 40
AT_ONCE = 64  # nodes in a piece of the record


@dataclass(frozen=True, eq=False)
class Subtree:
    """The tokens that begin with `prefix`, or `only` these of them, down to `most_levels` levels."""

    vocabulary: Vocabulary
    prefix: bytes = b""
    most_levels: int | None = None
    only: NDArray[np.int32] | None = None
    spelling: Spelling = Spelling.SIGNS

    @cached_property
    def tree(self) -> TokenTree:
        return self.vocabulary.token_tree

    @cached_property
    def tokens(self) -> NDArray[np.int32]:
        """All of them, also those on lower levels, sorted by bytes."""
        tokens = self.tree.starting_with(self.prefix)
        return tokens if self.only is None else tokens[np.isin(tokens, self.only)]

    @cached_property
    def levels(self) -> NDArray[np.int32]:
        """1 for those that stand under a shorter prefix or under the root, 2 for their children …"""
        levels: NDArray[np.int32] = self.tree.columns.depths[self.tokens]
        levels -= levels.min(initial=np.iinfo(np.int32).max) - 1
        return levels

    @property
    def above(self) -> list[int]:
        """The tokens on the way to `prefix`, the shortest first."""
        parent = self.tree.parent(int(self.tokens[0])) if len(self.tokens) else None
        return [] if parent is None else self.tree.path(parent)

    @cached_property
    def is_shown(self) -> NDArray[np.bool_]:
        """For each of `tokens` whether it is not too deep."""
        return self.levels <= (len(self.tree) if self.most_levels is None else self.most_levels)

    def written(self, token: int, limit: int = LIMIT) -> str:
        """How a token is written."""
        return self.spelling.token(self.vocabulary, token, limit)

    def added(self, token: int) -> str:
        """How that is written which a token adds to its parent."""
        return self.spelling.part(self.vocabulary, self.tree.added_bytes(token), LONGEST_LABEL)

    @property
    def shown(self) -> NDArray[np.int32]:
        """The tokens that are not too deep."""
        return self.tokens[self.is_shown]


def json_lines(branch: Subtree) -> Iterator[str]:
    """The record of `tree --json`, in pieces between which there may be line ends.

    Bytes are hexadecimal; nodes come parents first, sorted by bytes.
    """
    summary = {
        "prefix": branch.prefix.hex(),
        "tokens": len(branch.tokens),
        "levels": int(branch.levels.max(initial=0)),
        "leaves": int(np.count_nonzero(branch.tree.columns.sizes[branch.tokens] == 1)),
        "path": branch.above,
    }
    yield json.dumps(summary).removesuffix("}") + ', "nodes": ['
    shown = branch.shown
    for first in range(0, len(shown), AT_ONCE):
        nodes = [json.dumps(node) for node in _nodes(branch, shown[first : first + AT_ONCE])]
        yield ", ".join(nodes) + (", " if first + AT_ONCE < len(shown) else "")
    yield "]}"


def _nodes(branch: Subtree, tokens: NDArray[np.int32]) -> Iterator[dict[str, object]]:
    tree = branch.tree
    columns = tree.parents, tree.columns.depths, tree.columns.sizes, tree.is_matched
    rows = zip(tokens.tolist(), *(column[tokens].tolist() for column in columns), strict=True)
    for token, parent, depth, size, is_matched in rows:
        own = tree.token_bytes(token)
        yield {
            "id": token,
            "parent": None if parent < 0 else parent,
            "depth": depth,
            "size": size,
            "bytes": own.hex(),
            "added": own[0 if parent < 0 else int(tree.lengths[parent]) :].hex(),
            "kind": branch.vocabulary.kind(token),
            "matched": is_matched,
        }


def tree_lines(branch: Subtree) -> Iterator[str]:
    """One token a line, below its parent: id, how many are below it, the whole token, and what it adds."""
    if not len(branch.tokens):
        prefix = visible_text(branch.prefix, LONGEST_LABEL)
        yield f"No token begins with “{prefix}”." if prefix else "The vocabulary has no tokens."
        return
    yield f"{counted(len(branch.tokens), 'token')} on {counted(int(branch.levels.max()), 'level')}"
    if branch.above:
        yield "under " + " › ".join(map(branch.written, branch.above))
    yield f"{'id':>7}  {'below':>7}  token, and the text it adds"
    for token, level in zip(branch.shown.tolist(), branch.levels[branch.is_shown].tolist(), strict=True):
        whole = branch.written(token, LONGEST_LABEL)
        below = int(branch.tree.columns.sizes[token]) - 1
        start = f"{token:>7}  {f'{below:,}' if below else '':>7}  {'  ' * (level - 1)}{whole}"
        yield start if branch.tree.parent(token) is None else f"{start}  +{branch.added(token)}"


def dot_lines(branch: Subtree) -> Iterator[str]:
    """A graph in the language of Graphviz; edges carry what a child adds."""
    tree = branch.tree
    is_shown = np.zeros(len(tree.is_matched), np.bool_)
    is_shown[branch.shown] = True
    yield "digraph tokens {"
    yield '  rankdir=LR; node [shape=box, style=rounded, fontname="monospace"];'
    for token in map(int, branch.shown):
        yield f"  {token} [label={_quoted(branch.written(token, LONGEST_LABEL))}];"
        if (parent := tree.parent(token)) is not None and is_shown[parent]:
            yield f"  {parent} -> {token} [label={_quoted(branch.added(token))}];"
    yield "}"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


# Figures, each with the filter that lists what it counts


class TreeFigure(NamedTuple):
    """One figure about all tokens; `query` lists those that it is about, "" where these are all."""

    name: str
    value: str
    query: str = ""
    note: str = ""


COUNTED = (
    ("tokens", "", ""),
    ("begin no longer token", "below:0", "leaves"),
    ("hold part of a character", "is:notutf8", "not UTF-8"),
    ("share their bytes", "is:duplicate", ""),
    ("no test text gives them", "is:unreached", UNREACHED.format("; ".join(NAMES))),
)
LARGEST = (
    ("tokens on the longest path", "depth", ""),
    ("most children of one token", "children", ""),
    ("bytes in the longest token", "length", ""),
)


def tree_figures(figures: TokenFigures, progress: Progress = lambda share: None) -> Iterator[TreeFigure]:
    """All that can be said by now: which tokens text reaches may follow."""
    for name, query, note in COUNTED:
        if query != "is:unreached" or figures.is_reached is not None:
            n_tokens = int(np.count_nonzero(fitting(figures, query, progress)))
            yield TreeFigure(name, f"{n_tokens:,}", query if n_tokens else "", note)
    for name, column, note in LARGEST:
        values = BY_NAME[column].values(figures)
        most = 0 if values is None else int(values.max(initial=0))
        yield TreeFigure(name, f"{most:,}", f"{column}:{most}" if most else "", note)


# The greedy walk, and the last token of every prefix


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
