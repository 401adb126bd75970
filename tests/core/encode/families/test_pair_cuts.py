"""Cuts of BPE and SPM text: both sides side by side must give the tokens of the whole."""

from __future__ import annotations

import pytest
from arrays import as_array
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

from guiapp.core.encode.families.byte_pair import BytePairPipeline, SentencePiecePipeline

WORDS = BytePairPipeline(byte_level(["a b", "Ġ a", "Ã ©", "a Ã", "© b", "Ġa b"]))
LINES = BytePairPipeline(
    character_level(["▁ a", "a b", "\n \n", "é a"], [*HEX_TOKENS, "▁", "a", "b", "▁a", "ab", "\n\n", "éa"])
)
HEX_SCORES = {"<unk>": 0.0, **dict.fromkeys(HEX_TOKENS, 0.0)}
PIECES = SentencePiecePipeline(sentence_piece({**HEX_SCORES, "▁": -9, "a": -8, "▁a": -1, "éa": -3, "aa": -4}))
NO_MERGES = BytePairPipeline(byte_level([], BYTE_TOKENS))

PIPELINES = pytest.mark.parametrize(
    "pipeline", [WORDS, LINES, PIECES, NO_MERGES], ids=["words", "lines", "pieces", "no merges"]
)
TEXTS = st.lists(st.sampled_from(HOSTILE_BITS), max_size=40).map(b"".join)


def tokens_of(pipeline, text: bytes, after_special=False):
    if not text:
        return []
    tokens = pipeline.encode(as_array(text), after_special, "heap")
    return tokens.ids.tolist()


@PIPELINES
@given(kept=TEXTS, new=TEXTS)
def test_what_comes_before_a_cut_does_not_feel_what_follows(pipeline, kept, new):
    cut = pipeline.cut_before(as_array(kept), len(kept))
    assert 0 <= cut <= len(kept)
    both = tokens_of(pipeline, kept[:cut]) + tokens_of(pipeline, kept[cut:] + new)
    assert tokens_of(pipeline, kept + new) == both


@PIPELINES
@given(new=TEXTS, kept=TEXTS)
def test_what_comes_behind_a_cut_does_not_feel_what_precedes(pipeline, new, kept):
    cut = pipeline.cut_after(as_array(kept), 0)
    assert 0 < cut <= len(kept) or not kept
    both = tokens_of(pipeline, new + kept[:cut]) + tokens_of(pipeline, kept[cut:])
    assert tokens_of(pipeline, new + kept) == both


@PIPELINES
def test_ordinary_text_has_cuts_nearby(pipeline):
    text = as_array(b"ab ab\n ba ab b a " * 50)
    assert pipeline.cut_before(text, 400) > 380
    assert pipeline.cut_after(text, 400) < 430


@PIPELINES
@given(text=TEXTS, position=st.integers(0, 200))
def test_a_cut_never_divides_a_character(pipeline, text, position):
    text = text.decode(errors="replace").encode()
    position = min(position, len(text))
    for cut in (pipeline.cut_before(as_array(text), position), pipeline.cut_after(as_array(text), position)):
        text[:cut].decode()
