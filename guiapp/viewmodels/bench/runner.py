"""The benchmark's process: started with a plan, talked to by lines, and told by its events."""

from __future__ import annotations

import json
from typing import Any

from PySide6.QtCore import QObject, QProcess, Signal

from guiapp.core.bench.plan import Plan
from guiapp.core.system.own_process import command_of
from guiapp.viewmodels.own_process import process_environment

COMMAND = command_of("guiapp.core.bench")
FAREWELL_MS = 3000


class BenchRunner(QObject):
    """Runs one plan at a time in a process of its own.

    Signals:
        told(dict): an event of `guiapp.core.bench.engine`, or {"event": "failed", "message"}.
        ended(str): the process is gone; why, where that was not asked for or to be expected, else "".
    """

    told = Signal(dict)
    ended = Signal(str)

    def __init__(self, command: tuple[str, ...] = COMMAND, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._command = command
        self._process = QProcess(self)
        self._process.setProcessEnvironment(process_environment())
        self._process.readyReadStandardOutput.connect(self._read)
        self._process.finished.connect(self._finish)
        self._process.errorOccurred.connect(self._note_error)
        self._has_finished = False

    @property
    def is_running(self) -> bool:
        return self._process.state() is not QProcess.ProcessState.NotRunning

    def start(self, plan: Plan) -> None:
        """Begin; nothing happens while another run is going."""
        if self.is_running:
            return
        self._has_finished = False
        program, *arguments = self._command
        self._process.start(program, arguments)
        self._say(json.dumps(plan.record()))

    def pause(self) -> None:
        self._say("pause")

    def resume(self) -> None:
        self._say("resume")

    def hold(self) -> None:
        """Ask it to begin nothing for a moment."""
        self._say("hold")

    def stop(self) -> None:
        """Ask it to tell what it has and to end."""
        self._say("stop")

    def close(self) -> None:
        """End it whatever it does, and wait for that."""
        if self.is_running:
            self._process.closeWriteChannel()
            if not self._process.waitForFinished(FAREWELL_MS):
                self._process.kill()
                self._process.waitForFinished(FAREWELL_MS)

    def _say(self, line: str) -> None:
        self._process.write(f"{line}\n".encode())

    def _read(self) -> None:
        while self._process.canReadLine():
            event: dict[str, Any] = json.loads(bytes(self._process.readLine().data()))
            self._has_finished |= event["event"] in ("finished", "failed")
            self.told.emit(event)

    def _finish(self, exit_code: int, status: QProcess.ExitStatus) -> None:
        self._read()
        if self._has_finished:
            self.ended.emit("")
            return
        said = bytes(self._process.readAllStandardError().data()).decode(errors="replace").strip()
        crashed = status is QProcess.ExitStatus.CrashExit
        last = said.splitlines()[-1] if said else f"{'signal' if crashed else 'status'} {exit_code}"
        self.ended.emit(f"The benchmark's process ended early ({last}). What it measured stays.")

    def _note_error(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart:
            self.ended.emit(f"The benchmark could not be started: {self._process.errorString()}.")
