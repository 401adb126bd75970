"""For tests of other subjects: work without a process, and models that are opened and searched only once."""

from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

import guiapp
from guiapp.analysis.trace.debugger import debugger_for
from guiapp.analysis.trace.recorder import record
from guiapp.analysis.tree.trials import unreached
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.errors import TokenloupeError
from guiapp.pages.steps.recording import TraceRecorder

_record_once = lru_cache(16)(record)
_open_once = cache(guiapp.open_model)


def load_once(name: str, pre: str | None = None, progress: object = None) -> Tokenizer:
    """The `load` function of a session: tests share demo models, which are immutable."""
    return _open_once(name) if name.startswith("demo:") and not pre else guiapp.open_model(name, pre)


@cache
def unreached_once(tokenizer: Tokenizer) -> NDArray[np.int32]:
    return unreached(tokenizer, lambda share: None)


class InstantRecorder(TraceRecorder):
    """Records at once, in this process."""

    def record(self, tokenizer, text, encoder, add_special, parse_special):
        try:
            trace = _record_once(tokenizer, text, encoder, add_special, parse_special)
            self.done.emit(debugger_for(tokenizer, trace))
        except TokenloupeError as error:
            self.failed.emit(str(error))
