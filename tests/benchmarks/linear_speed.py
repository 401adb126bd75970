"""How the encoders that match tokens compare with merging, and how their time grows on worst-case text.

    python tests/benchmarks/linear_speed.py MODEL CORPUS

Without pre-tokenization every text is one piece.  Times are the thread's own on the processor, medians of
runs that take turns; how they grow is told by the best, because what disturbs long runs more is no growth.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from statistics import median

import guiapp
from guiapp.core.encode.tokenizer import Tokenizer

ROUNDS = 5
SMALL, LARGE = 100_000, 1_000_000
UNITS = (
    b"a",
    b" ",
    "▁".encode(),
    b"-",
    b"ab",
    b"abc",
    b"=-",
    b"\n",
    b"the",
    "\u3042".encode(),
    "\u6c49\u5b57".encode(),
)


def cpu_seconds(
    jobs: Mapping[str, Callable[[], object]], chosen: Callable[[list[int]], float] = median
) -> dict[str, float]:
    """The median, or what else is chosen, of the CPU times of each job."""
    taken: dict[str, list[int]] = {name: [] for name in jobs}
    for job in jobs.values():
        job()
    for _ in range(ROUNDS):
        for name, job in jobs.items():
            started = time.thread_time_ns()
            job()
            taken[name].append(time.thread_time_ns() - started)
    return {name: chosen(times) / 1e9 for name, times in taken.items()}


def speeds(tokenizer: Tokenizer, text: bytes, encoders: Iterable[str]) -> dict[str, float]:
    """MB/s of each encoder on a text."""
    seconds = cpu_seconds({name: partial(tokenizer.encode, text, False, False, name) for name in encoders})
    return {name: len(text) / 1e6 / taken for name, taken in seconds.items()}


def growth(tokenizer: Tokenizer, unit: bytes, encoder: str, small: int = SMALL, large: int = LARGE) -> float:
    """How many times longer `large` bytes take than `small` ones, as one piece made of a unit."""
    whole = tokenizer.without_splitting()
    return _growth(lambda text: whole.encode(text, False, False, encoder), unit, small, large)


def growth_with_spans(tokenizer: Tokenizer, unit: bytes, small: int = SMALL, large: int = LARGE) -> float:
    """The same as the file asks, by its own encoder, with the spans of all tokens."""
    return _growth(lambda text: tokenizer.encode(text).spans, unit, small, large)


def _growth(encode: Callable[[bytes], object], unit: bytes, small: int, large: int) -> float:
    texts = {str(size): unit * (size // len(unit)) for size in (small, large)}
    seconds = cpu_seconds({size: partial(encode, text) for size, text in texts.items()}, min)
    return seconds[str(large)] / seconds[str(small)]


def main(model: str, corpus: str) -> None:
    tokenizer = guiapp.open_model(model)
    text = Path(corpus).read_bytes()[:LARGE]
    names = tuple(name for name in tokenizer.encoders if name != "scan")
    for title, each in (("as the file asks", tokenizer), ("one piece", tokenizer.without_splitting())):
        shown = (name for name in names if not (each is not tokenizer and name == "fast"))
        for name, speed in speeds(each, text, shown).items():
            print(f"{title:18} {name:10} {speed:8.1f} MB/s")
    grows = {
        name: partial(growth, tokenizer, encoder=name) for name in tokenizer.exact_encoders if name != "scan"
    }
    for name, times in {"as the file asks": partial(growth_with_spans, tokenizer), **grows}.items():
        worst = max((times(unit=unit), unit) for unit in UNITS)
        print(f"{name}: ten times the text takes {worst[0]:.1f} times as long at most, for {worst[1]!r}")


if __name__ == "__main__":
    main(*sys.argv[1:3])
