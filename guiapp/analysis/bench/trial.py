"""A contender of one's own tried on one text, before it takes part in a run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.bench.wording import time_text
from guiapp.analysis.bench.worker_process import ContenderFailed, WorkerLost, WorkerProcess
from guiapp.analysis.libraries.contender import UnavailableError
from guiapp.analysis.libraries.custom import CustomContender
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.text.figures import counted

LIMIT_S = 20.0
SHOWN_IDS = 12


@dataclass(frozen=True)
class TrialResult:
    """What a contender made of a text, and how long one call took."""

    ids: NDArray[np.int32]
    is_equal: bool
    seconds: float

    def __str__(self) -> str:
        shown = " ".join(map(str, self.ids[:SHOWN_IDS])) + (" …" if len(self.ids) > SHOWN_IDS else "")
        equal = "those of the model" if self.is_equal else "not those of the model"
        return f"{counted(len(self.ids), 'id')} in {time_text(self.seconds)}, {equal}.\n{shown}".strip()


def try_custom(
    own: CustomContender, tokenizer: Tokenizer, model: str, text: bytes, shall_stop: Callable[[], bool]
) -> TrialResult:
    """Run it once in a process of its own; raises UnavailableError with what went wrong."""
    pre = tokenizer.vocabulary.chosen_pre or None
    process = WorkerProcess(model, own.name, 1, shall_stop, pre, own)
    try:
        process.ask(LIMIT_S, "load")
        ids = process.ask(LIMIT_S, "prepare", "encode", (text,), 1).ids
        seconds = process.ask(LIMIT_S, "sample", "encode").wall_s
    except (ContenderFailed, WorkerLost) as error:
        raise UnavailableError(str(error)) from error
    finally:
        process.end()
    wanted = tokenizer.encode(text, add_special=False, parse_special=False).token_ids
    return TrialResult(ids, np.array_equal(ids, wanted), seconds)
