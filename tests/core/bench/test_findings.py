"""What a chart shows, as a sentence: only what its records bear out."""

import pytest
from bench_runs import record, stage

from guiapp.core.bench.findings import leaders, names_of, short_calls, stopped
from guiapp.core.bench.scenarios import SCENARIOS

SIZES = [128 * 4**power for power in range(6)]
CLOCKS = ("cpu", "wall")
UNTIMED = dict.fromkeys(("median_s", "ci_s"))


def series(scenario, name, power, *, corpus="english", sizes=SIZES):
    return [record(scenario, name, size, 1e-9 * size**power, corpus=corpus) for size in sizes]


def left(name, corpus="one letter"):
    return {"scenario": "worst", "contender": name, "corpus": corpus, "operation": "encode"}


def memory(name, mb):
    return record("memory", name, 1, 1, built_bytes=mb * 10**6, encoding_bytes=0, **UNTIMED)


def energy(name, joules):
    ends = [joules * 0.9, joules * 1.1]
    return record("energy", name, 10, 1e-3, joules_per_mb=joules, joules_ci=ends)


LINEAR = [row for name in ("fast", "heap", "tiktoken") for row in series("scaling", name, 1.0)]
WORST = [row for name in ("fast", "heap", "scan") for row in series("worst", name, 1.0, corpus="one letter")]


@pytest.mark.parametrize(
    ("rows", "left_out", "sentence"),
    [
        (LINEAR, [], "Time grows in step with the length of the text"),
        (
            LINEAR + series("scaling", "scan", 2.0),
            [],
            "Time grows in step with the length of the text, but not for scan",
        ),
        (series("scaling", "scan", 2.0), [], "Time grows faster than the length of the text"),
        (series("scaling", "fast", 1.0, sizes=SIZES[:3]), [], ""),
        (WORST, [left("heap"), left("scan")], "One letter, repeated, stops two of three"),
        (WORST, [left("heap", "random letters"), left("scan", None)], "One letter, repeated, stops nobody"),
        (
            [record("decode", "fast", 10, 1e-4), record("decode", "heap", 10, 1e-3)],
            [],
            "fast decodes fastest",
        ),
        (
            [record("decode", "fast", 10, 1e-3), record("decode", "heap", 10, 1e-4)],
            [],
            "heap decodes fastest, 10 times as fast as fast",
        ),
        (
            [record("decode", "fast", 10, 1e-3), record("decode", "heap", 10, 1.1e-3)],
            [],
            "fast and heap decode fastest",
        ),
        ([record("decode", "fast", 10, 1e-3)], [], ""),
        (
            [record("cold", "fast", 10, 1e-2), record("throughput", "fast", 10, 1e-3)],
            [],
            "The first text takes fast 10 times as long as later ones",
        ),
        (
            [record("threads", "fast", 10, 1e-2 / n, threads=n) for n in (1, 2)],
            [],
            "fast is 2.0 times as fast on two threads as on one",
        ),
        ([record("threads", "fast", 10, 1e-2 / n**0.1, threads=n) for n in (1, 2)], [], ""),
        ([record("threads", "fast", 10, 1e-2 / n, threads=n, clock=CLOCKS[n - 1]) for n in (1, 2)], [], ""),
        ([record("decode", name, 10, 1e-3 / 4**s, clock=CLOCKS[s]) for s, name in enumerate("ab")], [], ""),
        ([record("cold", "fast", 10, 1, clock="cpu"), record("throughput", "fast", 10, 1)], [], ""),
        (
            [
                record("append", "fast", 10, s, operation=what)
                for what, s in (("append", 2e-3), ("encode", 1e-3))
            ],
            [],
            "Appending bit by bit takes fast 2.0 times as long as encoding once",
        ),
        (
            [record("interval", "fast", size, 1e-3, operation="count parts") for size in (40, 40_000)],
            [],
            "To count 1,000 times as many bytes takes fast as long",
        ),
        (
            [
                stage("heap", "encode", 1e-3),
                stage("heap", "split", 2e-4),
                stage("heap", "encode pieces", 6e-4),
                stage("fast", "split", 9e-4),  # of another, whose call as a whole is not known
            ],
            [],
            "To encode takes 60 % of the time of heap",
        ),
        (
            [memory("fast", 48), memory("heap", 40), memory("scan", 335)],
            [],
            "heap needs 40 MB, fast 48 MB, scan 335 MB",
        ),
        ([record("throughput", "fast", 10, 1e-3), record("throughput", "heap", 10, 1e-2)], [], ""),
        (
            [
                record("latency", "fast", 10, 1e-6, p99_s=21e-6),
                record("latency", "heap", 10, 1e-6, p99_s=1e-3),
            ],
            [],
            "Of 100 calls of fast, 99 end within 21 µs",
        ),
        ([record("latency", "fast", 10, 1e-6)], [], ""),
        ([energy("fast", 0.12), energy("heap", 3.0)], [], "fast needs the least energy, 0.12 J for 1 MB"),
        ([energy("fast", 0.12), energy("heap", 0.13)], [], ""),
        (series("scaling", "fast", 0.5), [], "Time grows no faster than the length of the text"),
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
