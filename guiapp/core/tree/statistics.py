"""Figures about a token tree, each with the tokens that it is about."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from guiapp.core.errors import EncodeError
from guiapp.core.pipelines.pair_merging import PairEncoder
from guiapp.core.text.split_patterns import splitter_for
from guiapp.core.tree.picture import TreePicture
from guiapp.core.vocab.merges import PairMerging
from guiapp.core.vocab.vocabulary import Attribute, VocabType

Ids = NDArray[np.int32]
NO_IDS = np.zeros(0, np.int32)
NOT_TEXT = Attribute.CONTROL | Attribute.UNKNOWN | Attribute.UNUSED | Attribute.BYTE | Attribute.USER_DEFINED
N_LONGEST = 20
NEIGHBOURS = b"\na 0!"  # what tokens stand between, to see whether the splitter cuts them


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


def tree_statistics(picture: TreePicture, merging: PairMerging | None) -> TreeStatistics:
    """Count a whole tree."""
    arrays = picture.tree.arrays
    order = arrays.order
    fan_outs = np.diff(arrays.child_offsets)[:-1][order]
    depths = arrays.depths[order]
    deepest = order[np.argsort(-depths, kind="stable")[:N_LONGEST]]
    widest = order[np.argsort(-fan_outs, kind="stable")[:N_LONGEST]]
    longest = order[np.argsort(-arrays.lengths[order], kind="stable")[:N_LONGEST]]
    leaves, broken = order[fan_outs == 0], not_utf8(picture)
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
    if (unmade := never_made(picture, merging)) is not None:
        cut = always_cut(picture)
        never = np.union1d(unmade, cut).astype(np.int32)
        findings.append(Finding("never produced", f"{len(never):,}", never, _remark(picture, unmade, cut)))
    groups = np.floor(np.log2(np.maximum(fan_outs, 1))).astype(np.int64) + (fan_outs > 0)
    return TreeStatistics(tuple(findings), np.bincount(np.maximum(depths - 1, 0)), np.bincount(groups))


def not_utf8(picture: TreePicture) -> Ids:
    """Text tokens that are not whole characters."""
    tree = picture.tree
    data = tree.data
    suspects = np.unique(np.searchsorted(tree.offsets, np.flatnonzero(data >= 0x80), "right") - 1)
    broken = [token for token in suspects.tolist() if not _is_utf8(tree.token_bytes(token))]
    return np.array(broken, np.int32)


def never_made(picture: TreePicture, merging: PairMerging | None) -> Ids | None:
    """Text tokens that merging their own bytes does not end in, so that no text leads to them.

    Where a word that is a token is taken whole (`ignore_merges`), there are none; None where nothing is
    merged.
    """
    vocabulary, tree = picture.vocabulary, picture.tree
    if merging is None:
        return None
    if vocabulary.rules.ignore_merges:
        return NO_IDS
    is_wanted = _is_text(picture) & (tree.arrays.lengths > 0)
    wanted, lengths = np.flatnonzero(is_wanted), tree.arrays.lengths[is_wanted].astype(np.int64)
    ends = np.cumsum(lengths)
    text = tree.data[np.repeat(is_wanted, np.diff(tree.offsets))]
    try:
        found = PairEncoder(vocabulary, merging).encode(text, ends, "heap")
    except EncodeError:  # characters of a token that the vocabulary cannot write by themselves
        return None
    pieces = np.minimum(np.searchsorted(ends, found.ends), max(len(ends) - 1, 0))
    is_whole = (found.ends == ends[pieces]) & (found.starts == ends[pieces] - lengths[pieces])
    is_same = is_whole & (wanted[pieces] == found.ids)
    is_made = np.zeros(len(wanted), np.bool_)
    is_made[pieces[is_same]] = True
    return wanted[~is_made].astype(np.int32)


def always_cut(picture: TreePicture) -> Ids:
    """Text tokens that the pre-tokenizer cuts, whichever of some NEIGHBOURS stand at both sides.

    Only whole characters can be judged: what else is in a token becomes part of some character.
    """
    vocabulary, tree = picture.vocabulary, picture.tree
    if vocabulary.type is not VocabType.BPE or vocabulary.model == "whitespace":
        return NO_IDS
    is_wanted = _is_text(picture) & (tree.arrays.lengths > 1)
    is_wanted[not_utf8(picture)] = False
    wanted, lengths = np.flatnonzero(is_wanted), tree.arrays.lengths[is_wanted].astype(np.int64)
    data = tree.data[np.repeat(is_wanted, np.diff(tree.offsets))]
    ends = np.cumsum(lengths + 1)  # with the neighbour before each token
    starts = ends - lengths
    places = np.arange(len(data)) + np.repeat(np.arange(1, len(wanted) + 1), lengths)
    is_cut = np.ones(len(wanted), np.bool_)
    splitter = splitter_for(vocabulary.pre_type)
    for neighbour in NEIGHBOURS:
        text = np.full(len(data) + len(wanted) + 1, neighbour, np.uint8)
        text[places] = data
        cuts = splitter.split(text)
        is_cut &= cuts[np.searchsorted(cuts, starts, "right")] < ends
    return wanted[is_cut].astype(np.int32)


def _is_text(picture: TreePicture) -> NDArray[np.bool_]:
    is_text: NDArray[np.bool_] = (picture.vocabulary.attributes & NOT_TEXT) == 0
    return is_text


def _remark(picture: TreePicture, unmade: Ids, cut: Ids) -> str:
    """What exactly is counted."""
    merged = f"{len(unmade):,} whose bytes merge into other tokens"
    if picture.vocabulary.rules.ignore_merges:
        merged = "a word that is a token is taken whole (ignore_merges)"
    if picture.vocabulary.type is not VocabType.BPE:
        return merged
    beside = "at the ends of lines or beside letters, spaces, digits and marks"
    return f"{merged}; {len(cut):,} that the pre-tokenizer cuts, {beside}"


def _most(values: NDArray[np.int32]) -> str:
    return f"{int(values.max(initial=0)):,}"


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
