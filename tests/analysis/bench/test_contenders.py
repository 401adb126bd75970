"""What a contender does with texts, and who can do what."""

import threading

import pytest

from guiapp import open_model
from guiapp.analysis.bench.operations import encode_all
from guiapp.analysis.libraries.contender import (
    as_split,
    on_threads,
    our_contender,
)


@pytest.fixture(scope="module")
def tokenizer():
    return open_model("demo:bpe")


def test_a_text_is_split_or_one_piece(tokenizer):
    assert as_split(tokenizer, True) is tokenizer
    text = b"don't  stop"
    whole, one_piece = (
        each.encode(text, False, False).token_ids.tolist()
        for each in (as_split(tokenizer, False), tokenizer.without_splitting())
    )
    assert whole == one_piece


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


def test_our_contender_adds_and_finds_no_special_tokens(tokenizer):
    ours = our_contender(tokenizer, "heap")
    text = b"a <think> <|begin_of_text|> b"
    tokens = ours.tokens(ours.encode(ours.take_text(bytearray(text))))
    wanted = tokenizer.encode(text, add_special=False, parse_special=False)
    assert tokens.ids.tolist() == wanted.token_ids.tolist()
    assert tokens.spans.tolist() == wanted.spans.tolist()
    rows = [ours.row_tokens(row) for row in ours.encode_batch([text, b"c"], 2)]
    assert rows[0].ids.tolist() == tokens.ids.tolist()
    assert (len(rows), rows[0].spans) == (2, None)
    assert ours.decode(ours.take_ids(wanted.token_ids)) == text


def test_spans_of_several_texts_are_those_of_all_together(tokenizer):
    ours = our_contender(tokenizer, "fast")
    tokens = encode_all(ours, [b"ab", b"", b"c d"])
    assert tokens.spans[0, 0] == 0
    assert [start for start, _ in tokens.spans.tolist()][-2:] == [2, 3]
    assert tokens.spans[-1].tolist() == [3, 5]


def test_appending_belongs_to_the_default_encoder(tokenizer):
    fast, heap = (our_contender(tokenizer, name) for name in ("fast", "heap"))
    assert heap.appender is None
    text = "A <think> <|begin_of_text|> of 汉字.".encode()
    counts, ids = fast.appender(text)
    ends = [*range(4, len(text), 4), len(text)]
    encoded = [tokenizer.encode(text[:end], False, False).token_ids.tolist() for end in ends]
    assert (counts, ids.tolist()) == ([len(each) for each in encoded], encoded[-1])
