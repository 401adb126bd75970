"""How many tokens begin in each line of a session's text, and what tokens of any id are called."""

from itertools import pairwise

import numpy as np
import pytest

from guiapp.analysis.explain.spelling import Spelling

TEXT = "one two\n\n  drei Über\n中文 and more\n".encode()


@pytest.fixture(params=["demo:bpe", "demo:unigram", "demo:wordpiece", "demo:rwkv"])
def session(make_session, request):
    return make_session(TEXT, request.param)


def line_starts():
    return np.array([0, *(at + 1 for at, byte in enumerate(TEXT) if byte == ord("\n"))])


def counted_by_hand(session, starts):
    before, after = session.n_affixes
    tokens = session.tokens.between(before, len(session.tokens) - after)
    bounds = [*starts.tolist(), len(TEXT) + 1]
    return [int(((tokens.starts >= low) & (tokens.starts < high)).sum()) for low, high in pairwise(bounds)]


def test_each_line_has_the_tokens_that_begin_in_it(session):
    starts = line_starts()
    by_hand = counted_by_hand(session, starts)
    assert session.line_counter()().tolist() == by_hand
    assert sum(by_hand) + sum(session.n_affixes) == len(session.tokens)
    one_by_one = [session.n_in_line(start, end) for start, end in pairwise(starts.tolist())]
    assert one_by_one == by_hand[:-1]


def test_an_empty_text_has_one_line_without_tokens(make_session):
    session = make_session(b"", "demo:unigram")
    assert session.line_counter()().tolist() == [0]
    assert session.n_in_line(0, 0) == 0


def test_tokens_have_attributes_and_labels_once_a_model_is_open(make_session):
    without_model, session = make_session(b""), make_session(b"", "demo:bpe")
    ids = np.array([280, 2549])
    assert (without_model.label_of(280), without_model.attributes_of(ids).tolist()) == ("", [0, 0])
    assert without_model.n_affixes == (0, 0)
    assert session.label_of(280) == "·l"
    assert session.attributes_of(ids).tolist() == session.vocabulary.effective_attributes[ids].tolist()
    session.spelling.choose(Spelling.FILE)
    assert session.label_of(280) == "Ġl"
