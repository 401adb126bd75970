"""How two encodings of one text agree."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from guiapp.core.encoding import Encoding
from guiapp.core.explain.encoder_agreement import Parting, compare
from guiapp.core.explain.figures import percent

TEXT = b"abcdef"
SUBSETS = st.sets(st.integers(1, len(TEXT) - 1))


def cut(*ends, ids=None, before=()):
    """TEXT cut at these offsets; a piece's id is its length unless said otherwise."""
    starts = [0, *ends][: len(ends)]
    spans = [*((0, 0) for _ in before), *zip(starts, ends, strict=True)]
    ids = [*before, *(ids or [end - start for start, end in zip(starts, ends, strict=True)])]
    return Encoding(TEXT, np.array(ids, np.int32), np.array(spans, np.int64).reshape(-1, 2), "test", 0)


def test_the_first_stretch_cut_in_two_ways_is_shown_from_both_sides():
    agreement = compare(cut(1, 3, 5, 6), cut(1, 2, 5, 6))
    assert agreement.parting == Parting(1, 5, ((2, b"bc"), (2, b"de")), ((1, b"b"), (3, b"cde")))


def test_another_id_for_the_same_span_is_a_difference():
    agreement = compare(cut(2, 6, ids=[7, 8]), cut(2, 6, ids=[7, 9]))
    assert agreement.n_shared == 1
    assert agreement.parting == Parting(2, 6, ((8, b"cdef"),), ((9, b"cdef"),))


def test_a_share_short_of_all_never_reads_as_all():
    ids = list(range(1, 7))
    agreement = compare(cut(*ids, ids=[*ids[:5], 9]), cut(*ids, ids=ids))
    assert percent(agreement.share, 1) == "83.3 %"


@pytest.mark.parametrize("before", [(), (5,)])
def test_an_empty_text_agrees(before):
    assert compare(cut(before=before), cut(before=before)).share == 1


@given(SUBSETS, SUBSETS)
def test_it_is_what_sets_of_rows_say(one, other):
    found, exact = cut(*sorted(one), 6), cut(*sorted(other), 6)
    rows = [set(zip(*e.spans.T.tolist(), e.token_ids.tolist(), strict=True)) for e in (found, exact)]
    agreement = compare(found, exact)
    assert (agreement.n_shared, agreement.n_exact) == (len(rows[0] & rows[1]), len(rows[1]))
    assert (agreement.parting is None) == (rows[0] == rows[1])
    if agreement.parting is not None:
        pieces = [
            b"".join(text for _, text in side) for side in (agreement.parting.found, agreement.parting.exact)
        ]
        assert pieces == [TEXT[agreement.parting.start : agreement.parting.end]] * 2
