"""The edges of pieces, and the rules that cut there."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guiapp.core.split.edges import IN_WORDS, _options, piece_ends, rule_of
from guiapp.core.split.pre_tokenizers import PRE_TOKENIZERS
from guiapp.core.split.splitter import splitter_of

TEXT = "Don't pay 12345 €!\n\n  Straße"
PIECES = {
    "llama-bpe": [
        ("Don", "letters, and one space or sign before them"),
        ("'t", "a contraction such as 's or 'll"),
        (" pay", "letters, and one space or sign before them"),
        (" ", "white space"),
        ("123", "up to three digits"),
        ("45", "up to three digits"),
        (" €!\n\n", "signs, a space before them, line ends behind them"),
        (" ", "white space, but for the last before a word"),
        (" Straße", "letters, and one space or sign before them"),
    ],
    "gpt-2": [
        ("Don", "letters, and a space before them"),
        ("'t", "a contraction such as 's or 'll"),
        (" pay", "letters, and a space before them"),
        (" 12345", "digits, and a space before them"),
        (" €!", "signs, and a space before them"),
        ("\n\n ", "white space, but for the last before a word"),
        (" Straße", "letters, and a space before them"),
    ],
}


@pytest.mark.parametrize("pre", PIECES)
def test_each_piece_has_its_rule_in_words(pre):
    patterns = PRE_TOKENIZERS[pre].patterns
    ends = piece_ends(patterns, TEXT.encode(), [len(TEXT.encode())]).tolist()
    found = [TEXT.encode()[start:end].decode() for start, end in zip([0, *ends], ends, strict=False)]
    assert found == [piece for piece, _ in PIECES[pre]]
    start = 0
    for piece, rule in PIECES[pre]:
        assert rule_of(patterns, TEXT, start, start + len(piece)) == rule
        start += len(piece)


@given(text=st.text("aB é中\n 1'.😍", min_size=1, max_size=30))
def test_the_first_rule_that_fits_is_that_of_the_whole_pattern(text):
    (pattern,) = PRE_TOKENIZERS["llama-bpe"].patterns
    start = 0
    for end in splitter_of((pattern,)).split_readable(text.encode()):
        before, upto = (len(text.encode()[:at].decode()) for at in (start, end))
        rule = rule_of((pattern,), text, before, upto)
        assert rule in IN_WORDS.values()
        start = end


@pytest.mark.parametrize("pre", PRE_TOKENIZERS)
def test_every_pattern_can_be_asked(pre):
    for pattern in PRE_TOKENIZERS[pre].patterns:
        assert all(isinstance(expression, re.Pattern) for _, expression in _options(pattern))
        assert isinstance(rule_of((pattern,), TEXT, 0, 3), str)
