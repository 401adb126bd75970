"""Figures about a token tree, each with the tokens that it is about."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from guiapp.core.tree.characters import broken_tokens
from guiapp.core.tree.picture import TreePicture
from guiapp.core.tree.producible import Producible
from guiapp.core.vocab.vocabulary import Attribute

Ids = NDArray[np.int32]
NO_IDS = np.zeros(0, np.int32)
NOT_TEXT = Attribute.CONTROL | Attribute.UNKNOWN | Attribute.UNUSED | Attribute.BYTE | Attribute.USER_DEFINED
N_LONGEST = 20
UNDECIDED = "No text that was tried leads to them, but that none does is not proved."
NEVER = (
    "Proved: they are among the tokens of no text that is valid UTF-8. Control, unknown, user-defined and "
    "byte tokens, which text reaches in other ways, do not count."
)


@dataclass(frozen=True, eq=False)
class Finding:
    """One figure; `tokens` are those that it counts, the most telling first."""

    name: str
    value: str
    tokens: Ids
    remark: str = ""


@dataclass(frozen=True, eq=False)
class TreeStatistics:
    """What can be said about a whole tree.

    depths    int64[k]  how many tokens stand at depth i + 1
    fan_outs  int64[k]  how many tokens have 0, 1, 2–3, 4–7, … children
    """

    findings: tuple[Finding, ...]
    depths: NDArray[np.int64]
    fan_outs: NDArray[np.int64]


def tree_statistics(picture: TreePicture) -> TreeStatistics:
    """Count a whole tree."""
    arrays = picture.tree.arrays
    order = arrays.order
    fan_outs = np.diff(arrays.child_offsets)[:-1][order]
    depths = arrays.depths[order]
    deepest = order[np.argsort(-depths, kind="stable")[:N_LONGEST]]
    widest = order[np.argsort(-fan_outs, kind="stable")[:N_LONGEST]]
    longest = order[np.argsort(-arrays.lengths[order], kind="stable")[:N_LONGEST]]
    leaves, broken = order[fan_outs == 0], broken_tokens(picture.tree)
    doubles = order[(~picture.tree.is_matched[order]) & _is_text(picture)[order]]
    findings = [
        Finding("tokens", f"{len(order):,}", NO_IDS),
        Finding("leaves", f"{len(leaves):,}", leaves, "nothing longer begins with them"),
        Finding("longest chain", _most(depths), deepest, "tokens from the root"),
        Finding("largest fan-out", _most(fan_outs), widest, "children of one token"),
        Finding("longest token", _most(arrays.lengths[order]), longest, "bytes"),
        Finding("not whole UTF-8", f"{len(broken):,}", broken, "hold parts of characters"),
        Finding("same bytes as another", f"{len(doubles):,}", doubles, "matching takes the other one"),
    ]
    groups = np.floor(np.log2(np.maximum(fan_outs, 1))).astype(np.int64) + (fan_outs > 0)
    return TreeStatistics(tuple(findings), np.bincount(np.maximum(depths - 1, 0)), np.bincount(groups))


def producible_findings(found: Producible) -> tuple[Finding, ...]:
    """What is known about the tokens that no text leads to."""
    reasons = "\n".join(f"{count:,} {reason.value}" for reason, count in found.refusals)
    never = Finding("never produced", f"{len(found.never):,}", found.never, f"{NEVER}\n{reasons}".rstrip())
    if not len(found.undecided):
        return (never,)
    return never, Finding("perhaps never", f"{len(found.undecided):,}", found.undecided, UNDECIDED)


def _is_text(picture: TreePicture) -> NDArray[np.bool_]:
    is_text: NDArray[np.bool_] = (picture.vocabulary.attributes & NOT_TEXT) == 0
    return is_text


def _most(values: NDArray[np.int32]) -> str:
    return f"{int(values.max(initial=0)):,}"
