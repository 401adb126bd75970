"""Where words of a Unigram vocabulary can be encoded alone, and how long sums of scores stay exact."""

from fractions import Fraction
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from unpaired_pipelines import T5_RULES, unigram

from guiapp.core.encode.families import unigram as unigram_words
from guiapp.core.vocabulary.vocabulary import Rules
from guiapp.native.checkpoint import at_checkpoints

SYMBOL = "▁".encode()
PREFIXED = Rules(add_space_prefix=True)
AT_ONCE = st.sampled_from([1, 5, unigram_words.TEXT_AT_ONCE])


def words_of(scores, rules=T5_RULES, charsmap=b"", **more):
    return unigram(scores, rules, charsmap, **more)._words


@pytest.mark.parametrize(
    ("scores", "more", "why_no_cuts", "why_no_fast"),
    [
        ({"▁": -1, "a": -2}, {}, "", ""),
        ({"▁": -1, "a": -2}, {"rules": Rules()}, "", ""),
        ({"▁": -1, "a": -2}, {"rules": PREFIXED}, "The file puts one space before the first word only", ""),
        ({"▁": -1}, {"user_defined": ["<é>"]}, *["The file's character map or user-defined tokens"] * 2),
        ({"▁": -1}, {"user_defined": ["<x>", "< >"]}, *["A space is part of a user-defined token"] * 2),
        ({"▁": -1, "a": -1e30}, {}, *["Some scores are not finite"] * 2),
        ({"▁": -1, "a": 1e30}, {}, *["Some scores are not finite"] * 2),
        ({"▁": -1, "a": -9e29}, {}, "", "The scores are too fine"),
        ({"b": -1, "▁a": -2}, {}, *["Unknown tokens may reach from one word"] * 2),
        ({"▂": -1, "a": -2}, {}, *["Unknown tokens may reach from one word"] * 2),
        ({"▁": -1, "a": -2}, {"unknown": 1}, *["Unknown tokens may reach from one word"] * 2),
        ({"▁": -1, "a▁": -2}, {}, *["Some tokens hold a space behind"] * 2),
        ({"▁": -1, "a" * 512: -2}, {}, "", ""),
        ({"▁": -1, "a" * 513: -2}, {}, "", "Some tokens have more than 512 bytes"),
    ],
)
def test_what_stands_against_words_is_told(scores, more, why_no_cuts, why_no_fast):
    found = words_of(scores, **more)
    for told, expected in ((found.why_no_cuts, why_no_cuts), (found.why_no_fast, why_no_fast)):
        assert told.startswith(expected)
        assert bool(told) == bool(expected)


@given(
    st.lists(st.lists(st.sampled_from([*"ab▁▂", "\udce2", "\udc96", "\udc81"]), min_size=1, max_size=5)),
    AT_ONCE,
)
def test_spaces_within_tokens_are_found(tokens, at_once):
    texts = ["▁", *{"".join(token) for token in tokens}]
    data = [text.encode("utf-8", "surrogateescape") for text in texts]
    reaches = any(SYMBOL in text[1:] or text[1:].endswith((SYMBOL[:1], SYMBOL[:2])) for text in data)
    found = words_of(dict.fromkeys(dict(zip(data, texts, strict=True)).values(), -1.0))
    found.__dict__.pop("_has_inner_symbol", None)
    with patch.object(unigram_words, "TEXT_AT_ONCE", at_once):
        assert found._has_inner_symbol == reaches


@pytest.mark.parametrize("look", ["_has_inner_symbol", "_worst_per_character"])
def test_long_looks_at_all_tokens_can_be_stopped(look):
    found, visits = words_of({"▁": -1.0, **{f"{number:06}": -1.0 for number in range(100)}}), []
    found.__dict__.pop(look, None)
    with patch.object(unigram_words, "TEXT_AT_ONCE", 60), at_checkpoints(lambda: visits.append(look)):
        getattr(found, look)
    assert len(visits) > 9


def step_of(value: float) -> Fraction:
    """The largest power of two of which a number is a multiple."""
    exact = Fraction(value)
    return Fraction((exact.numerator & -exact.numerator), exact.denominator)


@given(
    st.dictionaries(
        st.text("abé", min_size=1, max_size=3), st.floats(-20, 5, width=32, allow_subnormal=False), max_size=6
    ),
    AT_ONCE,
)
def test_texts_are_short_enough_for_sums_to_be_exact(scores, at_once):
    scores = {"▁": -1.0, **scores}
    with patch.object(unigram_words, "TEXT_AT_ONCE", at_once):
        found = words_of(scores)
    unknown = float(np.float32(min(scores.values()) - 10))
    own = [*scores.values(), unknown]
    limit = 2**53 * min(step_of(score) for score in [*own, 1.0] if score)
    single = [abs(score) for text, score in scores.items() if len(text) == 1]
    worst = max(abs(unknown), *single, *scores.values())
    room = limit - Fraction(max(map(abs, own)))
    assert found._exact_below == limit
    expected = max(0, int(float(room) / worst) - 1) if room > 0 else 0
    assert found.longest_exact == pytest.approx(expected, rel=1e-12)


def test_whether_sums_were_exact_is_told_by_the_tokens(monkeypatch):
    found = words_of({"▁": -1.0, "a": -3.0, "abc": -8.0})
    beside = 18 + 3 * 18  # the largest score; the longest token in characters that are all unknown
    for limit, expected in ((13 + beside, True), (12 + beside, False)):
        monkeypatch.setattr(found, "_exact_below", float(limit), raising=False)
        assert found.are_exact(np.array([1, 2, 3])) == expected
    assert not found.are_exact(np.array([0]))
    assert not words_of({"▁": -1.0, "a": 0.5}).are_exact(np.array([1]))
    assert words_of({"▁": -1.0, "a": 0.0}).are_exact(np.array([1]))


def test_what_counts_as_too_fine_is_a_text_of_few_kilobytes(monkeypatch):
    found = words_of({"▁": -1, "a": -2})
    monkeypatch.setattr(unigram_words, "LEAST_BYTES", found.longest_exact)
    assert found.why_no_fast == ""
    monkeypatch.setattr(unigram_words, "LEAST_BYTES", found.longest_exact + 1)
    assert words_of({"▁": -1, "a": -2}).why_no_fast.startswith("The scores are too fine")
