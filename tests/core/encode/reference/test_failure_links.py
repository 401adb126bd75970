"""WordPiece by failure links against longest match, word by word."""

import random

import numpy as np
import pytest
from benchmarks.linear_speed import growth
from conftest import VOCABS
from hypothesis import given, settings
from hypothesis import strategies as st
from random_texts import random_texts
from unpaired_vocabularies import vocabulary

import guiapp
from guiapp.core.encode.reference import wordpiece
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.vocabulary.vocabulary import Rules, VocabType

BERT_RULES = Rules(lowercase=True, strip_accents=True)
LETTERS = st.text("aab", min_size=1, max_size=6)


def tokenizer_of(tokens):
    return Tokenizer(vocabulary(VocabType.WPM, ["[UNK]", *tokens], rules=BERT_RULES))


def tokens_of(tokenizer, text, encoder):
    encoding = tokenizer.encode(text, add_special=False, encoder=encoder)
    return encoding.token_ids.tolist(), encoding.spans.tolist()


@settings(max_examples=60, deadline=None)
@given(
    firsts=st.lists(LETTERS, max_size=5),
    others=st.lists(LETTERS, max_size=6),
    text=st.text("aaabbc ", max_size=25),
)
def test_links_and_longest_match_agree_on_any_vocabulary(firsts, others, text):
    tokenizer = tokenizer_of(dict.fromkeys(["▁" + first for first in firsts] + others))
    expected = tokens_of(tokenizer, text, "wordpiece")
    assert tokens_of(tokenizer, text, "linear") == expected
    readable = tokenizer.encode_readable(text, add_special=False, encoder="linear")
    assert (readable.token_ids.tolist(), readable.spans.tolist()) == expected


@given(tokens=st.sets(LETTERS, min_size=1, max_size=7), word=st.text("aab", max_size=14))
def test_the_twin_takes_what_the_twin_of_wordpiece_takes(tokens, word):
    ids = {token.encode(): number for number, token in enumerate(sorted(tokens))}
    taken, expected = [], []
    for step in wordpiece.linear_steps(word.encode(), ids, wordpiece.FailureLinks(ids), 99):
        step.apply(taken)
    for step in wordpiece.steps(word.encode(), ids, 6, 99):
        step.apply(expected)
    assert taken == expected


def texts(rng, vocabulary):
    words = [
        vocabulary.raw_text(token).decode("utf-8", "replace").strip("▁") for token in range(len(vocabulary))
    ]
    for _ in range(30):
        yield "".join(rng.choices(words, k=rng.randint(1, 30))).encode()
        yield " ".join(rng.choices(words, k=rng.randint(1, 30))).encode()
        yield (rng.choice(words) * rng.randint(1, 80) + rng.choice(["", "\ue123", "☃", "x" * 300])).encode()
    yield from random_texts(11, 60)


MODELS = ["demo:wordpiece", pytest.param("ggml-vocab-bert-bge.gguf", marks=pytest.mark.real_vocabs)]


@pytest.mark.parametrize("name", MODELS)
def test_links_and_longest_match_agree_on_large_vocabularies(name):
    tokenizer = guiapp.open_model(name if name.startswith("demo:") else VOCABS / name)
    rng = random.Random(5)
    for number, text in enumerate(texts(rng, tokenizer.vocabulary)):
        expected = tokens_of(tokenizer, text, "wordpiece")
        assert tokens_of(tokenizer, text, "linear") == expected, text
        if number % 10 == 0:
            readable = tokenizer.encode_readable(text[:300], add_special=False, encoder="linear")
            assert readable.token_ids.tolist() == tokens_of(tokenizer, text[:300], "wordpiece")[0], text


def test_a_token_of_a_megabyte_is_found_and_missed():
    rng = random.Random(3)
    long = "".join(rng.choices("abc", k=1_000_000))
    tokens = ["▁", "a", "b", "c", "▁" + long]
    tokenizer = tokenizer_of(tokens)
    for text in (long, long[:-1], long[:500_000] + long):
        found, expected = (tokenizer.encode(text, False, encoder=name) for name in ("linear", "wordpiece"))
        assert np.array_equal(found.token_ids, expected.token_ids)
        assert np.array_equal(found.spans, expected.spans)


def test_time_grows_with_the_length_of_a_word():
    tokenizer = guiapp.open_model("demo:wordpiece")
    assert growth(tokenizer, b"token", "linear", 20_000, 200_000) < 20  # 100 if it were quadratic


def test_spans_of_unknown_words_cover_them():
    tokenizer = tokenizer_of(["▁a", "b"])
    ids, spans = tokens_of(tokenizer, "ab abc b", "linear")
    assert ids == [1, 2, 0, 0]
    assert np.array_equal(spans, [[0, 1], [1, 2], [3, 6], [7, 8]])
