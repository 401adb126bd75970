"""What the tables of a run say beyond its figures."""

from __future__ import annotations

from fake_workers import report_of

from guiapp.core.bench.measurement import Record
from guiapp.core.bench.plan import Plan
from guiapp.core.bench.tables import missing_lines, notes, tables


def record_of(*scenarios: str) -> Record:
    return report_of(
        Plan("demo:bpe", ("sample:welcome",), ("fast", "heap"), scenarios=scenarios, time_budget_s=0.1)
    )


def test_stages_of_one_text_stand_side_by_side_with_their_share_of_the_whole():
    (table,) = tables(record_of("stages"), "fast")
    stages = ["partition", "normalise", "split", "split and encode pieces", "encode pieces"]
    assert table.rows[0] == ["", *stages, "whole call"]
    fast, heap = table.rows[1:]
    assert fast[3] == "–" == heap[4]
    assert all(cell.endswith("%") for cell in (fast[1], fast[4], heap[3], heap[5]))


def test_appending_is_told_beside_encoding_once():
    record = record_of("append")
    for row in record["results"]:
        row["median_s"] = 3e-5 if row["operation"] == "append" else 1e-5
    lines = [line for line in notes(record) if "bytes at a time" in line]
    assert len(lines) == 4
    assert all("3.00 times" in line for line in lines)


def test_all_that_were_left_out_for_one_reason_share_a_line():
    def left_out(contender: str, size_bytes: int, reason: str) -> Record:
        place = {"scenario": "append", "operation": "append", "corpus": "english"}
        return {**place, "contender": contender, "size_bytes": size_bytes, "reason": reason}

    missed = [left_out(name, size, "It cannot.") for size in (1000, 2000) for name in ("heap", "scan")]
    assert list(missing_lines([*missed, left_out("heap", 4000, "It crashed.")])) == [
        "heap, scan left out in append (english, 1 kB): It cannot.",
        "heap left out in append (english, 4 kB): It crashed.",
    ]
