"""The benchmark's process: started with a plan, talked to by lines, and told by its events."""

from __future__ import annotations

import json
from typing import Any

from PySide6.QtCore import QObject, Signal

from guiapp.analysis.bench.plan import RUN_OWN, Plan
from guiapp.core.processes import command_of
from guiapp.kit.state.background import LineProcess

COMMAND = (*command_of("guiapp.analysis.bench"), RUN_OWN)  # whoever uses the window has said yes to each
FAREWELL_MS = 3000


class BenchRunner(QObject):
    """Runs one plan at a time in a process of its own.

    Signals:
        told(dict): an event of `guiapp.analysis.bench.engine`, or {"event": "failed", "message"}.
        ended(str): the process is gone; why, where that was not asked for or to be expected, else "".
    """

    told = Signal(dict)
    ended = Signal(str)

    def __init__(self, command: tuple[str, ...] = COMMAND, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._process = LineProcess(command, self)
        self._process.told.connect(self._take)
        self._process.ended.connect(self._note_end)
        self._has_finished = False

    @property
    def is_running(self) -> bool:
        return self._process.is_running

    def start(self, plan: Plan) -> None:
        """Begin; nothing happens while another run is going."""
        if self.is_running:
            return
        self._has_finished = False
        self._process.start()
        self._send(json.dumps(plan.record()))

    def pause(self) -> None:
        self._send("pause")

    def resume(self) -> None:
        self._send("resume")

    def hold(self) -> None:
        """Ask it to begin nothing for a moment."""
        self._send("hold")

    def stop(self) -> None:
        """Ask it to tell what it has and to end."""
        self._send("stop")

    def close(self) -> None:
        """End it whatever it does, and wait for that."""
        self._process.leave(FAREWELL_MS)

    def _send(self, line: str) -> None:
        self._process.send(f"{line}\n".encode())

    def _take(self, lines: list[bytes]) -> None:
        for line in lines:
            event: dict[str, Any] = json.loads(line)
            self._has_finished |= event["event"] in ("finished", "failed")
            self.told.emit(event)

    def _note_end(self, complaint: str) -> None:
        why = f"The benchmark's process ended early ({complaint}). What it measured stays."
        self.ended.emit("" if self._has_finished else why)
