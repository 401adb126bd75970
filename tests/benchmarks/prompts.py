"""Measure how much longer a text takes with special tokens than without, and `count` than `encode`.

    python tests/benchmarks/prompts.py ../shared/vocabs/*.gguf ../shared/formats/*

Both texts take turns, so that other load affects both equally, and medians are compared.  The segments
between special tokens are in the cache, as in a chat; in the column "new text" only their words are: special
tokens stand before white space.  Short texts must have the ids and spans of
`encode_readable`, others those of the segments one by one.
"""

from __future__ import annotations

import argparse
import re
import statistics
import time
from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from guiapp import open_model
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.errors import TokenloupeError

SIZES = {300: (1, 8), 22_000: (1, 128, 800), 1_000_000: (1, 128, 10_000)}  # bytes: special tokens
ROUNDS = 15
LEAST_NS = 200_000  # of one measurement: the clock is coarse
READABLE_BYTES = 1_000
N_NAMES = 3
N_NEW_TEXTS = 40
TITLES = ("without µs", "ids", "spans", "new text", "count", "count without")

Call = Callable[[], object]


def prompt(text: str, names: Sequence[str], n_special: int) -> str:
    """A text with `n_special` special tokens, the first at its start, the others before white space."""
    edges = [0, *(match.start() for match in re.finditer(r"\s", text)), len(text)]
    bounds = [edges[bisect_left(edges, at)] for at in np.linspace(0, len(text), n_special + 1).astype(int)]
    return "".join(names[i % len(names)] + text[bounds[i] : bounds[i + 1]] for i in range(n_special))


def names_of(tokenizer: Tokenizer) -> list[str]:
    """Some special tokens that are parsed in any context."""
    names = tokenizer.special_tokens.names
    return [name for name in names if len(name) > 2 and name.isascii() and not name.isspace()][-N_NAMES:]


def median_times(calls: Sequence[Call], rounds: int) -> list[float]:
    """The median processor times in ns of calls that take turns."""
    repeats = [1 + int(LEAST_NS // (_time(call, 1) and _time(call, 1))) for call in calls]
    times = [[_time(*each) for each in zip(calls, repeats, strict=True)] for _ in range(rounds)]
    return [statistics.median(own) for own in zip(*times, strict=True)]


def _time(call: Call, repeat: int) -> float:
    start = time.process_time_ns()
    for _ in range(repeat):
        call()
    return (time.process_time_ns() - start) / repeat


def is_exact(tokenizer: Tokenizer, text: str) -> bool:
    """Whether ids and spans of a prompt equal those of its segments one by one."""
    encoding = tokenizer.encode(text, add_special=False)
    if len(text) <= READABLE_BYTES:
        expected = tokenizer.encode_readable(text, add_special=False)
        ids, spans = expected.token_ids, expected.spans
    else:
        data = np.frombuffer(text.encode(), np.uint8)
        partition = tokenizer.special_tokens.partition_readable(data.tobytes(), True)
        tokens = tokenizer.encode_segment(data, partition, True, None, True)
        ids, spans = tokens.ids, np.stack([tokens.starts, tokens.ends], axis=1)
    return np.array_equal(ids, encoding.token_ids) and np.array_equal(spans, encoding.spans)


def ratio_of_new_text(
    tokenizer: Tokenizer, book: str, size: int, names: Sequence[str], n_special: int
) -> float:
    """The time ratio for texts whose words are cached, but whose segments are not."""
    parts = [book[start : start + size] for start in range(0, len(book) - size, size)][:N_NEW_TEXTS]
    tokenizer.encode(book)
    times = []
    for number, part in enumerate(parts):
        calls = [partial(tokenizer.encode, text) for text in (part, prompt(part, names, n_special))]
        own = [
            _time(call, 1) for call in (calls if number % 2 else calls[::-1])
        ]  # the first finds less in the cache
        times.append(own if number % 2 else own[::-1])
    without, with_them = (statistics.median(each) for each in zip(*times, strict=True))
    return with_them / without


def compare(tokenizer: Tokenizer, name: str, book: str, sizes: Sequence[int], rounds: int) -> None:
    names = names_of(tokenizer)
    for size in sizes if names else ():
        plain = book[:size]
        for n_special in SIZES[size]:
            text = prompt(plain, names, n_special)
            calls = [
                partial(call, each) for call in (tokenizer.encode, tokenizer.count) for each in (plain, text)
            ]
            calls += [partial(_spans, tokenizer, each) for each in (plain, text)]
            plain_ns, ns, count_plain_ns, count_ns, plain_spans_ns, spans_ns = median_times(calls, rounds)
            fresh = ratio_of_new_text(tokenizer, book, size, names, n_special)
            ratios = ns / plain_ns, spans_ns / plain_spans_ns, fresh, count_ns / ns, count_plain_ns / plain_ns
            print(
                f"{name[:28]:28} {size:9,} {n_special:7,} {plain_ns / 1e3:10.1f}",
                *(f"{ratio:>{len(title) + 2}.2f}" for ratio, title in zip(ratios, TITLES[1:], strict=True)),
                " equal" if is_exact(tokenizer, text) else " DIFFERENT",
                flush=True,
            )


def _spans(tokenizer: Tokenizer, text: str) -> object:
    return tokenizer.encode(text).spans


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("models", type=Path, nargs="+")
    parser.add_argument("--text", type=Path, default=Path("../shared/corpora/shakespeare.txt"))
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    options = parser.parse_args()
    book = options.text.read_text("utf-8")
    print(f"{'':28} {'bytes':>9} {'special':>7}", *(f"{title:>{len(title) + 2}}" for title in TITLES))
    for path in options.models:
        try:
            tokenizer = open_model(path).with_threads(1)
            compare(tokenizer, path.name, book, options.sizes, options.rounds)
        except TokenloupeError as error:
            print(f"{path.name}: {error}")


if __name__ == "__main__":
    main()
