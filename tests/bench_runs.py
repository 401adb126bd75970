"""Made-up results of benchmarks, as JSON and as records."""

from __future__ import annotations

from guiapp.analysis.bench.run_results import BenchResult, BenchRun, run_of
from guiapp.core.text.outside_json import read_as


def record(scenario: str, contender: str, size: int, seconds: float, share: float = 1.0, **changes) -> dict:
    difference = {"index": 3, "byte_offset": 17, "expected_id": 1, "found_id": 2}
    return {
        "scenario": scenario,
        "operation": "encode",
        "contender": contender,
        "corpus": "english",
        "size_bytes": size,
        "threads": 1,
        "n": 9,
        "median_s": seconds,
        "ci_s": [seconds * 0.9, seconds * 1.2],
        "mb_per_s": size / seconds / 1e6,
        "tokens_per_s": size / seconds / 4,
        "n_tokens": size // 4,
        "exact": share == 1.0,
        "agreement": share,
        "first_difference": None if share == 1.0 else difference,
        **changes,
    }


def result(*given, **changes) -> BenchResult:
    return read_as(BenchResult, record(*given, **changes))


def run_with(*records: dict, **parts) -> BenchRun:
    """A run with these records."""
    return run_of({"results": list(records), **parts})


RUN = {
    "results": [
        record("throughput", "fast", 10_000, 1e-4),
        record("throughput", "greedy", 10_000, 5e-5, 0.95),
        record("throughput", "tiktoken", 10_000, 1e-3),
        record("throughput", "rs-bpe", 10_000, 1e-3, exact=None, agreement=None, first_difference=None),
        *(record("scaling", "fast", 1 << power, 1e-5 + 1e-9 * (1 << power)) for power in range(7, 22, 2)),
        *(record("worst", "heap", size, 1e-8 * size) for size in (1_000, 10_000, 100_000, 1_000_000)),
    ],
    "left_out": [
        {"contender": "sentencepiece", "scenario": None, "operation": None, "reason": "It takes SPM only."}
    ],
}


UNTIMED = dict.fromkeys(("median_s", "ci_s", "mb_per_s", "tokens_per_s", "n_tokens"))
MEMORY = [
    record("memory", name, 1000, 1.0, built_bytes=mb * 10**6, encoding_bytes=10**6, **UNTIMED)
    for name, mb in (("fast", 5), ("heap", 3))
]

EVERYTHING = {  # at least one record of each kind
    "results": [
        *RUN["results"],
        *(record("worst", "fast", size, 2e-8 * size, corpus="other") for size in (1_000, 50_000)),
        *(record(name, "heap", size, 1e-8 * size) for name in ("short", "append") for size in (100, 9_000)),
        *(record("threads", "fast", 10_000, 1e-4 / threads, threads=threads) for threads in (1, 2)),
        *(record("decode", name, 10_000, 1e-4, share) for name, share in (("heap", 1.0), ("greedy", 0.9))),
        *(record("chat-prompt", name, 8_000, 1e-4) for name in ("fast", "tiktoken")),
        record("latency", "fast", 128, 1e-5, p50_s=9e-6, p95_s=2e-5, p99_s=3e-5),
        *MEMORY,
    ],
    "left_out": RUN["left_out"],
}
