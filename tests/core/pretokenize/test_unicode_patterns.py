"""Patterns in the syntax of Rust's `regex`, against Python's and against what is refused."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from hypothesis import assume, given, reject
from hypothesis import strategies as st
from texts_for_components import SAMPLE_CHARACTERS, texts
from tokenizers import Regex, pre_tokenizers

from guiapp.core.hugging_face.aligned import aligned
from guiapp.core.hugging_face.matching import whole
from guiapp.core.hugging_face.pre_tokenizers import pre_tokenizer_of
from guiapp.core.hugging_face.spec import ComponentError
from guiapp.core.pretokenize import splitter
from guiapp.core.pretokenize.pre_tokenizers import Pattern
from guiapp.core.pretokenize.splitter import Splitter
from guiapp.core.pretokenize.unicode_patterns import PatternError, expanded

LETTERS = "aAsSkK1٣ \n\u00a0!-]^\\ſé日"
IN_PYTHON = {  # for the letters above
    r"\p{L}": "[aAsSkKſé日]", r"\P{L}": "[^aAsSkKſé日]", r"\pN": "[1٣]", r"\p{Lu}": "[ASK]",
    r"\s": "[ \n\u00a0]", r"\S": "[^ \n\u00a0]", r"\d": "[1٣]", r"\D": "[^1٣]",
    r"[^\s\p{L}]": "[^ \n\u00a0aAsSkKſé日]", r"[\p{Lu}a-]": "[ASKa-]", r"[^\P{L}]": "[aAsSkKſé日]",
    r"[\-\]\^\\]": r"[\-\]\^\\]", "(?i:s)": "[sSſ]", "(?i:k!)": "[kK]!", "[a-k]": "[a-k]", "-": "-",
    r"\n": "\n", ".": r"[^\n]", r"\\": r"\\", r"\!": "!",
}  # fmt: skip
PARTS = st.sampled_from([*IN_PYTHON.items()])
REPETITIONS = st.sampled_from(["", "", "?", "+", "*", "{2}", "{1,3}"])


@st.composite
def patterns(draw):
    """A pattern that matches something, and the same for Python's `re`."""
    pairs = []
    for _ in range(draw(st.integers(1, 3))):
        options = []
        for _ in range(draw(st.integers(1, 2))):
            ours, theirs = draw(PARTS)
            options.append((ours, f"(?:{theirs})"))
        joined = tuple("|".join(each) for each in zip(*options, strict=True))
        times = draw(REPETITIONS)
        pairs.append((f"(?:{joined[0]}){times}", f"(?:{joined[1]}){times}"))
    ending = draw(
        st.sampled_from([("", ""), (r"(?!\S)", "(?![^ \n\u00a0])"), (r"(?=\p{L})", "(?=[aAsSkKſé日])")])
    )
    ours, theirs = ("".join(each) for each in zip(*pairs, ending, strict=True))
    return rf"{ours}|\s+$|\p{{L}}", rf"{theirs}|[ {chr(10)}{chr(160)}]+\Z|[aAsSkKſé日]"


def pieces_of(expression, text):
    """What matches, and what lies between; an empty match is none."""
    ends = {end for match in re.finditer(expression, text) if match[0] for end in match.span()} | {len(text)}
    return sorted(ends - {0})


@given(pattern=patterns(), text=st.text(st.sampled_from(LETTERS), max_size=25))
def test_patterns_cut_as_pythons_do(pattern, text):
    ours, theirs = pattern
    if any((matched := re.match(theirs, letter)) and not matched[0] for letter in ["", *LETTERS]):
        reject()  # it also matches the empty text
    splitter, data = Splitter((Pattern(ours, "unicode"),)), text.encode()
    expected = [len(text[:end].encode()) for end in pieces_of(theirs, text)] if text else []
    assert splitter.split(np.frombuffer(data, np.uint8)).tolist() == expected
    assert splitter.split_readable(data) == expected


@pytest.mark.parametrize("plain", [r"\p{N}{1,3}", r"\s+", r" ?\p{L}+", r"[^\s\p{L}]*", r"\p{L}?"])
def test_a_possessive_repetition_is_read_as_a_greedy_one(plain):
    assert expanded(f"{plain}+a") == expanded(f"{plain}a")


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("(a", "a group is not closed"),
        ("a)", "a group is closed but was not opened"),
        ("(?<=a)", "unsupported group (?<="),
        ("(?P<x>a)", "unsupported group (?P<"),
        ("[a", "it ends too early"),
        ("a\\", "it ends too early"),
        ("[a[b]]", "a class contains another class"),
        ("[a&&b]", "a class contains another class"),
        ("[b-a]", "a class contains a range that is not in order"),
        (r"[a-\s]", "a class contains a range that is not in order"),
        ("(?i:[a-z])", "case-insensitive ranges of letters are not supported"),
        ("(?i:é)", "case-insensitive letters beyond ASCII are not supported"),
        (r"\p{Han}", "there is no category 'Han'"),
        (r"\p{L", "there is no category ''"),
        (r"\p{}", "there is no category ''"),
        (r"\w", r"unexpected \w at character 2"),
        (r"\b", r"unexpected \b at character 2"),
        (r"a\1", r"unexpected \1 at character 3"),
        ("a??", "lazy repetition is not supported"),
        ("a**", "unexpected * at character 3"),
        ("+a", "unexpected + at character 1"),
        ("^a", "unexpected ^ at character 1"),
        ("(?:" * 51 + "a" + ")" * 51, "its groups are nested too deeply"),
        ("a{2,}", "the repetition {2,} is not supported"),
        ("a{3,2}", "the repetition {3,2} is not supported"),
        ("a{1001}", "the repetition {1001} is not supported"),
        ("a{x}", "unexpected { at character 2"),
        ("a" * 16_385, "it is too long (16,385 characters)"),
    ],
)
def test_unsupported_patterns_are_refused_with_a_reason(pattern, reason):
    with pytest.raises(PatternError) as caught:
        expanded(pattern)
    assert str(caught.value) == reason


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("(?=ab)c", "it looks ahead by more than one character"),
        (r"(?:(?:\p{L}{1,99}){1,99}\s)+", "it needs too large an automaton"),
        ("|".join(map(chr, range(0x4E00, 0x4F00))), "it distinguishes too many kinds of characters"),
        (r"\p{L}*", "it also matches the empty text"),
        (r"(?:a|b)*a(?:a|b){30}", "it needs too large an automaton"),
    ],
)
def test_what_would_take_too_long_is_refused(pattern, reason):
    with pytest.raises(PatternError) as caught:
        Splitter((Pattern(pattern, "unicode"),))
    assert str(caught.value) == reason


SETS = r"""
\s \S \d \D \h \H \w \W . [^a] \p{L} \P{L} \p{^Lu} \p{Lu} \p{Letter} \p{uppercase_letter} \p{word}
\p{Han} \p{Greek} \p{Hiragana} \p{Arabic} \p{Common} \p{Alpha} \p{punct} \p{P} \p{S} \p{M} \p{Zs}
[[:alpha:]] [[:^alpha:]_] [[:punct:]] [[:upper:]a] [[:word:]] [[:space:]] [a-z&&[^aeiou]]
[\p{L}&&[^\p{Lu}]] [^\p{L}\d] [a\-z] [-a] [a-] [\]a] [[ab]c] [^[ab]c] [\x41-\x{5A}] [\u0430-\u044f]
(?i:s) (?i:[k-t]) (?i)k \t \n \x20 \- \. \$
"""
REFUSED = r"""
a*? a+? a?? (?<=a)b (?<!a)b (?>a|ab)c (a)\1 \bword ^a a(?=bc) (?i:ß) (?i:st) (?i:[^s]) a{2}+
(?:ab)*+ \X \R \K \G ( ) [a a** {2} * a{2000} \p{Foo} \pL [b-a] a* a| [^\s\S] (?#a)b \
"""
LARGE = [
    *("(" * 60 + "a" + ")" * 60, "[" * 60 + "a" + "]" * 60, "a" * 20000, "(?:a{1000}){1000}"),
    "(?:a|b){0,900}c(?:a|b|c){0,900}d" * 9,
]


def library_ends(source: str, text: str) -> list[int]:
    pieces = pre_tokenizers.Split(Regex(source), "isolated").pre_tokenize_str(text)
    return [end for _, (_, end) in pieces]


def our_ends(source: str, text: str) -> list[int]:
    data = text.encode()
    pattern = Pattern(source, "oniguruma")
    ends = splitter.split((pattern,), data)
    assert Splitter((pattern,)).split_readable(data) == ends
    return [len(data[:end].decode()) for end in ends]


@pytest.mark.parametrize("source", SETS.split())
def test_sets_contain_the_same_characters_as_in_oniguruma(source):
    component = pre_tokenizers.Split(Regex(source), "removed")
    ours = pre_tokenizer_of(json.loads(component.__getstate__()))
    text = "".join(SAMPLE_CHARACTERS)
    pieces = ours.cut(whole(aligned(text.encode(), True)))
    assert pieces.text.text() == "".join(piece for piece, _ in component.pre_tokenize_str(text))


@given(st.data())
def test_drawn_patterns_cut_as_oniguruma_does(data):
    single = st.sampled_from([*"ab1 ", r"\s", r"\p{L}", r"[^\s\p{L}]", "[ab]", r"\d", "."])
    counted = st.builds(
        str.__add__, single, st.sampled_from(["", "", "+", "{1,3}", "{2,}", "{,2}a", "*b", "?a", "++", "?+a"])
    )
    ahead = st.sampled_from([r"(?!\S)", r"(?=a)", "$", r"\z", ""])
    option = st.builds(
        lambda parts, end: "".join(parts) + end, st.lists(counted, min_size=1, max_size=3), ahead
    )
    group = st.builds(
        lambda one, two, how: f"(?{how}:{one}|{two})", option, option, st.sampled_from(["", "i"])
    )
    source = "|".join(data.draw(st.lists(option | group, min_size=1, max_size=3)))
    text = data.draw(st.text("abAB 1\n中é", max_size=20) | texts(5))
    try:
        ends = our_ends(source, text)
    except PatternError as error:
        assume("also matches the empty text" not in str(error))
        assume("case-insensitive" not in str(error))
        raise
    assert ends == library_ends(source, text)


@pytest.mark.parametrize(
    "code", [r"x{10FFFF}", r"x{110000}", r"x{200000}", r"x{80}", r"x7f", r"x80", r"uFFFF"]
)
def test_numbers_that_are_no_characters_are_refused(code):
    value, is_byte = int(code.strip("xu{}"), 16), "{" not in code and code[0] == "x"
    if value > 0x10FFFF or (is_byte and value > 0x7F):
        with pytest.raises(PatternError, match="is not a character"):
            our_ends(f"[\\{code}]", "ab")
    else:
        assert our_ends(f"[\\{code}]", f"a{chr(value)}b") == [1, 2, 3]


@pytest.mark.parametrize("source", [*REFUSED.split(), *LARGE], ids=lambda each: each[:30])
def test_other_patterns_are_refused_in_a_sentence_that_quotes_them(source):
    config = {"type": "Split", "pattern": {"Regex": source}, "behavior": "Isolated", "invert": False}
    with pytest.raises(ComponentError, match="has a pre-tokenizer “Split” whose pattern “"):
        pre_tokenizer_of(config)
