"""Merge rules of vocabularies that have none in their files; how texts are spelled and cut for merging."""

import random
from itertools import pairwise

import numpy as np
import pytest
from pair_vocabularies import byte_level
from toy_vocabulary import toy_vocabulary

from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.merges import byte_pair_merging, sentence_piece_merging
from guiapp.core.vocabulary.vocabulary import Rules
from guiapp.errors import VocabError

TOKENS = ["a", "b", "ab", "aba", "é", "éa", "aé", "abaéa", "xy", "xyz", "▁a", b"\xe3", b"\xe3\x81"]


def test_tokens_are_cut_where_both_sides_are_symbols():
    vocabulary = toy_vocabulary({token: -float(rank) for rank, token in enumerate(TOKENS)})
    rules = sentence_piece_merging(vocabulary).rules
    made = {TOKENS[rule.made] for rule in rules.values()}
    assert made == {"ab", "aba", "abaéa", "éa", "aé", "xy", "xyz", "▁a", b"\xe3\x81"}


def test_where_all_pairs_merge_the_lowest_id_comes_first_and_none_that_is_not_normal():
    attributes = [Attribute.NORMAL] * 3 + [Attribute.CONTROL, Attribute.NORMAL, Attribute.NORMAL]
    changes = {"rules": Rules(byte_encoding=True, merges_all_pairs=True), "attributes": np.array(attributes)}
    merging = byte_pair_merging(byte_level([], ["a", "b", "c", "ab", "ca", "bc"], **changes))
    assert sorted((rule.rank, rule.made) for rule in merging.rules.values()) == [(4, 4), (5, 5)]


def test_a_token_of_a_megabyte_takes_no_time():
    long = "a" * 1_000_000
    rules = sentence_piece_merging(toy_vocabulary({"a": 0.0, "aa": -1.0, long: -2.0})).rules
    assert [rule.made for rule in rules.values()] == [1]


@pytest.mark.parametrize("letters", ["ab", "abé"])
def test_rules_of_long_tokens_are_those_of_looking_up_every_cut(letters):
    rng = random.Random(letters)
    texts = {"".join(rng.choices(letters, k=rng.choice([1, 2, 3, 250, 260, 400]))) for _ in range(300)}
    texts |= {left + right for left, right in pairwise(sorted(texts))}
    texts |= {"a" * length for length in range(240, 300)}
    tokens = [text.encode() for text in sorted(texts) if text not in ("b", "é")]
    merging = sentence_piece_merging(toy_vocabulary(dict.fromkeys(tokens, 0.0)))
    data, offsets = merging.symbol_texts
    symbols = [data[start:end].tobytes() for start, end in pairwise(offsets.tolist())]
    found = {(symbols[left], symbols[right]) for left, right in merging.rules}
    known = {*tokens, *(letter.encode() for letter in letters)}
    cuts = {(token[:cut], token[cut:]) for token in tokens for cut in range(1, len(token))}
    assert found == {(left, right) for left, right in cuts if left in known and right in known}


def test_tokens_that_can_be_cut_in_too_many_ways_are_refused():
    vocabulary = toy_vocabulary({"a": 0.0, "a" * 70_000_000: 0.0})
    with pytest.raises(VocabError, match="more than 33 million ways"):
        sentence_piece_merging(vocabulary)
