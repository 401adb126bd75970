"""BPE models of their own kind: DNA within text, and words between white space."""

from __future__ import annotations

import pytest
from arrays import as_array
from pair_vocabularies import BYTE_TOKENS, HEX_TOKENS, byte_level

from guiapp.core.encode.families.byte_pair import BytePairPipeline, whitespace_words
from guiapp.core.pretokenize.pre_tokenizers import NOT_SPACES
from guiapp.core.vocabulary.vocabulary import Rules

GROUPS = ["ACGTAC\ue000", "GGAAAA\ue000"]
DNA = byte_level(["a b"], [*BYTE_TOKENS, "ab", "<dna>", "</dna>", "<oov>", *GROUPS], model="hybriddna")
WORDS = byte_level(
    ["a b"],
    [*HEX_TOKENS, "a", "b", "ab", "é"],
    model="whitespace",
    patterns=(NOT_SPACES,),
    rules=Rules(lowercase=True),
)


def encoded(vocabulary, text: bytes):
    """Token texts and spans, the same from native and readable twins."""
    pipeline = BytePairPipeline(vocabulary)
    tokens = pipeline.encode(as_array(text), True, "fast")
    readable = pipeline.encode_readable(text, True, "scan")
    for column, expected in zip(tokens, readable, strict=True):
        assert column.tolist() == expected.tolist()
    spans = zip(tokens.starts.tolist(), tokens.ends.tolist(), strict=True)
    return [vocabulary.raw_text(token).decode() for token in tokens.ids.tolist()], list(spans)


def test_dna_is_encoded_in_groups_of_six_bases():
    texts, spans = encoded(DNA, b"ab<dna>acgtacGGxyz</dna>b")
    assert texts == ["ab", "<dna>", GROUPS[0], "<oov>", "</dna>", "b"]
    assert spans == [(0, 2), (2, 7), (7, 13), (13, 18), (18, 24), (24, 25)]


def test_the_last_group_is_filled_up_and_dna_need_not_end():
    assert encoded(DNA, b"<dna>GG") == (["<dna>", GROUPS[1]], [(0, 5), (5, 7)])
    assert encoded(DNA, b"<dna>") == (["<dna>"], [(0, 5)])


def test_without_its_tokens_dna_is_text():
    vocabulary = byte_level([], BYTE_TOKENS, model="hybriddna")
    assert encoded(vocabulary, b"<dna>")[0] == list("<dna>")


def test_an_edit_within_dna_reaches_to_both_ends_of_the_text():
    pipeline = BytePairPipeline(DNA)
    text = as_array(b"a b c <dna>ACGT")
    assert pipeline.cut_before(text, 5) == 0
    assert pipeline.cut_after(text, 5) == len(text)


def test_white_space_is_dropped_between_words():
    assert encoded(WORDS, "AB \u3000 É\ta b".encode()) == (
        ["ab", "é", "a", "b"],
        [(0, 2), (7, 9), (10, 11), (12, 13)],
    )


@pytest.mark.parametrize("text", [b" ", "\u3000\n".encode()])
def test_white_space_alone_has_no_tokens(text):
    assert encoded(WORDS, text) == ([], [])


@pytest.mark.parametrize(
    ("text", "rules", "words", "ends"),
    [
        ("  one TWO\u3000é ", Rules(), "oneTWOé", [3, 6, 8]),
        ("  one TWO\u3000é ", Rules(lowercase=True, escape_spaces=True), "  one twoé ", [9, 12]),
        ("a", Rules(), "a", [1]),
        (" ", Rules(), "", []),
        (" ", Rules(escape_spaces=True), " ", [1]),
        ("", Rules(), "", []),
    ],
)
def test_words_end_where_white_space_begins(text, rules, words, ends):
    actual, actual_ends = whitespace_words(text.encode(), rules)
    assert (actual.data.tobytes().decode(), actual_ends) == (words, ends)
