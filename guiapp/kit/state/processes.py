"""Processes of the program's own that a window starts and talks to."""

from __future__ import annotations

from PySide6.QtCore import QObject, QProcess, QProcessEnvironment, QTimer, Signal

from guiapp.core.system.processes import environment, last_line

LINES_A_TURN = 100  # a few milliseconds of the window's time
PATIENCE_MS = 2000


class LineProcess(QObject):
    """One process at a time; both sides talk in lines.

    Signals:
        told(list): lines of bytes, some at a time, so that the window has its turn in between.
        ended(str): it has ended by itself and all it told was told; the last line of its complaint, or
            its exit code.
    """

    told = Signal(list)
    ended = Signal(str)

    def __init__(self, command: tuple[str, ...], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.command = command
        self._process: QProcess | None = None

    @property
    def is_running(self) -> bool:
        """From `start` to `ended`, `drop` or `end`."""
        return self._process is not None

    def start(self) -> None:
        """Begin anew; a process before is dropped."""
        self.drop()
        self._process = process = QProcess(self)
        process.setProcessEnvironment(process_environment())
        process.readyReadStandardOutput.connect(self._read)
        process.finished.connect(self._read)
        process.errorOccurred.connect(self._note_error)
        program, *arguments = self.command
        process.start(program, arguments)

    def say(self, line: bytes) -> None:
        if self._process is not None:
            self._process.write(line)

    def leave(self, patience_ms: int) -> None:
        """Say that nothing more will be said, and give it some time to end by itself."""
        if self._process is not None:
            self._process.closeWriteChannel()
            self._process.waitForFinished(patience_ms)
        self.end()

    def drop(self) -> None:
        """End it whatever it does, and listen no more; where all processors are busy, that takes a while."""
        process, self._process = self._process, None
        if process is None:
            return
        process.readyReadStandardOutput.disconnect(self._read)
        process.finished.disconnect(self._read)
        process.errorOccurred.disconnect(self._note_error)
        if process.state() is QProcess.ProcessState.NotRunning:
            process.deleteLater()
        else:
            process.finished.connect(process.deleteLater)
            process.kill()

    def end(self) -> None:
        """The same for all that were dropped, and wait until they are gone: none writes files any more."""
        self.drop()
        for process in self.findChildren(QProcess):
            process.waitForFinished(PATIENCE_MS)

    def _read(self) -> None:
        process = self._process
        if process is None:
            return
        lines: list[bytes] = []
        while process.canReadLine() and len(lines) < LINES_A_TURN:
            lines.append(bytes(process.readLine().data()))
        if lines:
            self.told.emit(lines)
        if process is not self._process:  # the lines made somebody end it
            return
        if process.canReadLine():
            QTimer.singleShot(0, self, self._read)
        elif process.state() is QProcess.ProcessState.NotRunning:
            complaint = last_line(bytes(process.readAllStandardError().data()))
            self._note_end(complaint or f"exit code {process.exitCode()}")

    def _note_error(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart and self._process is not None:
            self._note_end(f"it could not be started: {self._process.errorString()}")

    def _note_end(self, complaint: str) -> None:
        self.drop()
        self.ended.emit(complaint)


def process_environment() -> QProcessEnvironment:
    """This process's environment, with its import path."""
    variables = QProcessEnvironment()
    for name, value in environment().items():
        variables.insert(name, value)
    return variables
