"""The first start: a child process compiles the kernels while the window uses them interpreted."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, QProcess, QProcessEnvironment, Signal

from guiapp.core.kernels.compile import run_interpreted

COMMAND = (sys.executable, "-m", "guiapp.core.kernels.warm_up")
STOP_MS = 2000


class KernelWarmUp(QObject):
    """Fills the disk cache of compiled kernels from outside, then switches to it.

    Compiling holds Python's lock for seconds, so it must not happen in the window's process.

    Signals:
        running_changed(): `is_running` is new.
        progress_changed(): `done` or `n_steps` is new.
        finished(): kernels run compiled from now on.
        failed(str): they stay interpreted, and what the compiler said.
    """

    running_changed = Signal()
    progress_changed = Signal()
    finished = Signal()
    failed = Signal(str)

    def __init__(
        self,
        command: Sequence[str] = COMMAND,
        use_interpreted: Callable[[bool], None] = run_interpreted,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._command = command
        self._use_interpreted = use_interpreted
        self._done = 0
        self._n_steps = 0
        self._is_stopping = False
        self._process = QProcess(self)
        self._process.setProcessEnvironment(_environment())
        self._process.readyReadStandardOutput.connect(self._read)
        self._process.finished.connect(self._finish)
        self._process.errorOccurred.connect(self._note_error)

    @property
    def is_running(self) -> bool:
        return self._process.state() is not QProcess.ProcessState.NotRunning

    @property
    def done(self) -> int:
        return self._done

    @property
    def n_steps(self) -> int:
        """How many steps there are; 0 while that is not known."""
        return self._n_steps

    def start(self) -> None:
        """Run kernels interpreted, and compile them meanwhile."""
        self._use_interpreted(True)
        program, *arguments = self._command
        self._process.start(program, arguments)
        self.running_changed.emit()

    def stop(self) -> None:
        """Give up; what is compiled already stays in the cache."""
        self._is_stopping = True
        self._process.kill()
        self._process.waitForFinished(STOP_MS)

    def _read(self) -> None:
        while self._process.canReadLine():
            line = bytes(self._process.readLine().data())
            if line.startswith(b"{"):
                step = json.loads(line)
                self._done, self._n_steps = step["done"], step["of"]
                self.progress_changed.emit()

    def _finish(self, exit_code: int, status: QProcess.ExitStatus) -> None:
        self.running_changed.emit()
        if self._is_stopping:
            return
        if exit_code == 0 and status is QProcess.ExitStatus.NormalExit:
            self._use_interpreted(False)
            self.finished.emit()
        else:
            self.failed.emit(bytes(self._process.readAllStandardError().data()).decode(errors="replace"))

    def _note_error(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart:
            self.running_changed.emit()
            self.failed.emit(self._process.errorString())


def _environment() -> QProcessEnvironment:
    """This process's environment, with its import path: the package may lie next to the script only."""
    environment = QProcessEnvironment.systemEnvironment()
    environment.insert("PYTHONPATH", os.pathsep.join(path for path in sys.path if path))
    return environment
