"""The walk down the token tree that ends with the token of the present step."""

from __future__ import annotations

from typing import NamedTuple

from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.trace.debugger import Debugger
from guiapp.core.text.visible_text import visible_text
from guiapp.core.vocabulary.token_tree import TokenTree
from guiapp.core.vocabulary.vocabulary import Vocabulary

WALKERS = ("greedy", "rwkv")
MOST_OTHERS = 6
LOOK_AHEAD = 6  # bytes of the text behind the token


class WalkNode(NamedTuple):
    """A token on the way: what it adds to the one before, and where else the way could have gone from there.

    others    the beginnings of the other ways, `n_others` of them in all
    """

    token_id: int
    added: str
    text: str
    others: tuple[str, ...]
    n_others: int


class Walk(NamedTuple):
    """The tokens on the way, the last one taken; `behind` is the text that leads to no longer token."""

    nodes: list[WalkNode]
    behind: str


def walk(debugger: Debugger, tree: TokenTree) -> Walk:
    """What longest match does at a step; without nodes where it takes nothing."""
    trace, step = debugger.trace, debugger.position
    if step >= len(trace) or trace.operation(step) != "take":
        return Walk([], "")
    taken, end = int(trace.columns.result[step]), int(trace.columns.end[step])
    behind = visible_text(trace.text[end : end + LOOK_AHEAD])
    if not tree.is_matched[taken]:
        return Walk([], behind)
    return Walk(
        [_node(debugger.vocabulary, tree, token_id, debugger.spelling) for token_id in tree.path(taken)],
        behind,
    )


def _node(vocabulary: Vocabulary, tree: TokenTree, token_id: int, spelling: Spelling) -> WalkNode:
    siblings = tree.children(tree.parent(token_id))
    at = int((siblings == token_id).argmax())
    first = max(0, min(at - MOST_OTHERS // 2, len(siblings) - MOST_OTHERS - 1))
    near = [int(other) for other in siblings[first : first + MOST_OTHERS + 1] if other != token_id]
    added, *others = (spelling.part(vocabulary, tree.added_bytes(each)) for each in (token_id, *near))
    text = spelling.token(vocabulary, token_id)
    return WalkNode(token_id, added, text, tuple(others), len(siblings) - 1)
