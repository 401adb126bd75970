"""Merging words with small tables, as interpreted code does it, against the plain way."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toy_vocabulary import toy_vocabulary

from guiapp.core.kernels.piece_cache import UNKNOWN
from guiapp.core.kernels.scan import merge_by_scan
from guiapp.core.kernels.word_merges import merge_word, word_merges
from guiapp.core.vocab.merges import PairMerging, sentence_piece_merging

TOKENS = {"<unk>": 0, "▁": -9, "a": -1, "b": -2, "ab": -3, "ba": -3, "aba": -1, "▁a": -4, "bb": -2, "é": -5}


@pytest.fixture(scope="module")
def merging() -> PairMerging:
    return sentence_piece_merging(toy_vocabulary(TOKENS))


@given(text=st.text("abc ", min_size=1, max_size=12))
def test_words_come_out_as_by_scanning(merging, text):
    data = np.frombuffer(bytearray(text.encode()), np.uint8)
    size = len(data)
    ids, ends, values = np.zeros(size, np.int32), np.zeros(size, np.int64), np.zeros(size, np.int64)
    out = np.zeros(size + 1, np.int32)
    with np.errstate(over="ignore"):
        words = word_merges(merging.symbols, merging.merges)
        count = merge_by_scan(data, 0, size, merging.symbols, merging.merges, ids, ends, values)
        last = merge_word(data, 0, size, words, values, out, 1)
    are_tokens = ((ids[:count] >= 0) & (ids[:count] < merging.symbols.n_tokens)).all()
    assert last == (1 + count if are_tokens else UNKNOWN)
    if are_tokens:
        assert out[1:last].tolist() == ids[:count].tolist()


def test_characters_of_several_bytes_are_left_to_others(merging):
    data = np.frombuffer(bytearray("aé".encode()), np.uint8)
    words = word_merges(merging.symbols, merging.merges)
    values, out = np.zeros(4, np.int64), np.zeros(4, np.int32)
    assert merge_word(data, 0, len(data), words, values, out, 0) == UNKNOWN
