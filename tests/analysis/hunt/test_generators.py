"""Generated texts are the same for the same seed, and look for all kinds of trouble."""

from __future__ import annotations

import random
import unicodedata

import planted
import pytest

import guiapp
from guiapp.analysis.hunt.generators import (
    BATCH,
    EVERY_TOKEN,
    GENERATORS,
    Material,
    batch,
    special_texts,
    texts_of_differences,
)

TOKENS = [b"t%d" % number for number in range(BATCH + 10)]
LINES = [b"Some line, 12 x", "Größe".encode()]
MATERIAL = Material([b"difference"], TOKENS, [b"<s>", b"<|im_end|>"], LINES, True)
ROUND = range(2 * len(GENERATORS) + 1)


def test_the_same_seed_and_number_give_the_same_texts():
    for number in ROUND:
        assert batch(MATERIAL, 7, number) == batch(MATERIAL, 7, number)
    assert batch(MATERIAL, 7, 8)[1] != batch(MATERIAL, 8, 8)[1]


def test_differences_come_first_and_then_each_generator_in_turn():
    names = [batch(MATERIAL, 0, number)[0] for number in ROUND]
    assert names[0] == "differences of the vocabularies"
    assert names[1::2] == [EVERY_TOKEN] * len(GENERATORS)
    assert names[2::2] == [generator.name for generator in GENERATORS]


def test_texts_are_utf_8_where_only_that_is_taken():
    material = Material(MATERIAL.differences, [b"\xe2\x82", b"ok\xff"], MATERIAL.special, LINES, False)
    for number in ROUND:
        for text in batch(material, 0, number)[1]:
            text.decode()
            assert text


def test_every_category_of_unicode_comes():
    edges = next(generator for generator in GENERATORS if generator.name == "edges of words")
    texts = [text for turn in range(20) for text in edges.make(MATERIAL, random.Random(turn), turn)]
    seen = {unicodedata.category(character) for text in texts for character in text.decode()}
    assert len(seen) == 29  # all but surrogates


def test_broken_characters_are_no_utf_8_for_the_most_part():
    make = next(generator.make for generator in GENERATORS if generator.name == "broken characters")
    texts = make(MATERIAL, random.Random(0), 0)
    n_broken = sum(text.decode("utf-8", "ignore").encode() != text for text in texts)
    assert BATCH / 5 < n_broken < BATCH


CHANGES = (
    ("gguf", planted.drop_merge(1)),
    ("gguf", planted.swap_merges(2)),
    ("json", planted.drop_merge(3)),
    ("json", planted.swap_merges(4)),
    ("gguf", planted.rename_token("Ġthe".encode(), "Ġthz".encode())),
    ("gguf", planted.retype(b"<think>", 1)),
)


@pytest.mark.parametrize(("kind", "change"), CHANGES)
def test_a_small_difference_is_exercised(kind, change, tmp_path):
    first, second = map(guiapp.open_model, planted.Plant("", "demo:bpe", kind, change, ()).write(tmp_path))
    texts = texts_of_differences(first, second)
    pairs = zip(first.encode_each(texts), second.encode_each(texts), strict=True)
    assert any(mine.tolist() != other.tolist() for mine, other in pairs)


def test_the_same_vocabulary_in_two_formats_has_no_differences(tmp_path):
    _, document = planted.Plant("", "demo:bpe", "json", lambda said: None, ()).write(tmp_path)
    assert texts_of_differences(guiapp.open_model("demo:bpe"), guiapp.open_model(document)) == []


def test_special_texts_are_those_that_are_cut_out():
    texts = special_texts(guiapp.open_model("demo:bpe"))
    assert {b"<|im_end|>", b"<think>"} <= set(texts)
