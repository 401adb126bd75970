"""Figures about a token tree, each with the tokens that it is about."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.tree.partial_characters import broken_tokens
from guiapp.analysis.tree.picture import TreePicture
from guiapp.analysis.tree.trials import NAMES
from guiapp.core.vocabulary.attributes import Attribute

Ids = NDArray[np.int32]
NO_IDS = np.zeros(0, np.int32)
NOT_TEXT = Attribute.CONTROL | Attribute.UNKNOWN | Attribute.UNUSED | Attribute.BYTE | Attribute.USER_DEFINED
N_LONGEST = 20
DEPTH = "Depth: how many tokens lie on the way from the root, the token itself included."
CHILDREN = "Children: the longer tokens that hang right below one."
N_SINGLE_DEPTHS = 16
UNREACHED = (
    "Texts with their bytes did not lead to them, which is no proof that none does. They stood {}. Control, "
    "unknown, user-defined and byte tokens, which text reaches in other ways, do not count."
)


@dataclass(frozen=True, eq=False)
class Finding:
    """One figure; `tokens` are those that it counts, the most telling first."""

    name: str
    value: str
    tokens: Ids
    remark: str = ""


@dataclass(frozen=True, eq=False)
class Distribution:
    """How the tokens of a tree divide: each of the bars counts some of them, and is named by a number.

    about  what that number is
    """

    title: str
    about: str
    bars: tuple[Finding, ...]


@dataclass(frozen=True, eq=False)
class TreeStatistics:
    """What can be said about a whole tree."""

    findings: tuple[Finding, ...]
    distributions: tuple[Distribution, ...]


def tree_statistics(picture: TreePicture) -> TreeStatistics:
    """Count a whole tree."""
    tree = picture.tree
    order, lengths = tree.order, tree.lengths[tree.order]
    fan_outs, depths = np.diff(tree.columns.child_offsets)[:-1][order], tree.columns.depths[order]
    deepest = order[np.argsort(-depths, kind="stable")[:N_LONGEST]]
    widest = order[np.argsort(-fan_outs, kind="stable")[:N_LONGEST]]
    longest = order[np.argsort(-lengths, kind="stable")[:N_LONGEST]]
    leaves, broken = order[fan_outs == 0], broken_tokens(tree)
    doubles = order[(~tree.is_matched[order]) & _is_text(picture)[order]]
    findings = [
        Finding("tokens", f"{len(order):,}", NO_IDS),
        Finding("leaves", f"{len(leaves):,}", leaves, "begin no longer token"),
        Finding("longest chain", _most(depths), deepest, "tokens from the root"),
        Finding("largest fan-out", _most(fan_outs), widest, "children of one token"),
        Finding("longest token", _most(lengths), longest, "bytes"),
        Finding("not whole UTF-8", f"{len(broken):,}", broken, "parts of characters"),
        Finding("same bytes as another", f"{len(doubles):,}", doubles, "matching takes the other one"),
    ]
    distributions = (
        Distribution("Tokens at each depth", DEPTH, _bars(order, depths, N_SINGLE_DEPTHS)),
        Distribution("Tokens with so many children", CHILDREN, _bars(order, fan_outs, 1)),
    )
    return TreeStatistics(tuple(findings), distributions)


def unreached_finding(unreached: Ids) -> Finding:
    """The tokens that none of the trials led to."""
    remark = UNREACHED.format("; ".join(NAMES))
    return Finding(f"not reached by {len(NAMES)} trials", f"{len(unreached):,}", unreached, remark)


def _bars(ids: Ids, values: NDArray[np.int32], n_single: int) -> tuple[Finding, ...]:
    """The ids by their values, up to `n_single` each for itself, beyond that up to each power of two."""
    doublings = np.ceil(np.log2(np.maximum(values, 1) / n_single) - 1e-9).astype(np.int64)
    groups = np.where(values <= n_single, values, n_single + doublings)
    bars = []
    for group in np.unique(groups).tolist():
        members, first, last = ids[groups == group], group, group
        if group > n_single:
            last = n_single << group - n_single
            first = (last >> 1) + 1
        name = str(first) if first == last else f"{first}–{last}"
        bars.append(Finding(name, f"{len(members):,}", members))
    return tuple(bars)


def _is_text(picture: TreePicture) -> NDArray[np.bool_]:
    is_text: NDArray[np.bool_] = (picture.vocabulary.attributes & NOT_TEXT) == 0
    return is_text


def _most(values: NDArray[np.int32]) -> str:
    return f"{int(values.max(initial=0)):,}"
