"""A recorder for tests that are about other things than processes."""

from guiapp.core.errors import TokenloupeError
from guiapp.core.trace.recorder import record
from guiapp.core.trace.reports import debugger_for
from guiapp.viewmodels.steps.trace_recorder import TraceRecorder


class InstantRecorder(TraceRecorder):
    """Records at once, in this process."""

    def record(self, tokenizer, text, encoder, add_special, parse_special):
        try:
            trace = record(tokenizer, text, encoder, add_special, parse_special)
            self.recorded.emit(debugger_for(tokenizer, trace))
        except TokenloupeError as error:
            self.failed.emit(str(error))
