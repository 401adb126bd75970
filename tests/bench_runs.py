"""Made-up results of benchmarks."""

from __future__ import annotations


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
        "exact": share == 1.0,
        "agreement": share,
        "first_difference": None if share == 1.0 else difference,
        **changes,
    }


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
