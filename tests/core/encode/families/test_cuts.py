"""Where texts may be cut: against looking at every place, with windows far smaller than the text."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from arrays import as_array, as_lists
from hypothesis import given
from hypothesis import strategies as st
from pair_vocabularies import (
    BYTE_TOKENS,
    HEX_TOKENS,
    HOSTILE_BITS,
    byte_level,
    character_level,
    sentence_piece,
)

from guiapp.core.encode.families import byte_pair, words
from guiapp.core.encode.families import pipeline as cuts
from guiapp.core.encode.families.byte_pair import BytePairPipeline, SentencePiecePipeline
from guiapp.core.encode.families.components import NormalizedPairsPipeline
from guiapp.core.encode.families.words import WordsPipeline
from guiapp.core.hugging_face.normalizers import normalizer_of
from guiapp.core.vocabulary.vocabulary import Rules
from guiapp.native.model_files import packed

LETTERS = st.lists(st.sampled_from([0, 1, 2, 3, 255]), max_size=40).map(bytes)
PAIRS = st.sets(st.tuples(*[st.sampled_from([0, 1, 2, 3, 255])] * 2), max_size=4)


@pytest.fixture(autouse=True, scope="module")
def small_windows():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cuts, "FIRST_WINDOW", 2)
        patch.setattr(words, "FIRST_LOOK", 2)
        patch.setattr(byte_pair, "WINDOW_BYTES", 2)
        yield


@given(text=LETTERS, pairs=PAIRS, position=st.integers(0, 40))
def test_a_cut_is_between_the_nearest_two_bytes_that_allow_it(text, pairs, position):
    is_cut = np.zeros((256, 256), np.bool_)
    for left, right in pairs:
        is_cut[left, right] = True
    position = min(position, len(text))
    places = [at for at in range(1, len(text)) if (text[at - 1], text[at]) in pairs]
    data = as_array(text)
    assert cuts.cut_before(data, position, is_cut) == max((at for at in places if at < position), default=0)
    after = min((at for at in places if at > position), default=len(text))
    assert cuts.cut_after(data, position, is_cut) == after


@given(tokens=st.lists(LETTERS, min_size=1, max_size=6), ids=st.sets(st.integers(0, 5)))
def test_byte_pairs_are_those_within_the_chosen_tokens(tokens, ids):
    chosen = [token_id for token_id in ids if token_id < len(tokens)]
    actual = cuts.byte_pairs(*packed(tokens), np.array(chosen, np.int32))
    texts = [tokens[token_id] for token_id in chosen]
    expected = {pair for text in texts for pair in pairwise(text)}
    assert set(zip(*as_lists(np.nonzero(actual)), strict=True)) == expected


WORDS = WordsPipeline(byte_level(["a b", "Ġ a"]))


@given(text=st.text("ab  \n\t", max_size=30).map(str.encode), position=st.integers(0, 30))
def test_words_are_cut_at_the_nearest_white_space(text, position):
    position = min(position, len(text))
    before = [at for at in range(position) if text[at : at + 1].isspace()]
    after_breaks = [at + 1 for at in before if text[at] != ord(" ")]
    assert WORDS.cut_before(as_array(text), position) == max([0, *before, *after_breaks])
    after = next((at for at in range(position, len(text)) if text[at : at + 1].isspace()), len(text))
    assert WORDS.cut_after(as_array(text), position) == after


PLAIN = byte_level(["a b", "Ġ a", "Ã ©", "a Ã", "© b", "Ġa b"])
WHITE = byte_level(["a b"], model="whitespace", rules=Rules(byte_encoding=True))
DNA = byte_level(["a b"], ["<dna>", "</dna>", "<oov>", "AAAAAA\ue000", *BYTE_TOKENS], model="hybriddna")
PIPELINES = {
    "plain": BytePairPipeline(PLAIN),
    "white space": BytePairPipeline(WHITE),
    "dna": BytePairPipeline(DNA),
    "composed": NormalizedPairsPipeline(PLAIN, normalizer_of({"type": "NFC"})),
}
MARKS = {
    "dna": [b"<dna>", b"</dna>", b"<dn", b"a>", b"AAA", b"  "],
    "composed": ["\u0301".encode(), "e\u0301".encode(), "각".encode(), "\u1100\u1161\u11a8".encode(), b"a"],
}
TEXTS = {
    name: st.lists(st.sampled_from([*HOSTILE_BITS, *MARKS.get(name, [])]), max_size=30).map(b"".join)
    for name in PIPELINES
}


def tokens_of(pipeline, text):
    return as_lists(pipeline.encode(as_array(text), False, "heap")) if text else [[], [], []]


def side_by_side(pipeline, text, cut):
    left, right = tokens_of(pipeline, text[:cut]), tokens_of(pipeline, text[cut:])
    right[1:] = [[edge + cut for edge in edges] for edges in right[1:]]
    return [a + b for a, b in zip(left, right, strict=True)]


@pytest.mark.parametrize("name", PIPELINES)
@given(data=st.data())
def test_both_sides_of_a_cut_are_what_they_are_alone(name, data):
    pipeline, text, other = PIPELINES[name], data.draw(TEXTS[name]), data.draw(TEXTS[name])
    position = data.draw(st.integers(0, len(text)))
    before, after = (cut(as_array(text), position) for cut in (pipeline.cut_before, pipeline.cut_after))
    assert 0 <= before <= position <= after <= len(text)
    for cut, whole in ((before, text), (before, text[:position] + other), (after, text)):
        assert side_by_side(pipeline, whole, cut) == tokens_of(pipeline, whole)
    if after < len(text):
        whole, cut = other + text[position:], len(other) + after - position
        assert side_by_side(pipeline, whole, cut) == tokens_of(pipeline, whole)


@pytest.mark.parametrize(
    ("name", "text", "position", "expected"),
    [
        ("plain", "ab ab ab ab", 6, (2, 8)),
        ("plain", "é é é é é é", 7, (5, 11)),
        ("plain", "abababababab", 6, (0, 12)),
        ("white space", "ab ab ab ab", 6, (3, 8)),
        ("dna", "ab ab ab ab", 6, (0, 11)),
        ("dna", "ab ab ab ab<dna>AA</dna>ab ab ab", 19, (11, 32)),
        ("dna", "ab <dna>AA</dna>ab ab ab", 23, (16, 24)),
        ("dna", "ab <dna>AA</dna>ab ab <dna>", 9, (3, 18)),
        ("dna", "</dna>ab ab ab ab", 10, (2, 17)),
        ("dna", "<dna>AA</dna>A</dna>ab ab ab ab", 28, (22, 31)),
    ],
)
def test_cuts_are_near(name, text, position, expected):
    pipeline, data = PIPELINES[name], as_array(text.encode())
    assert (pipeline.cut_before(data, position), pipeline.cut_after(data, position)) == expected


def test_what_is_not_split_or_drops_spaces_between_lines_is_not_cut():
    for pipeline in (
        BytePairPipeline(PLAIN).without_splitting(),
        BytePairPipeline(byte_level(["a b"], model="whitespace", rules=Rules(escape_spaces=True))),
    ):
        data = as_array(b"ab ab ab")
        assert (pipeline.cut_before(data, 6), pipeline.cut_after(data, 2)) == (0, 8)


WORDS_PAIR_CUTS = BytePairPipeline(byte_level(["a b", "Ġ a", "Ã ©", "a Ã", "© b", "Ġa b"]))
LINES = BytePairPipeline(
    character_level(["▁ a", "a b", "\n \n", "é a"], [*HEX_TOKENS, "▁", "a", "b", "▁a", "ab", "\n\n", "éa"])
)
HEX_SCORES = {"<unk>": 0.0, **dict.fromkeys(HEX_TOKENS, 0.0)}
PIECES = SentencePiecePipeline(sentence_piece({**HEX_SCORES, "▁": -9, "a": -8, "▁a": -1, "éa": -3, "aa": -4}))
NO_MERGES = BytePairPipeline(byte_level([], BYTE_TOKENS))

PIPELINES_PAIR_CUTS = pytest.mark.parametrize(
    "pipeline", [WORDS_PAIR_CUTS, LINES, PIECES, NO_MERGES], ids=["words", "lines", "pieces", "no merges"]
)
TEXTS_PAIR_CUTS = st.lists(st.sampled_from(HOSTILE_BITS), max_size=40).map(b"".join)


def tokens_of_of_pair_cuts(pipeline, text: bytes, after_special=False):
    if not text:
        return []
    tokens = pipeline.encode(as_array(text), after_special, "heap")
    return tokens.ids.tolist()


@PIPELINES_PAIR_CUTS
@given(kept=TEXTS_PAIR_CUTS, new=TEXTS_PAIR_CUTS)
def test_tokens_before_a_cut_do_not_depend_on_later_text(pipeline, kept, new):
    cut = pipeline.cut_before(as_array(kept), len(kept))
    assert 0 <= cut <= len(kept)
    both = tokens_of_of_pair_cuts(pipeline, kept[:cut]) + tokens_of_of_pair_cuts(pipeline, kept[cut:] + new)
    assert tokens_of_of_pair_cuts(pipeline, kept + new) == both


@PIPELINES_PAIR_CUTS
@given(new=TEXTS_PAIR_CUTS, kept=TEXTS_PAIR_CUTS)
def test_tokens_after_a_cut_do_not_depend_on_earlier_text(pipeline, new, kept):
    cut = pipeline.cut_after(as_array(kept), 0)
    assert 0 < cut <= len(kept) or not kept
    both = tokens_of_of_pair_cuts(pipeline, new + kept[:cut]) + tokens_of_of_pair_cuts(pipeline, kept[cut:])
    assert tokens_of_of_pair_cuts(pipeline, new + kept) == both


@PIPELINES_PAIR_CUTS
def test_ordinary_text_has_cuts_nearby(pipeline):
    text = as_array(b"ab ab\n ba ab b a " * 50)
    assert pipeline.cut_before(text, 400) > 380
    assert pipeline.cut_after(text, 400) < 430


@PIPELINES_PAIR_CUTS
@given(text=TEXTS_PAIR_CUTS, position=st.integers(0, 200))
def test_a_cut_never_divides_a_character(pipeline, text, position):
    text = text.decode(errors="replace").encode()
    position = min(position, len(text))
    for cut in (pipeline.cut_before(as_array(text), position), pipeline.cut_after(as_array(text), position)):
        text[:cut].decode()
