"""Compile every kernel once, so that nobody waits for it later.

Compiling holds Python's global lock, so a window lets a child process do it:

    python -m guiapp.core.kernels.warm_up

It prints one JSON line per step, {"done": 3, "of": 12, "name": "…"}, and fills the disk cache that all
processes share.  The work is that of real use, so that kernels are compiled for the very argument types
that they meet: every demo model is loaded, and encodes and decodes a sample with each of its encoders.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from functools import partial

from guiapp.core.kernels.compile import cache_folder, is_interpreted

TEXT = (
    "Token <s> ﬁnd Ⅻ 汉字 🚀 don't 12345   \n\tx = [1]; İstanbul été…".encode()
    + b" \xff \xe2\x82 \xed\xa0\x80 z"
)


def is_complete() -> bool:
    """Whether a warm-up with these very sources, this numba and this Python has finished before."""
    return is_interpreted() or (cache_folder() / "complete").exists()


def warm_up(report: Callable[[int, int, str], None] = lambda done, of, name: None) -> None:
    """Run every kernel once; `report(done, of, name)` before each step and once after the last."""
    steps = list(_steps())
    for done, (name, step) in enumerate(steps):
        report(done, len(steps), name)
        step()
    report(len(steps), len(steps), "done")
    if not is_interpreted():
        (cache_folder() / "complete").touch()


def _steps() -> Iterator[tuple[str, Callable[[], None]]]:
    from guiapp.core.demo import DEMO_MODELS

    for model in DEMO_MODELS:
        yield model.title, partial(_use_model, f"demo:{model.name}")


def _use_model(name: str) -> None:
    from guiapp import open_model

    tokenizer = open_model(name)
    for encoder in tokenizer.encoders:
        for text in (TEXT, b"plain text", tokenizer.vocabulary.raw_text(0) + TEXT):
            encoding = tokenizer.encode(text, encoder=encoder)
    tokenizer.decode_bytes(encoding.token_ids)


def _print_progress(done: int, of: int, name: str) -> None:
    print(json.dumps({"done": done, "of": of, "name": name}), flush=True)


if __name__ == "__main__":
    warm_up(_print_progress)
    sys.exit(0)
