"""Has traces recorded in a process of its own, with progress and cancel; the newest request wins."""

from __future__ import annotations

import json
import tempfile
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from guiapp.analysis.trace.debugger import Debugger, debugger_for
from guiapp.analysis.trace.record_process import RecordRequest
from guiapp.analysis.trace.trace import Trace
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.system.processes import command_of
from guiapp.core.system.replace_file import replace_file
from guiapp.kit.state.background import LatestJob, LineProcess, Progress

COMMAND = command_of("guiapp.analysis.trace.record_process")


class TraceRecorder(QObject):
    """Starts its process with the first request.

    progress  the share of the text that is recorded, 0 to 1

    Signals:
        recorded(object): a debugger at the start of the trace that was asked for last.
        failed(str): why there is none, to show as it stands.
        busy_changed(): `is_busy` is new.
        progress_changed(): `progress` is new.
    """

    recorded = Signal(object)
    failed = Signal(str)
    busy_changed = Signal()
    progress_changed = Signal()

    def __init__(self, command: tuple[str, ...] = COMMAND, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._number = 0
        self._tokenizer: Tokenizer | None = None  # of what is being recorded
        self.progress = 0.0
        self.is_busy = False
        self._folder = tempfile.TemporaryDirectory(prefix="tokenloupe-")
        self._loading = LatestJob[Debugger](self, self._deliver)
        self._process = LineProcess(command, self)
        self._process.told.connect(self._take_lines)
        self._process.ended.connect(self._note_end)

    @property
    def command(self) -> tuple[str, ...]:
        """How the process is started."""
        return self._process.command

    def record(
        self, tokenizer: Tokenizer, text: bytes, encoder: str, add_special: bool, parse_special: bool
    ) -> None:
        """Record a text instead of whatever is being recorded now."""
        self._number += 1
        self._tokenizer = tokenizer
        self._loading.cancel()
        text_file = Path(self._folder.name) / f"text-{self._number}"
        try:
            replace_file(text_file, text, is_private=True)
        except OSError as error:
            self._set_busy(False)
            self.failed.emit(f"{text_file} cannot be written: {error.strerror}.")
            return
        self._send(
            RecordRequest(
                self._number,
                str(tokenizer.vocabulary.path),
                tokenizer.vocabulary.chosen_pre,
                str(text_file),
                encoder,
                add_special,
                parse_special,
                str(Path(self._folder.name) / f"trace-{self._number}"),
            )
        )
        self.progress = 0.0
        self._set_busy(True)
        self.progress_changed.emit()

    def cancel(self) -> None:
        """Give up; nothing will be delivered."""
        self._number += 1
        self._tokenizer = None
        self._loading.cancel()
        if self._process.is_running:
            self._send(RecordRequest(self._number, "", "", "", "", False, False, ""))
        self._set_busy(False)

    def stop(self) -> None:
        """End the process, and remove what it wrote."""
        self._loading.wait()
        self._process.end()
        self._folder.cleanup()

    def _send(self, request: RecordRequest) -> None:
        if not self._process.is_running:
            self._process.start()
        self._process.send(request.line())

    def _take_lines(self, lines: list[bytes]) -> None:
        for line in lines:
            if line.startswith(b"{"):
                self._take(json.loads(line))

    def _take(self, message: dict[str, object]) -> None:
        if message["number"] != self._number:
            return
        if "progress" in message:
            self.progress = float(str(message["progress"]))
            self.progress_changed.emit()
        elif "done" in message:
            assert self._tokenizer is not None
            self._loading.start(partial(_load, Path(str(message["done"])), self._tokenizer))
        else:
            self._set_busy(False)
            self.failed.emit(str(message["error"]))

    def _deliver(self, debugger: Debugger) -> None:
        self._tokenizer = None
        self._set_busy(False)
        self.recorded.emit(debugger)

    def _note_end(self, complaint: str) -> None:
        if self.is_busy:
            self._set_busy(False)
            self.failed.emit(f"Recording ended unexpectedly: {complaint}. Try again with a shorter text.")

    def _set_busy(self, is_busy: bool) -> None:
        if is_busy != self.is_busy:
            self.is_busy = is_busy
            self.busy_changed.emit()


def _load(path: Path, tokenizer: Tokenizer, progress: Progress) -> Debugger:
    trace = Trace.load(path)
    path.unlink()
    trace.prepare()
    return debugger_for(tokenizer, trace)
