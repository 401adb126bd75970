"""The token tree as `tokenloupe tree` prints it: a record, lines for people, a graph for Graphviz."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from guiapp.core.explain.visible_text import visible_text
from guiapp.core.vocab.token_tree import TokenTree
from guiapp.core.vocab.vocabulary import Vocabulary

LONGEST_LABEL = 40


@dataclass(frozen=True, eq=False)
class Branch:
    """The tokens that begin with `prefix`, or `only` these of them, down to `most_levels` levels."""

    vocabulary: Vocabulary
    prefix: bytes = b""
    most_levels: int | None = None
    only: NDArray[np.int32] | None = None

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
        levels: NDArray[np.int32] = self.tree.arrays.depths[self.tokens]
        levels -= levels.min(initial=np.iinfo(np.int32).max) - 1
        return levels

    @property
    def above(self) -> list[int]:
        """The tokens on the way to `prefix`, the shortest first."""
        parent = self.tree.parent(int(self.tokens[0])) if len(self.tokens) else None
        return [] if parent is None else self.tree.path(parent)

    @property
    def shown(self) -> list[tuple[int, int]]:
        """Token and level of those that are not too deep."""
        most = int(self.levels.max(initial=0)) if self.most_levels is None else self.most_levels
        rows = np.flatnonzero(self.levels <= most)
        return list(zip(self.tokens[rows].tolist(), self.levels[rows].tolist(), strict=True))


def tree_report(branch: Branch) -> dict[str, object]:
    """The record of `tree --json`; bytes are hexadecimal, nodes come parents first, sorted by bytes."""
    tree, vocabulary = branch.tree, branch.vocabulary
    return {
        "prefix": branch.prefix.hex(),
        "tokens": len(branch.tokens),
        "levels": int(branch.levels.max(initial=0)),
        "leaves": int(np.count_nonzero(tree.arrays.sizes[branch.tokens] == 1)),
        "path": branch.above,
        "nodes": [
            {
                "id": token,
                "parent": tree.parent(token),
                "depth": int(tree.arrays.depths[token]),
                "size": int(tree.arrays.sizes[token]),
                "bytes": tree.token_bytes(token).hex(),
                "added": tree.added_bytes(token).hex(),
                "kind": vocabulary.kind(token),
                "matched": bool(tree.is_matched[token]),
            }
            for token, _ in branch.shown
        ],
    }


def tree_lines(branch: Branch) -> Iterator[str]:
    """One token a line, below its parent: id, how many are below it, the whole token, and what it adds."""
    n_tokens, n_levels = len(branch.tokens), int(branch.levels.max(initial=0))
    if not n_tokens:
        prefix = visible_text(branch.prefix, LONGEST_LABEL)
        yield f"No token begins with “{prefix}”." if prefix else "The vocabulary has no tokens."
        return
    yield f"{n_tokens:,} {_plural('token', n_tokens)} on {n_levels} {_plural('level', n_levels)}"
    if branch.above:
        yield "under " + " › ".join(visible_text(branch.tree.token_bytes(token)) for token in branch.above)
    yield f"{'id':>7}  {'below':>7}  token, and what it adds"
    for token, level in branch.shown:
        added = visible_text(branch.tree.added_bytes(token), LONGEST_LABEL)
        whole = visible_text(branch.tree.token_bytes(token), LONGEST_LABEL)
        below = int(branch.tree.arrays.sizes[token]) - 1
        start = f"{token:>7}  {f'{below:,}' if below else '':>7}  {'  ' * (level - 1)}{whole}"
        yield start if branch.tree.parent(token) is None else f"{start}  +{added}"


def dot_lines(branch: Branch) -> Iterator[str]:
    """A graph in the language of Graphviz; edges carry what a child adds."""
    tree, shown = branch.tree, dict(branch.shown)
    yield "digraph tokens {"
    yield '  rankdir=LR; node [shape=box, style=rounded, fontname="monospace"];'
    for token in shown:
        yield f"  {token} [label={_quoted(visible_text(tree.token_bytes(token), LONGEST_LABEL))}];"
        if (parent := tree.parent(token)) in shown:
            added = visible_text(tree.added_bytes(token), LONGEST_LABEL)
            yield f"  {parent} -> {token} [label={_quoted(added)}];"
    yield "}"


def _plural(noun: str, count: int) -> str:
    return noun if count == 1 else f"{noun}s"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
