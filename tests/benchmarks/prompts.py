"""How much longer a text takes with special tokens in it than without them.

    python tests/benchmarks/prompts.py ../shared/vocabs/*.gguf ../shared/formats/*

With and without take turns, so that what else the machine does hits both alike, and medians are compared.  Ids
and spans of each text are compared with those of `encode_readable` where it is short, else with those of the
tokens and the stretches between them, encoded one by one.  "count" is `count` beside `encode`, both of the
text with special tokens.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from guiapp import open_model
from guiapp.core.encode.encoding import Encoding
from guiapp.core.encode.tokenizer import Tokenizer

ENGLISH = Path("corpora") / "shakespeare.txt"
SIZES = {300: (1, 8), 22_000: (1, 128, 1000), 1_000_000: (1, 128, 10_000)}
ROUNDS = 15
LEAST_NS = 200_000  # of one measurement: the clock is coarse
READABLE_BYTES = 1_000
N_NAMES = 3


def prompt(text: str, names: list[str], n_special: int) -> str:
    """A text with so many special tokens in it, the first at its start."""
    bounds = np.linspace(0, len(text), n_special + 1).astype(int).tolist()
    return "".join(names[i % len(names)] + text[bounds[i] : bounds[i + 1]] for i in range(n_special))


def names_of(tokenizer: Tokenizer) -> list[str]:
    """Some special tokens that are parsed wherever they stand."""
    names = list(tokenizer.special_tokens.names)
    return [name for name in names if len(name) > 2 and name.isascii() and not name.isspace()][-N_NAMES:]


def median_times(calls: list[Callable[[], object]], rounds: int) -> list[float]:
    """The median times of calls that take turns, in ns."""
    repeats = []
    for call in calls:
        call()
        start = time.perf_counter_ns()
        call()
        repeats.append(1 + LEAST_NS // (time.perf_counter_ns() - start))
    times: list[list[float]] = [[] for _ in calls]
    for _ in range(rounds):
        for call, repeat, own in zip(calls, repeats, times, strict=True):
            start = time.perf_counter_ns()
            for _ in range(repeat):
                call()
            own.append((time.perf_counter_ns() - start) / repeat)
    return [statistics.median(own) for own in times]


def are_exact(tokenizer: Tokenizer, text: str, encoding: Encoding) -> bool:
    if len(text) <= READABLE_BYTES:
        other = tokenizer.encode_readable(text)
        ids, spans = other.token_ids, other.spans
    else:
        data = np.frombuffer(text.encode(), np.uint8)
        tokens = tokenizer.encode_segment(
            data, tokenizer.special_tokens.partition(data, True), True, None, True
        )
        before, after = map(len, tokenizer.special_affixes())
        inner = slice(before, len(encoding) - after)
        return bool(
            np.array_equal(tokens.ids, encoding.token_ids[inner])
            and np.array_equal(np.stack([tokens.starts, tokens.ends], axis=1), encoding.spans[inner])
        )
    return bool(np.array_equal(ids, encoding.token_ids) and np.array_equal(spans, encoding.spans))


def compare(path: Path, english: str, rounds: int, sizes: list[int]) -> None:
    tokenizer = open_model(path).with_threads(1)
    names = names_of(tokenizer)
    if not names:
        print(f"{path.name}: no special tokens")
        return
    for size, counts in SIZES.items():
        if size not in sizes:
            continue
        plain = english[:size]
        for n_special in counts:
            text = prompt(plain, names, n_special)
            exact = are_exact(tokenizer, text, tokenizer.encode(text))
            calls: list[Callable[[], object]] = [
                lambda: tokenizer.encode(plain),
                lambda text=text: tokenizer.encode(text),
                lambda: tokenizer.encode(plain).spans,
                lambda text=text: tokenizer.encode(text).spans,
                lambda text=text: tokenizer.count(text),
                lambda: tokenizer.count(plain),
            ]
            without, with_them, spans, spans_with_them, count, plain_count = median_times(calls, rounds)
            print(
                f"{path.name[:28]:28} {size:9,} B {n_special:6,} special {without / 1e3:9.1f} µs"
                f" ids {with_them / without:6.2f} spans {spans_with_them / spans:6.2f}"
                f" count {count / with_them:6.2f} plain count {plain_count / without:6.2f}"
                f" {'equal' if exact else 'DIFFERENT'}",
                flush=True,
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", type=Path, nargs="+")
    parser.add_argument("--text", type=Path, default=Path("../shared") / ENGLISH)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    options = parser.parse_args()
    english = options.text.read_text("utf-8")
    for path in options.models:
        compare(path, english, options.rounds, options.sizes)


if __name__ == "__main__":
    main()
