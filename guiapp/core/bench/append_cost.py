"""What it costs to append texts byte by byte, in encodings of the whole text.

    python -m guiapp.core.bench.append_cost MODEL... [--corpus FILE]... [--prepend]

The count after each byte and the ids at the end, against one encoding; warm, and as the first thing after
loading.  Besides the corpora, texts without cuts are appended: random letters, and one letter again and
again.  Times are those of the processor, medians of runs that take turns.  With `--prepend` the texts are
put together from their ends.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from statistics import median
from string import ascii_lowercase

import guiapp
from guiapp.core.counting.append import AppendEncoder
from guiapp.core.counting.prepend import PrependEncoder
from guiapp.core.tokenizer import Tokenizer

ROUNDS = 7
CORPUS_BYTES, RUN_BYTES = 10_000, 4096


def append(tokenizer: Tokenizer, text: bytes) -> None:
    """Append a text byte by byte, and ask for its ids."""
    growing = AppendEncoder(tokenizer, add_special=False, parse_special=False)
    growing.append_each(text)
    _ = growing.token_ids


def prepend(tokenizer: Tokenizer, text: bytes) -> None:
    """The same from the other end."""
    growing = PrependEncoder(tokenizer, add_special=False, parse_special=False)
    growing.prepend_each(text)
    _ = growing.token_ids


def encode(tokenizer: Tokenizer, text: bytes) -> None:
    tokenizer.encode(text, add_special=False, parse_special=False)


def cost(
    load: Callable[[], Tokenizer],
    text: bytes,
    is_cold: bool,
    rounds: int = ROUNDS,
    grow: Callable[[Tokenizer, bytes], None] = append,
) -> float:
    """How many encodings of a text it takes to append it, as the first thing that is done if `is_cold`."""
    taken: dict[Callable[[Tokenizer, bytes], None], list[int]] = {encode: [], grow: []}
    tokenizer = load()
    for job in taken:
        job(tokenizer, text)
    for _ in range(rounds):
        for job, times_ns in taken.items():
            tokenizer = load() if is_cold else tokenizer
            started = time.thread_time_ns()
            job(tokenizer, text)
            times_ns.append(time.thread_time_ns() - started)
    return median(taken[grow]) / median(taken[encode])


def texts(corpora: list[Path]) -> Iterator[tuple[str, bytes]]:
    for path in corpora:
        yield path.name, path.read_bytes()[:CORPUS_BYTES]
    yield "random letters", "".join(random.Random(1).choices(ascii_lowercase, k=RUN_BYTES)).encode()
    yield "one letter", b"a" * RUN_BYTES


def load_model(model: str) -> Tokenizer:
    tokenizer = guiapp.open_model(model).with_threads(1)
    tokenizer.make_tables()
    return tokenizer


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("models", nargs="+", metavar="MODEL")
    parser.add_argument("--corpus", type=Path, action="append", default=[], metavar="FILE")
    parser.add_argument("--prepend", action="store_true", help="put texts together from their ends")
    arguments = parser.parse_args()
    grow = prepend if arguments.prepend else append
    for model in arguments.models:
        for name, text in texts(arguments.corpus):
            load = partial(load_model, model)
            warm, cold = (cost(load, text, is_cold, grow=grow) for is_cold in (False, True))
            print(f"{Path(model).stem:32} {name:20} warm {warm:6.1f}, cold {cold:6.1f} encodings", flush=True)


if __name__ == "__main__":
    main()
