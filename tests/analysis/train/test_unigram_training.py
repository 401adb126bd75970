from __future__ import annotations

import math
from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guiapp.analysis.train import unigram

WORDS = st.dictionaries(st.text("abc", min_size=1, max_size=8), st.integers(1, 5), min_size=1, max_size=6)


def all_cuts(word: str) -> list[list[str]]:
    places = range(1, len(word))
    edges = [(0, *chosen, len(word)) for n in range(len(word)) for chosen in combinations(places, n)]
    return [[word[start:end] for start, end in pairwise(cut)] for cut in edges]


def log_probability(pieces: list[str], model: unigram.Model) -> float:
    return math.fsum(model.get(piece, -math.inf) for piece in pieces)


def test_the_seed_holds_characters_and_substrings_seen_twice():
    model = unigram.seed({"ab": 2, "c": 1}, 100)
    assert model == {"a": math.log(2 / 7), "b": math.log(2 / 7), "c": math.log(1 / 7), "ab": math.log(2 / 7)}


def test_expectations_weigh_all_segmentations():
    even = {piece: math.log(1 / 3) for piece in ("a", "b", "ab")}
    model, log_likelihood = unigram.estimate(even, {"ab": 2})
    # ab has probability 1/3 whole and 1/9 in parts: of two occurrences 1.5 are whole, 0.5 in parts
    assert log_likelihood == pytest.approx(2 * math.log(4 / 9))
    assert {piece: math.exp(score) for piece, score in model.items()} == pytest.approx(
        {"a": 0.2, "b": 0.2, "ab": 0.6}
    )


def test_of_equal_losses_the_last_by_code_points_is_dropped():
    model = {piece: math.log(1 / 6) for piece in ("a", "b", "c", "d", "ab", "cd")}
    assert [piece for piece, _ in unigram.prune(model, {"ab": 5, "cd": 5}, 1)] == ["cd"]


@given(WORDS)
def test_the_best_cut_is_the_most_probable_of_all(words):
    model, _ = unigram.estimate(unigram.seed(words, 50), words)
    for word in words:
        best = unigram.best_cut(word, model)
        assert "".join(best) == word
        expected = max(log_probability(cut, model) for cut in all_cuts(word))
        assert log_probability(best, model) == pytest.approx(expected)


@given(WORDS)
def test_the_likelihood_is_the_sum_over_all_cuts(words):
    model = unigram.seed(words, 50)
    _, log_likelihood = unigram.estimate(model, words)
    by_hand = [
        count * math.log(sum(math.exp(log_probability(cut, model)) for cut in all_cuts(word)))
        for word, count in words.items()
    ]
    assert log_likelihood == pytest.approx(sum(by_hand))


@given(WORDS, st.integers(3, 12))
def test_training_ends_with_at_most_the_pieces_asked_for(words, n_pieces):
    *_, last = unigram.steps(words, n_pieces)
    n_characters = len(set("".join(words)))
    assert len(last.model) <= max(n_pieces, n_characters)
    assert isinstance(last, unigram.Estimate)
    assert all("".join(unigram.best_cut(word, last.model)) == word for word in words)


@given(WORDS, st.integers(3, 12))
def test_two_estimates_go_before_each_pruning(words, n_pieces):
    kinds = [type(step) for step in unigram.steps(words, n_pieces)]
    rounds = [kinds[at : at + 3] for at in range(0, len(kinds), 3)]
    assert rounds[-1] == [unigram.Estimate, unigram.Estimate]
    assert all(kind == [unigram.Estimate, unigram.Estimate, unigram.Pruning] for kind in rounds[:-1])


def test_dropping_costs_what_the_best_cuts_lose():
    model = {piece: math.log(1 / 6) for piece in ("a", "b", "c", "d", "ab", "cd")}
    ((piece, loss),) = unigram.prune(model, {"ab": 9, "cd": 2}, 1)
    assert piece == "cd"
    assert loss == pytest.approx(2 * math.log(6), abs=1e-5)


def test_of_equal_cuts_the_one_whose_last_piece_is_longest_wins():
    model = dict.fromkeys(("a", "aa"), -1.0)
    assert unigram.best_cut("aaa", model) == ["a", "aa"]
    assert unigram.best_cut("aa", model, without="aa") == ["a", "a"]
    assert unigram.best_cut("", model) == []
