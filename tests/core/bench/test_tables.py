"""A whole run as a terminal shows it, line by line, and the changes between two."""

from pathlib import Path

import pytest
from bench_runs import MEMORY, record, stage
from fake_workers import report_of

from guiapp.core.bench.drift import Drift
from guiapp.core.bench.history import BUSY_MARGIN, Change
from guiapp.core.bench.plan import Plan
from guiapp.core.bench.published import PUBLISHED
from guiapp.core.bench.remarks import missing_lines, remarks
from guiapp.core.bench.report import table_lines
from guiapp.core.bench.statistics import Ratio
from guiapp.core.bench.tables import busy_text, change_lines, change_table, published_tables, tables
from guiapp.core.export.tables import NONE

AT_THE_BEGINNING = {"index": 0, "byte_offset": 0, "expected_id": None, "found_id": 5}
COUNTED = {400: 3e-7, 40: 2e-7, 4_000: 5e-7}
RUN = {
    "results": [
        record("throughput", "fast", 10_000, 1e-4),
        record("throughput", "fast", 4_000, 5e-5, corpus="code", n=1),
        record(
            "throughput",
            "greedy",
            4_000,
            2e-5,
            0.956,
            corpus="code",
            first_difference=AT_THE_BEGINNING,
            ci_s=[2e-5, 2.2e-5],
        ),
        record("throughput", "rs-bpe", 10_000, 3e-3, exact=None, agreement=None, first_difference=None),
        record("throughput", "greedy", 10_000, 4e-5, 0.987),
        record("decode", "greedy", 10_000, 1e-3, 0.5, operation="decode"),
        record("scaling", "heap", 128, 1e-5, n=2),
        record("scaling", "heap", 1 << 20, 3e-1),
        record("worst", "heap", 1_000, 1.5),
        record("worst", "fast", 1_000, 1e-6, corpus="joined"),
        record("worst", "heap", 1_000_000, 2.0),
        record("short", "fast", 16, 25e-9, operation="encode each"),
        record("append", "fast", 10_000, 1e-2, operation="append"),
        record("append", "fast", 10_000, 4e-3),
        record("append", "heap", 10_000, 4e-3),
        record("append", "fast", 1_000, 1e-2, operation="append"),
        *(record("interval", "fast", size, s, operation="count parts") for size, s in COUNTED.items()),
        record("interval", "fast", 400, 3e-6, operation="encode parts"),
        *(record("threads", "fast", 10_000, 1e-4 / threads, threads=threads) for threads in (1, 2)),
        record("threads", "gigatoken", 10_000, 1e-4, operation="encode batch", threads=2),
        stage("heap", "encode", 1e-3),
        stage("heap", "split", 2e-4),
        stage("greedy", "encode pieces", 6e-4, size_bytes=5),
        stage("fast", "encode", 1e-4, corpus="code", size_bytes=512),
        *MEMORY,
    ],
    "growth": [
        {
            "scenario": "scaling",
            "contender": "fast",
            "corpus": "english",
            "exponent": 1.014,
            "overhead_s": 2.5e-5,
            "slope": 1e-9,
            "error": 0.052,
        }
    ],
    "left_out": [
        {"contender": "sentencepiece", "scenario": None, "operation": None, "reason": "It takes SPM only."}
    ],
}


def lines_of(name: str) -> list[str]:
    return Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines()


def test_all_that_was_measured_is_told_line_by_line():
    assert list(table_lines(RUN, "fast")) == lines_of("table_lines.txt")


def test_each_published_figure_is_the_one_that_was_printed():
    lines = [
        f"{each.source.name}: {each.scenario}, {each.operation}, {each.contender}, {each.corpus}, "
        f"{each.size_bytes}: {each.figure}; {each.speed and format(each.speed, '.6g')}"
        for each in PUBLISHED
    ]
    assert lines == lines_of("published_figures.txt")


def test_who_was_left_out_of_another_cell_took_no_part_in_this_one():
    place = {"scenario": "throughput", "operation": "encode", "corpus": "tutorial", "size_bytes": 1142}
    lessons = [{**record("throughput", "scan", 1142, 1e-3), **place}]
    reasons = []
    for name in ("scenario", "operation", "corpus", "size_bytes", "contender", ""):
        left_out = {"contender": "heap", **place, "reason": "It crashed."}
        left_out |= {name: "another"} if name else {}
        (table,) = published_tables({"results": lessons, "left_out": [left_out]})
        reasons.append(table.rows[2][4])
    assert reasons == ["took no part"] * 5 + ["It crashed."]


def test_published_figures_of_who_was_not_measured_stand_there_with_the_reason():
    result = record("throughput", "scan", 1142, 1e-3, corpus="tutorial")
    left_out = {"contender": "sentencepiece", "scenario": None, "reason": "It takes SPM only."}
    (table,) = published_tables({"results": [result], "left_out": [left_out]})
    _, _, heap, sentencepiece = table.rows
    assert heap[0::4] == ["heap", "took no part"]
    assert sentencepiece[:3] == ["sentencepiece", "throughput: tutorial, 1,142 B", "sentencepiece 2.9 ms"]
    assert sentencepiece[4:] == ["It takes SPM only.", "–", "–", "–"]


def test_a_published_ratio_stands_beside_the_same_ratio_here():
    ours, theirs = (record("scaling", name, 4 << 20, s) for name, s in (("greedy", 1.0), ("llama.cpp", 3.0)))
    (table,) = published_tables({"results": [ours, theirs]})
    assert table.rows[0][3] == table.rows[0][6] == "× llama.cpp"
    ratios = {row[0]: (row[3], row[6]) for row in table.rows[1:]}
    assert ratios == {"greedy": ("2.53×", "3.00×"), "llama.cpp": ("1.00×", "1.00×")}
    (alone,) = published_tables({"results": [ours]})
    assert alone.rows[1][6] == "–"


def test_what_no_source_says_is_called_unknown():
    decoded = record("decode", "heap", 1142, 1e-3, operation="decode", corpus="tutorial")
    (table,) = published_tables({"results": [decoded]})
    assert table.rows[1][2:4] == ["unknown", "–"]
    assert "in no source that we could read" in table.note


def test_those_left_out_of_all_cells_are_told_without_a_place():
    nowhere = {"scenario": None, "operation": None, "corpus": None, "size_bytes": None}
    left_out = [{"contender": name, **nowhere, "reason": "It crashed."} for name in ("a", "b", "a")]
    assert list(missing_lines(left_out)) == ["a, b took no part: It crashed."]


def change(name: str, ratio: float, threads: int = 1, **more) -> Change:
    key = ("scaling", "encode", name, "english", 2_048, threads)
    return Change(key, Ratio(ratio, ratio * 0.96, ratio * 1.04), **more)


def test_stages_of_one_text_stand_side_by_side_with_their_share_of_the_whole():
    plan = Plan("demo:bpe", ("sample:welcome",), ("fast", "heap"), scenarios=("stages",), time_budget_s=0.1)
    (table,) = tables(report_of(plan), "fast")
    stages = ["partition", "normalise", "split", "split and encode pieces", "encode pieces"]
    head, *rows = table.rows
    assert (head[0], head[2:]) == ("contender", [f"{stage} %" for stage in stages])
    assert head[1].startswith("whole call ")
    shares = {name: dict(zip(head[1:], cells, strict=True)) for name, *cells in rows}
    assert shares["fast"]["split %"] == "–" == shares["heap"]["split and encode pieces %"]
    assert all(int(shares[name]["partition %"]) >= 0 for name in ("fast", "heap"))


def test_changes_are_a_table_with_their_verdicts():
    changes = [
        change("heap", 1.5),
        change("fast", 0.5, threads=2),
        change("scan", 1.0),
        change("table", 4.0, is_disturbed=True),
        change("words", 9.0, margin=BUSY_MARGIN),
    ]
    table = change_table(changes, "Since yesterday")
    assert (table.title, table.note) == ("Since yesterday", "")
    assert table.rows == [
        ["", "what", "text", "size", "verdict", "times the time", "99 % interval"],
        ["heap", "scaling (encode)", "english", "2 KiB", "▼ slower", "1.50", "1.44 to 1.56"],
        ["fast", "scaling (encode), 2 threads", "english", "2 KiB", "▲ faster", "0.50", "0.48 to 0.52"],
        ["scan", "scaling (encode)", "english", "2 KiB", "same", "1.00", "0.96 to 1.04"],
        ["table", "scaling (encode)", "english", "2 KiB", "disturbed", "4.00", "3.84 to 4.16"],
        ["words", "scaling (encode)", "english", "2 KiB", "▼ maybe slower", "9.00", "8.64 to 9.36"],
    ]
    assert list(change_lines(changes)) == [
        "SLOWER: heap: scaling (encode), english, 2,048 bytes: 1.50 times the time (99 %: 1.44 to 1.56)",
        "MAYBE SLOWER: words: scaling (encode), english, 2,048 bytes: 9.00 times the time "
        "(99 %: 8.64 to 9.36)",
        "FASTER: fast: scaling (encode), english, 2,048 bytes, 2 threads: 0.50 times the time "
        "(99 %: 0.48 to 0.52)",
        "2 slower, 1 faster, 1 same",
        "Machine busy: only what differs more than 3 times is told, as maybe, and nothing is sure "
        "of 1 result that had less than a core.",
    ]


def test_without_changes_there_is_nothing_to_tell():
    assert change_table([], "Nothing").rows == [
        ["", "what", "text", "size", "verdict", "times the time", "99 % interval"]
    ]
    assert list(change_lines([])) == ["0 slower, 0 faster, 0 same"]


def test_what_all_share_is_a_column_of_its_own():
    drift = Drift(1.25, ("fast", "heap", "scan"))
    table = change_table([change("heap", 1.5, drift=drift), change("fast", 1.25, drift=drift)], "Drift")
    assert [row[4:] for row in table.rows] == [
        ["verdict", "times the time", "99 % interval", "beside the drift"],
        ["▼ slower", "1.50", "1.44 to 1.56", "1.20"],
        ["same", "1.25", "1.20 to 1.30", "1.00"],
    ]
    assert next(change_lines([change("heap", 1.5, drift=drift)])) == f"{drift}."


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ([], ""),
        ([change("fast", 2.0)], ""),
        (
            [change("fast", 2.0), change("heap", 2.0, margin=BUSY_MARGIN)],
            "Machine busy: only what differs more than 3 times is told, as maybe",
        ),
        (
            [change("fast", 2.0, is_disturbed=True)],
            "Machine busy: nothing is sure of 1 result that had less than a core",
        ),
        (
            [change("fast", 2.0, is_disturbed=True, margin=9.0)] * 2,
            "Machine busy: only what differs more than 3 times is told, as maybe, and nothing is sure "
            "of 2 results that had less than a core",
        ),
    ],
)
def test_a_busy_machine_is_told_with_what_follows(changes, told):
    assert busy_text(changes) == told


def test_remarks_of_a_kind_are_one_sentence_with_the_best_and_the_worst():
    took_s = {("fast", 10): (1e-3, 2e-3), ("fast", 1_000): (9e-3, 1e-3), ("heap", 1_000): (5e-3, 1e-3)}
    results = [
        record("append", name, size, seconds, operation=operation)
        for (name, size), pair in took_s.items()
        for operation, seconds in zip(("append", "encode"), pair, strict=True)
    ]
    parts = {"fast": (1e-6, 2e-6), "heap": (1e-6, 9e-6), "scan": (1e-6, 5e-6)}
    results += [
        record("interval", name, size, seconds, operation="count parts")
        for name, pair in parts.items()
        for size, seconds in zip((40, 4_000), pair, strict=True)
    ]
    *_, counting, appending = remarks({"results": results})
    assert counting == (
        "fast counts a part of english of 40 B in 1 µs, and one of 4 kB, 100 times as long, in 2 µs: "
        "2.00 times the time; at worst, heap counts a part of english of 40 B in 1 µs, and one of 4 kB, "
        "100 times as long, in 9 µs: 9.00 times the time."
    )
    assert appending == (
        "heap appends 4 bytes and counts in 20 µs up to 1 kB of english, and encodes all of that again, "
        "known to caches, in 1 ms; at worst, fast appends 4 bytes and counts in 333 µs up to 10 B of "
        "english, and encodes all of that again, known to caches, in 2 ms."
    )


@pytest.mark.parametrize("scenario", ["throughput", "scaling"])
def test_times_by_different_clocks_are_not_put_in_proportion(scenario):
    clocks = {"fast": "cpu", "heap": "cpu", "own": "wall"}
    results = [record(scenario, name, 10_000, 1e-4, clock=clock) for name, clock in clocks.items()]
    head, *rows = next(tables({"results": results}, "fast")).rows
    assert [row[head.index("of fast")] for row in rows] == ["1.00", "1.00", NONE]


def test_reasons_that_differ_by_seconds_are_one_sentence():
    cell = {"scenario": "worst", "operation": "encode", "corpus": "one letter"}
    left_out = [
        {**cell, "contender": name, "size_bytes": size, "reason": reason}
        for name, size, reason in (
            ("scan", 1_000, "One call would take about 9 s."),
            ("scan", 10_000, "One call would take about 275 s."),
            ("heap", 10_000, "One call would take about 2 s."),
            ("heap", 100_000, "It crashed."),
        )
    ]
    assert list(missing_lines(left_out)) == [
        "scan, heap took no part in “Worst case” (one letter, 1 kB, and 1 more): "
        "One call would take about 2 to 275 s.",
        "heap took no part in “Worst case” (one letter, 100 kB): It crashed.",
    ]
