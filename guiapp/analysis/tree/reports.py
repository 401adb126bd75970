"""Reports about a token tree: the output of `tokenloupe tree` (a record, text lines, a graph for Graphviz),
statistics of the whole tree, and the paths of texts through it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
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
    """The tokens that begin with `prefix`, restricted to `only` and to `most_levels` levels."""

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
        """All tokens of the subtree, also on deeper levels, sorted by bytes."""
        tokens = self.tree.starting_with(self.prefix)
        return tokens if self.only is None else tokens[np.isin(tokens, self.only)]

    @cached_property
    def levels(self) -> NDArray[np.int32]:
        """The level of each of `tokens`: 1 for the topmost, 2 for their children …"""
        levels: NDArray[np.int32] = self.tree.columns.depths[self.tokens]
        levels -= levels.min(initial=np.iinfo(np.int32).max) - 1
        return levels

    @property
    def above(self) -> list[int]:
        """The tokens on the path to `prefix`, the shortest first."""
        parent = self.tree.parent(int(self.tokens[0])) if len(self.tokens) else None
        return [] if parent is None else self.tree.path(parent)

    @cached_property
    def is_shown(self) -> NDArray[np.bool_]:
        """Whether each of `tokens` is within `most_levels`."""
        return self.levels <= (len(self.tree) if self.most_levels is None else self.most_levels)

    def written(self, token: int, limit: int = LIMIT) -> str:
        """The text of a token for the user."""
        return self.spelling.token(self.vocabulary, token, limit)

    def added(self, token: int) -> str:
        """The text that a token adds to its parent, for the user."""
        return self.spelling.part(self.vocabulary, self.tree.added_bytes(token), LONGEST_LABEL)

    @property
    def shown(self) -> NDArray[np.int32]:
        """The tokens within `most_levels`."""
        return self.tokens[self.is_shown]


def json_lines(branch: Subtree) -> Iterator[str]:
    """The record of `tree --json`, in parts that may be separated by line ends.

    Bytes are hexadecimal; nodes are sorted by bytes, so parents come first.
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
    """A line for each token, below its parent: id, number of tokens below it, its text, the added text."""
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
    """A graph in the language of Graphviz; the label of an edge is the text that the child adds."""
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


# Statistics, each with the filter that lists the counted tokens


class TreeFigure(NamedTuple):
    """A statistic of all tokens; `query` is the filter for the tokens concerned, "" for all or none."""

    name: str
    value: str
    query: str = ""
    note: str = ""


COUNTED = (
    ("tokens", "", ""),
    ("have no children", "below:0", ""),
    ("hold part of a character", "is:notutf8", "not UTF-8"),
    ("share their bytes", "is:duplicate", ""),
    ("no test text gives them", "is:unreached", UNREACHED.format("; ".join(NAMES))),
)
LARGEST = (
    ("tokens on the longest path", "depth"),
    ("most children of one token", "children"),
    ("bytes in the longest token", "length"),
)


def tree_figures(figures: TokenFigures, progress: Progress = lambda share: None) -> Iterator[TreeFigure]:
    """The statistics known so far; reached tokens may be determined later."""
    for name, query, note in COUNTED:
        if query == "is:unreached" and figures.is_reached is None:
            yield TreeFigure(name, "…", note=note)
        else:
            n_tokens = int(np.count_nonzero(fitting(figures, query, progress)))
            yield TreeFigure(name, f"{n_tokens:,}", query if n_tokens else "", note)
    for name, column in LARGEST:
        values = BY_NAME[column].values(figures)
        most = 0 if values is None else int(values.max(initial=0))
        yield TreeFigure(name, f"{most:,}", f"{column}:{most}" if most else "")


# The greedy walk, and the last token of every prefix


@dataclass(frozen=True)
class WalkStep:
    """One byte of a walk down the tree, or a special token as a whole.

    offset         of the byte in the text; for a special token, of its last byte
    start          the start of the present token
    token          the longest token that text[start : offset + 1] begins with, None before the first
    continuations  the first children of that token, to which other text could lead
    n_children     the number of its children
    taken          the token that is completed here, because no longer one matches; else None
    """

    offset: int
    start: int
    token: int | None
    continuations: tuple[int, ...]
    n_children: int
    taken: int | None


def greedy_walk(tree: TokenTree, text: bytes, special: Mapping[int, tuple[int, int]]) -> list[WalkStep]:
    """The steps of the longest-match walk over a text, which takes the tokens of `greedy`.

    special  special tokens, which are one step each: their ends and ids by their starts
    """
    steps: list[WalkStep] = []
    start, text = 0, text[:MOST_WALKED]
    while start < len(text):
        if start in special:
            end, whole = special[start]
            steps.append(WalkStep(min(end, len(text)) - 1, start, whole, (), 0, whole))
            start = end
            continue
        border = min((each for each in special if each > start), default=len(text))
        longest = tree.longest_match(text[:border], start)
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

    The parent of a prefix is the prefix without its last token; the path back from the end gives the tokens.
    parents, token_ids   int32[n + 1], -1 where no token ends, such as at 0
    """

    text: bytes
    parents: NDArray[np.int32]
    token_ids: NDArray[np.int32]

    def chosen(self) -> list[int]:
        """The prefixes at which the tokens of the whole text end, from the end back to 0."""
        at, way = len(self.text), []
        while at >= 0:
            way.append(at)
            at = int(self.parents[at])
        return way


def prefix_tree(tokenizer: Tokenizer, text: bytes) -> PrefixTree:
    """Encode every prefix of a short text, and record its last token."""
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
    """Rank, left and right symbol of each merge rule that makes a token, sorted by rank."""
    table = merging.rules.table
    found = table[table[:, 3] == token]
    return sorted((rank, left, right) for left, right, rank, _ in found.tolist())
