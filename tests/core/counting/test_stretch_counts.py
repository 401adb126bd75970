"""Counts after each byte: cuts hold for all prefixes, and many texts at once count as one by one."""

from __future__ import annotations

import gc
import weakref
from functools import cache

import numpy as np
import pytest
from conftest import VOCABS
from pair_vocabularies import BYTE_TOKENS, HEX_TOKENS, byte_level, character_level, sentence_piece
from random_texts import random_texts
from toy_vocabulary import toy_vocabulary
from unpaired_vocabularies import vocabulary

import guiapp
from guiapp.core.counting import stretch_counts
from guiapp.core.counting.append import AppendEncoder
from guiapp.core.demo import sample_text
from guiapp.core.errors import EncodeError
from guiapp.core.pipelines.byte_pair import BytePairPipeline
from guiapp.core.pipelines.many_texts import ManyTexts
from guiapp.core.pipelines.sentence_piece import SentencePiecePipeline
from guiapp.core.tokenizer import Tokenizer
from guiapp.core.vocab.vocabulary import Attribute, Rules, SpecialIds, VocabType

LONGEST_TEXT = 150

BEGUN = [1, 2, 0, 1, 0, 0, -1, 0, 1, 0, -1, -2]

open_model = cache(guiapp.open_model)

models_that_take_many = pytest.mark.parametrize(
    "model",
    [
        "demo:bpe",
        "demo:spm",
        "demo:wordpiece",
        "demo:unigram",
        *(
            pytest.param(VOCABS / f"ggml-vocab-{name}.gguf", marks=pytest.mark.real_vocabs, id=name)
            for name in (
                "llama-bpe",
                "llama-spm",
                "qwen2",
                "starcoder",
                "deepseek-coder",
                "bert-bge",
                "gemma-4",
            )
        ),
    ],
)


def as_array(text):
    return np.frombuffer(bytearray(text), np.uint8)


def counts_of_prefixes(tokenizer, text, **options):
    return [len(tokenizer.encode(text[:size], **options)) for size in range(1, len(text) + 1)]


@models_that_take_many
def test_counts_are_exact_in_all_scripts_and_where_characters_are_broken(model):
    tokenizer = open_model(model)
    for text in random_texts(11, 12):
        text = text[:LONGEST_TEXT]
        expected = counts_of_prefixes(tokenizer, text)
        for _ in range(3):  # stretches are learned, remembered in short, and looked up
            assert AppendEncoder(tokenizer).append_each(text).tolist() == expected


@models_that_take_many
def test_many_texts_count_as_much_as_each_by_itself(model):
    tokenizer = open_model(model)
    pipeline, exact = tokenizer.pipeline, tokenizer.exact_encoders[1]
    assert isinstance(pipeline.own, ManyTexts)
    texts = [text[:LONGEST_TEXT] for text in random_texts(12, 150) if text]
    counts = pipeline.own.count_each(as_array(b"".join(texts)), np.cumsum([*map(len, texts)]))
    assert counts.tolist() == [len(pipeline.encode(as_array(text), False, exact).ids) for text in texts]


def test_a_typed_u_2581_is_known_behind_a_character_that_is_cut_short():
    tokens = {"<unk>": Attribute.UNKNOWN, "a": -1.0, "▁": -1.0}
    tokenizer = Tokenizer(toy_vocabulary(tokens, special_ids=SpecialIds(unk=0)))
    text = "a–▁é"  # one of its prefixes ends with the first two bytes of U+2581, and the next is U+2581
    counts = AppendEncoder(tokenizer).append_each(text)
    assert counts.tolist() == counts_of_prefixes(tokenizer, text.encode())


@pytest.mark.parametrize("model", ["demo:bpe", "demo:spm"])
def test_characters_that_are_cut_short_count_by_themselves_where_they_become_pieces(model):
    stretches = stretch_counts.StretchCounts(open_model(model))
    text = "あé.é".encode() + b"\xe3.\xf0\x9f"
    n_begun = np.zeros(len(text), np.int64)
    stretches._begun_characters(as_array(text), np.array([3, len(text)]), n_begun)
    is_bpe = model == "demo:bpe"
    assert n_begun.tolist() == (BEGUN if is_bpe else [0] * len(text))


@pytest.mark.parametrize("takes_whole", [True, False])
def test_prefixes_of_pieces_count_without_encoding_each(takes_whole, monkeypatch):
    merges = ["a b", "b a", "ab a", "Ġ a", "æ ¼", "æ¼ ¢", "æ¼¢ ab", "ã ģ"]
    tokens = [*BYTE_TOKENS, "ab", "ba", "aba", "Ġa", "æ¼", "æ¼¢", "æ¼¢ab", "ãģ", "xy", "xyx", "baab", "Ċa"]
    tokens += ["baabxyxyxyxyxyxyxy"]  # longer than what is looked up in rows
    rules = Rules(byte_encoding=True, ignore_merges=takes_whole)
    tokenizer = Tokenizer(byte_level(merges, tokens, rules=rules, pre_type="LLAMA3"))
    monkeypatch.setattr(BytePairPipeline, "count_each", None)
    rng = np.random.default_rng(6)
    for _ in range(40):
        parts = [*"aabbxxyy .'\n1", "漢", "あ", "don't", "xy", " baabxyxyxyxyxyxyxy", "baabxyxyxyxyxyxyxyx"]
        text = "".join(rng.choice(parts, 40)).encode()
        assert AppendEncoder(tokenizer).append_each(text).tolist() == counts_of_prefixes(tokenizer, text)


def test_prefixes_in_vocabularies_of_characters_count_without_encoding_each(monkeypatch):
    scores = {"<unk>": 0.0, **dict.fromkeys(HEX_TOKENS, 0.0), **dict.fromkeys("▁abcé漢字", -9.0)}
    scores |= {"ab": -3.0, "▁a": -4.0, "abab": -1.0, "bc": -2.0, "漢字": -5.0, "▁ab": -4.0, "éa": -2.0}
    tokenizer = Tokenizer(sentence_piece(scores))
    monkeypatch.setattr(SentencePiecePipeline, "count_each", None)
    rng = np.random.default_rng(7)
    for _ in range(60):
        text = "".join(rng.choice([*"aabbccé漢字 z", "あ", "abab", " ab", "\n"], 40)).encode()
        assert AppendEncoder(tokenizer).append_each(text).tolist() == counts_of_prefixes(tokenizer, text)


LINES = ["<unk>", *HEX_TOKENS, *"▁abcé汉\n", "\ufffd", "▁\ufffd", "ab", "é\ufffd", "\n\n", "▁a"]


@pytest.mark.parametrize("text", [" é", "a é b", "é汉", "汉é", "汉汉", "ab\n\n\né\n \né", "▁é", "\ufffdé"])
@pytest.mark.parametrize("merges", [[], ["▁ \ufffd", "a b"], ["é \ufffd", "▁ a"]])
def test_lines_are_cut_where_a_character_that_is_cut_short_stays_apart(merges, text):
    tokenizer = Tokenizer(character_level(merges, LINES))
    text = (text + "ab" * 7 + text).encode()
    counts = AppendEncoder(tokenizer).append_each(text)
    assert counts.tolist() == counts_of_prefixes(tokenizer, text)


def test_a_space_in_more_bytes_than_necessary_alone_on_a_line_counts_as_the_byte_that_it_is():
    tokenizer = Tokenizer(character_level(["▁ a"], [text for text in LINES if text != "<0x20>"]))
    text = b"ab\n\xc0\xa0\nab\n\xc0\xa0a\xe0\x80\xa0\n\xf0\x80\x80\xa0"
    counts = AppendEncoder(tokenizer).append_each(text)
    assert counts.tolist() == counts_of_prefixes(tokenizer, text)


@pytest.mark.parametrize("model", ["demo:bpe", "demo:spm", "demo:wordpiece", "demo:unigram"])
def test_a_broken_character_hides_the_cuts_behind_it(model):
    tokenizer = open_model(model)
    for lead in (b"\xe3", b"\xf0", b"\xf0\x9f"):
        for text in (
            lead + b", the next one.",
            lead + b"ab, the end of the sentence",
            b"a" + lead + b"x. And",
        ):
            counts = AppendEncoder(tokenizer).append_each(text)
            assert counts.tolist() == counts_of_prefixes(tokenizer, text)


@pytest.mark.parametrize("model", ["demo:bpe", "demo:spm", "demo:wordpiece", "demo:unigram"])
def test_a_new_text_is_encoded_a_few_times_only(model, monkeypatch):
    tokenizer = guiapp.open_model(model)
    text = sample_text("english")[:3000]
    calls = []
    own = type(tokenizer.pipeline.own)
    encode = own.encode
    monkeypatch.setattr(own, "encode", lambda *arguments: calls.append(0) or encode(*arguments))
    counts = AppendEncoder(tokenizer).append_each(text)
    monkeypatch.undo()
    assert len(calls) < 30
    assert counts.tolist() == counts_of_prefixes(tokenizer, text)


def test_a_word_without_tokens_is_an_error_where_nothing_stands_for_it():
    tokenizer = Tokenizer(vocabulary(VocabType.WPM, ["▁a", "b"], unknown=None))
    with pytest.raises(EncodeError, match="not covered"):
        AppendEncoder(tokenizer, add_special=False).append_each("ab c")


def test_what_was_learned_goes_with_the_tokenizer():
    tokenizer = guiapp.open_model("demo:spm")
    learned = weakref.ref(stretch_counts.stretch_counts_of(tokenizer))
    assert stretch_counts.stretch_counts_of(tokenizer) is learned()
    del tokenizer
    gc.collect()
    assert learned() is None


def test_when_there_is_no_more_room_stretches_are_learned_anew(monkeypatch):
    monkeypatch.setattr(stretch_counts, "FEW_ROWS", 64)
    monkeypatch.setattr(stretch_counts, "MANY_ROWS", 512)
    monkeypatch.setattr(stretch_counts, "ROOM_PER_ROW", 1)
    tokenizer = guiapp.open_model("demo:bpe")
    text = sample_text("english")[:2000]
    assert AppendEncoder(tokenizer).append_each(text).tolist() == counts_of_prefixes(tokenizer, text)
