"""How two encodings of one text agree."""

from itertools import zip_longest

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from guiapp import open_model
from guiapp.analysis.explain.encoder_agreement import (
    SAMPLE_BYTES,
    EncoderAgreement,
    FirstDifference,
    compare,
    differing,
    measured_agreement,
)
from guiapp.core.demo import sample_text
from guiapp.core.encode.encoding import Encoding
from guiapp.kit.spans.layout import SpanWindow

TEXT = b"abcdef"
LONG = TEXT * 40
SUBSETS = st.sets(st.integers(1, len(TEXT) - 1))


def cut(*ends, ids=None, before=()):
    """TEXT cut at these offsets; a piece's id is its length unless said otherwise."""
    starts = [0, *ends][: len(ends)]
    spans = [*((0, 0) for _ in before), *zip(starts, ends, strict=True)]
    ids = [*before, *(ids or [end - start for start, end in zip(starts, ends, strict=True)])]
    text = TEXT if max(ends, default=0) <= len(TEXT) else LONG
    return Encoding(text, np.array(ids, np.int32), np.array(spans, np.int64).reshape(-1, 2), "test")


def scattered(offsets, ids):
    """Tokens between every other two of the offsets."""
    spans = np.array(sorted(offsets[: len(offsets) // 2 * 2]), np.int64).reshape(-1, 2)
    return Encoding(TEXT, np.array(ids[: len(spans)], np.int32), spans, "test")


ENCODINGS = st.builds(
    scattered,
    st.lists(st.integers(0, len(TEXT)), max_size=9),
    st.lists(st.integers(1, 2), min_size=4, max_size=4),
)


def test_the_first_differing_span_is_shown_for_both_sides():
    agreement = compare(cut(1, 3, 5, 6), cut(1, 2, 5, 6))
    assert agreement.first_difference == FirstDifference(
        1, 5, ((2, b"bc"), (2, b"de")), ((1, b"b"), (3, b"cde"))
    )


def expected_first_difference(approximated, exact):
    """By the letter, token by token."""
    rows = [
        list(zip(each.spans.tolist(), each.token_ids.tolist(), strict=True)) for each in (approximated, exact)
    ]
    pairs = enumerate(zip_longest(*rows))
    first = next((number for number, (one, other) in pairs if one != other), None)
    if first is None:
        return None
    one, other = (each[first : first + 64] for each in rows)
    start = min(begin for (begin, _), _ in one[:1] + other[:1])
    shared = {end for (_, end), _ in one} & {end for (_, end), _ in other}
    last = max(end for (_, end), _ in one[-1:] + other[-1:])
    meeting = min((end for end in shared if end > start), default=last)
    sides = (tuple((i, TEXT[a:b]) for (a, b), i in side if b <= meeting) for side in (one, other))
    return FirstDifference(start, meeting, *sides)


@given(ENCODINGS, ENCODINGS)
def test_the_agreement_matches_plain_sets(approximated, exact):
    rows = [set(zip(*e.spans.T.tolist(), e.token_ids.tolist(), strict=True)) for e in (approximated, exact)]
    n_shared = len(rows[0] & rows[1])
    agreement = compare(approximated, exact)
    assert agreement == EncoderAgreement(
        n_shared, len(rows[1]), len(rows[0]), expected_first_difference(approximated, exact)
    )
    has_text = np.array([start < end for start, end in approximated.spans.tolist()], np.bool_)
    is_other = np.array(
        [
            (*span, i) not in rows[1]
            for span, i in zip(approximated.spans.tolist(), approximated.token_ids, strict=True)
        ],
        np.bool_,
    )
    columns = [SpanWindow(0, each.token_ids, *each.spans.T, None) for each in (approximated, exact)]
    assert differing(*columns).tolist() == (has_text & is_other).tolist()
    assert agreement.n_differing == len(rows[0] - rows[1])
    assert agreement.share == (n_shared * 1000 // len(rows[1]) / 1000 if rows[1] else 1)


@given(SUBSETS, SUBSETS)
def test_both_sides_of_a_first_difference_cover_the_same_span(one, other):
    approximated, exact = cut(*sorted(one), len(TEXT)), cut(*sorted(other), len(TEXT))
    first_difference = compare(approximated, exact).first_difference
    assert (first_difference is None) == (one == other)
    if first_difference is not None:
        pieces = [
            b"".join(text for _, text in side)
            for side in (first_difference.approximated, first_difference.exact)
        ]
        assert pieces == [TEXT[first_difference.start : first_difference.end]] * 2


@pytest.mark.parametrize("model", ["bpe", "wordpiece"])
def test_every_approximate_encoder_has_its_share_of_the_exact_tokens(model):
    tokenizer = open_model(f"demo:{model}")
    agreement = measured_agreement(tokenizer)
    assert set(agreement) == set(tokenizer.encoders) - set(tokenizer.exact_encoders)
    text = sample_text("code")[:SAMPLE_BYTES]
    exact, words = (tokenizer.encode(text, False, False, name) for name in (None, "words"))
    tokens = [
        {(*span, token) for span, token in zip(each.spans.tolist(), each.token_ids.tolist(), strict=True)}
        for each in (exact, words)
    ]
    assert agreement["words"]["code"] == pytest.approx(len(tokens[0] & tokens[1]) / len(tokens[0]), abs=1e-4)
