"""Which tokens the texts lead to that are tried, here and in a process of its own."""

from itertools import product

import pytest
from conftest import VOCABS
from gguf_builder import NORMAL, UNKNOWN
from hypothesis import given
from hypothesis import strategies as st
from model_files import opened
from toy_vocabulary import toy_vocabulary
from unpaired_vocabularies import vocabulary as vocabulary_of

import guiapp
from guiapp.analysis.tree.trials import (
    begun_characters,
    broken_tokens,
    completions,
    unreached,
    unreached_apart,
)
from guiapp.core.demo import demo_model_path
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.text.utf8 import is_text
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.byte_alphabet import CHARACTER_OF_BYTE
from guiapp.core.vocabulary.vocabulary import Rules, SpecialIds, VocabType, token_tree

BYTES = dict.fromkeys(CHARACTER_OF_BYTE, 0.0)
N_INVALID = 13  # bytes that are nowhere in UTF-8


def unreached_texts(vocabulary):
    ids = unreached(Tokenizer(vocabulary), lambda share: None)
    return [vocabulary.token_bytes(token) for token in ids.tolist()]


def stand_ins(*tokens):
    return dict.fromkeys(["".join(CHARACTER_OF_BYTE[byte] for byte in token) for token in tokens], 0.0)


@pytest.mark.parametrize(
    ("tokens", "merges", "rules", "expected"),
    [
        ([b"ab", b"abc", b"bc", b"cb"], ["a b", "b c", "ab c"], {}, [b"cb"]),
        ([b"ab", b"abc", b"bc", b"cb"], ["a b", "b c", "ab c"], {"ignore_merges": True}, []),
        ([b"\xe2\x82"], [], {"ignore_merges": True}, [b"\xe2\x82"]),
        ([b"\xe2\x82"], ["â Ĥ"], {}, []),
        ([b"a!", b"\na", b" a"], ["a !", "Ċ a", "Ġ a"], {}, [b"a!", b"\na"]),
    ],
    ids=["no merges", "taken whole", "part of a character", "completed", "cut"],
)
def test_what_no_text_leads_to_is_not_reached(tokens, merges, rules, expected):
    vocabulary = toy_vocabulary(
        BYTES | stand_ins(*tokens), VocabType.BPE, merges, Rules(byte_encoding=True, **rules)
    )
    result = unreached_texts(vocabulary)
    assert len([token for token in result if len(token) == 1]) == N_INVALID
    assert [token for token in result if len(token) > 1] == expected


@pytest.mark.parametrize(("token", "is_reached"), [("ab", True), ("▁ab", True), ("▁aB", False), ("é", False)])
def test_wordpiece_tokens_are_reached_within_words_too(token, is_reached):
    rules = Rules(lowercase=True, strip_accents=True)
    tokens = {"[UNK]": Attribute.UNKNOWN, "▁x": 0.0, token: 0.0}
    vocabulary = toy_vocabulary(tokens, VocabType.WPM, rules=rules, special_ids=SpecialIds(unk=0))
    assert (unreached_texts(vocabulary) == []) == is_reached


@pytest.mark.parametrize(
    ("token", "scores", "is_reached"),
    [
        ("ab", {"a": -1, "b": -1, "ab": -2.5}, False),
        ("ab", {"a": -1, "b": -1, "bc": -0.1, "ab": -1.9}, True),
        ("b", {"a": -1, "ab": -0.5, "ba": -0.5, "b": -1}, True),
        ("é", {"é": -50, "a": -1}, True),
    ],
)
def test_unigram_tokens_are_reached_unless_others_score_better(token, scores, is_reached):
    rules = Rules(add_space_prefix=True, remove_extra_whitespaces=True)
    types, own_scores = [UNKNOWN] + [NORMAL] * len(scores), [0.0, *scores.values()]
    small = vocabulary_of(VocabType.UGM, ["<unk>", *scores], types, own_scores, rules)
    assert (token.encode() not in unreached_texts(small)) == is_reached


@given(data=st.binary(max_size=6))
def test_completions_are_valid_texts_with_the_bytes(data):
    result = completions(data)
    assert all(data in text and is_text(text) for text in result)
    short = [b"", *(bytes([byte]) for byte in range(0x80, 0x100))]
    if not result:
        assert not any(is_text(head + data + tail) for head, tail in product(short, short))


@given(st.lists(st.binary(min_size=1, max_size=5) | st.text(min_size=1).map(str.encode), unique=True))
def test_broken_tokens_are_those_that_cannot_be_decoded(tokens):
    result = broken_tokens(token_tree(toy_vocabulary(dict.fromkeys(tokens, 0.0), rules=Rules())))
    assert result.tolist() == [number for number, token in enumerate(tokens) if not is_text(token)]


@pytest.mark.real_vocabs
@pytest.mark.parametrize(
    ("name", "n_unreached"), [("gpt-2", 13), ("llama-bpe", 14), ("llama-spm", 0), ("bert-bge", 1363)]
)
def test_nearly_all_tokens_of_real_vocabularies_are_reached(name, n_unreached):
    tokenizer = opened(VOCABS / f"ggml-vocab-{name}.gguf")
    assert len(unreached(tokenizer, lambda share: None)) == n_unreached


@pytest.mark.parametrize(
    ("data", "begun"),
    [
        (b"\xe5", "倀–忿"),
        (b"\xe5\xa4", "夀–夿"),
        (b" \xe5\xa4", "夀–夿"),
        ("大".encode(), ""),
        (b"\xf0\x9f\x98", "😀–😿"),
        (b"\xc3", "À–ÿ"),
        (b"a", ""),
        (b"", ""),
        (b"\xa4", ""),
    ],
)
def test_part_of_a_character_lists_what_it_may_become(data, begun):
    assert begun_characters(data) == begun


@pytest.mark.parametrize("data", [b"\xff", b"a\xffb", b"\x80" * 4, b"\xc0", b"a\x80\x80b"])
def test_what_is_in_no_text_cannot_be_completed(data):
    assert completions(data) == []


def never_stop(share):
    """Somebody who goes on waiting."""


def test_a_trial_in_its_own_process_gives_the_same_result():
    tokenizer = guiapp.open_model(demo_model_path("bpe"))
    here, apart = unreached(tokenizer, never_stop), unreached_apart(tokenizer, never_stop)
    assert apart.tolist() == here.tolist() != []
    assert apart.dtype == here.dtype


def test_a_cancelled_trial_ends():
    def stop(share):
        shares.append(share)
        raise InterruptedError

    shares = []
    with pytest.raises(InterruptedError):
        unreached(guiapp.open_model("demo:toy"), stop)
    assert shares == [0.5]
