"""Records traces in a child process: the pure Python encoders would make the window stutter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

from guiapp.analysis.trace.debugger import Debugger, debugger_for
from guiapp.analysis.trace.recorder import record
from guiapp.analysis.trace.trace import Trace
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.open_model import open_model
from guiapp.core.processes import ApartError, PersistentProcess, serve
from guiapp.errors import TokenloupeError, not_written

MODULE = "guiapp.analysis.trace.record_process"


@dataclass(frozen=True)
class RecordRequest:
    """What to record, and the file to write the trace to.

    text  decoded as UTF-8, with invalid bytes as surrogates
    """

    model: str
    pre: str
    text: str
    encoder: str
    add_special: bool
    parse_special: bool
    output: str


class RecordingProcess:
    """A child process, started with the first text; keeps models open until a recording is cancelled."""

    def __init__(self, module: str = MODULE) -> None:
        self._process = PersistentProcess(module)
        self._folder = TemporaryDirectory(prefix="tokenloupe-")

    def record(
        self,
        tokenizer: Tokenizer,
        text: bytes,
        encoder: str,
        add_special: bool,
        parse_special: bool,
        progress: Callable[[float], None],
    ) -> Debugger:
        """Record a trace and return a debugger at its start; end the process if `progress` raises.

        Raises TokenloupeError.
        """
        model = str(tokenizer.vocabulary.path), tokenizer.vocabulary.chosen_pre
        output, sent = Path(self._folder.name) / "trace", text.decode("utf-8", "surrogateescape")
        request = RecordRequest(*model, sent, encoder, add_special, parse_special, str(output))
        try:
            self._process.work(asdict(request), progress)
        except ApartError as error:
            message = "Recording stopped unexpectedly. Try a shorter text."
            raise TokenloupeError(message) from error
        trace = Trace.load(output)
        output.unlink()
        trace.prepare()
        return debugger_for(tokenizer, trace)

    def close(self) -> None:
        self._process.close()
        self._folder.cleanup()


@lru_cache(maxsize=2)
def _open(model: str, pre: str) -> Tokenizer:
    return open_model(model, pre or None)


def work(row: dict[str, object], progress: Callable[[float], None]) -> None:
    """Record the trace of one `RecordRequest`.  Raises TokenloupeError."""
    request = RecordRequest(**row)  # type: ignore[arg-type]
    tokenizer, text = _open(request.model, request.pre), request.text.encode("utf-8", "surrogateescape")
    switches = request.add_special, request.parse_special
    trace = record(tokenizer, text, request.encoder or None, *switches, progress=progress)
    try:
        trace.save(Path(request.output))
    except OSError as error:
        raise TokenloupeError(not_written(request.output, error)) from error


if __name__ == "__main__":
    serve(work)
