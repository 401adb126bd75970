"""How merging builds a token."""

from __future__ import annotations

import pytest
from toy_vocabulary import ToyVocabulary

from guiapp.core.explain.merge_tree import MergeNode, merge_tree
from guiapp.core.vocab.vocabulary import Attribute, Rules, VocabType

RANKS = {(b"o", b"r"): 0, (b"or", b"k"): 1, (b"\xc4\xa0", b"Y"): 2, (b"\xc4\xa0Y", b"ork"): 3}
BYTE_LEVEL = Rules(byte_encoding=True)


class ByteLevel(ToyVocabulary):
    """Spells the space as `Ġ`, as byte-level BPE does."""

    def token_bytes(self, token_id):
        return self.raw_text(token_id).replace("Ġ".encode(), b" ")


def by_rank(left, right):
    return RANKS.get((left, right))


def bracketed(node: MergeNode) -> str:
    if not node.parts:
        return node.shown.decode()
    return f"({''.join(map(bracketed, node.parts))}{node.worth:g})"


def test_the_best_rank_goes_first():
    tree = merge_tree(ByteLevel({"ĠYork": 0.0}, VocabType.BPE, BYTE_LEVEL), 0, by_rank)
    assert tree.is_reached
    assert bracketed(tree.roots[0]) == "(( Y2)((or0)k1)3)"
    assert tree.remark == ""


def test_of_equal_scores_the_leftmost_pair_goes_first():
    vocabulary = ToyVocabulary({"aaa": -1.0, "aa": -2.0, "a": -3.0})
    scores = {b"aaa": -1.0, b"aa": -2.0}
    tree = merge_tree(vocabulary, 0, lambda left, right: scores.get(left + right))
    assert bracketed(tree.roots[0]) == "((aa-2)a-1)"


def test_the_highest_score_goes_first():
    vocabulary = ToyVocabulary({"abc": -1.0})
    scores = {b"abc": -1.0, b"ab": -5.0, b"bc": -2.0}
    tree = merge_tree(vocabulary, 0, lambda left, right: scores.get(left + right))
    assert bracketed(tree.roots[0]) == "(a(bc-2)-1)"


@pytest.mark.parametrize(
    ("ignore_merges", "says"),
    [(False, "ends in 2 tokens: text does not lead"), (True, "taken whole (ignore_merges)")],
)
def test_a_token_that_merging_misses_is_told(ignore_merges, says):
    rules = Rules(byte_encoding=True, ignore_merges=ignore_merges)
    tree = merge_tree(ByteLevel({"Yor": 0.0}, VocabType.BPE, rules), 0, by_rank)
    assert not tree.is_reached
    assert [node.shown for node in tree.roots] == [b"Y", b"or"]
    assert says in tree.remark


@pytest.mark.parametrize(
    ("attribute", "vocab_type", "says"),
    [
        (Attribute.CONTROL, VocabType.BPE, "special token"),
        (Attribute.USER_DEFINED, VocabType.SPM, "special token"),
        (Attribute.BYTE, VocabType.SPM, "single byte"),
        (Attribute.NORMAL, VocabType.UGM, "Unigram does not merge"),
        (Attribute.NORMAL, VocabType.WPM, "WordPiece does not merge"),
        (Attribute.NORMAL, VocabType.RWKV, "RWKV does not merge"),
    ],
)
def test_what_is_not_merged_says_why(attribute, vocab_type, says):
    tree = merge_tree(ToyVocabulary({"abc": attribute}, vocab_type), 0, by_rank)
    assert tree.roots == ()
    assert says in tree.remark


def test_a_single_character_and_a_huge_token_have_no_merges():
    vocabulary = ToyVocabulary({"a": 0.0, "b" * 1_000_000: 0.0}, VocabType.BPE)
    assert merge_tree(vocabulary, 0, by_rank).remark.startswith("There from the start")
    assert merge_tree(vocabulary, 1, by_rank).remark == "Its 1,000,000 characters are too many to draw."
