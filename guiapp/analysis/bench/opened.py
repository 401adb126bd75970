"""The model of a run, opened once for all contenders where they are copies of one process.

That one imports this module while OPEN_EARLY is in its environment, which `starting` sees to.
"""

from __future__ import annotations

import gc
import json
import os
from contextlib import suppress
from typing import NamedTuple

from guiapp.analysis.bench.memory import held_bytes
from guiapp.analysis.bench.starting import OPEN_EARLY
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.open_model import open_model
from guiapp.errors import TokenloupeError


class Opened(NamedTuple):
    """A tokenizer, and what opening it added to the process."""

    tokenizer: Tokenizer
    memory_bytes: int


def opened_model(model: str, pre: str | None = None) -> Opened:
    """What is open already if it is this one, else opened now; raises VocabError."""
    if found := _early.get((model, pre)):
        return found
    before = held_bytes()
    tokenizer = open_model(model, pre)
    return Opened(tokenizer, max(held_bytes() - before, 0))


def _open_early() -> dict[tuple[str, str | None], Opened]:
    """None of a file that cannot be opened: whoever asks for it is told why."""
    model, pre = json.loads(os.environ.pop(OPEN_EARLY, "[null, null]"))
    early = {}
    if model is not None:
        with suppress(TokenloupeError, OSError):
            early[model, pre] = opened_model(model, pre)
        gc.freeze()  # else each copy would touch all of it, and have its own
    return early


_early: dict[tuple[str, str | None], Opened] = {}
_early |= _open_early()
