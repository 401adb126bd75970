"""The token tree as `tokenloupe tree` prints it: a record, lines for people, a graph for Graphviz."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.explain.spelling import LIMIT, Spelling
from guiapp.core.text.figures import counted
from guiapp.core.text.visible_text import visible_text
from guiapp.core.vocabulary.token_tree import TokenTree
from guiapp.core.vocabulary.vocabulary import Vocabulary

LONGEST_LABEL = 40
AT_ONCE = 64  # nodes in a piece of the record


@dataclass(frozen=True, eq=False)
class Branch:
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


def json_lines(branch: Branch) -> Iterator[str]:
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


def _nodes(branch: Branch, tokens: NDArray[np.int32]) -> Iterator[dict[str, object]]:
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


def tree_lines(branch: Branch) -> Iterator[str]:
    """One token a line, below its parent: id, how many are below it, the whole token, and what it adds."""
    if not len(branch.tokens):
        prefix = visible_text(branch.prefix, LONGEST_LABEL)
        yield f"No token begins with “{prefix}”." if prefix else "The vocabulary has no tokens."
        return
    yield f"{counted(len(branch.tokens), 'token')} on {counted(int(branch.levels.max()), 'level')}"
    if branch.above:
        yield "under " + " › ".join(map(branch.written, branch.above))
    yield f"{'id':>7}  {'below':>7}  token, and what it adds"
    for token, level in zip(branch.shown.tolist(), branch.levels[branch.is_shown].tolist(), strict=True):
        whole = branch.written(token, LONGEST_LABEL)
        below = int(branch.tree.columns.sizes[token]) - 1
        start = f"{token:>7}  {f'{below:,}' if below else '':>7}  {'  ' * (level - 1)}{whole}"
        yield start if branch.tree.parent(token) is None else f"{start}  +{branch.added(token)}"


def dot_lines(branch: Branch) -> Iterator[str]:
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
