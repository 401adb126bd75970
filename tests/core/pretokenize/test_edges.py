"""The edges of pieces, and the rules that cut there."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_files import bpe, load

from guiapp.core.pretokenize.edges import (
    IN_WORDS,
    PatternBranch,
    _options,
    branch_of,
    certain,
    patterns_of,
    piece_ends,
    rule_of,
)
from guiapp.core.pretokenize.pre_tokenizers import PRE_TOKENIZERS, Pattern
from guiapp.core.pretokenize.splitter import splitter_of

TEXT = "Don't pay 12345 €!\n\n  Straße"
PIECES = {
    "llama-bpe": [
        ("Don", "letters, with one space or symbol before them"),
        ("'t", "a contraction such as 's or 'll"),
        (" pay", "letters, with one space or symbol before them"),
        (" ", "white space"),
        ("123", "up to three digits"),
        ("45", "up to three digits"),
        (" €!\n\n", "symbols, with a space before and line ends after them"),
        (" ", "white space, except the last before a word"),
        (" Straße", "letters, with one space or symbol before them"),
    ],
    "gpt-2": [
        ("Don", "letters, with a space before them"),
        ("'t", "a contraction such as 's or 'll"),
        (" pay", "letters, with a space before them"),
        (" 12345", "digits, with a space before them"),
        (" €!", "symbols, with a space before them"),
        ("\n\n ", "white space, except the last before a word"),
        (" Straße", "letters, with a space before them"),
    ],
}


@pytest.mark.parametrize("pre", PIECES)
def test_each_piece_has_its_rule_in_words(pre):
    patterns = PRE_TOKENIZERS[pre].patterns
    ends = piece_ends(patterns, TEXT.encode(), [len(TEXT.encode())]).tolist()
    results = [TEXT.encode()[start:end].decode() for start, end in zip([0, *ends], ends, strict=False)]
    assert results == [piece for piece, _ in PIECES[pre]]
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


@pytest.mark.parametrize(
    ("model", "pre", "are_cut"),
    [("gpt2", "gpt-2", True), ("whitespace", "whitespace", False), ("gemma4", None, False)],
)
def test_the_patterns_are_those_that_cut_the_text_itself(tmp_path, model, pre, are_cut):
    vocabulary = load(tmp_path, bpe(model=model, pre=pre))
    assert vocabulary.patterns
    assert patterns_of(vocabulary) == (vocabulary.patterns if are_cut else ())


def test_a_branch_has_its_index_and_escaped_line_ends():
    pattern = Pattern("a|(b|c)|[|\n]+")
    results = [branch_of((pattern,), "ab\n|", *span) for span in ((0, 1), (1, 2), (2, 4))]
    assert results == [
        PatternBranch(0, "a", 0, 3, ""),
        PatternBranch(0, "(b|c)", 1, 3, ""),
        PatternBranch(0, r"[|\n]+", 2, 3, ""),
    ]


def test_the_last_pattern_that_makes_a_piece_is_reported():
    first, second = Pattern("ab|[xy]"), Pattern("b|[xy]+")
    assert branch_of((first, second), "abx", 2, 3) == PatternBranch(1, "[xy]+", 1, 2, "")
    assert branch_of((first, second), "abx", 0, 2) == PatternBranch(0, "ab", 0, 2, "")
    assert branch_of((first, second), "abx", 1, 3) is None
    assert branch_of((first, second), "abx", 0, 1) is None
    assert rule_of((first, second), "abx", 2, 3) == "[xy]+"


def test_between_certain_places_pieces_are_the_same_within_any_text():
    patterns = PRE_TOKENIZERS["gpt-2"].patterns
    text = b"ab cd ef"
    after, before = certain(patterns, text)
    assert (text[:after], text[before:]) == (b"ab", b" ef")
    for context in (b"", b"x", b" ", b"'1"):
        whole = context + text + context
        ends = piece_ends(patterns, whole, [len(whole)]) - len(context)
        assert {after, before} <= {*ends.tolist()}
