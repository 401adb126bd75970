"""Texts that grow at one end have at any time the tokens that they have when encoded from scratch."""

import json
import random
from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from format_samples import SAMPLES, opened_sample
from model_files import ALL_MODELS, opened, special_texts
from random_texts import random_texts
from toy_vocabulary import toy_vocabulary
from unpaired_vocabularies import vocabulary, write_plamo2, write_rwkv, write_unigram
from watched_tokenizer import recording_tokenizer

import guiapp
from guiapp.core.demo import sample_text
from guiapp.core.encode.counting.growing import AppendEncoder, PrependEncoder, count_blocks, encoded_parts
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.pretokenize.pre_tokenizers import PRE_TOKENIZERS
from guiapp.core.text.charsmap import build_charsmap
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.vocabulary import VocabType
from guiapp.errors import EncodeError

N_TEXTS = 18
N_SPECIAL = 60  # that are mixed into texts
TRAPS = [
    b"<sentinel:12><sentinel:9>a",
    b"IMGIMGABCZ IMGIMGAZ",
    b"    \t\n   x",
    b"abc'LL've x",
    b"1234567 12 a1b22",
]
CHARACTERS = {"\u00a0": " ", "\u200b": "", "ﬁ": "fi", "…": "...", "か\u3099": "が", "ab": "ba", "  ": "b"}
WRITERS = {
    "plamo2": lambda path: write_plamo2(path, 3),
    "rwkv": lambda path: write_rwkv(path, 5),
    "unigram": lambda path: write_unigram(path, 5, True, False, list(build_charsmap(CHARACTERS))),
    "unigram, spaces removed": lambda path: write_unigram(path, 5, False, True, None),
}

open_model = cache(guiapp.open_model)


def check_growing(tokenizer, texts):
    """Compare both encoders, which look for cuts as often as they can, with encoding from scratch."""
    for index, text in enumerate(texts):
        rng = random.Random(index)
        parse_special = rng.random() < 0.7
        appended, prepended = (
            kind(tokenizer, True, parse_special, stable_after_bytes=1)
            for kind in (AppendEncoder, PrependEncoder)
        )
        sizes = [0]
        while sizes[-1] < len(text):
            sizes.append(min(sizes[-1] + rng.choice((1, 1, 2, 5, 30)), len(text)))
        for start, end in pairwise(sizes):
            appended.append(text[start:end])
            prepended.prepend(text[len(text) - end : len(text) - start])
            if rng.random() < 0.3 or end == len(text):
                check_same(appended, tokenizer.encode(text[:end], True, parse_special))
                check_same(prepended, tokenizer.encode(text[len(text) - end :], True, parse_special))
                assert appended.least_count <= appended.count


def check_parts(tokenizer, texts):
    """The same of texts in blocks, with spans, by all encoders."""
    for index, text in enumerate(texts):
        rng = random.Random(index)
        options = rng.random() < 0.7, rng.random() < 0.7, rng.choice((None, *tokenizer.encoders))
        whole = tokenizer.encode(text, *options)
        size = rng.choice((1, 3, 20))
        blocks = (text[start : start + size] for start in range(0, len(text), size))
        parts = list(encoded_parts(tokenizer, blocks, *options, least_bytes=1))
        assert b"".join(part.encoding.text_bytes for part in parts) == text
        assert (
            np.concatenate([part.encoding.token_ids for part in parts]).tolist() == whole.token_ids.tolist()
        )
        spans = np.concatenate([part.encoding.spans + part.start for part in parts])
        assert spans.tolist() == whole.spans.tolist(), (text, options)
        assert {part.encoding.encoder for part in parts} == {whole.encoder}
        for before, part in pairwise(parts):
            assert part.start == before.start + len(before.encoding.text_bytes)


def check_same(growing, encoding):
    assert growing.token_ids.tolist() == encoding.token_ids.tolist(), encoding.text_bytes
    assert growing.count == len(encoding)


@pytest.mark.parametrize("model", ALL_MODELS)
def test_growing_equals_encoding_from_scratch(model):
    tokenizer = opened(model)
    special = special_texts(tokenizer, N_SPECIAL)
    check_growing(tokenizer, random_texts(7, N_TEXTS, special))
    check_parts(tokenizer, [b"", *random_texts(17, N_TEXTS, special)])


@pytest.mark.parametrize("kind", WRITERS)
def test_growing_equals_encoding_from_scratch_with_tokens_of_all_kinds(kind, tmp_path):
    tokenizer = open_model(WRITERS[kind](tmp_path / "model.gguf"))
    for check in (check_growing, check_parts):
        check(tokenizer, [*random_texts(8, N_TEXTS), b"\xef\xbb\xbfa\xef\xbb\xbf"])


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.format)
def test_parts_equal_the_whole_in_each_format(sample, tmp_path):
    check_parts(opened_sample(sample, tmp_path), random_texts(10, N_TEXTS, [sample.text, *sample.pieces]))


@pytest.mark.parametrize("patterns", dict.fromkeys(row.patterns for row in PRE_TOKENIZERS.values()))
def test_growing_equals_encoding_from_scratch_with_each_pre_tokenizer(patterns):
    tokenizer = Tokenizer(replace(open_model("demo:bpe").vocabulary, patterns=patterns))
    for check in (check_growing, check_parts):
        check(tokenizer, [*TRAPS, *random_texts(9, 5)])


def write_two_stages(path):
    """A tokenizer.json whose added tokens are searched for in two turns, some only in what others leave."""
    letters = {letter: at for at, letter in enumerate([*"abcd<>s|Ġ", "ab"])}
    contents = {"ab|": False, "|c": True, "bab": True, "<s>": False, "s>a": True, "d<": True, "aaaa": True}
    added = [
        {"id": len(letters) + at, "content": content, "special": False, "normalized": is_normalized}
        | dict.fromkeys(("lstrip", "rstrip", "single_word"), False)
        for at, (content, is_normalized) in enumerate(contents.items())
    ]
    model = {"type": "BPE", "vocab": letters, "merges": [["a", "b"]]}
    cutter = {"type": "ByteLevel", "add_prefix_space": False, "use_regex": True, "trim_offsets": True}
    path.write_text(json.dumps({"added_tokens": added, "pre_tokenizer": cutter, "model": model}))
    return path


def test_growing_equals_encoding_from_scratch_with_added_tokens_of_two_stages(tmp_path):
    tokenizer = open_model(write_two_stages(tmp_path / "tokenizer.json"))
    rng = random.Random(3)
    units = ["a", "b", "ab", "ab|", "|c", "bab", "<s>", "s>a", "d<", "aaaa", " ", "c", "d"]
    texts = ["".join(rng.choices(units, k=rng.randrange(40))).encode() for _ in range(80)]
    for check in (check_growing, check_parts):
        check(tokenizer, texts)
    parts = list(encoded_parts(tokenizer, [b"ab cd <s> " * 100] * 10, least_bytes=1000))
    assert max(len(part.encoding.text_bytes) for part in parts) < 3000


def test_rwkv_text_is_stable_after_the_longest_token():
    tokenizer = recording_tokenizer("demo:rwkv")
    text = bytes(byte for byte in sample_text("languages") if byte >= 0x80)[:4000]
    appended = AppendEncoder(tokenizer)
    for start in range(0, len(text), 10):
        appended.append(text[start : start + 10])
        check_same(appended, tokenizer.encode(text[: start + 10]))
    assert max(tokenizer.encoded) < 600


def test_text_that_the_vocabulary_cannot_express_is_an_error():
    for kind, tokens in ((VocabType.RWKV, ["a", "ab"]), (VocabType.WPM, ["▁a", "b"])):
        tokenizer = Tokenizer(vocabulary(kind, tokens, unknown=None))
        appended, prepended = AppendEncoder(tokenizer, False), PrependEncoder(tokenizer, False)
        with pytest.raises(EncodeError):
            appended.append("a" + "b" * 300 + "c"), appended.count
        with pytest.raises(EncodeError):
            prepended.prepend("a" + "b" * 300 + "c"), prepended.count


def test_white_space_that_a_special_token_takes_away_is_waited_for():
    takes = Attribute.CONTROL | Attribute.LSTRIP | Attribute.RSTRIP
    scores = dict.fromkeys([*map(chr, range(97, 123)), "<", ">"], -1.0)
    tokenizer = Tokenizer(toy_vocabulary({"<unk>": Attribute.UNKNOWN, "▁": -1.0, "<x>": takes, **scores}))
    text = b"ab cd  <x>  ef <x> gh  ij " * 3
    appended, prepended = (
        AppendEncoder(tokenizer, stable_after_bytes=1),
        PrependEncoder(tokenizer, stable_after_bytes=1),
    )
    for size in range(1, len(text) + 1):
        appended.append(text[size - 1 : size])
        prepended.prepend(text[len(text) - size : len(text) - size + 1])
        check_same(appended, tokenizer.encode(text[:size]))
        check_same(prepended, tokenizer.encode(text[-size:]))


@pytest.mark.parametrize("model", ALL_MODELS)
@pytest.mark.parametrize("parse_special", [True, False])
def test_the_count_is_that_of_the_encoding(model, parse_special):
    tokenizer = opened(model)
    unit = "abcb" if model == "demo:toy" else "Ein Satz <s>[SEP]<|im_end|> über 12345 汉字. \n"
    for n_units in (0, 1, 300):
        text = n_units * unit
        for add_special in (True, False):
            n_tokens = len(tokenizer.encode(text, add_special, parse_special))
            options = {"add_special": add_special, "parse_special": parse_special}
            assert tokenizer.count(text, **options) == n_tokens
            assert tokenizer.count(text, n_tokens, **options) == n_tokens
            if n_tokens:
                assert tokenizer.count(text, n_tokens - 1, **options) is None


@pytest.mark.parametrize("model", ["demo:bpe", "demo:spm", "demo:wordpiece", "demo:unigram", "demo:rwkv"])
def test_a_limit_ends_the_work(model):
    tokenizer = recording_tokenizer(model)
    assert tokenizer.count("The quick brown fox. " * 100_000, limit=100) is None
    assert sum(tokenizer.encoded) < 10_000


def test_blocks_after_a_certain_answer_are_not_requested():
    def blocks(n_words):
        for _ in range(5):
            asked.append(n_words)
            yield b"lions " * n_words

    tokenizer = guiapp.open_model("demo:bpe")
    for n_words, limit, n_asked in ((1000, 10, 1), (1000, None, 5), (1, 2, 5)):
        asked = []
        n_tokens = len(tokenizer.encode(b"lions " * n_words * 5))
        expected = n_tokens if limit is None or n_tokens <= limit else None
        assert count_blocks(tokenizer, blocks(n_words), limit, True, True) == expected
        assert len(asked) == n_asked
