"""Generated texts are the same for the same seed, and look for all kinds of trouble."""

from __future__ import annotations

import random
import unicodedata

import pytest

from guiapp.core.hunt.generators import (
    ALL_NAMES,
    BATCH,
    DIFFERENCES,
    EVERY_TOKEN,
    GENERATORS,
    Material,
    batch,
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


@pytest.mark.parametrize(
    "chosen",
    [("digits",), (EVERY_TOKEN,), (DIFFERENCES,), (DIFFERENCES, "spaces and line ends", "signs"), ALL_NAMES],
)
def test_only_chosen_generators_give_texts(chosen):
    batches = [batch(MATERIAL, 0, number, chosen) for number in ROUND]
    assert {name for name, texts in batches if texts} == set(chosen)


def test_each_token_comes_by_itself_and_then_in_surroundings():
    texts = [text for number in range(1, 9, 2) for text in batch(MATERIAL, 0, number)[1]]
    assert texts[: len(TOKENS)] == TOKENS
    assert texts[len(TOKENS)] == TOKENS[0] + b"a"


def test_texts_are_utf_8_where_only_that_is_taken():
    material = Material(MATERIAL.differences, [b"\xe2\x82", b"ok\xff"], MATERIAL.special, LINES, False)
    for number in ROUND:
        for text in batch(material, 0, number)[1]:
            text.decode()
            assert text


@pytest.mark.parametrize("name", [generator.name for generator in GENERATORS])
def test_no_generator_is_idle_where_it_has_material(name):
    found = dict(batch(MATERIAL, 0, number) for number in ROUND)
    assert len(set(found[name])) > 10


def test_every_category_of_unicode_comes():
    edges = next(generator for generator in GENERATORS if generator.name == "edges of words")
    texts = [text for turn in range(20) for text in edges.make(MATERIAL, random.Random(turn), turn)]
    seen = {unicodedata.category(character) for text in texts for character in text.decode()}
    assert len(seen) == 29  # all but surrogates
