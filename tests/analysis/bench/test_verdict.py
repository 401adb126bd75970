"""The sentence that a run ends with, and what it is honest about."""

import pytest
from bench_runs import record

from guiapp.analysis.bench.notes import verdict_of
from guiapp.analysis.bench.statistics import Ratio


def row(name, ms, spread=0.0, share=1.0, n=16, **changes):
    """Turns that took so many milliseconds, each second one longer by a share."""
    samples = [ms / 1e3 * (1 + spread * (turn % 2)) for turn in range(n)]
    changes = {"n": n, "samples_s": samples, "n_tokens": 27_483.0, "processor_share": 1.0, **changes}
    return record("throughput", name, 100_000, ms / 1e3, share, **changes)


def said(*rows, baseline="fast"):
    return str(verdict_of(rows, "english", baseline))


def test_the_fastest_is_told_beside_the_baseline():
    rows = [row("tiktoken", 12.0), row("fast", 1.2), row("gigatoken", 1.0)]
    assert said(*rows) == "gigatoken 1.2 × as fast as fast; all ids equal; 27,483 tokens as plain text"
    assert said(*rows[:2]) == "fast 10 × as fast as tiktoken; all ids equal; 27,483 tokens as plain text"
    assert (
        said(*rows, baseline="heap")
        == "gigatoken 1.2 × as fast as fast; all ids equal; 27,483 tokens as plain text"
    )
    assert said(rows[1]) == "fast takes part alone; its ids are right; 27,483 tokens as plain text"


def test_who_cannot_be_told_apart_is_not():
    faster, slower = (
        row("gigatoken", 1.0, samples_s=[1.0] * 8 + [1.3] * 8),
        row("fast", 1.1, samples_s=[1.2] * 8 + [1.1] * 8),
    )
    told = said(faster, slower)
    assert told.startswith("gigatoken and fast are equally fast as far as this run can tell; all ids equal; ")


def test_of_times_by_two_clocks_nobody_knows_the_ratio():
    told = said(
        row("gigatoken", 1.0, clock="cpu", crowded=True), row("fast", 4.0, clock="wall", crowded=True)
    )
    assert told.startswith("gigatoken and fast are equally fast as far as this run can tell; ")


def test_wrong_ids_are_never_the_fastest_unless_all_are_wrong():
    wrong, right = row("greedy", 0.1, share=0.9), row("fast", 1.0)
    assert (
        said(wrong, right) == "fast alone has the right ids; ids of 1 of 2 right; 27,483 tokens as plain text"
    )
    assert said(wrong, row("other", 0.2, share=0.5)).startswith(
        "greedy 2.0 × as fast as other; ids of 0 of 2"
    )
    own = row("rs-bpe", 0.5, exact=None, agreement=None)
    assert said(own) == "rs-bpe takes part alone; 27,483 tokens as plain text"
    assert said({**own, "n_tokens": 1}) == "rs-bpe takes part alone; 1 token as plain text"


def test_there_is_no_verdict_about_what_was_not_measured():
    assert verdict_of([], "english", "fast") is None
    assert verdict_of([row("fast", 1.0)], "code", "fast") is None
    assert verdict_of([row("fast", 1.0, operation="decode")], "english", "fast") is None
    assert verdict_of([row("fast", 1.0, n=0, median_s=None)], "english", "fast") is None


@pytest.mark.parametrize(
    ("n", "spread", "share", "is_stable", "was_busy"),
    [(16, 0.0, 1.0, True, False), (7, 0.0, 1.0, False, False), (16, 0.0, 0.8, True, True)],
)
def test_it_says_whether_more_turns_would_tell_more(n, spread, share, is_stable, was_busy):
    rows = [row("fast", 1.0, spread, n=n, processor_share=share), row("heap", 2.0, n=n)]
    verdict = verdict_of(rows, "english", "heap")
    assert (verdict.is_stable, verdict.was_busy) == (is_stable, was_busy)


def test_only_turns_that_both_took_are_compared():
    early = row("fast", 1.0, samples_s=[100.0] * 8 + [1.0] * 8)
    late = row("heap", 2.0, samples_s=[2.0] * 8, n=8, first_turn=8)
    assert verdict_of([early, late], "english", "heap").ratio == Ratio(*[pytest.approx(2.0)] * 3)


def test_a_run_that_kept_no_samples_says_nothing_sure():
    rows = [row("fast", 1.0, samples_s=[]), row("heap", 2.0, samples_s=[])]
    verdict = verdict_of(rows, "english", "heap")
    assert verdict.ratio == Ratio(2.0, 0.0, float("inf"))
    assert not verdict.is_stable
    assert verdict.is_tie


def test_a_run_of_an_older_version_has_a_verdict_without_what_it_does_not_tell():
    rows = [row("fast", 1.0), row("heap", 2.0)]
    for each in rows:
        del each["n_tokens"], each["processor_share"], each["samples_s"]
    assert (
        str(verdict_of(rows, "english", "heap"))
        == "fast and heap are equally fast as far as this run can tell; all ids equal"
    )


def test_beside_other_programs_only_what_is_clearly_faster_is():
    def beside_others(name, own_ms):
        samples = [1.1 * own_ms / 1e3, own_ms / 1e3] * 8  # every second turn had colder caches
        return row(name, own_ms, samples_s=samples, clock="cpu", crowded=True, processor_share=0.5)

    slow, nearly, twice = beside_others("fast", 2.0), beside_others("heap", 1.8), beside_others("scan", 1.0)
    assert verdict_of([slow, nearly], "english", "fast").is_tie
    verdict = verdict_of([slow, nearly, twice], "english", "fast")
    assert str(verdict).startswith("scan about 2.0 × as fast as fast; ")
    assert (verdict.is_stable, verdict.was_busy) == (True, True)
