"""Generated texts are the same for the same seed, and look for all kinds of trouble."""

from __future__ import annotations

import difflib
import random
import re
import unicodedata

import pytest

from guiapp.analysis.hunt.generators import (
    ALL_NAMES,
    BATCH,
    DIFFERENCES,
    ENDINGS,
    EVERY_TOKEN,
    GENERATORS,
    REPRESENTATIVES,
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


def made_by(name, number=1, material=MATERIAL):
    make = next(generator.make for generator in GENERATORS if generator.name == name)
    return [text.decode() for text in make(material, random.Random(name), number)]


@pytest.mark.parametrize(
    ("name", "shape", "variants"),
    [
        ("digits", r"[ a$-]?[0-9]{1,7}[., e]?\w{0,4}", ["a", "[$]", "-", " ", "[0-9]", "[1-9]\\.", ".*²"]),
        (
            "contractions",
            r" ?(?:\w*)['’ʼ＇].+",
            [
                *(f".*['’ʼ＇]{ending}" for ending in ENDINGS),
                " ",
                "don",
                "'",
                ".*'s$",
                ".*1$",
                ".*[.]$",
                ".* $",
            ],
        ),
        (
            "spaces and line ends",
            r"[\sab.1AéÉ}-]{2,32}",
            [".*\r\n", ".*\t", ".*b[.]", ".*\u3000", "[^\\s]", "\\s"],
        ),
        ("signs", r"(?s:.{2,16})", [".*[.]", ".*[0-9]", ".*[a-z]", ".*\\s", ".*\u200d"]),
        ("composed characters", r"(?s:.{0,24})", [".*\u0301", ".*é", ".*ﬁ", ".*fi", ".* "]),
        ("random tokens", r"(?:t\d+){2,6}", ["t\\d+t\\d+$", "(?:t\\d+){6}$"]),
    ],
)
def test_texts_have_the_shape_of_their_generator_in_all_its_variants(name, shape, variants):
    texts = [text for number in range(1, 4) for text in made_by(name, number)]
    assert len(texts) == 3 * BATCH
    assert [text for text in texts if not re.fullmatch(shape, text)] == []
    for variant in variants:
        matches = [text for text in texts if re.match(variant, text, re.DOTALL)]
        assert 0 < len(matches) < len(texts), variant


def test_all_short_texts_come_once_the_shortest_first():
    texts = [text for number in range(100) for text in made_by("short texts", number)]
    n = len(REPRESENTATIVES)
    assert texts[:n] == list(REPRESENTATIVES)
    assert len(texts) == len(set(texts)) == n + n**2 + n**3
    assert {len(text) for text in texts[n : n + n**2]} == {2}


def test_special_tokens_come_in_surroundings_and_then_in_parts_and_other_cases():
    first = made_by("special tokens", 0)
    assert first[:3] == ["<s>", "a <s> b", "a<s>b"]
    assert len(first) == 7 * len(MATERIAL.special)
    texts = made_by("special tokens")
    for part in ("<S>", "<|IM_END|>", "<|im_end|><s>", "  ", "\n", "<s"):
        assert any(part in text for text in texts), part


def test_own_lines_are_changed_a_little():
    texts = made_by("your own texts, changed")
    assert len(texts) == BATCH
    assert sum(text in ("Some line, 12 x", "Größe") for text in texts) < BATCH / 5
    close = [
        difflib.SequenceMatcher(None, text, "Some line, 12 x").ratio() for text in texts if "line" in text
    ]
    assert min(close) > 0.4
    assert len({len(text) for text in texts}) > 8


def test_broken_characters_are_no_utf_8_for_the_most_part():
    make = next(generator.make for generator in GENERATORS if generator.name == "broken characters")
    texts = make(MATERIAL, random.Random(0), 0)
    n_broken = sum(text.decode("utf-8", "ignore").encode() != text for text in texts)
    assert BATCH / 5 < n_broken < BATCH


def test_edges_of_words_have_a_neighbour_or_none():
    texts = made_by("edges of words")
    assert {len(text) for text in texts} <= set(range(1, 7))
    assert {text[0] for text in texts} >= {*"aA 1.é中"}
    assert any(text.endswith(" a") for text in texts)
    assert any(text.endswith("\n") for text in texts)


@pytest.mark.parametrize("name", ["random tokens", "special tokens", "your own texts, changed"])
def test_a_generator_without_material_gives_nothing(name):
    assert made_by(name, 1, Material([], [], [], [], True)) == []


def test_each_round_of_tokens_has_the_next_surroundings():
    material = Material([], [b"t", b"u"], [], [], True)
    found = [batch(material, 0, number, (EVERY_TOKEN,))[1] for number in range(16)]
    assert found[:5] == [[b"t", b"u"], [b"ta", b"ua"], [b"at", b"au"], [b" t", b" u"], [b"te", b"ue"]]
    assert found[14] == [b"\nt\n", b"\nu\n"]
    assert found[15] == []


def test_differences_come_in_as_many_batches_as_they_need():
    material = Material([b"d%d" % number for number in range(BATCH + 1)], TOKENS, [], [], True)
    names, texts = zip(*(batch(material, 0, number) for number in range(3)), strict=True)
    assert names == (DIFFERENCES, DIFFERENCES, EVERY_TOKEN)
    assert [len(each) for each in texts[:2]] == [BATCH, 1]
    assert batch(material, 0, 0, ("digits", EVERY_TOKEN))[0] == EVERY_TOKEN
