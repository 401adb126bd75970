"""Which text shows a difference of small models, and what is said where none does."""

from dataclasses import replace

import pytest
from toy_vocabulary import toy_vocabulary

from guiapp.analysis.compare.comparison import ModelSide
from guiapp.analysis.compare.reasons import Cause, Reason, reason_for
from guiapp.analysis.compare.texts import (
    AROUND,
    NO_TEXT_SHOWS_IT,
    DifferingSpan,
    compare_texts,
    context_span,
    reasons_of,
)
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.vocabulary import Rules, SpecialIds, VocabType

LETTERS = dict.fromkeys(["a", "b", "c", "Ġ", "Ċ", "Ã", "©"], 0.0)


def side(name, tokens=(), merges=(), rules=None, **chosen):
    tokens = LETTERS | dict.fromkeys(tokens, 0.0) | {"<s>": Attribute.CONTROL}
    ids = SpecialIds(bos=len(tokens) - 1)
    rules = Rules(byte_encoding=True) if rules is None else rules
    vocabulary = toy_vocabulary(tokens, VocabType.BPE, merges, rules, ids)
    return ModelSide(name, Tokenizer(vocabulary), **chosen)


def reasons(sides, text):
    return [
        (each.start, each.end, [(told.other, told.alike, told.reason) for told in each.reasons])
        for each in compare_texts(sides, [("", text)]).differences
    ]


@pytest.mark.parametrize(
    ("text", "start", "end", "expected"),
    [
        (b"abc", 1, 2, b"abc"),
        (b"x\nabc\ny", 3, 4, b"abc\n"),
        (b"x\nabc\ny", 4, 6, b"abc\n"),
        (b"x\nabc\ny", 5, 7, b"abc\ny"),
        (b"x\nabc\ny", 6, 7, b"y"),
        (b"x\nabc", 2, 2, b"abc"),
        (b"abc", 3, 3, b"abc"),
        (b"a" * 1000, 500, 502, b"a" * (2 + 2 * AROUND)),
        ("é".encode() * 500, 501, 503, "é".encode() * (AROUND + 1)),
    ],
)
def test_what_is_near_on_the_line_is_looked_at_as_whole_characters(text, start, end, expected):
    first, last = context_span(text, start, end)
    assert text[first:last].decode() == expected.decode()
    assert first <= start <= end <= last


def test_models_that_cut_alike_are_told_together_and_those_like_the_first_not_at_all():
    merged = side("B", ["ab"], ["a b"])
    sides = [
        side("A"),
        merged,
        replace(merged, name="C"),
        side("D"),
        side("E", ["abc", "bc"], ["b c", "a bc"]),
    ]
    told = Reason(Cause.TOKEN, "only in the second", "A has no token `ab`.")
    other = Reason(Cause.TOKEN, "only in the second", "A has no token `bc`.")
    assert reasons(sides, b"abc ") == [(0, 3, [(1, (2,), told), (4, (), other)])]


def test_what_is_put_around_is_told_of_both_ends_and_switches_before_it():
    adding = Rules(byte_encoding=True, add_bos=True)
    sides = [side("A", rules=adding), side("B")]
    around = (
        "A puts 7 before a text and nothing behind it and B puts nothing before a text and nothing behind it."
    )
    assert reasons(sides, b"a") == [(0, 0, [(1, (), Reason(Cause.AROUND, "each text", around))])]
    off = Reason(Cause.AROUND, "switch", "B adds no special tokens: that is switched off.")
    assert reasons([sides[0], replace(sides[0], name="B", add_special=False)], b"a") == [
        (0, 0, [(1, (), off)])
    ]
    off = replace(off, sentence="A adds no special tokens: that is switched off.")
    assert reasons([replace(sides[0], add_special=False), sides[0]], b"a") == [(0, 0, [(1, (), off)])]


@pytest.mark.parametrize("is_first", [True, False])
def test_a_switch_that_makes_the_difference_is_told_of_the_side_that_has_it_off(is_first):
    plain = side("A", parse_special=False)
    sides = [plain, side("B")] if is_first else [side("B"), plain]
    ((*_, told),) = reasons(sides, b"a <s>")
    sentence = "A takes special tokens as text: to parse them is switched off."
    assert told == [(1, (), Reason(Cause.SPECIAL, "switch", sentence))]


LEVEL = Rules(byte_encoding=True)
WHOLE = Rules(byte_encoding=True, ignore_merges=True)
WITH_BOS = Rules(byte_encoding=True, add_bos=True)
BYTES = {f"<0x{byte:02X}>": Attribute.BYTE for byte in range(256)}


def bpe(tokens, *merges, rules=LEVEL, **ids):
    tokens = {token: Attribute.CONTROL if "<" in token else 0.0 for token in tokens.split()}
    return Tokenizer(toy_vocabulary(tokens, VocabType.BPE, merges, rules, SpecialIds(**ids)))


def unigram(tokens, unknown="<unk>"):
    tokens = {unknown: Attribute.UNKNOWN, **tokens}
    return Tokenizer(toy_vocabulary(tokens, VocabType.UGM, special_ids=SpecialIds(unk=0)))


def spm(tokens):
    unknown = {"<unk>": Attribute.UNKNOWN}
    return Tokenizer(toy_vocabulary(tokens | unknown, special_ids=SpecialIds(unk=len(tokens))))


def word_pieces(tokens):
    tokens = dict.fromkeys(tokens.split(), 0.0) | {"[UNK]": Attribute.UNKNOWN}
    unknown = SpecialIds(unk=len(tokens) - 1)
    return Tokenizer(toy_vocabulary(tokens, VocabType.WPM, (), Rules(), unknown))


@pytest.mark.parametrize(
    ("first", "second", "text", "cause", "sentence"),
    [
        (bpe("a b", rules=WITH_BOS), bpe("a b", rules=WITH_BOS, bos=1), "a", Cause.AROUND,
         "A puts nothing before a text and nothing behind it and B puts 1 before a text and nothing behind "
         "it."),
        (bpe("a b ab", rules=WHOLE), unigram({"a": -1.0, "b": -1.0, "ab": -9.0}), "ab", Cause.SCORE,
         "The token `ab` has the score 0 in A and -9 in B."),
        (bpe("a b Ã © ab", "a b"), spm({"é": -1.0, "a": -1.0, "b": -1.0}), "éab", Cause.TOKEN,
         "B has no token `<C3>`."),
        (bpe("a b c abc", "a b", "ab c"), bpe("a b c abc", "b c"), "abc", Cause.MERGE,
         "A merges `a` + `b` (rank 0), B has no such rule."),
        (bpe("a b c abc", "a b", "ab c"), bpe("a b c abc", "a b"), "abc", Cause.MERGE,
         "A merges `ab` + `c` (rank 1), B has no such rule."),
        (spm({"a": -1.0} | BYTES), spm({"a": -1.0}), "é", Cause.FALLBACK,
         "`é` has text that no token stands for: A gives byte tokens for that, B unknown tokens."),
        (word_pieces("▁ab ▁a b"), word_pieces("▁a b ab"), "ab", Cause.TOKEN, "B has no token `·ab`."),
        (unigram({"a": -1.0}), unigram({"b": -1.0, "a": -1.0}, "<oov>"), "a€", Cause.UNTOLD,
         "The piece `a€` is encoded otherwise, and no stage tells why."),
        (bpe("a <t> <s>"), bpe("a <t> <x> <s>"), "<t>a<s>", Cause.NUMBER,
         "The token `<s>` has the id 2 in A and 3 in B."),
    ],
)  # fmt: skip
def test_of_small_models_the_cause_is_told(first, second, text, cause, sentence):
    reason = reason_for(first, second, text.encode(), ("A", "B"))
    assert (reason.cause, reason.sentence) == (cause, sentence)


def test_where_no_text_shows_it_that_is_said():
    sides = [side("A"), side("B", ["ab"], ["a b"])]
    invented = DifferingSpan(b"abc", 0, 2, False, (((9, 0, 2),), ((8, 0, 1),)))
    (told,) = reasons_of(sides, invented)
    assert told.reason == Reason(Cause.UNTOLD, "text around", NO_TEXT_SHOWS_IT)
    at_edge = DifferingSpan(b"abc", 0, 0, True, ((), ()))
    (told,) = reasons_of(sides, at_edge)
    assert told.reason == Reason(Cause.UNTOLD, "the ends of the text", NO_TEXT_SHOWS_IT)
    assert list(reasons_of(sides[:1], invented)) == []
    alike = replace(invented, tokens=(((9, 0, 2),), ((8, 0, 2),)))
    assert list(reasons_of(sides, alike)) == []
