"""The values that colour the picture: a class or a number for each node."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.tree.picture import SCRIPT_NAMES, TreePicture
from guiapp.core.text.numbers_in_words import times
from guiapp.core.vocabulary.attributes import KIND_NAMES
from guiapp.core.vocabulary.merges import PairMerging
from guiapp.core.vocabulary.vocabulary import SCORED

Value = TypeVar("Value", np.uint8, np.float32)
NO_CLASS = 255
FULL_DEPTH = 12  # deeper tokens have the same colour
FULL_LENGTH = 32  # bytes; longer tokens have the same colour
GROUP = "a group of tokens"  # siblings that share a script
LEAST_USED = 0.25  # the share of a token that is used once, to distinguish it from unused ones


@dataclass(frozen=True, eq=False)
class NodeValues:
    """The values by which the nodes of a picture are coloured: classes, or positions on a scale.

    classes   uint8[m]    an index into `names`, or NO_CLASS
    shares    float32[m]  from 0 to 1, or NaN if the node has no value
    ends      labels of the lowest share and of 1
    lowest    the share of the smallest value
    nothing   a label for nodes with neither class nor share
    """

    title: str
    classes: NDArray[np.uint8]
    names: tuple[str, ...] = ()
    shares: NDArray[np.float32] | None = None
    ends: tuple[str, str] = ("", "")
    nothing: str = GROUP
    lowest: float = 0.0


@dataclass(frozen=True, eq=False)
class ColoringInput:
    """The input of colorings; `counts`, int64[n], is the number of occurrences of each token in the text."""

    picture: TreePicture
    merging: PairMerging | None = None
    counts: NDArray[np.int64] | None = None


def node_values(name: str, given: ColoringInput) -> NodeValues:
    """The values of the coloring `name` in COLORINGS for each node."""
    (chosen,) = (each for each in COLORINGS if each.name == name)
    return chosen.values(given)


def merge_ranks(merging: PairMerging | None, n_tokens: int) -> NDArray[np.int64]:
    """The lowest rank of a merge that makes each token, -1 for tokens that no merge makes."""
    ranks = np.full(n_tokens, np.iinfo(np.int64).max)
    if merging is not None:
        _, _, ranks_of_rules, made = merging.rules.table.T
        is_token = made < n_tokens
        np.minimum.at(ranks, made[is_token], ranks_of_rules[is_token])
    ranks[ranks == np.iinfo(np.int64).max] = -1
    return ranks


def _script(given: ColoringInput) -> NodeValues:
    return NodeValues("Script", given.picture.layout.kinds, SCRIPT_NAMES)


def _type(given: ColoringInput) -> NodeValues:
    classes = _of_nodes(given.picture, given.picture.vocabulary.kinds, NO_CLASS)
    return NodeValues("Token kind", classes, KIND_NAMES)


def _worth(given: ColoringInput) -> NodeValues:
    vocabulary = given.picture.vocabulary
    if vocabulary.type in SCORED:
        scores = vocabulary.scores.astype(np.float64)
        is_normal = np.isfinite(scores) & (scores != 0)
        usual = scores[is_normal]
        low, high = (float(usual.min()), float(usual.max())) if len(usual) else (0.0, 0.0)
        shares = np.where(is_normal, (scores - low) / max(high - low, 1e-9), np.nan)
        ends = f"{low:,.6g}", f"{high:,.6g}"
        return _scale(given.picture, "Score, higher is better", shares, ends, f"no score, or {GROUP}")
    ranks = merge_ranks(given.merging, len(vocabulary))
    most = max(int(ranks.max(initial=0)), 1)
    shares, ends = np.where(ranks < 0, np.nan, ranks / most), ("0, merged first", f"{most:,}, merged last")
    return _scale(given.picture, "Merge rank", shares, ends, f"not merged, or {GROUP}")


def _depth(given: ColoringInput) -> NodeValues:
    depths = given.picture.tree.columns.depths
    most = int(np.clip(depths.max(initial=1), 2, FULL_DEPTH))
    shares, ends = np.clip((depths - 1) / (most - 1), 0, 1), ("1 token", f"{most} or more")
    return _scale(given.picture, "Tokens on the path", shares, ends)


def _length(given: ColoringInput) -> NodeValues:
    lengths = np.maximum(given.picture.tree.lengths, 1)
    shares = np.clip(np.log2(lengths) / np.log2(FULL_LENGTH), 0, 1)
    return _scale(given.picture, "Length, log scale", shares, ("1 byte", f"{FULL_LENGTH} or more"))


def _use(given: ColoringInput) -> NodeValues:
    counts = given.counts
    if counts is None:
        counts = np.zeros(len(given.picture.vocabulary), np.int64)
    most = max(int(counts.max(initial=0)), 1)
    more = np.log(np.maximum(counts, 1)) / np.log(max(most, 2))
    shares = np.where(counts > 0, LEAST_USED + (1 - LEAST_USED) * more, np.nan)
    ends, title = ("once", times(most)), "Use in this text, log scale"
    return _scale(given.picture, title, shares, ends, f"not in it, or {GROUP}", LEAST_USED)


def _scale(
    picture: TreePicture,
    title: str,
    shares: NDArray[np.float64],
    ends: tuple[str, str],
    nothing: str = GROUP,
    lowest: float = 0.0,
) -> NodeValues:
    classes = np.full(len(picture), NO_CLASS, np.uint8)
    values = _of_nodes(picture, shares.astype(np.float32), np.nan)
    return NodeValues(title, classes, shares=values, ends=ends, nothing=nothing, lowest=lowest)


def _of_nodes(picture: TreePicture, values: NDArray[Value], otherwise: float) -> NDArray[Value]:
    """Values for nodes from values for tokens."""
    tokens = picture.layout.tokens
    found = np.full(len(tokens), otherwise, values.dtype)
    is_token = tokens >= 0
    found[is_token] = values[tokens[is_token]]
    return found


@dataclass(frozen=True)
class Coloring:
    """A coloring of the tree: by classes with names, or along a scale."""

    name: str
    title: str
    values: Callable[[ColoringInput], NodeValues]


COLORINGS = (
    Coloring("script", "Script", _script),
    Coloring("type", "Token kind", _type),
    Coloring("worth", "Rank or score", _worth),
    Coloring("depth", "Depth", _depth),
    Coloring("length", "Length in bytes", _length),
    Coloring("use", "Use in this text", _use),
)
