"""Tokens whose places in the text are worked out when they are wanted."""

from __future__ import annotations

import numpy as np

from guiapp.core.encoding import Encoding, FragmentTokens, join_tokens


def tokens(*spans: tuple[int, int]) -> FragmentTokens:
    columns = np.array(spans, np.int64).reshape(-1, 2)
    return FragmentTokens(np.arange(len(spans), dtype=np.int32), columns[:, 0], columns[:, 1])


def test_spans_are_told_once_and_only_when_they_are_wanted():
    told = []

    def tell():
        told.append(True)
        return np.array([0]), np.array([2])

    later = FragmentTokens.later(np.array([7], np.int32), tell)
    assert not told
    assert (later.starts.tolist(), later.ends.tolist()) == ([0], [2])
    assert later.starts is later.starts
    assert len(told) == 1


def test_what_moves_to_before_the_text_lies_at_its_start():
    moved = tokens((0, 1), (1, 3)).moved(-1)
    assert [column.tolist() for column in moved] == [[0, 1], [0, 0], [0, 2]]


def test_joined_tokens_keep_their_order_and_places():
    joined = join_tokens([tokens((0, 2)), tokens((2, 3), (3, 5))])
    assert [column.tolist() for column in joined] == [[0, 0, 1], [0, 2, 3], [2, 3, 5]]


def test_an_encoding_takes_spans_or_a_way_to_get_them():
    spans = np.array([[0, 1]])
    given = Encoding(b"a", np.array([3], np.int32), spans, "scan", 1)
    later = Encoding(b"a", np.array([3], np.int32), lambda _: spans.copy(), "scan", 1)
    assert given.spans is spans
    assert later.spans.tolist() == spans.tolist()
    assert later.spans is later.spans
    assert len(later) == 1
