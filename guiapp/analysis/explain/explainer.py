"""All explanations of one vocabulary's tokens, with the tables that they share."""

from __future__ import annotations

from functools import lru_cache, partial

from guiapp.analysis.explain.merge_tree import MergeTree, TokenPath, merge_tree, token_path, why_not_merged
from guiapp.core.vocabulary.merges import PairMerging, byte_pair_merging, sentence_piece_merging
from guiapp.core.vocabulary.vocabulary import VocabType, Vocabulary

KEPT_TREES = 4096


class Explainer:
    """How tokens of one vocabulary are built and what is near them.

    Building the tables is work for a background thread; answers are quick.
    """

    def __init__(self, vocabulary: Vocabulary, merging: PairMerging | None = None) -> None:
        """`merging` are the merge rules of a tokenizer of this vocabulary; made anew where there are none."""
        self.vocabulary = vocabulary
        merging = merging or _pair_merging(vocabulary)
        self.merge_tree = lru_cache(KEPT_TREES)(partial(_merge_tree, vocabulary, merging))
        self._tree = vocabulary.token_tree

    def path(self, token_id: int) -> TokenPath:
        return token_path(self.vocabulary, self._tree, token_id)

    def merge_rank(self, token_id: int) -> int | None:
        """The rank of the merge that completes a token of a BPE vocabulary."""
        worth = self.merge_tree(token_id).worth if self.vocabulary.type is VocabType.BPE else None
        return None if worth is None else int(worth)


def _merge_tree(vocabulary: Vocabulary, merging: PairMerging | None, token_id: int) -> MergeTree:
    note = why_not_merged(vocabulary, token_id)
    return MergeTree((), note) if note or merging is None else merge_tree(vocabulary, merging, token_id)


def _pair_merging(vocabulary: Vocabulary) -> PairMerging | None:
    """The merge rules of a vocabulary whose type has any."""
    if vocabulary.type is VocabType.BPE:
        return byte_pair_merging(vocabulary)
    return sentence_piece_merging(vocabulary) if vocabulary.type is VocabType.SPM else None
