"""The best segmentation without a token is the best of all that there are."""

from itertools import pairwise

import pytest
from toy_vocabulary import toy_vocabulary

from guiapp.analysis.trace.recorder import record
from guiapp.analysis.trace.replay import rejected_cut
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.vocabulary import Rules, SpecialIds, VocabType

SCORES = {"a": -3.0, "b": -4.0, "ab": -5.5, "ba": -6.25, "aba": -8.0, "bb": -9.0, "abab": -10.75, "c": -2.0}
NAMES = ["<unk>", *SCORES]


def tokenizer_of(scores):
    vocabulary = toy_vocabulary(
        {"<unk>": Attribute.UNKNOWN, **scores},
        VocabType.UGM,
        rules=Rules(byte_encoding=False, escape_spaces=False),
        special_ids=SpecialIds(unk=0),
    )
    return Tokenizer(vocabulary)


def all_cuts(text):
    """Each way to cut a text into tokens: from where to where."""
    if not text:
        yield []
    for size in range(1, len(text) + 1):
        if text[:size] in SCORES:
            for rest in all_cuts(text[size:]):
                yield [(0, size), *((start + size, end + size) for start, end in rest)]


def score_of(text, cut):
    return sum(SCORES[text[start:end]] for start, end in cut)


@pytest.mark.parametrize("text", ["a", "ab", "abab", "babab", "aabba", "cabac", "bbbbab", "ccc", "abababab"])
def test_what_is_rejected_is_the_best_cut_without_the_token(text):
    tokenizer = tokenizer_of(SCORES)
    trace = record(tokenizer, text, "viterbi", False)
    makers = [step for step in range(len(trace)) if trace.operation(step) == "choose"]
    ends = {0, len(text)}
    chosen = sorted((int(trace.columns.position[step]), int(trace.columns.end[step])) for step in makers)
    assert {place for span in chosen for place in span} >= ends
    best = score_of(text, chosen)
    assert best == max(score_of(text, cut) for cut in all_cuts(text))
    for step in makers:
        token = int(trace.columns.position[step]), int(trace.columns.end[step])
        others = [score_of(text, cut) for cut in all_cuts(text) if token not in cut]
        found = rejected_cut(trace, 0, step)
        assert (found is None) == (not others)
        if found is None:
            continue
        won, lost, last = found
        assert best - won.score + lost.score == pytest.approx(max(others))
        assert (trace.columns.end[last], trace.columns.result[last]) == (
            lost.tokens[-1][2],
            lost.tokens[-1][0],
        )
        for cut in (won, lost):
            assert all(NAMES[token_id] == text[start:end] for token_id, start, end in cut.tokens)
            assert all(one[2] == other[1] for one, other in pairwise(cut.tokens))
            assert cut.score == pytest.approx(sum(SCORES[NAMES[each[0]]] for each in cut.tokens))
        assert any(each[1:] == token for each in won.tokens)
        assert (won.tokens[0][1], won.tokens[-1][2]) == (lost.tokens[0][1], lost.tokens[-1][2])
        assert won.tokens[0] != lost.tokens[0]
        assert won.tokens[-1] != lost.tokens[-1]
