"""The best ways through a text tell the tokens of all its prefixes, whatever its last bytes may become."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from gguf_builder import NORMAL, UNKNOWN, USER_DEFINED
from random_texts import random_texts
from unpaired_vocabularies import ALPHABET, vocabulary, write_unigram

import guiapp
from guiapp.core.counting import unigram_prefixes
from guiapp.core.counting.append import AppendEncoder
from guiapp.core.counting.unigram_prefixes import UnigramPrefixes
from guiapp.core.tokenizer import Tokenizer
from guiapp.core.training.charsmap import build_charsmap
from guiapp.core.vocab.vocabulary import Rules, VocabType

N_TEXTS = 40
LONGEST_TEXT = 90
MAP = {
    "\u00a0": " ", "\u3000": " ", "\u200b": "", "ﬁ": "fi", "…": "...", "a\u0301": "á", "ab\u0301c": "x y",
    "か\u3099": "が", "が\u3099": "か ", "ab": "ba", "Ａ": "A", "e": "", "  ": "b", "\u0301": "aaaaaaaa",
}  # fmt: skip
PIECES = [*ALPHABET, *MAP, *" abe", "<extra_id_", "<extra_id_0>", "ab a", "éx", "中文", "か", "\ufffd", "\n"]


def as_array(text):
    return np.frombuffer(bytearray(text), np.uint8)


def texts_for(seed):
    """Texts made of what the character map and the tokens look for, among them parts of characters."""
    rng = np.random.default_rng(seed)
    for index, text in enumerate(random_texts(seed, N_TEXTS)):
        pieces = [PIECES[at].encode() for at in rng.integers(0, len(PIECES), 25)]
        if index % 3 == 0:
            pieces[::5] = [piece[: rng.integers(0, 3)] for piece in pieces[::5]]
        yield b"".join(pieces)[:LONGEST_TEXT] if index % 4 else text[:LONGEST_TEXT]


@pytest.fixture(
    params=list(product((True, False), (True, False), (MAP, None))),
    ids=lambda each: "".join("ny"[bool(flag)] for flag in each),
)
def tokenizer(request, tmp_path):
    """Space prefix, removed white space, and character map: all combinations."""
    adds_space, removes_spaces, charsmap = request.param
    units = None if charsmap is None else list(build_charsmap(charsmap))
    return guiapp.open_model(write_unigram(tmp_path / "u.gguf", 5, adds_space, removes_spaces, units))


def counts_of_prefixes(tokenizer, text):
    encode = tokenizer.pipeline.encode
    return [len(encode(as_array(text[:size]), True, "viterbi").ids) for size in range(1, len(text) + 1)]


def test_counts_of_all_prefixes_equal_encoding_each(tokenizer, monkeypatch):
    monkeypatch.setattr(unigram_prefixes, "SMALLEST_ROOM", 16)
    monkeypatch.setattr(unigram_prefixes, "LEAST_PER_BYTE", 1)
    rules = tokenizer.pipeline.own.prefix_rules
    for seed, text in enumerate(texts_for(21)):
        prefixes, expected = UnigramPrefixes(rules), counts_of_prefixes(tokenizer, text)
        step = 1 + seed % 11
        for start in range(0, len(text), step):
            prefixes.append(as_array(text[start : start + step]))
        assert prefixes.counts.tolist() == [0, *expected], text


@pytest.mark.parametrize(("adds_space", "removes_spaces"), list(product((True, False), repeat=2)))
def test_characters_that_are_cut_short_are_counted_without_looking_for_them(adds_space, removes_spaces):
    rng = np.random.default_rng(3)
    texts = {"".join(rng.choice([*"ab.é中文か👩"], rng.integers(1, 4))) for _ in range(100)}
    tokens = ["<unk>", "▁", "<x>", *sorted(texts), *sorted("▁" + text for text in texts)]
    types = [UNKNOWN, NORMAL, USER_DEFINED, *[NORMAL] * (len(tokens) - 3)]
    scores = [0.0, *rng.choice([-1.0, -2.0, -2.5], len(tokens) - 1).tolist()]
    rules = Rules(add_space_prefix=adds_space, remove_extra_whitespaces=removes_spaces)
    charsmap = build_charsmap({key: value for key, value in MAP.items() if not key.isspace()})
    tokenizer = Tokenizer(vocabulary(VocabType.UGM, tokens, types, scores, rules, 0, charsmap))
    known = tokenizer.pipeline.own.prefix_rules
    assert known.breaks_alone
    for text in texts_for(24):
        prefixes = UnigramPrefixes(known)
        prefixes.append(as_array(text))
        assert prefixes.counts.tolist() == [0, *counts_of_prefixes(tokenizer, text)], text


def test_many_texts_count_as_much_as_each_by_itself(tokenizer):
    rules = tokenizer.pipeline.own.prefix_rules
    texts = [text for text in texts_for(22) if text]
    counts = UnigramPrefixes(rules).counts_of_texts(as_array(b"".join(texts)), np.cumsum([*map(len, texts)]))
    assert counts.tolist() == [count for text in texts for count in counts_of_prefixes(tokenizer, text)]


def test_appending_byte_by_byte_equals_encoding_from_scratch(tokenizer):
    for text in texts_for(23):
        expected = [len(tokenizer.encode(text[:size])) for size in range(1, len(text) + 1)]
        encoder = AppendEncoder(tokenizer)
        counts = [encoder.append(text[at : at + 1]) or encoder.count for at in range(len(text))]
        assert counts == expected, text
        assert AppendEncoder(tokenizer).append_each(text).tolist() == expected, text


def test_text_without_any_cut_is_counted_without_encoding_it(monkeypatch):
    tokenizer = guiapp.open_model("demo:unigram")
    text = "吾輩は猫である。名前はまだ無い".encode() * 70
    expected = counts_of_prefixes(tokenizer, text[:600])
    each, one_by_one = AppendEncoder(tokenizer), AppendEncoder(tokenizer)
    monkeypatch.setattr(tokenizer.pipeline, "encode", None)
    n_special = each.count
    assert each.append_each(text)[:600].tolist() == [n_special + count for count in expected]
    for size in range(600):
        one_by_one.append(text[size : size + 1])
        assert one_by_one.count == n_special + expected[size]
