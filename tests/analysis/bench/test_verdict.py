"""The sentences that a run ends with and that stand over its charts, and what they are honest about."""

from dataclasses import replace

import pytest
from bench_runs import record, result, run_with

from guiapp.analysis.bench.findings import finding, notes, verdict_of
from guiapp.analysis.bench.report import measured_tables
from guiapp.analysis.bench.run_results import LeftOut


def row(name, ms, spread=0.0, share=1.0, n=16, **changes):
    """Turns that took so many milliseconds, each second one longer by a share."""
    samples = [ms / 1e3 * (1 + spread * (turn % 2)) for turn in range(n)]
    changes = {"n": n, "samples_s": samples, "n_tokens": 27_483.0, "processor_share": 1.0, **changes}
    return result("throughput", name, 100_000, ms / 1e3, share, **changes)


def verdict_text(*rows, baseline="fast"):
    return str(verdict_of(rows, "english", baseline))


def test_the_fastest_is_compared_with_the_baseline():
    rows = [row("tiktoken", 12.0), row("fast", 1.2), row("gigatoken", 1.0)]
    end = "; all ids are right; 27,483 tokens as plain text"
    assert verdict_text(*rows) == f"gigatoken is 1.2 × as fast as fast{end}"
    assert verdict_text(*rows[:2]) == f"fast is 10 × as fast as tiktoken{end}"
    assert verdict_text(*rows, baseline="heap") == f"gigatoken is 1.2 × as fast as fast{end}"
    assert verdict_text(rows[1]) == "fast was measured alone; its ids are right; 27,483 tokens as plain text"
    few = [replace(each, n=3, samples_s=each.samples_s[:3]) for each in rows]
    assert verdict_text(*few).startswith("gigatoken is about 1.2"), "of few turns"


def test_indistinguishable_speeds_are_called_equal():
    faster, slower = (
        row("gigatoken", 1.0, samples_s=[1.0] * 8 + [1.3] * 8),
        row("fast", 1.1, samples_s=[1.2] * 8 + [1.1] * 8),
    )
    message = verdict_text(faster, slower)
    assert message.startswith(
        "gigatoken and fast are equally fast as far as this run can tell; all ids are right"
    )


def test_on_a_busy_machine_close_speeds_have_no_winner():
    busy = [row(name, ms, processor_share=0.5) for name, ms in (("gigatoken", 1.0), ("fast", 2.3))]
    assert busy[0].was_busy
    close = (
        "gigatoken and fast are less than 3 × apart, too close to tell as the machine was busy; all ids are"
    )
    assert verdict_text(*busy).startswith(close)
    assert verdict_text(busy[0], row("fast", 4.0, processor_share=0.5)).startswith(
        "gigatoken is about 4.0 × as fast"
    )
    wrong = row("greedy", 0.5, share=0.9, processor_share=0.5)
    assert "greedy may be faster, but its ids differ" in verdict_text(wrong, *busy)
    decoding = [replace(each, scenario="decode") for each in busy]
    assert finding("decode", decoding, [], "fast") == "gigatoken and fast decode fastest"


def test_the_verdict_and_the_table_have_the_same_ratio_where_turns_wander():
    """The median of paired turns is not the ratio of the medians that bars show."""
    one, other = [1.0, 1.0, 1.0, 2.0, 2.0], [2.0, 2.0, 2.3, 2.3, 2.3]
    rows = [
        row(name, ms, samples_s=[each / 1e3 for each in samples], mb_per_s=100 / ms, n=5)
        for name, ms, samples in (("gigatoken", 1.0, one), ("fast", 2.3, other))
    ]
    (table,) = measured_tables(rows, "fast")
    ratio = table.rows[1][table.rows[0].index("of fast")]
    assert (ratio, verdict_text(*rows).startswith(f"gigatoken is about {ratio} × as fast")) == ("2.3", True)


def test_wrong_ids_are_never_the_fastest_unless_all_are_wrong():
    wrong, right, end = row("greedy", 0.1, share=0.9), row("fast", 1.0), "; 27,483 tokens as plain text"
    assert (
        verdict_text(wrong, right)
        == f"fast alone has the right ids; greedy is faster, but its ids differ{end}"
    )
    slow = replace(wrong, median_s=2.0)
    assert verdict_text(slow, right) == f"fast alone has the right ids, one other differs{end}"
    assert verdict_text(wrong, row("other", 0.2, share=0.5)) == (
        f"greedy is 2.0 × as fast as other; no ids are right{end}"
    )
    own = row("rs-bpe", 0.5, exact=None, agreement=None)
    assert verdict_text(own) == f"rs-bpe was measured alone{end}"
    assert verdict_text(replace(own, n_tokens=1)) == "rs-bpe was measured alone; 1 token as plain text"


def test_ids_are_called_the_librarys_only_where_it_was_measured():
    ours, other = row("Tokenloupe", 1.0), row("gigatoken", 2.0)
    wrong, theirs = row("greedy", 3.0, share=0.9), row("llama.cpp", 9.0)

    def ids(*rows) -> str:
        return str(verdict_of(rows, "english", "Tokenloupe", "llama.cpp")).split("; ")[1]

    assert ids(ours, other, theirs) == "all ids are equal to llama.cpp's"
    assert ids(ours, other, wrong, theirs) == "its ids are equal to llama.cpp's"
    assert ids(ours, other) == "all ids are equal"
    assert ids(ours, other, wrong) == "their ids are equal"
    assert ids(row("gigatoken", 0.5), ours, wrong) == "its ids are equal to Tokenloupe's"
    assert ids(ours).endswith("tokens as plain text"), "of itself there is nothing to say"
    alone = str(verdict_of([ours, wrong], "english", "Tokenloupe", "llama.cpp"))
    assert alone.startswith("Tokenloupe alone has these ids, one other differs; 27,483")
    assert notes(run_with(record("throughput", "fast", 10, 1.0), vocabulary={"library": "llama.cpp"}))[
        -1
    ] == ("Ids were compared with Tokenloupe's; llama.cpp itself was not measured in this run.")


def test_whose_bar_is_longer_than_that_of_the_winner_is_named_with_the_reason():
    right = [row("fast", 1.0), row("heap", 2.0)]
    wrong = [row(name, ms, share=0.9) for name, ms in (("a", 0.1), ("b", 0.2), ("c", 0.3), ("slow", 3.0))]
    own = row("rwkv", 0.5, exact=None, agreement=None)

    def ahead(*others) -> str:
        return "; ".join(verdict_text(*right, *others).split("; ")[2:-1])

    assert ahead(wrong[0], wrong[3]) == "a is faster, but its ids differ"
    assert ahead(*wrong[:2]) == "a and b are faster, but their ids differ"
    assert ahead(*wrong) == "three encoders are faster, but their ids differ"
    assert ahead(wrong[0], own) == (
        "a is faster, but its ids differ; rwkv is faster, with a vocabulary of its own"
    )
    assert ahead(replace(wrong[0], ci_s=(0.1e-3, 1.1e-3))) == "a may be faster, but its ids differ"
    assert ahead(wrong[3]) == ""


def test_an_older_run_has_a_verdict_without_token_counts():
    rows = [record("throughput", name, 10, seconds) for name, seconds in (("fast", 1.0), ("heap", 2.0))]
    for each in rows:
        del each["n_tokens"], each["tokens_per_s"]
    verdict = verdict_of(run_with(*rows).results, "english", "heap")
    assert str(verdict) == "Tokenloupe and heap are timed too rarely to compare; all ids are right"


SIZES = [128 * 4**power for power in range(6)]
UNTIMED = dict.fromkeys(("median_s", "ci_s"))


def series(scenario, name, power, *, corpus="english", sizes=SIZES):
    return [result(scenario, name, size, 1e-9 * size**power, corpus=corpus) for size in sizes]


def left(name, corpus="one letter"):
    return LeftOut(name, "It is slow.", "worst", "encode", corpus)


def memory(name, mb):
    return result("memory", name, 1, 1, built_bytes=mb * 10**6, encoding_bytes=0, **UNTIMED)


LINEAR = [row for name in ("fast", "heap", "tiktoken") for row in series("scaling", name, 1.0)]
WORST = [row for name in ("fast", "heap", "scan") for row in series("worst", name, 1.0, corpus="one letter")]


def decode(**seconds):
    return [result("decode", name, 10, s) for name, s in seconds.items()]


THREADS = [result("threads", "fast", 10, 1e-2 / n, threads=n) for n in (1, 2)]


APPEND = [result("append", "fast", 10, s, operation=what) for what, s in (("append", 2e-3), ("encode", 1e-3))]
LATENCY = [result("latency", name, 10, 1e-6, p99_s=s) for name, s in (("fast", 21e-6), ("heap", 1e-3))]
LINEAR_WORDS = "No encoder is much slower on longer texts"


@pytest.mark.parametrize(
    ("rows", "left_out", "sentence"),
    [
        (LINEAR, [], LINEAR_WORDS),
        (LINEAR + series("scaling", "scan", 2.0), [], "Only scan is much slower on longer texts"),
        (series("scaling", "fast", 1.0, sizes=SIZES[:3]), [], ""),
        (WORST, [left("heap"), left("scan")], "One letter, repeated, stops two of three"),
        (decode(fast=1e-4, heap=1e-3), [], "fast decodes fastest"),
        (decode(fast=1e-3, heap=1e-4), [], "heap decodes fastest, 10 times as fast as fast"),
        (decode(fast=1e-3, heap=1.1e-3), [], "fast and heap decode fastest"),
        (decode(fast=1e-3), [], ""),
        (THREADS, [], "fast is 2.0 times as fast on two threads as on one"),
        (APPEND, [], "Appending bit by bit takes fast 2.0 times as long as encoding once"),
        ([memory("fast", 48), memory("heap", 40)], [], "heap needs 40 MB, fast 48 MB"),
        (LATENCY, [], "Of 100 calls of fast, 99 end within 21 µs"),
    ],
)
def test_a_finding_is_one_sentence_or_nothing(rows, left_out, sentence):
    assert finding(rows[0].scenario, rows, left_out, "fast") == sentence
