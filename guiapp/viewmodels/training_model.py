"""A training of a vocabulary, made by a process of its own, and a place in it."""

from __future__ import annotations

import json
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, QProcess, QTimer, Signal

from guiapp.core.own_process import command_of
from guiapp.core.training.record import TrainingRecord
from guiapp.core.training.train_process import Finished, TrainRequest, parse_start
from guiapp.viewmodels.own_process import process_environment
from guiapp.viewmodels.step_clock import StepClock

COMMAND = command_of("guiapp.core.training.train_process")
LINES_A_TURN = 100  # a few milliseconds of the window's time
STOP_MS = 2000


@dataclass(frozen=True)
class TrainingWish:
    """What to train; `n_tokens` is the size of the whole vocabulary."""

    algorithm: str
    text: bytes
    n_tokens: int
    has_end_marks: bool = False


class TrainingModel(QObject):
    """The training that was asked for last.

    Signals:
        changed(): `record` has new steps, or `is_busy`, `failure` or `model_file` is new.
        position_changed(): `position` is new.
    """

    changed = Signal()
    position_changed = Signal()

    def __init__(self, command: tuple[str, ...] = COMMAND, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._command = command
        self._folder = tempfile.TemporaryDirectory(prefix="tokenloupe-")
        self._process: QProcess | None = None
        self._goal = 0
        self.wish: TrainingWish | None = None
        self.record: TrainingRecord | None = None
        self.position = 0
        self.failure = ""
        self.model_file: Path | None = None
        self.clock = StepClock(self)
        self.clock.ticked.connect(self._play_on)

    # Training

    @property
    def is_busy(self) -> bool:
        return self._process is not None

    @property
    def n_steps(self) -> int:
        return 0 if self.record is None else self.record.n_steps

    def train(self, wish: TrainingWish, position: int = 1) -> None:
        """Train, and go to a step as soon as it is there."""
        self._end_process()
        self.clock.pause()
        self.wish, self.record, self.model_file, self.failure = wish, None, None, ""
        self.position, self._goal = 0, position
        text_file = Path(self._folder.name) / "text"
        text_file.write_bytes(wish.text)
        output = Path(self._folder.name) / "trained.gguf"
        request = TrainRequest(wish.algorithm, str(text_file), wish.n_tokens, wish.has_end_marks, str(output))
        self._process = process = QProcess(self)
        process.setProcessEnvironment(process_environment())
        process.readyReadStandardOutput.connect(self._read)
        process.finished.connect(self._read)
        program, *arguments = self._command
        process.start(program, arguments)
        process.write(request.line())
        self.changed.emit()
        self.position_changed.emit()

    def show(self, wish: TrainingWish, position: int) -> None:
        """Go to a step of a training, which is made first if it is another than the present one."""
        if wish != self.wish:
            self.train(wish, position)
        else:
            self._goal = position
            self.go_to(position)

    def cancel(self) -> None:
        """Stop here; the steps so far stay."""
        if self.is_busy:
            self._end_process()
            self.failure = "Training was cancelled: there is no model file."
            self.changed.emit()

    def save(self, path: Path) -> bool:
        """Write the model file to a place of one's choice; whether that worked."""
        if self.model_file is None:
            return False
        try:
            shutil.copyfile(self.model_file, path)
        except OSError:
            return False
        return True

    def stop(self) -> None:
        """End all work in the background, and remove what it wrote."""
        self.clock.pause()
        self._end_process()
        self._folder.cleanup()

    def _end_process(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.waitForFinished(STOP_MS)
            process.deleteLater()

    def _read(self) -> None:
        """Take some lines; what is left waits until the window had its turn."""
        for _ in range(LINES_A_TURN):
            if self._process is None or not self._process.canReadLine():
                break
            self._take(bytes(self._process.readLine().data()))
        else:
            QTimer.singleShot(0, self, self._read)
        self._note_sudden_end()
        self.changed.emit()
        if self.position < min(self._goal, self.n_steps):
            self.go_to(self._goal)

    def _take(self, line: bytes) -> None:
        if self.record is None and not line.startswith(b'{"finished"'):
            self.record = TrainingRecord(parse_start(line))
        elif self.record is not None and line.startswith(b'{"kind"'):
            self.record.append(line)
        else:
            self._finish(Finished(**json.loads(line)["finished"]))

    def _finish(self, finished: Finished) -> None:
        self._end_process()
        self.failure = finished.error
        self.model_file = Path(finished.output) if finished.output else None

    def _note_sudden_end(self) -> None:
        """Tell of a process that ended without a last line."""
        process = self._process
        if (
            process is None
            or process.canReadLine()
            or process.state() is not QProcess.ProcessState.NotRunning
        ):
            return
        message = bytes(process.readAllStandardError().data()).decode(errors="replace").strip()
        last = message.splitlines()[-1] if message else f"exit code {process.exitCode()}"
        self._end_process()
        self.failure = f"Training ended unexpectedly: {last}. Try again with a shorter text."

    # Moving

    def go_to(self, position: int) -> None:
        """Show what there was after so many steps."""
        position = max(0, min(position, self.n_steps))
        if position != self.position:
            self.position = position
            self.position_changed.emit()

    def step(self) -> None:
        self.go_to(self.position + 1)

    def back(self) -> None:
        self.go_to(self.position - 1)

    def restart(self) -> None:
        self.go_to(0)

    def to_end(self) -> None:
        self.go_to(self.n_steps)

    def toggle_play(self) -> None:
        """Take a step now and then, to the end; from the end, start anew."""
        if self.clock.is_playing:
            self.clock.pause()
            return
        if self.position >= self.n_steps:
            self.restart()
        self.clock.play()

    def _play_on(self) -> None:
        self.step()
        if self.position >= self.n_steps and not self.is_busy:
            self.clock.pause()
