"""Where words of a Unigram vocabulary can be encoded alone, and how long sums of scores stay exact."""

from fractions import Fraction
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from unpaired_pipelines import T5_RULES, unigram

from guiapp.core.encode.families import unigram_llama_cpp as family

SYMBOL = "▁".encode()
AT_ONCE = st.sampled_from([1, 5, family.TEXT_AT_ONCE])


def words_of(scores, rules=T5_RULES, charsmap=b"", **more):
    return unigram(scores, rules, charsmap, **more)._words


@given(
    st.lists(st.lists(st.sampled_from([*"ab▁▂", "\udce2", "\udc96", "\udc81"]), min_size=1, max_size=5)),
    AT_ONCE,
)
def test_spaces_within_tokens_are_detected(tokens, at_once):
    texts = ["▁", *{"".join(token) for token in tokens}]
    data = [text.encode("utf-8", "surrogateescape") for text in texts]
    reaches = any(SYMBOL in text[1:] or text[1:].endswith((SYMBOL[:1], SYMBOL[:2])) for text in data)
    unigram_words = words_of(dict.fromkeys(dict(zip(data, texts, strict=True)).values(), -1.0))
    unigram_words.__dict__.pop("_has_inner_symbol", None)
    with patch.object(family, "TEXT_AT_ONCE", at_once):
        assert unigram_words._has_inner_symbol == reaches


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
    with patch.object(family, "TEXT_AT_ONCE", at_once):
        unigram_words = words_of(scores)
    unknown = float(np.float32(min(scores.values()) - 10))
    own = [*scores.values(), unknown]
    limit = 2**53 * min(step_of(score) for score in [*own, 1.0] if score)
    single = [abs(score) for text, score in scores.items() if len(text) == 1]
    worst = max(abs(unknown), *single, *scores.values())
    room = limit - Fraction(max(map(abs, own)))
    assert unigram_words._exact_below == limit
    expected = max(0, int(float(room) / worst) - 1) if room > 0 else 0
    assert unigram_words.longest_exact == pytest.approx(expected, rel=1e-12)
