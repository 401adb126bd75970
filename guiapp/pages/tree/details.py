"""What there is to say about one node of the tree, in words."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.explain.merge_tree import MergeTree, merge_tree, why_not_merged
from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.tree.greedy_walk import merge_rules_of
from guiapp.analysis.tree.partial_characters import begun_characters
from guiapp.analysis.tree.picture import TreePicture
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.text.figures import counted, times
from guiapp.core.vocabulary.vocabulary import SCORED, VocabType, Vocabulary, special_role
from guiapp.kit.session.token_details import hex_bytes

MOST_MERGED = 48  # bytes of a token whose merges are drawn
NODE_FACTS = (
    "id",
    "bytes",
    "begins",
    "type",
    "role",
    "score",
    "merge rank",
    "depth",
    "children",
    "below it",
    "in this text",
)


@dataclass(frozen=True)
class NodeDetails:
    """One node: a token, a group of siblings, or the root.

    text   how it is written
    facts  names of NODE_FACTS with what there is to say
    """

    token: int | None
    text: str
    facts: tuple[tuple[str, str], ...]


def describe_node(
    picture: TreePicture,
    node: int,
    tokenizer: Tokenizer | None,
    counts: NDArray[np.int64] | None,
    spelling: Spelling = Spelling.SIGNS,
) -> NodeDetails:
    """Gather what is known about a node."""
    token, children = picture.token(node), len(picture.children(node))
    n_below = counted(picture.n_below(node), "token")
    if token is None:
        title = "all tokens" if picture.parent(node) is None else picture.script(node)
        return NodeDetails(None, title, (("children", f"{children:,}"), ("below it", n_below)))
    vocabulary = picture.vocabulary
    is_ranked = vocabulary.type is VocabType.BPE
    values = {
        "id": str(token),
        "bytes": hex_bytes(picture.tree.token_bytes(token)),
        "begins": begun_characters(picture.tree.token_bytes(token)),
        "type": vocabulary.kind(token),
        "role": special_role(vocabulary, token),
        "score": f"{vocabulary.score(token):,.6g}" if vocabulary.type in SCORED else "",
        "merge rank": _rank(merge_story(vocabulary, tokenizer, token).worth) if is_ranked else "",
        "depth": str(int(picture.tree.columns.depths[token])),
        "children": f"{len(picture.tree.children(token)):,}",
        "below it": n_below,
        "in this text": times(0 if counts is None else int(counts[token])),
    }
    facts = tuple((name, values[name]) for name in NODE_FACTS if values[name])
    return NodeDetails(token, spelling.token(vocabulary, token), facts)


def glance(
    picture: TreePicture, node: int, counts: NDArray[np.int64] | None, spelling: Spelling
) -> tuple[str, tuple[str, ...]]:
    """What a node stands for, and the little that fits beside the pointer, a few words a line."""
    token, n_below = picture.token(node), picture.n_below(node)
    if token is None:
        if picture.parent(node) is None:
            return "all tokens", (counted(n_below, "token"),)
        return picture.script(node), (counted(n_below, "token"), "a group, itself no token")
    token_bytes = picture.tree.token_bytes(token)
    below = counted(n_below, "longer token") if n_below else "no longer token"
    verb = "begins" if n_below in (0, 1) else "begin"
    n_used = 0 if counts is None else int(counts[token])
    used = f"{times(n_used)} in this text" if n_used else "not in this text"
    return spelling.token(picture.vocabulary, token), (
        f"id {token} · {counted(len(token_bytes), 'byte')}",
        f"{below} {verb} with it",
        used,
    )


def merge_story(vocabulary: Vocabulary, tokenizer: Tokenizer | None, token: int) -> MergeTree:
    """How a token is merged from its symbols, and a remark on the rules that its encoder follows."""
    merging = None if tokenizer is None else tokenizer.merging
    note = why_not_merged(vocabulary, token)
    if note or merging is None:
        return MergeTree((), note)
    if len(vocabulary.token_bytes(token)) > MOST_MERGED:
        return MergeTree((), "Too long to draw here.")
    tree = merge_tree(vocabulary, merging, token)
    n_rules = len(merge_rules_of(merging, token))
    if n_rules > 1:
        rules = f"{n_rules} merge rules make it; this is the one that text leads to."
        return replace(tree, note=f"{rules} {tree.note}")
    return tree


def _rank(worth: float | None) -> str:
    return "" if worth is None else f"{worth:,.0f}"
