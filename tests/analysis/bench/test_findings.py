"""What a chart shows, as a sentence: only what its records bear out."""

import pytest
from bench_runs import record

from guiapp.analysis.bench.scenarios import SCENARIOS
from guiapp.analysis.bench.wording import leaders, names_of, short_calls, stopped

SIZES = [128 * 4**power for power in range(6)]
UNTIMED = dict.fromkeys(("median_s", "ci_s"))


def series(scenario, name, power, *, corpus="english", sizes=SIZES):
    return [record(scenario, name, size, 1e-9 * size**power, corpus=corpus) for size in sizes]


def left(name, corpus="one letter"):
    return {"scenario": "worst", "contender": name, "corpus": corpus, "operation": "encode"}


def memory(name, mb):
    return record("memory", name, 1, 1, built_bytes=mb * 10**6, encoding_bytes=0, **UNTIMED)


LINEAR = [row for name in ("fast", "heap", "tiktoken") for row in series("scaling", name, 1.0)]
WORST = [row for name in ("fast", "heap", "scan") for row in series("worst", name, 1.0, corpus="one letter")]


def decode(**seconds):
    return [record("decode", name, 10, s) for name, s in seconds.items()]


def threads(*clocks):
    return [
        record("threads", "fast", 10, 1e-2 / n, threads=n, clock=each) for n, each in enumerate(clocks, 1)
    ]


APPEND = [record("append", "fast", 10, s, operation=what) for what, s in (("append", 2e-3), ("encode", 1e-3))]
LATENCY = [record("latency", name, 10, 1e-6, p99_s=s) for name, s in (("fast", 21e-6), ("heap", 1e-3))]
LINEAR_WORDS = "Time grows in step with the length of the text"


@pytest.mark.parametrize(
    ("rows", "left_out", "sentence"),
    [
        (LINEAR, [], LINEAR_WORDS),
        (LINEAR + series("scaling", "scan", 2.0), [], f"{LINEAR_WORDS}, but not for scan"),
        (series("scaling", "fast", 1.0, sizes=SIZES[:3]), [], ""),
        (WORST, [left("heap"), left("scan")], "One letter, repeated, stops two of three"),
        (decode(fast=1e-4, heap=1e-3), [], "fast decodes fastest"),
        (decode(fast=1e-3, heap=1e-4), [], "heap decodes fastest, 10 times as fast as fast"),
        (decode(fast=1e-3, heap=1.1e-3), [], "fast and heap decode fastest"),
        (decode(fast=1e-3), [], ""),
        (threads("wall", "wall"), [], "fast is 2.0 times as fast on two threads as on one"),
        (threads("cpu", "wall"), [], ""),
        (APPEND, [], "Appending bit by bit takes fast 2.0 times as long as encoding once"),
        ([memory("fast", 48), memory("heap", 40)], [], "heap needs 40 MB, fast 48 MB"),
        (LATENCY, [], "Of 100 calls of fast, 99 end within 21 µs"),
    ],
)
def test_a_finding_is_one_sentence_or_nothing(rows, left_out, sentence):
    assert SCENARIOS[rows[0]["scenario"]].find(rows, left_out, "fast") == sentence


def test_short_calls_name_who_is_ahead_at_both_ends():
    def rows(*ahead):
        return [
            record("short", name, size, 1e-6 if name == best else 1e-5)
            for size, best in zip((16, 128, 1024), ahead, strict=True)
            for name in ("fast", "heap")
        ]

    assert short_calls(rows("fast", "fast", "fast"), (), "fast") == "fast is the fastest at every length"
    told = "heap is the fastest for the shortest, fast for the longest"
    assert short_calls(rows("heap", "fast", "fast"), (), "fast") == told


def test_leaders_are_all_whose_intervals_touch_that_of_the_fastest():
    rows = [record("decode", name, 10, s) for name, s in (("a", 1.0), ("b", 1.3), ("c", 1.4), ("d", 0.9))]
    assert leaders(rows) == ["d", "a"]
    assert leaders([]) == []
    assert names_of(["a", "b", "c"]) == "three contenders"
    assert (
        stopped(rows, [{"scenario": "decode", "corpus": "english", "operation": "encode", "contender": "e"}])
        == []
    )
