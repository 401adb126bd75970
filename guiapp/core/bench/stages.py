"""The stages of one of our encoders, each timed by itself on what the stage before it gave.

Where two stages are one pass over the text, they are one here too: nothing that is timed was changed for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from guiapp.core.pipelines.stages import ENCODE, NORMALISE, NORMALISE_AND_SPLIT, SPLIT, SPLIT_AND_ENCODE
from guiapp.core.tokenizer import Tokenizer

PARTITION = "partition"
STAGES = (PARTITION, NORMALISE, NORMALISE_AND_SPLIT, SPLIT, SPLIT_AND_ENCODE, ENCODE)
WHOLE = "encode"  # the operation that all stages are parts of


def stage_names(tokenizer: Tokenizer, encoder: str) -> tuple[str, ...]:
    """The stages of an encoder, in order."""
    return PARTITION, *(stage.name for stage in tokenizer.pipeline_of(encoder).stages(True, encoder))


def stage_calls(tokenizer: Tokenizer, encoder: str, text: bytes) -> Mapping[str, Callable[[], Any]]:
    """What runs each stage of encoding a text, in order; no special tokens are added or parsed."""
    partition = partial(_partition, tokenizer, text)
    calls: dict[str, Callable[[], Any]] = {PARTITION: partition}
    values = partition()
    for name, run in tokenizer.pipeline_of(encoder).stages(True, encoder):
        calls[name] = partial(_run_each, run, values)
        values = calls[name]()
    return calls


def _partition(tokenizer: Tokenizer, text: bytes) -> list[Any]:
    """The fragments between special tokens."""
    array = np.frombuffer(bytearray(text), np.uint8)
    if not tokenizer.special_tokens.may_be_in(text, False):
        return [array]
    found = tokenizer.special_tokens.partition(array, False)
    bounds = zip(found.raw_starts.tolist(), found.raw_ends.tolist(), strict=True)
    return [array[start:end] for start, end in bounds if start < end]


def _run_each(run: Callable[[Any], Any], values: list[Any]) -> list[Any]:
    return [run(value) for value in values]
