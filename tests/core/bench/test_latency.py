"""Single calls: each text once, by a contender that has not seen it, and how long most of them took."""

import pytest
from bench_runs import record

from guiapp.core.bench.contenders.contender import Contender, ids_only
from guiapp.core.bench.measurement import Series
from guiapp.core.bench.operations import N_SINGLE, OPERATIONS, SINGLY, Subject
from guiapp.core.bench.tables import measured_tables
from guiapp.core.bench.tasks import Cell
from guiapp.core.bench.timing import Sample, calls_per_sample, take_sample


def test_each_call_is_timed_by_itself_with_texts_that_a_new_contender_has_not_seen():
    seen: list[bytes] = []
    old, new = (Contender(encode, bytes, ids_only) for encode in (pytest.fail, seen.append))
    texts = [f"text {number}".encode() for number in range(2 * N_SINGLE + 1)]
    operation = OPERATIONS[SINGLY](Subject(old, lambda: new, texts))
    assert seen == texts[:1]
    samples = [take_sample(operation, calls_per_sample(operation)) for _ in range(2)]
    assert seen == texts, "none comes twice as long as there are others"
    assert [len(sample.calls_s) for sample in samples] == [N_SINGLE, N_SINGLE]
    assert all(sum(sample.calls_s) <= sample.wall_s * N_SINGLE for sample in samples)


def test_a_record_tells_how_long_most_calls_took():
    series = Series(Cell("latency", (SINGLY,), "english", (b"ab",)), "fast", SINGLY, 1, None)
    for tens in range(4):
        calls_s = tuple((10 * tens + ones) / 1e6 for ones in range(1, 11))
        series.samples.append(Sample(2e-5, 2e-5, calls_s))
    told = series.record("wall")
    assert told["n_calls"] == 40
    assert [told[key] for key in ("p50_s", "p95_s", "p99_s")] == pytest.approx([20.5e-6, 38.05e-6, 39.61e-6])


def test_quantiles_stand_beside_the_throughput_of_the_same_text():
    single = record("latency", "fast", 128, 1e-5, p50_s=1e-6, p95_s=2e-6, p99_s=3e-6)
    throughput = record("throughput", "fast", 9_000, 1e-5)
    table, alone = measured_tables({"results": [throughput, single]}, "fast")
    assert table.rows[0][-3:] == ["p50 µs", "p95 µs", "p99 µs"]
    assert table.rows[1][-3:] == ["1.00", "2.00", "3.00"]
    assert alone.rows[0] == ["contender", "p50 µs", "± %", "of fast", "ids", "p95 µs", "p99 µs"]
