"""Suffixes of texts count as when each is encoded, at the same cost per byte."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from model_files import ALL_MODELS
from pair_vocabularies import BYTE_TOKENS, HEX_TOKENS, byte_level, character_level, sentence_piece
from random_texts import random_texts
from unpaired_vocabularies import vocabulary, write_plamo2, write_rwkv, write_unigram, write_wordpiece

import guiapp
from guiapp.core.counting import head_suffixes, prepend
from guiapp.core.counting.prepend import PrependEncoder
from guiapp.core.counting.suffix_counts import new_suffixes_of
from guiapp.core.counting.unigram_suffixes import UnigramSuffixes
from guiapp.core.errors import EncodeError
from guiapp.core.text.pattern_table import PATTERNS_BY_PRE_TYPE
from guiapp.core.tokenizer import Tokenizer
from guiapp.core.training.charsmap import build_charsmap
from guiapp.core.vocab.vocabulary import SpecialIds, VocabType

RUNS = (
    *("abcdefghi", "0123456789", "-='", " \t", " ", "\n", " \n", "a'rstvmld", "汉字漢", "あい→★", "é\u0301"),
    *("😀😁", "ab汉é", "\ufffd", "xyz'", "\u2028 ", "a1 'S\n漢", "ab"),
)
FIRST, LAST = ("", " ", "\n", "'", "x", "1", "é"), ("", "x", " ", "1", "\n", "é", "'", " y")
TRAPS = ("<sentinel:12><sentinel:9>a", "IMGIMGABCZ IMGIMGAZ", "    \t\n   x", " a b cc d " * 6, "abc'LL've x")
NUMBERS = ("1234567 12 123456", "١٢٣٤x1", "a1b22c333d4444")
DENSE_TOKENS = ["<unk>", "a", "ab", "aba", "abcab", "b", "ba", "bab", "caba", "é", "aaaa", "a" * 9, "bc"]
KEYS = {"\u00a0": " ", "\u3000": " ", "\u200b": "", "ﬁ": "fi", "…": "...", "Ａ": "A", "か\u3099": "が"}
OVERLAPPING_KEYS = KEYS | {"ab\u0301c": "x y", "ab": "ba", "  ": "b", "ba": "", "\u0301": "aaaaaaaa"}
N_SPECIAL = 60  # that are mixed into texts

open_model = cache(guiapp.open_model)


def as_array(text):
    return np.frombuffer(bytearray(text), np.uint8)


def runs(rng):
    for run in RUNS:
        letters = rng.choices(run, k=rng.choice((3, 30)))
        yield (rng.choice(FIRST) + "".join(letters) + rng.choice(LAST)).encode()
        yield bytes(rng.choices(run.encode() + b"ab\xe3\x81 ", k=12))


def check_suffixes(tokenizer, texts, rng, share=1.0):
    """The share of bytes for which the number of tokens from there on is told; a share of it is looked at."""
    new_suffixes, n_bytes, n_told = new_suffixes_of(tokenizer), 0, 0
    encoder = tokenizer.exact_encoders[0]
    for text in texts:
        suffixes, counts, end = new_suffixes(), [], len(text)
        while end > 0:
            start = max(0, end - rng.choice((1, 2, 7, 50)))
            told = suffixes.prepend(as_array(text[start:end]))
            counts[:0] = told.tolist()
            if len(told) < end - start:
                break
            end = start
        n_bytes, n_told = n_bytes + len(text), n_told + len(counts)
        looked_at = [at for at in range(-len(counts), 0) if rng.random() < share]
        each = (tokenizer.pipeline.encode(as_array(text[at:]), True, encoder) for at in looked_at)
        assert [counts[at] for at in looked_at] == [len(tokens.ids) for tokens in each], text
    return n_told / n_bytes


def texts_of(rng):
    return [*random_texts(rng.randrange(1 << 30), 12), *runs(rng)]


@pytest.mark.parametrize("model", ALL_MODELS)
def test_suffixes_count_as_when_each_is_encoded(model):
    tokenizer, rng = open_model(model), random.Random(3)
    if new_suffixes_of(tokenizer) is not None:
        assert check_suffixes(tokenizer, texts_of(rng), rng) > 0.6


@pytest.mark.parametrize("takes_whole", [False, True])
@pytest.mark.parametrize("pre_type", PATTERNS_BY_PRE_TYPE)
def test_suffixes_that_each_pre_tokenizer_splits_count_as_when_each_is_encoded(pre_type, takes_whole):
    vocabulary, rng = open_model("demo:bpe").vocabulary, random.Random(4)
    rules = replace(vocabulary.rules, ignore_merges=takes_whole)
    tokenizer = Tokenizer(replace(vocabulary, pre_type=pre_type, rules=rules))
    texts = [*random_texts(5, 2), *runs(rng), *(trap.encode() for trap in TRAPS)]
    assert check_suffixes(tokenizer, texts, rng, 0.3) > 0.5
    check_suffixes(tokenizer, [numbers.encode() for numbers in NUMBERS], rng)


@pytest.mark.parametrize("model", ALL_MODELS)
@pytest.mark.parametrize("settles_at_once", [False, True])
def test_prepending_each_byte_equals_encoding_from_scratch(model, settles_at_once, monkeypatch):
    monkeypatch.setattr(head_suffixes, "LEAST_BYTES", 0)
    if settles_at_once:
        monkeypatch.setattr(prepend, "BLOCK_BYTES", 1)
        monkeypatch.setattr(prepend, "EACH_BLOCK_BYTES", 7)
    tokenizer, rng = open_model(model), random.Random(6)
    searched_for = tokenizer.special_tokens.searched_for(True)[:N_SPECIAL].tolist()
    special = [tokenizer.vocabulary.raw_text(token_id) for token_id in searched_for]
    for text in [*random_texts(7, 12, special), *runs(rng)]:
        parse_special, end = rng.random() < 0.7, len(text)
        encoder = PrependEncoder(tokenizer, True, parse_special)
        while end > 0:
            start = max(0, end - rng.choice((1, 2, 9, 60)))
            counts = encoder.prepend_each(text[start:end])
            looked_at = [start, *rng.sample(range(start, end), min(3, end - start))]
            expected = {at: tokenizer.encode(text[at:], True, parse_special).token_ids for at in looked_at}
            assert [counts[at - start] for at in looked_at] == [len(expected[at]) for at in looked_at], text
            if rng.random() < 0.3:
                assert encoder.token_ids.tolist() == expected[start].tolist()
            if rng.random() < 0.3 and start > 0:
                end, start = start, start - 1
                encoder.prepend(text[start:end])
                assert encoder.count == len(tokenizer.encode(text[start:], True, parse_special))
            end = start


@pytest.mark.parametrize("model", ["demo:bpe", "demo:spm", "demo:wordpiece", "demo:rwkv", "demo:unigram"])
@pytest.mark.parametrize("unit", [b"a", b"random", b"=-", b"7", b" ", "汉".encode(), b"\xff"])
def test_prepending_to_text_without_a_cut_encodes_little_again(model, unit, monkeypatch):
    tokenizer = guiapp.open_model(model)
    text = unit * (1500 // len(unit))
    if unit == b"random":
        text = bytes(random.Random(1).choices(b"abcdefghijklmnopqrstuvwxyz", k=1500))
    expected = [len(tokenizer.encode(text[at:])) for at in range(len(text))]
    encoded = []
    encode = tokenizer.pipeline.encode

    def watch(fragment, *options):
        encoded.append(len(fragment))
        return encode(fragment, *options)

    monkeypatch.setattr(tokenizer.pipeline, "encode", watch)
    assert PrependEncoder(tokenizer).prepend_each(text).tolist() == expected
    assert sum(encoded) < 3 * len(text)
    encoded.clear()
    one_by_one = PrependEncoder(tokenizer)
    for at in range(len(text) - 1, -1, -1):
        one_by_one.prepend(text[at : at + 1])
        assert one_by_one.count == expected[at]
    assert max(encoded, default=0) <= head_suffixes.LEAST_BYTES


@pytest.mark.parametrize("switches", [(True, True), (True, False), (False, True)])
def test_suffixes_of_words_count_as_when_each_is_encoded(switches, tmp_path):
    rng = random.Random(8)
    tokenizer = guiapp.open_model(write_wordpiece(tmp_path / "words.gguf", 7, *switches))
    assert check_suffixes(tokenizer, texts_of(rng), rng) == 1
    tokens = [*DENSE_TOKENS, *("▁" + text for text in DENSE_TOKENS[1:8])]
    assert check_suffixes(Tokenizer(vocabulary(VocabType.WPM, tokens)), dense_texts(rng), rng) == 1


def test_suffixes_of_rwkv_texts_count_as_when_each_is_encoded(tmp_path):
    rng = random.Random(9)
    tokenizer = guiapp.open_model(write_rwkv(tmp_path / "rwkv.gguf", 5))
    assert check_suffixes(tokenizer, texts_of(rng), rng) == 1
    assert check_suffixes(Tokenizer(vocabulary(VocabType.RWKV, DENSE_TOKENS)), dense_texts(rng), rng) == 1


@pytest.mark.parametrize("removes_spaces", [False, True])
@pytest.mark.parametrize("adds_space", [False, True])
@pytest.mark.parametrize("character_map", [KEYS, OVERLAPPING_KEYS, None])
def test_suffixes_of_unigram_texts_count_as_when_each_is_encoded(
    character_map, adds_space, removes_spaces, tmp_path
):
    rng = random.Random(10)
    units = None if character_map is None else list(build_charsmap(character_map))
    tokenizer = guiapp.open_model(write_unigram(tmp_path / "u.gguf", 5, adds_space, removes_spaces, units))
    keys = [*OVERLAPPING_KEYS, *"ab  中か", "ab", "<extra_id_", "<extra_id_0>"]
    texts = ["".join(rng.choices(keys, k=12)).encode() for _ in range(20)]
    assert check_suffixes(tokenizer, [*texts_of(rng), *texts, *dense_texts(rng)], rng) > 0.5


def test_of_unigram_texts_no_more_is_told_than_sums_of_scores_are_exact_for():
    rules = open_model("demo:unigram").pipeline.own.prefix_rules
    suffixes = UnigramSuffixes(rules, 20)
    assert len(suffixes.prepend(as_array(b"The end. "))) == 9
    assert len(suffixes.prepend(as_array(b"What comes before it. "))) == 11
    assert len(suffixes.prepend(as_array(b"x"))) == 0


def dense_texts(rng):
    for _ in range(100):
        letters = rng.choice(("ab", "abc", "a", "abcé", "ab c"))
        yield "".join(rng.choices(letters, k=rng.randrange(1, 60))).encode()


def test_bytes_and_words_without_tokens_are_errors_where_nothing_stands_for_them(monkeypatch):
    monkeypatch.setattr(head_suffixes, "LEAST_BYTES", 0)
    for kind, tokens in ((VocabType.RWKV, ["a", "ab"]), (VocabType.WPM, ["▁a", "b"])):
        tokenizer = Tokenizer(vocabulary(kind, tokens, unknown=None))
        with pytest.raises(EncodeError):
            PrependEncoder(tokenizer, add_special=False).prepend_each("a" + "b" * 300 + "c")


@pytest.mark.parametrize("seed", [3, 4])
def test_suffixes_of_plamo2_texts_count_as_when_each_is_encoded(seed, tmp_path):
    rng = random.Random(seed)
    tokenizer = guiapp.open_model(write_plamo2(tmp_path / "plamo2.gguf", seed))
    assert check_suffixes(tokenizer, [*texts_of(rng), b"\xef\xbb\xbfa\xef\xbb\xbf"], rng) == 1


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("kind", ["bytes", "characters", "scores"])
def test_suffixes_of_random_rules_count_as_when_each_is_encoded(kind, seed):
    rng = random.Random(seed)
    tokenizer = Tokenizer(random_vocabulary(kind, rng))
    letters = rng.choice(("ab", "abc", "ab é", "a"))
    texts = ["".join(rng.choices(letters, k=rng.randrange(1, 50))).encode() for _ in range(30)]
    assert check_suffixes(tokenizer, [*texts, *random_texts(seed, 5)], rng) > 0.6


def random_vocabulary(kind, rng):
    """Rules that join what earlier ones made, some of which is no token; scores with ties."""
    letters = ("Ġ" if kind == "bytes" else "▁", *"abc", "Ã" if kind == "bytes" else "é")
    symbols, merges = list(letters), []
    for _ in range(25):
        left, right = rng.choices(symbols, k=2)
        if len(left + right) < 9 and f"{left} {right}" not in merges:
            merges.append(f"{left} {right}")
            symbols.append(left + right)
    if kind == "bytes":
        return byte_level(merges, [*BYTE_TOKENS, *dict.fromkeys(symbols[5:])])
    if kind == "characters":
        return character_level(merges, [*HEX_TOKENS, *dict.fromkeys(symbols)])
    scores = {symbol: rng.choice((-1.0, -2.0, -2.5)) for symbol in symbols if rng.random() < 0.8}
    return sentence_piece(
        {"<unk>": 0.0, **dict.fromkeys(HEX_TOKENS, 0.0), **scores}, special_ids=SpecialIds(unk=0)
    )
