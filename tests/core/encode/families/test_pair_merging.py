"""BPE and SPM pipelines on vocabularies small enough to merge by hand."""

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

from guiapp.core.encode.catalogue import ALGORITHMS
from guiapp.core.encode.families.byte_pair import BytePairPipeline, SentencePiecePipeline
from guiapp.core.vocabulary.vocabulary import Rules, SpecialIds
from guiapp.errors import EncodeError
from guiapp.native.special_tokens import CallOptions

HEX_SCORES = {"<unk>": 0.0, **dict.fromkeys(HEX_TOKENS, 0.0)}
WORDS = byte_level(["a b", "b c", "ab c", "Ġ a", "c c", "Ġa bc", "Ã ©", "é c"])
LINES = character_level(
    ["▁ a", "a b", "▁a b", "\n \n", "é a"], ["▁", "a", "b", "▁a", "ab", "▁ab", "\n\n", "éa"]
)
PIECES = sentence_piece({**HEX_SCORES, "▁": -9, "a": -8, "b": -7, "▁a": -1, "ab": -1, "▁▁": -2, "éa": -3})

TEXTS = st.lists(st.sampled_from(HOSTILE_BITS), min_size=1, max_size=40).map(b"".join)


def pipeline_of(vocabulary):
    return (SentencePiecePipeline if vocabulary.special_ids.unk == 0 else BytePairPipeline)(vocabulary)


def texts_of(vocabulary, text: bytes, encoder=None):
    pipeline = pipeline_of(vocabulary)
    tokens = pipeline.encode(as_array(text), True, encoder or pipeline.encoders[0])
    assert_tokens(tokens, pipeline.encode_readable(text, True, encoder or "heap"))
    return [vocabulary.raw_text(token).decode() for token in tokens.ids.tolist()]


def spans_of(vocabulary, text: bytes):
    tokens = pipeline_of(vocabulary).encode(as_array(text), True, "heap")
    return list(zip(tokens.starts.tolist(), tokens.ends.tolist(), strict=True))


def test_the_lowest_rank_merges_first():
    assert texts_of(WORDS, b"abc bc") == ["abc", "Ġ", "bc"]


def test_a_merge_rule_is_split_at_a_space_after_its_first_byte():
    vocabulary = character_level([" a b", "a b c"], ["a", "b", "c", "ab c"])
    assert texts_of(vocabulary, b"abc") == ["a", "b", "c"]


def test_what_merges_make_need_not_be_a_token():
    tokens = ["a", "b", "c", "abc"]
    assert texts_of(byte_level(["a b", "ab c"], tokens), b"abc") == ["abc"]
    assert texts_of(byte_level(["a b", "ab c"], tokens), b"ab") == ["a", "b"]
    assert texts_of(byte_level(["a b"], ["ab", "a", "b"]), b"ab") == ["ab"]


def test_a_piece_that_is_a_token_is_taken_whole_by_ignore_merges():
    tokens = [*BYTE_TOKENS, "abc"]
    assert texts_of(byte_level([], tokens), b"abc") == ["a", "b", "c"]
    rules = Rules(byte_encoding=True, ignore_merges=True)
    assert texts_of(byte_level([], tokens, rules=rules), b"abc abc") == ["abc", "Ġ", "a", "b", "c"]


def test_runs_of_newlines_that_are_tokens_are_taken_whole_by_gemma_4():
    vocabulary = character_level([], ["a", "\n", "\n\n\n", "aa"])
    assert texts_of(vocabulary, b"aa\n\n\naa") == ["a", "a", "\n\n\n", "a", "a"]


def test_lookup_encoders_are_refused_for_tokens_over_4096_bytes():
    at_most, more = (byte_level([], [*BYTE_TOKENS, "a" * size]) for size in (4096, 4097))
    assert {"greedy", "fewest"} <= set(pipeline_of(at_most).encoders)
    pipeline = pipeline_of(more)
    assert set(pipeline.refused) == {"backtrack", "table", "greedy", "fewest"}
    assert "4,097 bytes" in pipeline.refused["greedy"]
    assert len(pipeline.encode(as_array(b"a" * 4097), False, pipeline.encoders[0]).ids) == 4097


def test_broken_text_keeps_its_spans():
    assert spans_of(WORDS, b"a\xff\xc1\xa1b") == [(0, 1), (1, 2), (2, 2), (2, 2), (2, 5)]


@pytest.mark.parametrize("broken", [b"\xf0a", b"\xf0\xc3", b"\xfd\xcca"])
def test_a_broken_character_consumes_part_of_the_space_after_it(broken):
    pipeline, text = pipeline_of(PIECES), broken + b" a"
    expected = pipeline.encode_readable(text, True, "scan")
    assert "<0x81>" in [PIECES.raw_text(token).decode() for token in expected.ids.tolist()]
    for encoder in filter(lambda name: ALGORITHMS[name].exact, pipeline.encoders):
        assert_tokens(pipeline.encode(as_array(text), True, encoder), expected)


@pytest.mark.parametrize("unknown", ["ab", "▁"])
def test_spans_are_right_if_the_text_spells_the_unknown_token(unknown):
    scores = {unknown: -1, **dict.fromkeys(["▁", "a", "b", "ab"], -2)}
    pipeline = pipeline_of(sentence_piece(scores))
    for text in (b"ab ab", "a▁ b".encode(), "aé▁ab".encode(), b"?ab"):
        expected = pipeline.encode_readable(text, True, "scan")
        assert_tokens(pipeline.encode(as_array(text), True, "fast"), expected)


def test_spm_without_an_unknown_token_names_the_failing_byte():
    pipeline = SentencePiecePipeline(sentence_piece({"▁": 0, "a": 0}, special_ids=SpecialIds()))
    with pytest.raises(EncodeError, match="0x62"):
        pipeline.encode(as_array(b"ab"), True, "heap")
    with pytest.raises(EncodeError, match="0x62"):
        pipeline.encode_readable(b"ab", True, "heap")


def test_scores_that_are_no_numbers_come_last():
    vocabulary = sentence_piece({**HEX_SCORES, "▁": 0, "a": 0, "aa": float("nan"), "▁a": float("-inf")})
    assert texts_of(vocabulary, b"aa") == ["▁a", "a"]


HOSTILE = st.lists(st.sampled_from(HOSTILE_BITS)).map(b"".join)


@pytest.mark.parametrize("space", [b"\xc0\xa0", b"\xe0\x80\xa0"])
def test_a_long_space_alone_on_a_line_is_the_byte_of_a_space(space):
    """llama.cpp gives <0x20> for it, since it marks spaces before it decodes the text."""
    vocabulary = character_level([], [*HEX_TOKENS, "▁", "a", "b", "\n"])
    assert texts_of(vocabulary, b"a\n" + space + b"\nb") == ["a", "\n", "<0x20>", "\n", "b"]
    assert texts_of(vocabulary, b" \na" + space) == ["▁", "\n", "a", "▁"]
    without = character_level([], ["▁", "a", "b", "\n"])
    assert texts_of(without, b"a\n" + space + b"\nb") == ["a", "\n", "\n", "b"]
    pipeline, text = pipeline_of(vocabulary), space + b"\n" + space
    assert_tokens(pipeline.encode(as_array(text), True, "fast"), pipeline.encode_readable(text, True, "scan"))


@pytest.mark.parametrize("vocabulary", [WORDS, LINES, PIECES], ids=["words", "lines", "pieces"])
@given(text=HOSTILE.filter(bool), after_special=st.booleans())
def test_all_encoders_agree_and_match_their_references(vocabulary, text, after_special):
    pipeline = pipeline_of(vocabulary)
    expected = pipeline.encode_readable(text, after_special, "scan")
    assert_tokens(pipeline.encode_readable(text, after_special, "heap"), expected)
    for encoder in pipeline.encoders:
        actual = pipeline.encode(as_array(text), after_special, encoder)
        assert_tokens(actual, pipeline.encode_readable(text, after_special, encoder))
        if ALGORITHMS[encoder].exact:
            assert_tokens(actual, expected)


def assert_tokens(actual, expected):
    for column, expected_column in zip(actual, expected, strict=True):
        assert column.tolist() == expected_column.tolist()
        assert column.dtype == expected_column.dtype


@pytest.mark.parametrize("vocabulary", [WORDS, PIECES], ids=["words", "pieces"])
@given(text=HOSTILE.filter(bool))
def test_spans_tile_the_text(vocabulary, text):
    pipeline = pipeline_of(vocabulary)
    tokens = pipeline.encode(as_array(text), True, pipeline.encoders[0])
    assert tokens.starts[0] == 0
    assert tokens.ends[-1] == len(text)
    assert (tokens.starts[1:] == tokens.ends[:-1]).all()


@pytest.mark.parametrize("vocabulary", [WORDS, LINES, PIECES], ids=["words", "lines", "pieces"])
@given(texts=st.lists(TEXTS, min_size=1, max_size=5))
def test_many_texts_at_once_have_the_ids_of_each(vocabulary, texts):
    pipeline = pipeline_of(vocabulary)
    options = CallOptions(excluded=pipeline.excluded, adds_space=pipeline.adds_space)

    def encode_one(text):
        return pipeline.encode(as_array(text), True, "heap").ids

    rows, each = (
        pipeline.encode_each(texts, options, encode_one),
        [encode_one(text).tolist() for text in texts],
    )
    assert rows.counts.tolist() == [len(ids) for ids in each]
    assert rows.ids.tolist() == [token for ids in each for token in ids]
