"""BPE models of their own kind: DNA within text, and words between white space."""

from __future__ import annotations

import numpy as np
import pytest
from arrays import as_array
from pair_vocabularies import BYTE_TOKENS, HEX_TOKENS, byte_level

from guiapp.core.encode.families.byte_pair import BytePairPipeline
from guiapp.core.pretokenize.pre_tokenizers import NOT_SPACES
from guiapp.core.vocabulary.vocabulary import Rules
from guiapp.native.model_files import Beginnings
from guiapp.native.pairs import Affixes

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


@pytest.mark.parametrize("changes", [{}, {"model": "whitespace"}, {"model": "hybriddna"}])
def test_texts_are_encoded_in_one_call_where_they_are_only_split(changes):
    pipeline = BytePairPipeline(
        byte_level(["a b", "Ġ a"], [*BYTE_TOKENS, "ab", "Ġa", "<dna>", "</dna>", "<oov>"], **changes)
    )
    text = b"ab ab"
    envelopes = Affixes([1], [2], None, 9999), Affixes([], [3, 4], Beginnings([b"b b", b"aa"]), 9999)
    if changes:
        assert pipeline.fast_path(text, envelopes[0]) is None
    else:
        ids = pipeline.encode(as_array(text), False, "heap").ids.tolist()
        for envelope in (*envelopes, *envelopes):
            for part in (text, text.decode(), text.decode() * 1000):
                around = [*envelope.before, *ids * (len(part) // len(text)), *envelope.after]
                assert pipeline.fast_path(part, envelope).tolist() == around
        for other in (b"a ab b b", "aa", "b b" * 2000, "ab ab" * 2000, "\ud800" * 9000):
            assert pipeline.fast_path(other, envelopes[1]) is None
        assert pipeline.bounds(np.array(ids, np.int32)).tolist() == [0, 2, 3, 5]
    assert pipeline.without_splitting().fast_path(text, envelopes[0]) is None
    assert pipeline.encodes_many_texts == (not changes)
    for each in (pipeline, pipeline.without_splitting()):
        if each.encodes_many_texts:
            texts = [text, b"a", b" a ab"]
            rows = each.encode_each(texts)
            expected = [each.encode(as_array(part), False, "heap").ids.tolist() for part in texts]
            assert rows.counts.tolist() == [*map(len, expected)]
            assert rows.ids.tolist() == [token for ids in expected for token in ids]
