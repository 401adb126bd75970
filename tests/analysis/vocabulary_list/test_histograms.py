"""Bars of a vocabulary: each counts what its filter leaves."""

import numpy as np
import pytest
from conftest import VOCABS
from toy_vocabulary import toy_vocabulary

import guiapp
from guiapp.analysis.vocabulary_list.columns import TokenFigures
from guiapp.analysis.vocabulary_list.filters import (
    fitting,
    has,
    histograms,
    listed,
    with_term,
    without,
    without_terms,
)
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.vocabulary.attributes import Attribute

MODELS = ["demo:bpe", "demo:spm", "demo:wordpiece", "demo:unigram", "demo:rwkv", "demo:toy"]
REAL = [VOCABS / f"ggml-vocab-{name}.gguf" for name in ("llama-spm", "nomic-bert-moe")]


@pytest.mark.parametrize(
    "model", [*MODELS, *(pytest.param(each, marks=pytest.mark.real_vocabs) for each in REAL)]
)
def test_each_bar_counts_what_its_filter_leaves(model):
    figures = TokenFigures(guiapp.open_model(model))
    bars = histograms(figures)
    assert [each.name for each in bars[:2]] == ["script", "length"]
    for histogram in bars:
        left = [fitting(figures, term, lambda share: None) for term in histogram.terms]
        assert [int(flags.sum()) for flags in left] == histogram.totals.tolist()
        assert len(histogram.names) == len(set(histogram.terms)) == len(histogram.totals)
    assert bars[0].totals.sum() == bars[1].totals.sum() == len(figures)


def test_some_tokens_are_counted_among_all():
    figures = TokenFigures(guiapp.open_model("demo:bpe"))
    ids = listed(figures, "th", None, False, lambda share: None)
    for histogram in histograms(figures):
        assert (histogram.counts(ids) <= histogram.totals).all()
        assert histogram.counts(figures.ids).tolist() == histogram.totals.tolist()
        assert histogram.counts(ids[:0]).sum() == 0


@pytest.mark.parametrize(
    "scores", [[0.0], [-1.5, -1.5], [float("nan"), -np.inf, -3.0], [float("nan")], [1e30, -1e30]]
)
def test_scores_of_all_kinds_have_bars(scores):
    tokens = dict(zip("abcd", scores, strict=False)) | {"<s>": Attribute.CONTROL}
    figures = TokenFigures(Tokenizer(toy_vocabulary(tokens)))
    worth = histograms(figures)[2]
    for term, total in zip(worth.terms, worth.totals.tolist(), strict=True):
        assert fitting(figures, term, lambda share: None).sum() == total


def test_terms_are_put_into_a_filter_and_taken_out_again():
    query = with_term("the  -is:byte", "rank:>=3 rank:<9")
    assert has(query, "rank:>=3 rank:<9")
    assert not has(query, "rank:>=3 rank:<8")
    assert without(query, "rank") == without_terms(query, "rank:>=3 rank:<9") == "the -is:byte"
    assert (with_term(" a ", "b"), with_term(" ", "b")) == ("a b", "b")
    assert without('script:"Special tokens" a -script:Han', "script") == "a"
