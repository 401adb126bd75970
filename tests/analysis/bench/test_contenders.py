"""What a contender does with texts, whether its ids are right, and what is timed of it."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from guiapp import open_model
from guiapp.analysis.libraries.contender import (
    ContenderTokens,
    FirstIdDifference,
    compare,
    on_threads,
    our_contender,
)


@pytest.fixture(scope="module")
def tokenizer():
    return open_model("demo:bpe")


@pytest.mark.parametrize(("n_threads", "are_others"), [(1, False), (2, True)])
def test_many_texts_are_encoded_in_order_on_threads_of_their_own(n_threads, are_others):
    names = set()

    def encode(number: int) -> int:
        names.add(threading.current_thread().name)
        return -number

    for n_texts in (0, 1, 2, 100):
        assert on_threads(encode)(list(range(n_texts)), n_threads) == [-each for each in range(n_texts)]
    assert (threading.current_thread().name not in names) is are_others
    assert len(names) <= n_threads * 4


def test_our_library_neither_adds_nor_parses_special_tokens(tokenizer):
    ours = our_contender(tokenizer, "heap")
    text = b"a <think> <|begin_of_text|> b"
    tokens = ours.tokens(ours.encode(ours.take_text(bytearray(text))))
    expected = tokenizer.encode(text, add_special=False, parse_special=False)
    assert tokens.ids.tolist() == expected.token_ids.tolist()
    assert tokens.spans.tolist() == expected.spans.tolist()
    rows = [ours.row_tokens(row) for row in ours.encode_batch([text, b"c"], 2)]
    assert rows[0].ids.tolist() == tokens.ids.tolist()
    assert (len(rows), rows[0].spans) == (2, None)
    assert ours.decode(ours.take_ids(expected.token_ids)) == text


def test_appending_belongs_to_the_default_encoder(tokenizer):
    fast, heap = (our_contender(tokenizer, name) for name in ("fast", "heap"))
    assert heap.appender is None
    text = "A <think> <|begin_of_text|> of 汉字.".encode()
    counts, ids = fast.appender(text)
    ends = [*range(4, len(text), 4), len(text)]
    encoded = [tokenizer.encode(text[:end], False, False).token_ids.tolist() for end in ends]
    assert (counts, ids.tolist()) == ([len(each) for each in encoded], encoded[-1])


LENGTHS = np.array([1, 2, 3])  # bytes that tokens 0, 1 and 2 stand for


def tokens(*ids: int, spans: bool = True) -> ContenderTokens:
    ends = np.cumsum(LENGTHS[list(ids)])
    return ContenderTokens(
        np.array(ids, np.int32), np.stack([ends - LENGTHS[list(ids)], ends], axis=1) if spans else None
    )


def test_equal_ids_agree_wholly():
    agreement = compare(tokens(0, 1, 2), tokens(0, 1, 2, spans=False), LENGTHS)
    assert (agreement.exact, agreement.share, agreement.first_difference) == (True, 1.0, None)


def test_the_first_difference_has_the_offset_and_both_ids():
    for spans in (True, False):
        agreement = compare(tokens(0, 1, 2), tokens(0, 0, 0, 2, spans=spans), LENGTHS)
        assert not agreement.exact
        assert agreement.share == 2 / 3
        assert agreement.first_difference == FirstIdDifference(1, 1, 1, 0)


def test_tokens_that_are_missing_at_the_end_are_a_difference():
    most = [0] * 1_000
    difference = compare(tokens(*most, 1), tokens(*most), LENGTHS).first_difference
    assert (difference.expected_id, difference.found_id, difference.byte_offset) == (1, None, 1_000)
    difference = compare(tokens(*most), tokens(*most, 1), LENGTHS).first_difference
    assert (difference.expected_id, difference.found_id, difference.byte_offset) == (None, 1, 1_000)


def test_ids_that_the_vocabulary_lacks_do_no_harm():
    agreement = compare(tokens(0, 1), ContenderTokens(np.array([0, 99999], np.int32), None), LENGTHS)
    assert (agreement.exact, agreement.share) == (False, 0.5)
