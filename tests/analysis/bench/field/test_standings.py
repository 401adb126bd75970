"""What the top of the page says, of made-up runs."""

from __future__ import annotations

from dataclasses import replace

import pytest
from field_runs import TEXTS, field, result, vocabulary

from guiapp.analysis.bench.field.exactness import EQUAL
from guiapp.analysis.bench.field.record import fastest, headline, standings


def with_results(*results: dict):
    main = vocabulary()
    return field(replace(main, run={**main.run, "results": list(results)}))


def test_the_exact_come_first_the_fastest_of_them_ahead_and_those_without_a_part_last():
    names = [each.contender for each in standings(field())]
    assert names == ["gigatoken", "Tokenloupe", "tiktoken", "tokie", "kitoken", "sentencepiece"]


def test_one_wrong_vocabulary_is_enough_not_to_be_exact():
    other = vocabulary("gpt-2", is_detailed=False)
    right = replace(
        other, verdicts=tuple(replace(each, state=EQUAL, difference=None) for each in other.verdicts)
    )
    tokie = next(each for each in standings(field(vocabulary(), right)) if each.contender == "tokie")
    assert (len(tokie.taken), tokie.is_exact) == (2, False)


def test_the_headline_counts_one_as_one():
    main = vocabulary()
    judged = {each.contender: each for each in main.verdicts}
    alone = field(replace(main, verdicts=(judged["gigatoken"],)))
    assert headline(alone)[0] == (
        "1 tokenizer, one vocabulary: 1 gives the right ids with all it takes, 0 do not."
    )
    with_another = field(replace(main, verdicts=(judged["gigatoken"], judged["tokie"])))
    assert "2 tokenizers, one vocabulary: 1 gives" in headline(with_another)[0]


def test_the_headline_counts_and_names_the_fastest_exact_one():
    first, second = headline(field())
    assert first == "5 tokenizers, 2 vocabularies: 3 give the right ids with all they take, 2 do not."
    assert second == (
        "The fastest exact one on English with Llama-3 is gigatoken: "
        "50.0 M tokens/s (200 MB/s), 2 × as fast as Tokenloupe."
    )


@pytest.mark.parametrize(("seconds", "comparable"), [(5e-5, ()), (9.5e-5, ("Tokenloupe",))])
def test_who_cannot_be_told_apart_is_named_beside(seconds, comparable):
    found = with_results(result("fast", 1e-4), result("gigatoken", seconds), result("tokie", 1e-6))
    best = fastest(found, found.vocabularies[0], TEXTS[0])
    assert (best.contender, best.comparable) == ("gigatoken", comparable)
    assert best.ratio == pytest.approx(1e-4 / seconds)
    assert ("as far as this run can tell" in headline(found)[1]) == bool(comparable)


def test_a_run_without_times_says_so():
    main = replace(vocabulary(), run=None)
    assert headline(field(main))[1] == "Nothing was timed."
