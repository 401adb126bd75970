from __future__ import annotations

import numpy as np

from guiapp.analysis.libraries.contender import ContenderTokens, compare

LENGTHS = np.array([1, 2, 3])  # bytes that tokens 0, 1 and 2 stand for


def tokens(*ids: int, spans: bool = True) -> ContenderTokens:
    ends = np.cumsum(LENGTHS[list(ids)])
    return ContenderTokens(
        np.array(ids, np.int32), np.stack([ends - LENGTHS[list(ids)], ends], axis=1) if spans else None
    )


def test_equal_ids_agree_wholly():
    agreement = compare(tokens(0, 1, 2), tokens(0, 1, 2, spans=False), LENGTHS)
    assert (agreement.exact, agreement.share, agreement.first_difference) == (True, 1.0, None)


def test_the_first_difference_tells_byte_and_both_ids():
    for spans in (True, False):
        agreement = compare(tokens(0, 1, 2), tokens(0, 0, 0, 2, spans=spans), LENGTHS)
        assert not agreement.exact
        assert agreement.share == 2 / 3
        assert agreement.first_difference.record() == {
            "index": 1,
            "byte_offset": 1,
            "expected_id": 1,
            "found_id": 0,
        }


def test_tokens_that_are_missing_at_the_end_are_a_difference():
    most = [0] * 1_000
    difference = compare(tokens(*most, 1), tokens(*most), LENGTHS).first_difference
    assert (difference.expected, difference.actual, difference.byte_offset) == (1, None, 1_000)
    difference = compare(tokens(*most), tokens(*most, 1), LENGTHS).first_difference
    assert (difference.expected, difference.actual, difference.byte_offset) == (None, 1, 1_000)


def test_ids_that_the_vocabulary_lacks_do_no_harm():
    agreement = compare(tokens(0, 1), ContenderTokens(np.array([0, 99999], np.int32), None), LENGTHS)
    assert (agreement.exact, agreement.share) == (False, 0.5)


def test_no_tokens_at_all():
    nothing = ContenderTokens(np.empty(0, np.int32), np.empty((0, 2), np.int64))
    assert compare(nothing, nothing, LENGTHS).exact
    assert compare(nothing, tokens(0), LENGTHS).first_difference.byte_offset == 0
    assert compare(tokens(0), nothing, LENGTHS).share == 0.0
