"""Merge rules of vocabularies that have none in their files; how texts are spelled and cut for merging."""

import random
from itertools import pairwise

import numpy as np
import pytest
from pair_vocabularies import byte_level, character_level, sentence_piece
from piece_models import UNKNOWN, UNUSED, model, piece
from toy_vocabulary import toy_vocabulary

from guiapp.core.open_model import open_model
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
    pairs = {(symbols[left], symbols[right]) for left, right in merging.rules}
    known = {*tokens, *(letter.encode() for letter in letters)}
    cuts = {(token[:cut], token[cut:]) for token in tokens for cut in range(1, len(token))}
    assert pairs == {(left, right) for left, right in cuts if left in known and right in known}


def test_tokens_with_too_many_possible_cuts_are_refused():
    vocabulary = toy_vocabulary({"a": 0.0, "a" * 70_000_000: 0.0})
    with pytest.raises(VocabError, match="more than 33 million ways"):
        sentence_piece_merging(vocabulary)


SCORES = {"<unk>": 0, "<0xC3>": 0, "a": -1, "▁": -1, "é": -1, "▁a": -2}


@pytest.mark.parametrize(
    ("merging", "spelling", "starts"),
    [
        (byte_pair_merging(byte_level(["Ġ a"])), "ĠaÃ©", [(0, 1), (1, 2), (2, 3), (3, 4)]),
        (byte_pair_merging(character_level(["▁ a"], ["▁", "a", "▁a"])), "▁aé", [(0, 1), (1, 2), (2, 4)]),
        (sentence_piece_merging(sentence_piece(SCORES)), "▁aé", [(0, 1), (1, 2), (2, 4)]),
        (sentence_piece_merging(sentence_piece(SCORES, rules=Rules())), " aé", [(0, 1), (1, 2), (2, 4)]),
    ],
)
def test_texts_are_spelled_and_split_like_the_vocabulary(merging, spelling, starts):
    data = " aé".encode()
    assert merging.spell(data) == spelling.encode()
    assert [(start, end) for _, start, end in merging.start_symbols(data)] == starts
    assert merging.symbol_end(b"\xe2\x96", 0) in (1, 2)


def test_what_is_no_token_is_written_as_the_tokens_of_its_bytes():
    merging = sentence_piece_merging(sentence_piece(SCORES))
    data = "aÃ".encode()
    assert merging.tokens_of(2, data, 0, 1) == [(2, 0, 1)]
    assert merging.tokens_of(None, data, 1, 3) == [(1, 1, 2), (0, 2, 3)]
    assert merging.tokens_of(99, data, 1, 2) == [(1, 1, 2)]
    assert (merging.find_piece(b" a"), merging.find_piece(b"xx")) == (5, -1)


def test_unused_pieces_are_taken_apart_but_for_single_characters(tmp_path):
    pieces = [
        piece("<unk>", kind=UNKNOWN),
        *map(piece, "ab"),
        piece("ab", kind=UNUSED),
        piece("c", kind=UNUSED),
    ]
    path = tmp_path / "tokenizer.model"
    path.write_bytes(model([*pieces, piece("abc")], {3: 2}))
    merging = sentence_piece_merging(open_model(path).vocabulary)
    symbols = [None, -1, *range(len(merging.model) + 1)]
    assert merging.takes_apart
    assert [symbol for symbol in symbols if merging.is_unused(symbol)] == [3]
    without = sentence_piece_merging(sentence_piece(SCORES))
    assert not without.takes_apart
    assert not without.is_unused(1)
