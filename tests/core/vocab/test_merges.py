"""Merge rules of vocabularies that have none in their files."""

from __future__ import annotations

from toy_vocabulary import toy_vocabulary

from guiapp.core.vocab.merges import sentence_piece_merging

TOKENS = ["a", "b", "ab", "aba", "é", "éa", "aé", "abaéa", "xy", "xyz", "▁a", b"\xe3", b"\xe3\x81"]


def test_tokens_are_cut_where_both_sides_are_symbols():
    vocabulary = toy_vocabulary({token: -float(rank) for rank, token in enumerate(TOKENS)})
    rules = sentence_piece_merging(vocabulary).rules
    made = {TOKENS[rule.made] for rule in rules.values()}
    assert made == {"ab", "aba", "abaéa", "éa", "aé", "xy", "xyz", "▁a", b"\xe3\x81"}


def test_a_token_of_a_megabyte_takes_no_time():
    long = "a" * 1_000_000
    rules = sentence_piece_merging(toy_vocabulary({"a": 0.0, "aa": -1.0, long: -2.0})).rules
    assert [rule.made for rule in rules.values()] == [1]
