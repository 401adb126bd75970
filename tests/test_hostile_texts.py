"""Hostile texts on real vocabularies: all get llama.cpp's ids within a time limit."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import numpy as np
import pytest
from conftest import VOCABS
from deep_oracle import DeepOracle, assert_same_ids
from gguf_builder import write_vocab
from hostile_texts import ABOVE_UNICODE_TEXTS, OVERLONG_SPACES, SHORT, code_points, long_texts
from model_files import opened, special_texts
from pair_vocabularies import BYTE_TOKENS
from random_texts import ABOVE_UNICODE, OVERLONG_SPACE, without_deadly_bytes

import guiapp
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.pretokenize.pre_tokenizers import PRE_TOKENIZERS
from guiapp.core.vocabulary.vocabulary import VocabType

pytestmark = [pytest.mark.real_vocabs, pytest.mark.slow]

NAMES = [
    "llama-bpe", "qwen2", "gpt-2", "deepseek-coder", "gemma-4", "llama-spm", "bert-bge", "nomic-bert-moe",
]  # fmt: skip
SWITCHES = list(product((False, True), repeat=2))
LONG_TEXTS = long_texts(30_000)
TIME_LIMIT = 5.0  # seconds of processor time


class Model:
    """One vocabulary, opened by us and by llama.cpp."""

    def __init__(self, name: str) -> None:
        self.name = name
        path = VOCABS / f"ggml-vocab-{name}.gguf"
        self.tokenizer: Tokenizer = opened(path)
        self.oracle = DeepOracle(path)
        self.tokenizer.encode("Hello, 世界 \xff")  # fills caches

    @property
    def sees_characters(self) -> bool:
        """Whether llama.cpp decodes UTF-8 for this type, and crashes with values above Unicode."""
        return self.tokenizer.vocabulary.type in (VocabType.BPE, VocabType.WPM)

    def check(
        self, text: bytes, add: bool = True, parse: bool = True, encoders: Sequence[str | None] = (None,)
    ) -> None:
        expected = self.oracle.tokenize(text, add, parse)
        for encoder in encoders:
            actual = self.tokenizer.encode(text, add, parse, encoder).token_ids
            story = f"{self.name}, {encoder}, {text[:200]!r}, add_special={add}, parse_special={parse}"
            assert_same_ids(actual, expected, story)


@pytest.fixture(scope="module", params=NAMES)
def model(request):
    made = Model(request.param)
    yield made
    made.oracle.close()


@pytest.mark.parametrize("group", SHORT)
def test_short_texts_with_all_switches_and_encoders(model, group):
    for text in SHORT[group]:
        for add, parse in SWITCHES:
            model.check(text, add, parse, model.tokenizer.exact_encoders)


@pytest.mark.parametrize("name", LONG_TEXTS)
def test_long_texts_take_little_time(model, name):
    text = LONG_TEXTS[name]
    started = time.process_time()
    model.tokenizer.encode(text)
    assert time.process_time() - started < TIME_LIMIT
    model.check(text)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", LONG_TEXTS)
def test_a_megabyte_takes_seconds(model, name):
    text = long_texts(1_000_000)[name]
    started = time.process_time()
    model.tokenizer.encode(text)
    assert time.process_time() - started < TIME_LIMIT
    model.check(text, add=False)


def test_code_points_one_by_one(model):
    model.check(code_points(first=NAMES.index(model.name), step=41))


@pytest.mark.exhaustive
def test_every_code_point(model):
    for first in range(8):
        model.check(code_points(first, step=8), add=False)


def test_any_bytes(model):
    for seed in range(3):
        text = random.Random(seed).randbytes(16 << 10)
        model.check(without_deadly_bytes(text))


@pytest.mark.parametrize("text", ABOVE_UNICODE_TEXTS)
def test_values_above_unicode_are_four_broken_bytes(model, text):
    if not model.sees_characters:
        model.check(text)
        return
    stand_in = ABOVE_UNICODE.sub("\ufffd".encode() * 4, text)
    for encoder in model.tokenizer.exact_encoders:
        actual = model.tokenizer.encode(text, encoder=encoder).token_ids
        assert_same_ids(actual, model.oracle.tokenize(stand_in, True, True), text)


@pytest.mark.parametrize("text", OVERLONG_SPACES)
def test_spaces_of_more_than_one_byte_are_spaces(model, text):
    is_only_space = OVERLONG_SPACE.fullmatch(text) is not None
    deadly = model.sees_characters and model.tokenizer.vocabulary.rules.escape_spaces and not is_only_space
    expected = model.oracle.tokenize(OVERLONG_SPACE.sub(b" ", text) if deadly else text, True, True)
    assert_same_ids(model.tokenizer.encode(text).token_ids, expected, text)


def test_special_tokens_with_and_without_adjacent_spaces(model):
    texts = special_texts(model.tokenizer)
    assert texts
    for joint, parse in product((b"", b" ", b"a", b" a ", b"\n \t", b"\xe2"), (False, True)):
        model.check(joint + joint.join(texts[:300]) + joint, parse=parse)
    for text in texts[:40]:
        for wrapped in (text, b" " + text + b" ", text + text, text[:-1] + text, text[: len(text) // 2]):
            for add, parse in SWITCHES:
                model.check(wrapped, add, parse)


def test_special_tokens_by_the_thousand(model):
    special = max(special_texts(model.tokenizer), key=len)
    model.check(special * 2_000)
    model.check((special + b" x\n ") * 1_000)
    started = time.process_time()
    actual = model.tokenizer.encode(special * 100_000, add_special=False).token_ids
    assert time.process_time() - started < TIME_LIMIT
    assert len(actual) == 100_000
    assert len(np.unique(actual)) == 1


def test_words_that_fail_at_their_end(model):
    for text in (b"tokenization" * 500 + "\U000e0fff".encode(), b"a" * 5_000 + b"\x7f" + b"b" * 5_000):
        model.check(text)


def test_a_str_with_unpaired_surrogates_is_encoded_as_bytes(model):
    text = "a\ud83d b\ude00\ud83d\ude00"
    actual = model.tokenizer.encode(text).token_ids
    assert_same_ids(actual, model.oracle.tokenize(text.encode("utf-8", "surrogatepass"), True, True), text)


def test_threads_do_not_mix_their_texts_up(model):
    texts = [text for group in SHORT.values() for text in group] * 2
    expected = [model.tokenizer.encode(text).token_ids.tolist() for text in texts]
    with ThreadPoolExecutor(4) as threads:
        actual = [encoding.token_ids.tolist() for encoding in threads.map(model.tokenizer.encode, texts)]
    assert actual == expected


def test_more_than_two_gibibytes_are_refused():
    tokenizer = guiapp.open_model("demo:bpe")
    with pytest.raises(guiapp.EncodeError, match=re.escape("2,147,483,647")):
        tokenizer.encode(bytes(1 << 31))  # never touched, so never allocated


ONE_NAME_EACH = {row: name for name, row in PRE_TOKENIZERS.items() if name != "whitespace"}
BOMBS = [
    b"A" * 3_000 + b"!",
    b"aA" * 1_500,
    b" a" * 1_500,
    b"(" * 3_000,
    b" " * 600 + b"x",
    b" \n" * 1_000 + b" ",
    b"9" * 2_000,
    b"." * 2_000,
    "e\u0301a中".encode() * 400,
    "\u0301".encode() * 1_000,
    "Ab1 's\r\n  中9.".encode() * 200,
]


@pytest.mark.parametrize("pre", ONE_NAME_EACH.values())
def test_what_makes_patterns_track_back(pre, tmp_path):
    merges = ["A A", "a A", "AA AA", "9 9", "Ġ Ġ", "Ġ a", ". .", "( (", "Ċ Ċ", "Ì ģ"]
    tokens = [*BYTE_TOKENS, *(merge.replace(" ", "") for merge in merges), "▁"]
    path = write_vocab(tmp_path / "small.gguf", model="gpt2", pre=pre, tokens=tokens, merges=merges)
    tokenizer, oracle = guiapp.open_model(path), DeepOracle(path)
    for text in BOMBS:
        actual = tokenizer.encode(text, add_special=False).token_ids
        assert_same_ids(actual, oracle.tokenize(text, False, True), f"{pre}: {text[:20]!r}")
    oracle.close()
