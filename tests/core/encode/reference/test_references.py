"""The readable twins give the tokens and spans of the native ones, whatever the vocabulary and the text."""

from __future__ import annotations

import random

import numpy as np
import pytest
from benchmarks.growth import growth
from conftest import VOCABS
from gguf_builder import BYTE, CONTROL, NORMAL
from hostile_texts import SHORT
from hypothesis import given, settings
from hypothesis import strategies as st
from pair_vocabularies import sentence_piece
from random_texts import random_texts
from unpaired_vocabularies import vocabulary

import guiapp
from guiapp.core.demo import DEMO_MODELS
from guiapp.core.encode.reference import merge, wordpiece
from guiapp.core.encode.reference.longest_match import Miss, Take, word_steps
from guiapp.core.encode.reference.merge import Merge, Slots, symbol_slots
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.vocabulary.merges import MergeRule
from guiapp.core.vocabulary.vocabulary import Rules, VocabType

LONGEST_BYTES = 200
WORDS = ["unbelievable lions, How do they sleep in New York?", "aaab abab bbbba cabbacb", "中a中ab bc\nb a"]
TEXTS = [text for group in SHORT.values() for text in group if len(text) < LONGEST_BYTES]
TEXTS += [text.encode() for text in WORDS]


def plamo2_vocabulary(scores):
    tokens = ["<unk>", *(f"<0x{byte:02X}>" for byte in range(256)), *scores]
    types = [CONTROL, *[BYTE] * 256, *[NORMAL] * len(scores)]
    return vocabulary(VocabType.PLAMO2, tokens, types, [0.0] * 257 + [*scores.values()])


VOCABULARIES = {demo.name: lambda name=demo.name: guiapp.open_model(f"demo:{name}") for demo in DEMO_MODELS}
VOCABULARIES |= {
    "plamo2": lambda: Tokenizer(
        plamo2_vocabulary({"a": -1, "ab": -1.5, "b": -1, "bc": -9, " a": -2, "中": -3, "lions": -4, "io": -1})
    ),
    "few scores": lambda: Tokenizer(
        sentence_piece({"<unk>": 0, "a": -3, "b": -3, "▁": -3, "ab": -1, "▁a": -2, "aba": -1, "bab": -1})
    ),
}


@pytest.mark.parametrize("name", VOCABULARIES)
def test_native_and_reference_implementations_agree(name):
    tokenizer = VOCABULARIES[name]()
    for encoder in tokenizer.encoders:
        for text in TEXTS:
            native = tokenizer.encode(text, False, False, encoder)
            readable = tokenizer.encode_readable(text, False, False, encoder)
            assert readable.token_ids.tolist() == native.token_ids.tolist(), (encoder, text)
            assert readable.spans.tolist() == native.spans.tolist(), (encoder, text)


A, B, C, AB, BC, ABC = range(6)
RULES = {(A, B): MergeRule(0, AB), (B, C): MergeRule(1, BC), (AB, C): MergeRule(2, ABC)}


def final_symbols(steps, piece, rules):
    slots: Slots = list(piece)
    for step in steps(piece, rules):
        step.apply(slots)
    return [slots[at] for at in symbol_slots(slots)]


@pytest.mark.parametrize("steps", [merge.steps, merge.heap_steps])
def test_the_best_rank_goes_first_and_then_its_new_neighbours(steps):
    merges = [step for step in steps([A, B, C], RULES) if isinstance(step, Merge)]
    assert merges == [Merge(0, 1, A, B, AB, 0), Merge(0, 2, AB, C, ABC, 2)]


@pytest.mark.parametrize("steps", [merge.steps, merge.heap_steps])
def test_of_equal_ranks_the_leftmost_goes_first(steps):
    rules = {(A, A): MergeRule(0, B)}
    assert final_symbols(steps, [A, A, A], rules) == [B, A]


@pytest.mark.parametrize("steps", [merge.steps, merge.heap_steps])
def test_a_symbol_without_rules_is_not_merged(steps):
    assert final_symbols(steps, [A, -1, B], RULES) == [A, -1, B]


def test_the_queue_drops_pairs_whose_symbols_are_gone():
    heap_steps = list(merge.heap_steps([A, B, C], RULES))
    assert merge.Stale(1, 2, B, C, BC, 1) in heap_steps


RULE_SETS = st.dictionaries(
    st.tuples(st.integers(0, 4), st.integers(0, 4)),
    st.builds(MergeRule, st.integers(0, 3), st.integers(0, 4)),
)


@given(st.lists(st.integers(-1, 4), max_size=12), RULE_SETS)
def test_scan_and_heap_make_the_same_merges(piece, rules):
    from_heap = [step for step in merge.heap_steps(piece, rules) if isinstance(step, Merge)]
    assert from_heap == list(merge.steps(piece, rules))


IDS = {b"one": 1, b" one": 2, b"two": 3}


@pytest.mark.parametrize("unknown_id", [0, None])
def test_each_word_is_taken_or_unknown(unknown_id):
    actual_steps = list(word_steps(b"one one\ttwo  odd", IDS.get, unknown_id))
    unknown = [] if unknown_id is None else [Take(unknown_id, 13, 16)]
    assert actual_steps == [
        Take(1, 0, 3),
        Take(2, 3, 7),
        Take(3, 8, 11),
        Miss(12, 16),
        Miss(13, 16),
        *unknown,
    ]


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
def test_the_linear_reference_takes_the_same_tokens_as_wordpiece(tokens, word):
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


def test_a_token_of_a_megabyte_matches_and_misses_correctly():
    rng = random.Random(3)
    long = "".join(rng.choices("abc", k=1_000_000))
    tokens = ["▁", "a", "b", "c", "▁" + long]
    tokenizer = tokenizer_of(tokens)
    for text in (long, long[:-1], long[:500_000] + long):
        actual, expected = (tokenizer.encode(text, False, encoder=name) for name in ("linear", "wordpiece"))
        assert np.array_equal(actual.token_ids, expected.token_ids)
        assert np.array_equal(actual.spans, expected.spans)


def test_time_grows_with_the_length_of_a_word():
    tokenizer = guiapp.open_model("demo:wordpiece")
    assert growth(tokenizer, b"token", "linear", 20_000, 200_000) < 20  # 100 if it were quadratic


def test_spans_of_unknown_words_cover_them():
    tokenizer = tokenizer_of(["▁a", "b"])
    ids, spans = tokens_of(tokenizer, "ab abc b", "linear")
    assert ids == [1, 2, 0, 0]
    assert np.array_equal(spans, [[0, 1], [1, 2], [3, 6], [7, 8]])
