"""A recorder for tests that are about other things than processes."""

from guiapp.core.errors import TokenloupeError
from guiapp.core.trace.recorder import record
from guiapp.viewmodels.steps.trace_recorder import TraceRecorder


class InstantRecorder(TraceRecorder):
    """Records at once, in this process."""

    def record(self, tokenizer, text, encoder, add_special, parse_special):
        try:
            self.recorded.emit(record(tokenizer, text, encoder, add_special, parse_special))
        except TokenloupeError as error:
            self.failed.emit(str(error))
