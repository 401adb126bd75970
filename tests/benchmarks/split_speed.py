"""Measure how fast the patterns of well-known models split text into pieces.

    python tests/benchmarks/split_speed.py FILE...

The output is MB/s of processor time of one warm thread: the median of several rounds and the best one.
NumPy's look-up of each byte in a table is timed in the same rounds, as a measure of the processor's speed.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from guiapp.core.pretokenize.pre_tokenizers import PRE_TOKENIZERS
from guiapp.core.pretokenize.splitter import splitter_of
from guiapp.core.text.utf8 import repair

NAMES = (
    "llama-bpe", "gpt-2", "qwen2", "gpt-4o", "deepseek-v3", "deepseek-coder", "starcoder", "deepseek-llm",
)  # fmt: skip
TABLE = np.arange(256, dtype=np.uint8)


def speeds_mb_per_s(data: NDArray[np.uint8], rounds: int) -> dict[str, tuple[float, float]]:
    """Median and best speed of each contender; all run once in each round."""
    contenders: dict[str, Callable[[], object]] = {"table look-up": partial(np.take, TABLE, data)}
    contenders |= {name: partial(splitter_of(PRE_TOKENIZERS[name].patterns).split, data) for name in NAMES}
    elapsed_ns: dict[str, list[int]] = {name: [] for name in contenders}
    for run in contenders.values():
        run()
    for _ in range(rounds):
        for name, run in contenders.items():
            start_ns = time.thread_time_ns()
            run()
            elapsed_ns[name].append(time.thread_time_ns() - start_ns)
    size = len(data) * 1e3
    return {name: (size / statistics.median(times), size / min(times)) for name, times in elapsed_ns.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE")
    parser.add_argument("--rounds", type=int, default=9)
    arguments = parser.parse_args()
    for path in arguments.files:
        text = np.frombuffer(bytearray(path.read_bytes()), np.uint8)
        repaired = repair(text)
        data = text if repaired is None else repaired.data
        print(f"{path.name}, {len(data) / 1e6:.1f} MB")
        for name, (median, best) in speeds_mb_per_s(data, arguments.rounds).items():
            print(f"    {name:14} {median:7.1f} MB/s, best {best:7.1f}", flush=True)


if __name__ == "__main__":
    main()
