"""Where words of a text are encoded by themselves, the parts of tokenizer.json make the same of them."""

import random
from itertools import chain, pairwise

import numpy as np
import pytest
from arrays import as_array
from hypothesis import given, settings
from hypothesis import strategies as st
from library_components import FORMS, OTHERS, PLAIN, SPLITS, json_of, prepare
from texts_for_components import texts

from guiapp.core.hugging_face.independent_words import word_edges
from guiapp.core.hugging_face.normalizers import Sequence, normalizer_of
from guiapp.core.hugging_face.pre_tokenizers import Sequence as Cutters
from guiapp.core.hugging_face.pre_tokenizers import pre_tokenizer_of
from guiapp.native.encoders import FIRST_WORD, AskedWords
from guiapp.native.special_tokens import CallOptions

CHANGES = [normalizer_of(json_of(each)) for each in (*FORMS, *OTHERS)]
CUTTERS = [pre_tokenizer_of(json_of(each)) for each in (*PLAIN, *SPLITS)]
NO_EDGES = np.zeros(256, np.bool_), np.zeros(1 << 16, np.bool_)
PAIRS = [
    (change, cutter) for change in CHANGES for cutter in CUTTERS if word_edges(change, cutter, []) is not None
]


def words_of(text, edges):
    """Cut before white space behind what may end a word."""
    places = [
        at
        for at in range(1, len(text))
        if ord(text[at]) < 256 and edges.starts[ord(text[at])]
        if ord(text[at - 1]) < 65536 and edges.ends[ord(text[at - 1])]
    ]
    return [text[a:b] for a, b in zip([0, *places], [*places, len(text)], strict=True)] if text else []


def pieces_of(change, cutter, text, is_first):
    prepared = prepare(change, cutter, text.encode(), is_first)
    data, ends = prepared.normalized.data.tobytes(), prepared.ends.tolist()
    return [data[a:b] for a, b in pairwise([0, *ends])]


def test_many_parts_have_independent_words():
    assert len(PAIRS) > 150


@settings(deadline=None, max_examples=400)
@given(
    st.lists(texts(3) | st.sampled_from([" ", "a ", "b\n", "é \u0301"]), max_size=8).map(" ".join),
    st.lists(st.sampled_from(CHANGES), max_size=2).map(tuple).map(Sequence),
    st.lists(st.sampled_from(CUTTERS), max_size=2).map(tuple).map(Cutters),
    st.sampled_from(PAIRS),
    st.booleans(),
)
def test_the_pieces_of_a_text_are_those_of_its_words(text, change, cutter, pair, is_first):
    if word_edges(change, cutter, []) is None:
        change, cutter = pair
    edges = word_edges(change, cutter, [])
    words = words_of(text, edges)
    expected = [
        each
        for at, word in enumerate(words)
        for each in pieces_of(change, cutter, word, is_first and at == 0)
    ]
    assert pieces_of(change, cutter, text, is_first) == expected
    joined = words[1:-1][::-1] + words[-1:]  # as new words are encoded together
    others = [each for word in joined for each in pieces_of(change, cutter, word, False)]
    assert pieces_of(change, cutter, "".join(joined), False) == others


def asked_words(asked):
    """Encodes by one id for each character and one more, none for a lone space."""
    edges = word_edges(CHANGES[0], pre_tokenizer_of({"type": "WhitespaceSplit"}), [])

    def ids_of(word, is_first):
        return [] if word == " " else [int(is_first), *map(ord, word)]

    def ask(data, starts, ends, kinds):
        words = [data[a:b].tobytes().decode() for a, b in zip(starts, ends, strict=True)]
        asked.append(words)
        each = [ids_of(word, kind == FIRST_WORD) for word, kind in zip(words, kinds, strict=True)]
        return np.array([*chain(*each)], np.int32), np.array([*map(len, each)], np.int64)

    def expected(text, begins):
        words = words_of(text, edges)
        return [*chain(*(ids_of(word, begins and at == 0) for at, word in enumerate(words)))]

    return AskedWords(*edges, ask), expected


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(texts(30) | texts(12).map(lambda each: each * 200), st.booleans()), max_size=5))
def test_new_words_are_asked_for_once(given_texts):
    asked = []
    words, expected = asked_words(asked)
    for text, begins in [*given_texts, *given_texts]:
        data = as_array(text.encode())
        asked.clear()
        ids = words.encode(data, CallOptions(begins=begins))
        assert (ids is None and len(data) >= 100) or ids.tolist() == expected(text, begins)
        assert all(len(set(each[1:])) == len(each[1:]) for each in asked)


def test_more_and_longer_words_than_are_cached_encode_correctly():
    dice, asked = random.Random(7), []
    words, expected = asked_words(asked)
    new = ["".join(dice.choices("abcé日", k=dice.choice([3, 8, 20, 3000]))) for _ in range(3000)]
    for text in (" ".join(dice.choices(new, k=9000)), "日" * 200_000 + " a" * 3000, "a b " * 40_000 + " "):
        data = as_array(text.encode())
        ids = words.encode(data, CallOptions())
        again = (
            words.encode(data, CallOptions()) if ids is None else ids
        )  # long words that come again are asked for
        assert again.tolist() == expected(text, True)
    with pytest.raises(ValueError, match="arrays"):
        AskedWords(*NO_EDGES, lambda *_: (np.zeros(3, np.int32), np.zeros(0, np.int64))).encode(
            as_array(b"x"), CallOptions()
        )
