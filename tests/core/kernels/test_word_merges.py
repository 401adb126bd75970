"""Merging words with small tables, as interpreted code does it, against the plain way."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toy_vocabulary import toy_vocabulary

from guiapp.core.kernels.piece_cache import UNKNOWN
from guiapp.core.kernels.scan import merge_by_scan
from guiapp.core.kernels.word_merges import FLAG_BITS, SCANNED, TAKES, WARY, WordMerges, merge_word
from guiapp.core.text.pair_cuts import symbol_bytes
from guiapp.core.text.word_rules import word_merges
from guiapp.core.vocab.byte_alphabet import CHARACTER_OF_BYTE
from guiapp.core.vocab.merges import PairMerging, byte_pair_merging, sentence_piece_merging
from guiapp.core.vocab.vocabulary import VocabType, Vocabulary

TOKENS = {"<unk>": 0, "▁": -9, "a": -1, "b": -2, "ab": -3, "ba": -3, "aba": -1, "▁a": -4, "bb": -2, "é": -5}


BYTE_MERGES = [
    "Ã ©",
    "a Ã",
    "aÃ ¨",
    "Ã© Ã",
    "Ã ¨",
    "ã ģ",
    "ãģ Ĥ",
    "ãģ Ħ",
    "y ã",
    "yã ģ",
    "ãģĤ ãģĦ",
    "© ã",
    "a ãģ",
    "ãģ Ĩ",
    "Ĥ ģ",
]
CHARACTERS = [character.encode() for character in ("é", "è", "あ", "い", "う", "a", "y", " ")]
BROKEN = [b"\xe3", b"\x81", b"\x82", b"\xc3", b"\xff"]


@pytest.fixture(scope="module")
def merging() -> PairMerging:
    return sentence_piece_merging(toy_vocabulary(TOKENS))


@pytest.fixture(scope="module")
def byte_merging() -> PairMerging:
    return byte_pair_merging(byte_vocabulary(BYTE_MERGES))


def byte_vocabulary(merges: list[str]) -> Vocabulary:
    """All bytes, and what the merges make."""
    made = [merge.replace(" ", "") for merge in merges]
    return toy_vocabulary(dict.fromkeys([*CHARACTER_OF_BYTE, *made], 0), VocabType.BPE, merges)


def rules_of(merging: PairMerging) -> WordMerges:
    with np.errstate(over="ignore"):
        return word_merges(merging.symbols, merging.merges, *symbol_bytes(merging))


def merge_both_ways(merging: PairMerging, text: bytes) -> tuple[list[int], list[int] | None]:
    """The symbols by scanning, and the ids by `merge_word`, None if it left the text to others."""
    data, size = np.frombuffer(bytearray(text), np.uint8), len(text)
    ids, ends, values = np.zeros(size, np.int32), np.zeros(size, np.int64), np.zeros(SCANNED, np.int64)
    out = np.zeros(size + 1, np.int32)
    words = rules_of(merging)
    with np.errstate(over="ignore"):
        count = merge_by_scan(data, 0, size, merging.symbols, merging.merges, ids, ends, values)
        last = merge_word(data, 0, size, words, values, out, 1)
    return ids[:count].tolist(), None if last == UNKNOWN else out[1:last].tolist()


@given(text=st.text("abcé ", min_size=1, max_size=12))
def test_words_come_out_as_by_scanning(merging, text):
    symbols, ids = merge_both_ways(merging, text.encode())
    are_tokens = all(0 <= symbol < merging.symbols.n_tokens for symbol in symbols)
    assert ids == (symbols if are_tokens else None)


@given(parts=st.lists(st.sampled_from([*CHARACTERS, *BROKEN]), min_size=1, max_size=16))
def test_characters_begin_as_one_symbol_only_where_that_changes_nothing(byte_merging, parts):
    symbols, ids = merge_both_ways(byte_merging, b"".join(parts))
    assert ids == symbols


def test_characters_are_closed_or_wary_by_what_their_neighbours_can_take_from_them(byte_merging):
    of_character = rules_of(byte_merging).of_character
    entries = {character: int(of_character[ord(character)]) for character in "éèあいうえay"}
    assert [character for character, entry in entries.items() if entry >> FLAG_BITS] == [*"éèあいう"]
    assert [character for character, entry in entries.items() if entry & WARY] == [*"èう"]
    assert [character for character, entry in entries.items() if entry & TAKES] == [*"éa"]


def test_a_word_of_too_many_symbols_is_left_to_others(merging):
    assert merge_both_ways(merging, b"a" * SCANNED)[1] is not None
    assert merge_both_ways(merging, b"a" * (SCANNED + 1))[1] is None
